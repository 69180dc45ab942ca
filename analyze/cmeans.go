package analyze

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"auspex/cluster"
	"auspex/internal/mistake"
)

// Clusters divides regions or units by their performance scores, each
// belonging to every cluster to a degree (fuzzy C-means).
type Clusters struct {
	Experiment string        `json:"experiment"`
	By         By            `json:"by"`
	Base       string        `json:"base"`
	Metrics    []ScoreMetric `json:"metrics"`
	Suggested  bool          `json:"suggested"` // nobody said how many clusters
	// PartitionCoefficient is 1 for a crisp division and 1/clusters for one
	// that says nothing; XieBeni is the smaller the better the clusters are
	// apart, and chooses their number where nobody did.
	PartitionCoefficient Real `json:"partition_coefficient"`
	XieBeni              Real `json:"xie_beni"`
	// Groups tells whether the clusters are better apart than those of values
	// without groups.
	Groups   bool      `json:"groups"`
	Clusters []Cluster `json:"clusters"` // the highest aggregate score first
	Rows     []Member  `json:"rows"`     // by cluster, the surest first
	Warnings []string  `json:"warnings"`
}

// Cluster is one centre.
type Cluster struct {
	Scores    []Real `json:"scores"` // by metric
	Aggregate Real   `json:"aggregate"`
	Members   int    `json:"members"` // that belong to it most
}

// Member is one region or unit.
type Member struct {
	Region    string `json:"region,omitempty"`
	Unit      any    `json:"unit,omitempty"`
	Aggregate Real   `json:"aggregate"` // its score
	Cluster   int    `json:"cluster"`   // to which it belongs most
	Degrees   []Real `json:"degrees"`   // by cluster
}

// mostClusters bounds the search for their number, as do two rows a cluster: with
// as many clusters as rows each is one, and the index perfect.
const mostClusters = 8

// FindClusters divides what was scored among k clusters, or as many as suit
// where k is 0. Rows without all scores are left out.
func FindClusters(ctx context.Context, s *Scores, k int) (*Clusters, error) {
	c := &Clusters{
		Experiment: s.Experiment, By: s.By, Base: s.Base, Metrics: s.Metrics, Suggested: k == 0,
		Clusters: []Cluster{}, Rows: []Member{}, Warnings: slices.Clone(s.Warnings),
	}
	var kept []Scored
	points := cluster.Points{Dim: len(s.Metrics)}
	for _, row := range s.Rows {
		if slices.ContainsFunc(row.Scores, Real.IsMissing) {
			continue
		}
		kept = append(kept, row)
		for _, v := range row.Scores {
			points.Data = append(points.Data, float64(v))
		}
	}
	points.N = len(kept)
	if left := len(s.Rows) - len(kept); left > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%d of %d rows lack a score and are left out", left, len(s.Rows)))
	}
	if points.N < 2 {
		return nil, mistake.Refuse("%d of %d %ss could be scored: there is nothing to divide into clusters", points.N, len(s.Rows), s.By)
	}
	if k != 0 && (k < 2 || k > points.N) {
		return nil, mistake.Refuse("%d rows can be divided into 2 to %d clusters, not %d", points.N, points.N, k)
	}
	found, err := divide(ctx, points, k)
	if err != nil {
		return nil, err
	}
	c.fill(found, kept)
	c.Groups, err = grouped(ctx, points, found, k)
	return c, err
}

func divide(ctx context.Context, points cluster.Points, k int) (*cluster.Fuzzy, error) {
	if k == 0 {
		most := max(2, points.N/2)
		return cluster.SuggestCMeans(ctx, points, min(mostClusters, most))
	}
	return cluster.CMeans(ctx, points, k)
}

// fill numbers the clusters by their aggregate score.
func (c *Clusters) fill(found *cluster.Fuzzy, kept []Scored) {
	c.PartitionCoefficient, c.XieBeni = Real(found.Coefficient), Real(found.XieBeni)
	weight := 0.0
	for _, m := range c.Metrics {
		weight += m.Weight
	}
	k, dim := found.Centres.N, found.Centres.Dim
	order := Counting(k)
	clusters := make([]Cluster, k)
	for i := range clusters {
		for j, v := range found.Centres.Data[i*dim : (i+1)*dim] {
			clusters[i].Scores = append(clusters[i].Scores, Real(v))
			clusters[i].Aggregate += Real(v * c.Metrics[j].Weight / weight)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(clusters[b].Aggregate, clusters[a].Aggregate) })
	for _, i := range order {
		c.Clusters = append(c.Clusters, clusters[i])
	}
	if k < 2 {
		c.Warnings = append(c.Warnings, "all rows have the same scores: there is one cluster")
	}
	for r, row := range kept {
		m := Member{Region: row.Region, Unit: row.Unit, Aggregate: row.Aggregate}
		for at, i := range order {
			m.Degrees = append(m.Degrees, Real(found.Degrees.Data[r*k+i]))
			if m.Degrees[at] > m.Degrees[m.Cluster] {
				m.Cluster = at
			}
		}
		c.Clusters[m.Cluster].Members++
		c.Rows = append(c.Rows, m)
	}
	slices.SortStableFunc(c.Rows, func(a, b Member) int {
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(b.Degrees[b.Cluster], a.Degrees[a.Cluster]))
	})
}
