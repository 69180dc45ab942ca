package report

import (
	"strings"
	"testing"

	"auspex/analyze"
)

// TestThroughWords: what is named moved the product the way it went.
func TestThroughWords(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after analyze.Efficiency
		want          string
	}{
		{"rises though balance falls", analyze.Efficiency{LoadBalance: 0.973, Communication: 0.364, Parallel: 0.354}, analyze.Efficiency{LoadBalance: 0.853, Communication: 0.458, Parallel: 0.390}, "communication (0.364 to 0.458)"},
		{"falls with balance", analyze.Efficiency{LoadBalance: 0.95, Communication: 0.8, Parallel: 0.76}, analyze.Efficiency{LoadBalance: 0.5, Communication: 0.9, Parallel: 0.45}, "load balance (0.950 to 0.500)"},
		{"falls with communication", analyze.Efficiency{LoadBalance: 0.9, Communication: 0.8, Parallel: 0.72}, analyze.Efficiency{LoadBalance: 0.95, Communication: 0.4, Parallel: 0.38}, "communication (0.800 to 0.400)"},
		{"by shares, not by points", analyze.Efficiency{LoadBalance: 0.9, Communication: 0.1, Parallel: 0.09}, analyze.Efficiency{LoadBalance: 0.75, Communication: 0.05, Parallel: 0.0375}, "communication (0.100 to 0.050)"},
		{"nothing known", analyze.Efficiency{LoadBalance: analyze.Missing, Communication: 0.8, Parallel: 0.7}, analyze.Efficiency{LoadBalance: 0.5, Communication: 0.8, Parallel: 0.4}, ""},
	} {
		if got := throughWords(c.before, c.after); (got == "") != (c.want == "") || !strings.HasSuffix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A run is called faster or slower only where repeated runs bear it out, and the
// regions that do differ are named, however small.
func TestWordsOfRepeatedRuns(t *testing.T) {
	yes, no := true, false
	pair := func(a, b analyze.Real) analyze.Pair { return analyze.Pair{A: a, B: b, Ratio: b / a} }
	compared := func(run *bool, solve *bool) *analyze.Comparison {
		return &analyze.Comparison{A: "old", B: "new", Metric: "wtime", TimeMetric: "wtime", Over: analyze.OverMean,
			Runtime:    analyze.RunPair{Pair: pair(100, 105), Significant: run},
			Efficiency: analyze.EfficiencyPair{A: analyze.Efficiency{Parallel: 0.9}, B: analyze.Efficiency{Parallel: 0.8}},
			Regions:    []analyze.RegionPair{{Region: "write", Pair: pair(10, 14), Significant: run}, {Region: "solve", Pair: pair(1, 1.5), Significant: solve}}}
	}
	for _, c := range []struct {
		name         string
		c            *analyze.Comparison
		said, unsaid string
	}{
		{"all noise", compared(&no, &no), "differ by no more than repeated runs may scatter. Parallel efficiency is 0.900 and 0.800. No region differs by more than the runs scatter.", "slower"},
		{"one small region", compared(&no, &yes), "The largest slowdown is in solve: 1.500 s instead of 1.000 s (mean over units). Only solve differs by more than the runs scatter.", "write"},
		{"all differ", compared(&yes, &yes), "new is 1.05 times slower than old: 105.0 s instead of 100.0 s. Parallel efficiency falls from 0.900 to 0.800", "Only"},
		{"single runs", compared(nil, nil), "new is 1.05 times slower", "scatter"},
	} {
		if got := ComparisonWords(c.c); !strings.Contains(got, c.said) || strings.Contains(got, c.unsaid) {
			t.Errorf("%s: %q", c.name, got)
		}
		var page strings.Builder
		p := &Page{Out: &page}
		p.Comparisons(&analyze.Comparisons{Baseline: "old", Others: []*analyze.Comparison{c.c, c.c}}, 5)
		if said := strings.Contains(page.String(), "noise") || strings.Contains(page.String(), "significant"); said != (c.name != "single runs") {
			t.Errorf("%s: %s", c.name, page.String())
		}
	}
}

// A comparison by a metric speaks of that metric.
func TestWordsOfAnotherMetric(t *testing.T) {
	c := &analyze.Comparison{A: "old", B: "new", Metric: "imbalance", TimeMetric: "wtime", Over: analyze.OverMean, AcrossUnits: true,
		Runtime: analyze.RunPair{Pair: analyze.Pair{A: 1, B: 1, Ratio: 1}},
		Regions: []analyze.RegionPair{{Region: "solve", Pair: analyze.Pair{A: 2, B: 1, Ratio: 0.5}}, {Region: "read", Pair: analyze.Pair{A: analyze.Missing, B: 1, Ratio: analyze.Missing}}}}
	if got := ComparisonWords(c); !strings.Contains(got, "imbalance changes most in solve: 1 instead of 2 (over all units).") {
		t.Error(got)
	}
	c.Regions = c.Regions[1:]
	if got := ComparisonWords(c); !strings.Contains(got, "No region has imbalance in both.") {
		t.Error(got)
	}
	c.Regions = nil
	if got := ComparisonWords(c); !strings.Contains(got, "imbalance is zero or missing in all regions of both.") {
		t.Error(got)
	}
}

// What single runs differ by a little may be chance, and is no rise of efficiency.
func TestSingleRunsThatDifferALittle(t *testing.T) {
	yes := true
	for _, c := range []struct {
		after        analyze.Real
		significant  *bool
		said, unsaid string
	}{
		{97.7, nil, "new is 1.02 times faster than old: 97.70 s instead of 100.0 s, by single runs, which may differ as much by chance. Parallel efficiency is 0.830 and 0.850.", "rises"},
		{102.3, nil, "slower than old: 102.3 s instead of 100.0 s, by single runs, which", "rises"},
		{80, nil, "new is 1.25 times faster than old: 80.00 s instead of 100.0 s. Parallel efficiency rises from 0.830 to 0.850", "chance"},
		{97.7, &yes, "97.70 s instead of 100.0 s. Parallel efficiency rises", "chance"},
	} {
		got := ComparisonWords(&analyze.Comparison{A: "old", B: "new", Metric: "wtime", TimeMetric: "wtime", Over: analyze.OverMean,
			Runtime:    analyze.RunPair{Pair: analyze.Pair{A: 100, B: c.after, Ratio: c.after / 100}, Significant: c.significant},
			Efficiency: analyze.EfficiencyPair{A: analyze.Efficiency{Parallel: 0.83}, B: analyze.Efficiency{Parallel: 0.85}}})
		if !strings.Contains(got, c.said) || strings.Contains(got, c.unsaid) {
			t.Errorf("%q", got)
		}
	}
}

// Single runs that stood without a core for as long as they differ say nothing of which is
// faster, nor of regions; those that differ by more do, and so do repeated ones.
func TestSingleRunsWithoutACore(t *testing.T) {
	yes := true
	for _, c := range []struct {
		name         string
		lacked       analyze.Real
		significant  *bool
		said, unsaid string
	}{
		{"as long", 45, nil, "old took 100.0 s and new 60.00 s, with a unit without a core for up to 45.00 s: which is faster cannot be told. Parallel efficiency is 0.500 and 0.800.", "largest"},
		{"not as long", 20, nil, "new is 1.67 times faster than old: 60.00 s instead of 100.0 s. Parallel efficiency rises", "without a core"},
		{"hardly", 0.1, nil, "new is 1.67 times faster than old: 60.00 s instead of 100.0 s. Parallel efficiency rises from 0.500 to 0.800, mostly through load balance (0.000 to 0.000). The largest gain is in solve", "without a core"},
		{"repeated", 45, &yes, "new is 1.67 times faster", "without a core"},
	} {
		got := ComparisonWords(&analyze.Comparison{A: "old", B: "new", Metric: "wtime", TimeMetric: "wtime", Over: analyze.OverMean, WithoutCore: c.lacked,
			Runtime:    analyze.RunPair{Pair: analyze.Pair{A: 100, B: 60, Ratio: 0.6}, Significant: c.significant},
			Efficiency: analyze.EfficiencyPair{A: analyze.Efficiency{Parallel: 0.5}, B: analyze.Efficiency{Parallel: 0.8}},
			Regions:    []analyze.RegionPair{{Region: "solve", Pair: analyze.Pair{A: 50, B: 10}, Significant: c.significant}}})
		if !strings.Contains(got, c.said) || strings.Contains(got, c.unsaid) {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// A region of single runs is named where it differs by more than where samples fell makes
// of it.
func TestRegionsOfFewSamples(t *testing.T) {
	for counting, told := range map[analyze.Real]bool{0: true, 2: true, 4: false} {
		got := ComparisonWords(&analyze.Comparison{A: "old", B: "new", Metric: "wtime", TimeMetric: "wtime", Over: analyze.OverMean,
			Runtime: analyze.RunPair{Pair: analyze.Pair{A: 100, B: 90, Ratio: 0.9}},
			Regions: []analyze.RegionPair{{Region: "solve", Pair: analyze.Pair{A: 20, B: 10}, Counting: counting}}})
		if strings.Contains(got, "largest gain is in solve") != told {
			t.Errorf("%g s of counting: %q", float64(counting), got)
		}
	}
}
