package predict

import (
	"math"
	"strings"
	"testing"
)

// sizesOf are the sizes that runs of these numbers of processes show.
func sizesOf(layout func(int) grid, law func(grid) float64, counts ...int) (seen []observed) {
	for _, np := range counts {
		seen = append(seen, observed{layout(np), law(layout(np))})
	}
	return seen
}

// What runs of 2, 4 and 8 show to the element goes on to the element, and what they
// leave open is told as that.
func TestFindLaw(t *testing.T) {
	line, plane := layouts[0], layouts[1]
	for name, c := range map[string]struct {
		layout func(int) grid
		law    func(grid) float64
		to     int
		off    float64 // at most
	}{
		"constant":         {line, func(grid) float64 { return 8000 }, 64, 0},
		"shared":           {line, func(g grid) float64 { return (1 << 20) / g.p() }, 64, 0},
		"its square":       {line, func(g grid) float64 { return (1 << 20) / g.p() / g.p() }, 16, 0},
		"gathered":         {line, func(g grid) float64 { return 96 * g.p() }, 64, 0},
		"all but mine":     {line, func(g grid) float64 { return 96 * (g.p() - 1) }, 64, 0},
		"all but my part":  {line, func(g grid) float64 { return 6400 * (g.p() - 1) / g.p() }, 16, 0},
		"blocks":           {line, func(g grid) float64 { return 8 * math.Ceil(1001/g.p()) }, 16, 0},
		"blocks, rounded":  {line, func(g grid) float64 { return 8 * math.Floor(1001/g.p()) }, 16, 0.01},
		"with a border":    {line, func(g grid) float64 { return 8 * (1024/g.p() + 2) }, 16, 0},
		"a side":           {plane, func(g grid) float64 { return 8 * 1024 / g.along(0) }, 16, 0},
		"the other side":   {plane, func(g grid) float64 { return 8 * math.Ceil(1000/g.along(1)) }, 16, 0},
		"about its root":   {line, func(g grid) float64 { return math.Floor(1e5/math.Sqrt(g.p())) + 3 }, 16, 0.02},
		"not in elements":  {line, func(g grid) float64 { return 8 * 1000 / g.p() }, 16, 0.01},
		"more than before": {line, func(g grid) float64 { return 1000 + 37*math.Log2(g.p()) }, 16, 0},
	} {
		counts := []int{2, 4, 8}
		l, err := findLaw(sizesOf(c.layout, c.law, counts...), c.layout(c.to))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, want := l.value(c.layout(c.to)), c.law(c.layout(c.to))
		if l.off > c.off || math.Abs(got-want) > 5*l.off*want {
			t.Errorf("%s: %v (%s, off by %v), not %v", name, got, l.name, l.off, want)
		}
	}
	for name, c := range map[string]struct {
		seen []observed
		want string
	}{
		"no law":     {[]observed{{grid{2}, 100}, {grid{4}, 900}, {grid{8}, 30}}, "sizes 100 with 2, 900 with 4, 30 with 8 processes follow no law"},
		"two counts": {[]observed{{grid{4}, 100}, {grid{8}, 97}}, "no law"},
		"which side": {[]observed{{grid{2, 2}, 800}, {grid{4, 2}, 400}}, "alike"},
	} {
		to := grid{16}
		if len(c.seen[0].of) == 2 {
			to = grid{4, 4}
		}
		if l, err := findLaw(c.seen, to); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %s, %v", name, l.name, err)
		}
	}
}

// Ranks that get one element more are the same ones wherever something is dealt.
func TestBlockOfRank(t *testing.T) {
	// Of two ranks in the middle, which get one block more and one less, it is not known how
	// many the others get.
	if _, ok := blockOfRank([]sample{{me: 1, n: 4, value: 16}, {me: 2, n: 4, value: 8}}, grid{8}); ok {
		t.Error("what four ranks get is not enough for eight")
	}
	for _, deal := range dealt {
		var samples []sample
		for _, np := range []int{2, 4, 8} {
			for rank := range np {
				samples = append(samples, sample{of: grid{np}, me: rank, n: np, value: float64(8 * deal(1003, np, rank))})
			}
		}
		law, err := sizing(samples, grid{16})
		if err != nil {
			t.Fatal(err)
		}
		for rank := range 16 {
			if got, want := law.value(sample{of: grid{16}, me: rank, n: 16}, 0), int64(8*deal(1003, 16, rank)); got != want {
				t.Errorf("rank %d: %d, not %d", rank, got, want)
			}
		}
	}
}
