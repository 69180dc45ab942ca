package diagnose

import (
	"cmp"
	"context"
	"math"
	"slices"

	"auspex/analyze"
	"auspex/cluster"
)

// Contrast sets the units that have most of an attribute against those that
// have least.
type Contrast struct {
	Attribute   string       `json:"attribute"`
	Metric      string       `json:"metric"`
	High        []Name       `json:"high"`
	Low         []Name       `json:"low"`
	HighValue   analyze.Real `json:"high_value"` // mean
	LowValue    analyze.Real `json:"low_value"`
	Ratio       analyze.Real `json:"ratio"`
	Correlation analyze.Real `json:"correlation"` // with the time in the region
	// Gradual: units have more or less of it without falling apart, so that High and
	// Low are but the thirds with most and least time, and others may have as much.
	Gradual bool `json:"gradual"`
	// Nodes are where it takes longer, of the attribute that is about nodes; High
	// are the units there, and Node is the slowest of them.
	Node  string   `json:"node,omitempty"`
	Nodes []string `json:"nodes,omitempty"`
}

// groupsByTime puts units together that take as long as each other in a region.
// Thirds stand in for groups where so few units are left that any order says all.
func (s *study) groupsByTime(ctx context.Context, times []float64) ([][]int, error) {
	own, err := s.ownKinds(ctx, times)
	if err != nil {
		return nil, err
	}
	groups := cluster.Kinds(own)
	if len(groups) == 1 && len(times) < fewUnits {
		groups = cluster.Kinds(tertiles(times))
	}
	return groups, nil
}

// slow names the units that take as long as the slowest, and says how long they
// and the others take. It gives both.
func (s *study) slow(c *Cause, groups [][]int, slowest int, peers []int, spent []float64) (those, others []int) {
	if !s.hasKinds() || len(groups) < 2 {
		return nil, nil
	}
	own := groups[slices.IndexFunc(groups, func(g []int) bool { return slices.Contains(g, slowest) })]
	for _, i := range peers {
		if slices.Contains(own, i) {
			those = append(those, i)
		} else {
			others = append(others, i)
		}
	}
	if len(others) > 0 {
		c.Slow = s.units.pick(pick(s.active, those))
		c.SlowMean, c.OthersMean = analyze.Real(analyze.Mean(pick(spent, those))), analyze.Real(analyze.Mean(pick(spent, others)))
	}
	return those, others
}

// sides are the units that have most of an attribute, and those that have least:
// of the groups by time the one with most and the one with least, and all others
// that have as much. None are given where all units are of one class, or the two
// have one in common: units have more or less of it then, but do not fall apart.
func sides(a attribute, groups [][]int) (high, low []int) {
	if len(groups) < 2 {
		return nil, nil
	}
	mean := func(of []int) float64 { return analyze.Mean(pick(a.values, of)) }
	most, least := groups[0], groups[0]
	for _, g := range groups[1:] {
		if mean(g) > mean(most) {
			most = g
		}
		if mean(g) < mean(least) {
			least = g
		}
	}
	with := func(group []int) []int {
		var out []int
		for i, class := range a.classes {
			if slices.ContainsFunc(group, func(k int) bool { return a.classes[k] == class }) {
				out = append(out, i)
			}
		}
		return out
	}
	high, low = with(most), with(least)
	if slices.ContainsFunc(high, func(i int) bool { return slices.Contains(low, i) }) {
		return nil, nil
	}
	return high, low
}

// tellsApart tells whether an attribute does what would be said of it: the units
// that take longest have more of it than those that are done first, and all that
// have most of it take longer than those with least. What some have as much of
// and are as quick as those without is not the cause; few that take as long without
// it may have another one.
func tellsApart(a attribute, groups [][]int, times []float64) bool {
	if len(groups) < 2 {
		return true // nothing is said but that time varies with it
	}
	slow, quick := slices.MaxFunc(groups, byMean(times)), slices.MinFunc(groups, byMean(times))
	otherwise := slowWithout(a, slow, quick, len(times))
	having := func(units []int) []int {
		return slices.DeleteFunc(slices.Clone(units), func(i int) bool { return slices.Contains(otherwise, i) })
	}
	if !above(a.values, having(slow), quick) {
		return false
	}
	high, low := sides(a, groups)
	if high == nil {
		return !a.weak
	}
	return above(times, high, having(low))
}

