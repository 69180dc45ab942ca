package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"auspex/analyze"
)

// Numbers, counts and names as people write them.
func TestSmallWords(t *testing.T) {
	if got := Percent(-0.0001); got != "0.0 %" {
		t.Errorf("nearly nothing is written %q", got)
	}
	if got := Percent(-0.01); got != "-1.0 %" {
		t.Errorf("a loss is written %q", got)
	}
	if got := shortest(1500) + " " + shortest(2.5e6) + " " + shortest(12.34); got != "1500 2500000 12.3" {
		t.Error(got)
	}
	if got := unitsText(&analyze.Summary{Units: 3, Processes: 1, Threads: 3}); got != "3 (1 process, up to 3 threads)" {
		t.Error(got)
	}
	cores := coreNames([]string{"main/eval/<python>", "main/remainder/<python>", "main/remainder/<python>", "python"})
	if !slices.Equal(cores, []string{"eval/<python>", "remainder/<python>", "python"}) {
		t.Error(cores)
	}
}

// A path is not wider than can be read where the page has no width, either.
func TestLongPathsAreCut(t *testing.T) {
	var b bytes.Buffer
	path := "python" + strings.Repeat("/<python3.11>", 30) + "/MPI_Recv"
	(&Page{Out: &b}).table([]column{region("region"), number("share")}, [][]string{{path, "1"}, {"main", "2"}})
	for line := range strings.Lines(b.String()) {
		if n := cellWidth(line); n > mostRegion+20 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if !strings.Contains(b.String(), "MPI_Recv") || !strings.Contains(b.String(), "…") {
		t.Error(b.String())
	}
}

// What took no time has no parts of it, and regions that take next to nothing are
// none that is heaviest.
func TestWordsOfNothing(t *testing.T) {
	s := &analyze.Summary{TimeMetric: "wtime", Processes: 4, Heaviest: []analyze.RegionTime{{Region: "main"}}}
	if got := SummaryWords(s); got != "4 processes took no time." {
		t.Error(got)
	}
	s.Heaviest[0].Share = 0.0004
	if got := heaviestText(s, "the run"); got != " No region takes 0.1 % of the run." {
		t.Error(got)
	}
}

// Where rows differ in the decision alone, the attributes do not decide all of it.
func TestReductionOfContradictions(t *testing.T) {
	r := &Reduction{Decision: "d", Rows: 3, Distinct: 3, Attributes: []string{"a"}, Chosen: []string{"a"}, Core: []string{"a"}, Reducts: [][]string{{"a"}}, Exact: true, Inexplicable: 1}
	if got := ReductionWords(r); !strings.Contains(got, "As far as it can be explained, d is decided by a. 1 pair of rows differs in d alone.") {
		t.Error(got)
	}
}

// Of regions that take as much none is the heaviest.
func TestTheHeaviestRegions(t *testing.T) {
	for _, c := range []struct {
		second analyze.Real
		said   string
	}{
		{0.3998, " The heaviest regions are solve and flux with 40.0 % of the run each."},
		{0.398, " The heaviest region is solve with 40.0 % of the run."},
	} {
		s := &analyze.Summary{Heaviest: []analyze.RegionTime{{Region: "solve", Share: 0.4}, {Region: "flux", Share: c.second}}}
		if got := heaviestText(s, "the run"); got != c.said {
			t.Errorf("%q", got)
		}
	}
}

// TestHeaviestIsNoCore: what takes most may be a want of cores, which is no region's.
func TestHeaviestIsNoCore(t *testing.T) {
	s := &analyze.Summary{Heaviest: []analyze.RegionTime{{Region: "main/MPI_Recv/<no core>", Share: 0.4}, {Region: "solve", Share: 0.3}, {Region: "main/MPI_Wait/<no core>", Share: 0.1}}}
	if got := heaviestText(s, "the run"); got != " For 50.0 % of the run processes could have gone on within MPI and had no core. The heaviest region is solve with 30.0 % of the run." {
		t.Error(got)
	}
	s.Heaviest = s.Heaviest[1:]
	if got := heaviestText(s, "the run"); got != " The heaviest region is solve with 30.0 % of the run." {
		t.Error(got)
	}
}
