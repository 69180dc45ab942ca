package analyze

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func clustersOf(t *testing.T, values []float64) *Clusters {
	t.Helper()
	s := &Scores{By: ByUnit, Metrics: []ScoreMetric{{Metric: "wtime", Weight: 1}}}
	for u, v := range values {
		s.Rows = append(s.Rows, Scored{Unit: u, Scores: []Real{Real(v)}, Aggregate: Real(v)})
	}
	c, err := FindClusters(t.Context(), s, 0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// As many clusters are found as there are groups, few rows or many.
func TestClustersOfGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, of := range [][2]int{{2, 6}, {3, 6}, {3, 8}, {4, 8}, {4, 12}, {5, 24}, {4, 16}} {
		var values []float64
		for i := range of[1] {
			values = append(values, (1+4*float64(i%of[0]))/20*(1+0.001*rng.NormFloat64()))
		}
		if c := clustersOf(t, values); len(c.Clusters) != of[0] || !c.Groups {
			t.Errorf("%d groups of %d: %d clusters, apart %v", of[0], of[1], len(c.Clusters), c.Groups)
		}
	}
}

// Values without groups are divided, too, and called what they are.
func TestClustersWithoutGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	sets := map[string][]float64{"four": {0.25, 0.5, 0.75, 1}}
	for i := range 64 {
		sets["even"] = append(sets["even"], float64(i+1)/64)
		sets["normal"] = append(sets["normal"], 1+0.001*rng.NormFloat64())
	}
	for i := range 4 {
		for range 8 {
			name := fmt.Sprint("eight ", i)
			sets[name] = append(sets[name], 1+0.1*rng.NormFloat64())
		}
	}
	for name, values := range sets {
		if c := clustersOf(t, values); c.Groups {
			t.Errorf("%s: %d clusters that are apart", name, len(c.Clusters))
		}
	}
}