// mostOtherwise of the units may take long for another reason.
const mostOtherwise = 0.1

// slowWithout are those units of the slow ones that have as little of an attribute as
// the quick ones; none where they are not few.
func slowWithout(a attribute, slow, quick []int, units int) []int {
	var out []int
	middle := (analyze.Mean(pick(a.values, slow)) + analyze.Mean(pick(a.values, quick))) / 2
	for _, i := range slow {
		if a.values[i] <= middle {
			out = append(out, i)
		}
	}
	if len(out) == len(slow) || float64(len(out)) > mostOtherwise*float64(units) {
		return nil
	}
	return out
}

// byMean orders groups by how long their units take.
func byMean(times []float64) func(x, y []int) int {
	return func(x, y []int) int {
		return cmp.Compare(analyze.Mean(pick(times, x)), analyze.Mean(pick(times, y)))
	}
}

// above tells whether all of some values are above all of others, or else above the
// middle between the two, and those below it.
func above(values []float64, these, those []int) bool {
	of, than := pick(values, these), pick(values, those)
	middle := (analyze.Mean(of) + analyze.Mean(than)) / 2
	return slices.Min(of) > slices.Max(than) || slices.Min(of) > middle && slices.Max(than) < middle
}

// evidence puts the attributes into numbers a reader can check.
func (s *study) evidence(c *Cause, kept []attribute, times []float64, groups [][]int, who participants) {
	for _, x := range kept {
		e := Contrast{Attribute: x.name, Metric: x.metric, Correlation: analyze.Real(correlation(x.values, times))}
		var high, low []int
		switch {
		case x.nodes != nil:
			high, low = x.slowNodes.units(x.nodes)
			e.Node, e.Nodes = x.slowNodes[0], x.slowNodes
		case s.hasKinds():
			high, low = sides(x, groups)
			if who.beside {
				high, low = who.present(high), who.present(low)
			}
			high, low = allThatHave(x, times, high, low)
		}
		if !severed(x.seen, high, low) {
			// Of two or three units there is no more to say than which has more.
			high, low = thirds(x.seen, times)
			e.Gradual = len(times) >= fewUnits || !severed(x.seen, high, low)
		}
		e.High, e.Low = s.units.pick(pick(s.active, high)), s.units.pick(pick(s.active, low))
		e.HighValue, e.LowValue = analyze.Real(analyze.Mean(pick(x.seen, high))), analyze.Real(analyze.Mean(pick(x.seen, low)))
		e.Ratio = analyze.Ratio(float64(e.HighValue), float64(e.LowValue))
		c.Evidence = append(c.Evidence, e)
	}
}

// severed tells whether all of some units have more than all of others, and these none
// below zero, of which there are no multiples.
func severed(values []float64, high, low []int) bool {
	return len(high) > 0 && len(low) > 0 && slices.Min(pick(values, low)) >= 0 && slices.Min(pick(values, high)) > slices.Max(pick(values, low))
}

// allThatHave puts all that have any of an attribute on the one side where the other
// has none: whoever reads that some have it and others do not takes that for all.
func allThatHave(a attribute, times []float64, high, low []int) (_, _ []int) {
	if high == nil || slices.Max(pick(a.seen, low)) > 0 {
		return high, low
	}
	high = nil
	for i, v := range a.seen {
		if v > 0 {
			high = append(high, i)
		}
	}
	if !above(times, high, low) {
		return nil, nil
	}
	return high, low
}

// thirds are those of the thirds of units by time that have most and least.
func thirds(values, times []float64) (high, low []int) {
	least, most := math.Inf(1), math.Inf(-1)
	for _, members := range cluster.Kinds(tertiles(times)) {
		m := analyze.Mean(pick(values, members))
		if m < least {
			least, low = m, members
		}
		if m > most {
			most, high = m, members
		}
	}
	return high, low
}
