package report

import (
	"strings"
	"testing"

	"auspex/analyze"
)

// The highest is the one with the highest score, not the first of its cluster.
func TestClustersWords(t *testing.T) {
	c := &analyze.Clusters{By: analyze.ByRegion, Groups: true, PartitionCoefficient: 0.95,
		Clusters: []analyze.Cluster{{Scores: []analyze.Real{0.9}, Members: 2}, {Scores: []analyze.Real{0.1}, Members: 1}},
		Rows:     []analyze.Member{{Region: "near", Aggregate: 0.9}, {Region: "high", Aggregate: 0.95}, {Region: "low", Aggregate: 0.1, Cluster: 1}}}
	if got := ClustersWords(c); !strings.HasSuffix(got, "The highest scores belong to 2 regions, the highest of all to high.") || !strings.Contains(got, "clearly apart") {
		t.Error(got)
	}
	c.Groups, c.Clusters[1].Scores[0] = false, 0.899
	if got := ClustersWords(c); !strings.Contains(got, "no better apart than as many random values may be") || !strings.Contains(got, "nearly equal: the centres are at most 0.001 apart") {
		t.Error(got)
	}
}
