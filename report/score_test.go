package report

import (
	"strings"
	"testing"

	"auspex/analyze"
)

// Those that share the first rank are all first, and zeros are not.
func TestRankingOfEquals(t *testing.T) {
	r := &analyze.Ranking{Base: "program", By: analyze.ByRegion, Metrics: []analyze.ScoreMetric{{Metric: "wtime", Shape: "linear"}},
		Rows: []analyze.Ranked{{Rank: 1, Region: "a", Aggregate: 0.5}, {Rank: 1, Region: "b", Aggregate: 0.5}, {Rank: 3, Region: "c"}}}
	if got := RankingWords(r); !strings.Contains(got, "2 regions share the first rank with an aggregate score of 0.500: a, b.") {
		t.Error(got)
	}
	r.Rows = r.Rows[2:]
	if got := RankingWords(r); !strings.HasSuffix(got, "All scores are 0: nothing comes first.") {
		t.Error(got)
	}
	if got := meaningWords(analyze.Impact, "program", analyze.ByRegion, []analyze.ScoreMetric{{Shape: "S(1, 2)"}}); strings.Contains(got, "1 stands for") {
		t.Error(got)
	}
}

func TestBottleneckAtTheThreshold(t *testing.T) {
	b := &analyze.Bottlenecks{Metric: "time_share", Threshold: 0.3125, Rows: []analyze.Bottleneck{{Region: "b", Value: 0.3125, Negligible: 1}}}
	if got := BottleneckWords(b); !strings.Contains(got, "b at 0.312 is at the threshold") {
		t.Error(got)
	}
}

// Nothing is called alike that cannot be compared.
func TestUnitsThatCannotBeCompared(t *testing.T) {
	none := analyze.UnitLike{Unit: 1, Similarity: analyze.Missing}
	u := &analyze.UnitSimilarity{Region: "solve", Metrics: []analyze.ScoreMetric{{Metric: "ipc"}}}
	for want, rows := range map[string][]analyze.UnitLike{
		"None of the 2 units can be compared in ipc of solve.": {none, none},
		"Only unit 0 can be compared in ipc of solve":          {{Unit: 0, Similarity: 1}, none},
		"The 2 units differ in ipc of solve":                   {{Unit: 0, Similarity: 0.6}, {Unit: 2, Similarity: 0.6}, none, none},
		"All 2 units are alike in ipc of solve":                {{Unit: 0, Similarity: 0.99}, {Unit: 2, Similarity: 1}, none},
	} {
		u.Rows = rows
		if got := UnitSimilarityWords(u); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestRegionSimilarityWords(t *testing.T) {
	r := &analyze.RegionSimilarity{Regions: []string{"a", "b", "c"}, Matrix: [][]analyze.Real{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}}
	if got := RegionSimilarityWords(r); got != "All pairs that can be compared have the same similarity, 1.000." {
		t.Error(got)
	}
	r = &analyze.RegionSimilarity{Regions: []string{"a", "b"}, Matrix: [][]analyze.Real{{1, 0}, {0, 1}}}
	if got := RegionSimilarityWords(r); got != "a and b have a similarity of 0.000." {
		t.Error(got)
	}
}
