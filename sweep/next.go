package sweep

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Proposal is a run that would narrow the answer.
type Proposal struct {
	Values []string `json:"values"` // of the axes
	InGrid bool     `json:"in_grid"`
	// Expected is what the model thinks it takes; 0 where it cannot say.
	Expected float64 `json:"expected_seconds,omitempty"`
	// Gain is by how many seconds the best is expected to fall, counting that it
	// may not.
	Gain float64 `json:"gain_seconds,omitempty"`
	Why  string  `json:"why"`
}

// Propose fills in the runs that would narrow the answer most, at most so many:
// points of the grid that are likely to be the best, values inside a step that
// is a cliff, and values beyond the end of an axis where the best one is.
func (t *Table) Propose(s *Study, points []Point, l *Ledger, most int) {
	t.Next = []Proposal{}
	if t.model == nil {
		return
	}
	t.Next = append(t.Next, t.likely(s, points, l)...)
	t.Next = append(t.Next, t.inside()...)
	t.Next = append(t.Next, t.beyond()...)
	if len(t.Next) > most {
		t.Next = t.Next[:most]
	}
}

// likely ranks the points that are missing by expected improvement (Jones,
// Schonlau and Welch 1998, eq. 15) over the shortest so far.
func (t *Table) likely(s *Study, points []Point, l *Ledger) []Proposal {
	best := t.Rows[0].Seconds
	var found []Proposal
	for i := range points {
		if _, tried := l.find(points[i].Key); tried { // one that failed would again
			continue
		}
		y, sd := t.model.guess(s.place(points[i].Values))
		if gain := improvement(math.Log(best), y, sd) * best; gain > 0.001*best {
			found = append(found, Proposal{points[i].Values, true, math.Exp(y), gain, "it may be the shortest"})
		}
	}
	slices.SortStableFunc(found, func(a, b Proposal) int {
		switch {
		case a.Gain > b.Gain:
			return -1
		case a.Gain < b.Gain:
			return 1
		}
		return 0
	})
	return found
}

func improvement(best, mean, sd float64) float64 {
	if sd <= 0 {
		return max(0, best-mean)
	}
	z := (best - mean) / sd
	density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
	below := math.Erfc(-z/math.Sqrt2) / 2
	return (best-mean)*below + sd*density
}

// inside proposes the middle of a step that is a cliff.
func (t *Table) inside() []Proposal {
	if t.Cliff == nil {
		return nil
	}
	a := slices.IndexFunc(t.Axes, func(a Axis) bool { return a.Name == t.Cliff.Axis })
	from, _ := strconv.ParseFloat(t.Cliff.From, 64)
	to, _ := strconv.ParseFloat(t.Cliff.To, 64)
	middle := (from + to) / 2
	if from == math.Trunc(from) && to == math.Trunc(to) {
		if to-from < 2 {
			return nil // there is nothing between
		}
		middle = math.Trunc(middle)
	}
	return []Proposal{t.at(a, middle, fmt.Sprintf("the cliff is between %s %s and %s", t.Cliff.Axis, t.Cliff.From, t.Cliff.To))}
}

// beyond proposes to go on where the best value of an axis is its last and the
// step to it still gained.
func (t *Table) beyond() []Proposal {
	var found []Proposal
	for a, axis := range t.Axes {
		steps := t.steps(a)
		xs, _ := axis.numbers()
		if len(steps) < 2 {
			continue
		}
		last := steps[len(steps)-1]
		at := t.Rows[0].Values[a]
		if axis.Values[last.to] == at && last.rise < -math.Log(spreads) {
			next := 2*xs[last.to] - xs[last.from]
			if xs[last.from] > 0 && math.Abs(xs[last.to]/xs[last.from]-xs[last.from]/xs[steps[len(steps)-2].from]) < 1e-9 {
				next = xs[last.to] * xs[last.to] / xs[last.from]
			}
			found = append(found, t.at(a, next, fmt.Sprintf("the shortest has the largest %s, and more of it still helped", axis.Name)))
		}
	}
	return found
}

// at is the best point with one value changed.
func (t *Table) at(axis int, value float64, why string) Proposal {
	values := slices.Clone(t.Rows[0].Values)
	values[axis] = strconv.FormatFloat(value, 'g', -1, 64)
	return Proposal{Values: values, Why: why}
}
