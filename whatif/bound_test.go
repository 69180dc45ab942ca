package whatif_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"auspex/simulate/loggp"
	"auspex/whatif"
)

// TestBoundOfThreads: threads that wait for one another, blocked or spinning, do not
// keep a run from becoming shorter; and no region twice as fast gains more than half.
func TestBoundOfThreads(t *testing.T) {
	twice := []whatif.Change{{Kind: whatif.Faster, Region: "critical", Factor: 2}}
	profile := func(critical, spin, pause float64) *loggp.Profile {
		return &loggp.Profile{Regions: []string{"critical", "spin"}, Seconds: [][]float64{{critical}, {spin}}, Counts: [][]int64{{0}, {0}}, Pauses: []float64{pause}}
	}
	for _, c := range []struct {
		name          string
		profile       *loggp.Profile
		critical, all float64 // of all threads
		want          float64
	}{
		{"four threads of a quarter second each, one after the other", profile(0.25, 0, 0.75), 1, 0, 0.5},
		{"two threads that spin for each other", profile(0.5, 0.5, 0), 1, 1, 0.5},
		{"four threads at a time", profile(1, 0, 0), 4, 0, 0.5},
		{"no other thread", profile(0.25, 0.25, 0.5), 0.25, 0.25, 0.875},
	} {
		b := whatif.NewBound(c.profile, 1, nil, [][]float64{{c.critical}, {c.all}})
		a, err := b.Price(twice)
		if err != nil || math.Abs(a.NewSeconds-c.want) > 1e-9 {
			t.Errorf("%s: %g s, want %g, %v", c.name, a.NewSeconds, c.want, err)
		}
	}
}

// TestBoundSays: why there are only bounds; and a run whose end was not seen has none.
func TestBoundSays(t *testing.T) {
	p := &loggp.Profile{Regions: []string{"A"}, Seconds: [][]float64{{1}}, Counts: [][]int64{{0}}, Pauses: []float64{0}}
	for why, want := range map[string]string{"": "For want of a trace these are bounds", "since it is so": "Since it is so, these are bounds"} {
		b := whatif.NewBound(p, 2, nil, nil)
		b.Why = why
		l, err := b.Opportunities()
		if err != nil || !strings.HasPrefix(l.Words, want) {
			t.Errorf("%s, %v", l.Words, err)
		}
	}
	if l, err := whatif.NewBound(p, 0, nil, nil).Opportunities(); err != nil || len(l.Opportunities) != 0 {
		t.Errorf("%+v, %v", l, err)
	}
}

// TestBoundOfAStraggler: a rank that becomes ordinary may gain all that it does more
// than the others, also where its busiest thread is another one, and where the others
// wait under the name of a region.
func TestBoundOfAStraggler(t *testing.T) {
	rows := func(load, kernels, backward [2]float64) [][]float64 {
		out := make([][]float64, 3)
		for r, v := range [][2]float64{load, kernels, backward} {
			out[r] = []float64{v[0], v[0], v[1]} // the last rank is the slow one
		}
		return out
	}
	for _, c := range []struct {
		name            string
		load, backward  [2]float64 // of the others, and of the slow one
		communicates    float64    // another thread of each of the others
		seconds, within float64    // the bound must be below
	}{
		{"its load is beside its kernels", [2]float64{0.01, 0.05}, [2]float64{}, 0, 0.16, 0.12},
		{"the others wait in backward", [2]float64{0.01, 0.05}, [2]float64{0.05, 0.01}, 0.04, 0.16, 0.12},
		{"the others wait where it is slow", [2]float64{0.01, 0.01}, [2]float64{0.05, 0.05}, 0.04, 0.16, 0.12},
	} {
		kernels := [2]float64{0.1, 0.1}
		all := rows(c.load, kernels, c.backward)
		busiest := &loggp.Profile{Regions: []string{"load", "kernels", "backward"}, Seconds: rows([2]float64{}, kernels, [2]float64{}), Counts: make([][]int64, 3), Pauses: make([]float64, 3)}
		b := whatif.NewBound(busiest, c.seconds, []float64{c.communicates, c.communicates, 0}, all)
		b.First = rows(c.load, [2]float64{}, c.backward)
		a, err := b.Price([]whatif.Change{{Kind: whatif.LikeMedian, Rank: 2}})
		if err != nil || a.NewSeconds > c.within+1e-9 || a.NewSeconds < 0.1-1e-9 {
			t.Errorf("%s: %+v, %v", c.name, a, err)
		}
	}
}

// TestBoundOfOtherWork: a rank that does more in one region and less in another gains by
// becoming ordinary where ranks meet in between: here 6 s become 4.
func TestBoundOfOtherWork(t *testing.T) {
	p := &loggp.Profile{Regions: []string{"A", "B"}, Seconds: [][]float64{{1, 3}, {3, 1}}, Counts: [][]int64{{0, 0}, {0, 0}}, Pauses: make([]float64, 2)}
	a, err := whatif.NewBound(p, 6, nil, nil).Price([]whatif.Change{{Kind: whatif.LikeMedian, Rank: 1}})
	if err != nil || a.NewSeconds > 4 {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestBoundOfSteps: two ranks that have more by turns compute as long in all, so that a
// profile bounds the gain of balancing by nothing where balancing each step gains; that
// is said, and not of a single rank, nor of another change.
func TestBoundOfSteps(t *testing.T) {
	for _, c := range []struct {
		ranks  int
		change whatif.Change
		said   bool
	}{
		{2, whatif.Change{Kind: whatif.Balance, Region: "A"}, true},
		{2, whatif.Change{Kind: whatif.Faster, Region: "A", Factor: 2}, false},
		{1, whatif.Change{Kind: whatif.Balance, Region: "A"}, false},
	} {
		p := &loggp.Profile{Regions: []string{"A"}, Seconds: [][]float64{slices.Repeat([]float64{3}, c.ranks)}, Counts: [][]int64{make([]int64, c.ranks)}, Pauses: make([]float64, c.ranks)}
		b := whatif.NewBound(p, 4, nil, nil)
		a, err := b.Price([]whatif.Change{c.change})
		if err != nil || strings.Contains(strings.Join(a.Notes, " "), "evening out each step may gain more") != c.said {
			t.Errorf("%+v: %+v, %v", c, a, err)
		}
		l, err := b.Opportunities()
		if err != nil || strings.Contains(strings.Join(l.Notes, " "), "evening out each step may gain more") != (c.ranks > 1) {
			t.Errorf("%+v: %+v, %v", c, l, err)
		}
	}
}
