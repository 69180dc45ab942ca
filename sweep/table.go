package sweep

import (
	"math"
	"slices"
	"strconv"
)

// Table is what a study answers.
type Table struct {
	Name    string   `json:"name"`
	Kind    Kind     `json:"kind"`
	Axes    []Axis   `json:"axes"`
	Points  int      `json:"points"`
	Done    int      `json:"done"`
	Failed  int      `json:"failed"`
	Rows    []Row    `json:"rows"`    // points that are done, the shortest first
	Effects []Effect `json:"effects"` // of the axes, the largest first
	// Unexplained is the share of the variance that no axis explains alone.
	Unexplained float64 `json:"unexplained"`
	// Cliff is where a small step costs much more than the others; nil if
	// nowhere.
	Cliff *Cliff `json:"cliff"`
	// Picture is the times over the two axes that matter most; nil where fewer
	// than two points are done.
	Picture *Picture   `json:"picture"`
	Next    []Proposal `json:"next,omitempty"`
	Words   string     `json:"words"`

	model *additive
}

// Row is a point that is done.
type Row struct {
	Values  []string `json:"values"`
	Seconds float64  `json:"seconds"`
	Low     float64  `json:"low,omitempty"`
	High    float64  `json:"high,omitempty"`
	Kept    string   `json:"kept,omitempty"`
}

// Effect is how much an axis matters.
type Effect struct {
	Axis  string  `json:"axis"`
	Share float64 `json:"share"` // of the variance of the logarithm of the time
	// Chance is how likely an axis that does nothing would show as much, 1 where
	// there are too few points to tell.
	Chance float64 `json:"chance"`
	// Ratio is the time at the worst value over that at the best, the other
	// axes being equal.
	Ratio float64 `json:"ratio"`
	Best  string  `json:"best"`
}

// Cliff is a step between neighbouring values of an axis of numbers.
type Cliff struct {
	Axis  string  `json:"axis"`
	From  string  `json:"from"`
	To    string  `json:"to"`
	Ratio float64 `json:"ratio"` // of the times
	Usual float64 `json:"usual"` // of the other steps, were they as wide
}

// Tabulate sums a study up as far as it is done.
func Tabulate(s *Study, points []Point, l *Ledger) *Table {
	t := &Table{Name: s.Name, Kind: s.Kind, Axes: s.Axes, Points: len(points), Rows: []Row{}, Effects: []Effect{}}
	var samples []sample
	for i := range points {
		e, known := l.find(points[i].Key)
		switch {
		case known && e.Error != "":
			t.Failed++
		case known:
			t.Done++
			t.Rows = append(t.Rows, Row{points[i].Values, e.Seconds, e.Low, e.High, e.Kept})
			if e.Seconds > 0 {
				samples = append(samples, sample{s.place(points[i].Values), math.Log(e.Seconds)})
			}
		}
	}
	slices.SortStableFunc(t.Rows, func(a, b Row) int {
		switch {
		case a.Seconds < b.Seconds:
			return -1
		case a.Seconds > b.Seconds:
			return 1
		}
		return 0
	})
	if len(samples) >= 2 {
		t.model = fitAdditive(s.Axes, samples)
		t.effects()
		t.cliff()
		t.draw()
	}
	t.Words = t.words()
	return t
}

// place is where a point stands on the axes.
func (s *Study) place(values []string) []int {
	at := make([]int, len(values))
	for a, v := range values {
		at[a] = slices.Index(s.Axes[a].Values, v)
	}
	return at
}

func (t *Table) effects() {
	explained := 0.0
	for a, axis := range t.Axes {
		seen, best := 0, -1
		low, high := math.Inf(1), math.Inf(-1)
		for v, y := range t.model.effects[a] {
			if math.IsNaN(y) {
				continue
			}
			seen++
			if y < low {
				low, best = y, v
			}
			high = max(high, y)
		}
		if seen < 2 {
			continue
		}
		share, chance := t.model.share(a)
		explained += share
		t.Effects = append(t.Effects, Effect{axis.Name, share, chance, math.Exp(high - low), axis.Values[best]})
	}
	slices.SortStableFunc(t.Effects, func(a, b Effect) int {
		switch {
		case a.Share > b.Share:
			return -1
		case a.Share < b.Share:
			return 1
		}
		return 0
	})
	t.Unexplained = max(0, 1-explained)
}

// numbers are the values of an axis, if all are numbers.
func (a *Axis) numbers() ([]float64, bool) {
	out := make([]float64, len(a.Values))
	for i, v := range a.Values {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
			return nil, false
		}
		out[i] = n
	}
	return out, true
}

// A cliff is a step that makes the time half as long again beside what the
// other steps of its axis do, and stands out of their scatter. The time itself
// grows there: gains that end are none.
const (
	cliffRatio = 1.5
	cliffGrows = 1.2
	standsOut  = 3
)

// step is from one value of an axis to the next larger.
type step struct {
	from, to int     // values
	rise     float64 // of log seconds
	width    float64 // in units in which steps should be alike
}

// steps lists those of an axis of numbers; widths are in logarithms where the
// axis allows.
func (t *Table) steps(axis int) []step {
	xs, ok := t.Axes[axis].numbers()
	if !ok {
		return nil
	}
	var order []int
	logs := true
	for v, y := range t.model.effects[axis] {
		if !math.IsNaN(y) {
			order = append(order, v)
			logs = logs && xs[v] > 0
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		if xs[a] < xs[b] {
			return -1
		}
		return 1
	})
	var steps []step
	for i := 1; i < len(order); i++ {
		from, to := order[i-1], order[i]
		width := xs[to] - xs[from]
		if logs {
			width = math.Log(xs[to] / xs[from])
		}
		if width > 0 {
			steps = append(steps, step{from, to, t.model.effects[axis][to] - t.model.effects[axis][from], width})
		}
	}
	return steps
}

func (t *Table) cliff() {
	highest := 0.0
	for a := range t.Axes {
		steps := t.steps(a)
		if len(steps) < 3 { // two others are needed to say what is usual
			continue
		}
		for i, s := range steps {
			var slopes, off []float64
			for j, o := range steps {
				if j != i {
					slopes = append(slopes, o.rise/o.width)
				}
			}
			usual := median(slopes) * s.width
			for j, o := range steps {
				if j != i {
					off = append(off, math.Abs(o.rise-median(slopes)*o.width))
				}
			}
			over := s.rise - usual
			if over < 0 && alone(steps, i) { // it breaks where the axis falls
				over, s.from, s.to, s.rise, usual = -over, s.to, s.from, -s.rise, -usual
			}
			if s.rise < math.Log(cliffGrows) || over < math.Log(cliffRatio) || over < standsOut*median(off) || over <= highest {
				continue
			}
			highest = over
			axis := t.Axes[a]
			t.Cliff = &Cliff{axis.Name, axis.Values[s.from], axis.Values[s.to], math.Exp(s.rise), math.Exp(usual)}
		}
	}
}

// alone tells whether both neighbours of a step are small beside it. More
// processors or more of anything else help at first and then no longer: that is
// no cliff, and neither is an end of an axis that may only begin so.
func alone(steps []step, i int) bool {
	if i == 0 || i == len(steps)-1 {
		return false
	}
	per := func(j int) float64 { return math.Abs(steps[j].rise / steps[j].width) }
	return standsOut*max(per(i-1), per(i+1)) < per(i)
}

func median(v []float64) float64 {
	sorted := slices.Sorted(slices.Values(v))
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
