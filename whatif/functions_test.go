package whatif_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"auspex/trace"
	"auspex/whatif"
)

// sampled is a program whose trace has one region: rank 0 computes 1 s in it, rank 1
// 3 s, of which samples found so much in relax and in chemistry; the rest is in main.
func sampled(t *testing.T, relax, chemistry []float64) *whatif.Case {
	t.Helper()
	tr := programs(2, func(rank int, b *trace.Builder) {
		compute(b, "prog", float64(1+2*rank))
		b.Add(&trace.Action{Kind: trace.Barrier})
	})
	c, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Functions: func(regions map[string]bool) ([]whatif.Function, error) {
		if !regions["prog"] || len(regions) != 1 {
			t.Errorf("asked for %v", regions)
		}
		return []whatif.Function{{"relax", "prog", relax}, {"chemistry", "prog", chemistry}, {"lost", "elsewhere", relax}, {"prog", "prog", relax}}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestFunctions: what samples found within a region can be made faster or removed, by
// its share on each rank; shares of several add up.
func TestFunctions(t *testing.T) {
	for _, c := range []struct {
		changes []string
		want    float64
	}{
		{[]string{"faster relax=2"}, 2.55},                       // rank 1: 3 − 0.9/2
		{[]string{"faster chemistry=2"}, 2.1},                    // 3 − 1.8/2
		{[]string{"remove main/chemistry"}, 1.2},                 // the last name of a path
		{[]string{"faster relax=2", "faster chemistry=2"}, 1.65}, // 3 − 2.7/2, not 2.55 × 0.7
		{[]string{"faster chemistry=2", "faster chemistry=2"}, 1.65},
		{[]string{"remove relax", "remove chemistry"}, 0.3}, // what is in neither
		{[]string{"faster prog=2"}, 1.5},                    // the region, not what is named like it
	} {
		var changes []whatif.Change
		for _, text := range c.changes {
			flag, value, _ := strings.Cut(text, " ")
			ch, err := whatif.ParseChange(flag, value)
			if err != nil {
				t.Fatal(err)
			}
			changes = append(changes, ch)
		}
		a, err := sampled(t, []float64{0.8, 0.3}, []float64{0, 0.6}).Price(t.Context(), changes)
		if err != nil || math.Abs(a.NewSeconds-c.want) > 1e-9 {
			t.Errorf("%v: %+v, %v; want %g s", c.changes, a, err, c.want)
			continue
		}
		said := slices.ContainsFunc(a.Notes, func(n string) bool { return strings.HasPrefix(n, "functions are known by samples") })
		if said == strings.Contains(c.changes[0], "prog") {
			t.Errorf("%v: notes %q", c.changes, a.Notes)
		}
	}
	for change, want := range map[string]string{"balance chemistry": "when each rank was in it is not known", "faster nothing=2": "it has chemistry, prog, relax"} {
		flag, value, _ := strings.Cut(change, " ")
		ch, err := whatif.ParseChange(flag, value)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sampled(t, []float64{0.8, 0.3}, []float64{0, 0.6}).Price(t.Context(), []whatif.Change{ch}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", change, err)
		}
	}
}

// TestFunctionsAreListed: where samples divide a region its functions are what could be
// faster; where they hardly do, it is the region.
func TestFunctionsAreListed(t *testing.T) {
	for _, c := range []struct {
		relax, chemistry []float64
		want             []string
		limit            string
	}{
		{[]float64{0.8, 0.3}, []float64{0, 0.6}, []string{"--balance prog", "--faster chemistry=2", "--faster relax=2"}, "chemistry"},
		{[]float64{0.1, 0.1}, []float64{0.1, 0.1}, []string{"--balance prog", "--faster prog=2"}, "prog"},
	} {
		of := sampled(t, c.relax, c.chemistry)
		l, err := of.Opportunities(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var listed []string
		for _, o := range l.Opportunities {
			if o.Gain > 0.05 && !strings.HasPrefix(o.Change, "--like-median") {
				listed = append(listed, o.Change)
			}
		}
		slices.Sort(listed)
		if !slices.Equal(listed, c.want) {
			t.Errorf("%q, want %q", listed, c.want)
		}
		a, err := of.Price(t.Context(), nil)
		if err != nil || a.Limit.Region != c.limit {
			t.Errorf("limit %+v, %v; want %s", a.Limit, err, c.limit)
		}
	}
}
