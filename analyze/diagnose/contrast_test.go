package diagnose

import (
	"fmt"
	"slices"
	"testing"

	"auspex/model"
)

// called builds a run of ranks whose times and calls in the region force are given;
// they wait for each other afterwards. Where nodes are given, a rank runs on one.
func called(t *testing.T, n int, force func(p int) (seconds, calls float64), node func(p int) string) *Diagnosis {
	t.Helper()
	b := model.NewBuilder()
	wall, calls := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive)), b.Metric(model.NewMetric(model.Calls, "", model.Own))
	longest := 0.0
	for p := range n {
		seconds, _ := force(p)
		longest = max(longest, seconds)
	}
	for p := range n {
		at := model.Unit{Process: p}
		if node != nil {
			at.Node = node(p)
		}
		u := b.Unit(at)
		set := func(name string, kind model.Kind, seconds, count float64) {
			if seconds > 0 {
				r := b.Region(model.Region{Name: name, Kind: kind, Parent: model.NoParent})
				b.Set(u, r, wall, seconds)
				b.Set(u, r, calls, count)
			}
		}
		seconds, count := force(p)
		set("force", model.Function, seconds, count)
		set("step", model.Function, 60*(1+0.004*float64(p*5%7-3)/3), 100)
		set("flux", model.Function, 20*(1+0.004*float64(p*3%5-2)/2), 100)
		set("MPI_Allreduce", model.MPI, longest-seconds+1, 100)
	}
	e, err := b.Build(model.Header{Name: "called"})
	if err != nil {
		t.Fatal(err)
	}
	return diagnose(t, opened(t, e), Options{})
}

func texts(names []Name) string { return fmt.Sprint(names) }

// Of three classes by time two make the same calls: both are named.
func TestAllThatHaveAsMuchAreNamed(t *testing.T) {
	r := called(t, 12, func(p int) (float64, float64) { return 20 * float64(p%3), 1000 * float64(min(1, p%3)) }, nil)
	if len(r.Causes) != 1 || len(r.Causes[0].Evidence) != 1 {
		t.Fatalf("%+v", r.Causes)
	}
	c := r.Causes[0]
	if high, low := texts(c.Evidence[0].High), texts(c.Evidence[0].Low); high != "[1 2 4 5 7 8 10 11]" || low != "[0 3 6 9]" {
		t.Errorf("%s against %s", high, low)
	}
	if texts(c.Slow) != "[2 5 8 11]" {
		t.Errorf("slow: %v", c.Slow)
	}
}

// Who makes few calls makes some: those that never do are set against all others.
func TestNeverIsSaidAgainstAllOthers(t *testing.T) {
	r := called(t, 12, func(p int) (float64, float64) {
		return []float64{0, 3, 40}[p%3], []float64{0, 40, 1000}[p%3]
	}, nil)
	if len(r.Causes) != 1 || len(r.Causes[0].Evidence) != 1 {
		t.Fatalf("%+v", r.Causes)
	}
	if e := r.Causes[0].Evidence[0]; e.LowValue == 0 && texts(e.High) != "[1 2 4 5 7 8 10 11]" {
		t.Errorf("%v against %v", e.High, e.Low)
	}
}

// Two ranks make as many calls as the slow ones and are done at once: calls are
// not the cause, and the slow ones are named as a group.
func TestWhatDoesNotTellApartIsNoCause(t *testing.T) {
	r := called(t, 16, func(p int) (float64, float64) {
		switch {
		case p < 6:
			return 40, 1000
		case p < 8:
			return 1, 1000
		}
		return 1, 100
	}, nil)
	if len(r.Causes) != 1 || len(r.Causes[0].Attributes) != 0 {
		t.Fatalf("%+v", r.Causes)
	}
	if c := r.Causes[0]; texts(c.Slow) != "[0 1 2 3 4 5]" || c.SlowMean != 40 || c.OthersMean != 1 {
		t.Errorf("%v %v %v", c.Slow, c.SlowMean, c.OthersMean)
	}
}

// All slow nodes are named; nodes are not where slow ranks do not follow them, or
// would by being neighbours alone.
func TestSlowNodes(t *testing.T) {
	for name, c := range map[string]struct {
		slow  func(p int) bool
		nodes []string
	}{
		"one":        {func(p int) bool { return p/4 == 5 }, []string{"n5"}},
		"two":        {func(p int) bool { return p/4 == 2 || p/4 == 5 }, []string{"n2", "n5"}},
		"across":     {func(p int) bool { return p >= 25 }, nil},
		"neighbours": {func(p int) bool { return p >= 24 }, nil},
		"elsewhere":  {func(p int) bool { return p/4 == 5 || p == 9 || p == 3 }, nil},
	} {
		r := called(t, 32, func(p int) (float64, float64) {
			if c.slow(p) {
				return 40, 100
			}
			return 20, 100
		}, func(p int) string { return fmt.Sprint("n", p/4) })
		if len(r.Causes) != 1 {
			t.Errorf("%s: %+v", name, r.Causes)
			continue
		}
		var nodes []string
		if e := r.Causes[0].Evidence; len(e) > 0 {
			nodes = slices.Sorted(slices.Values(e[0].Nodes))
			if want := len(c.nodes) * 4; len(e[0].High) != want || len(e[0].Low) != 32-want {
				t.Errorf("%s: %v", name, e[0])
			}
		}
		if !slices.Equal(nodes, c.nodes) {
			t.Errorf("%s: nodes %v, not %v", name, nodes, c.nodes)
		}
	}
}
