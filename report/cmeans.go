package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"auspex/analyze"
)

// Clusters writes the clusters and what belongs to them, at most top rows of
// each.
func (p *Page) Clusters(c *analyze.Clusters, top int) {
	p.Paragraph(ClustersWords(c))
	p.notes(c.Warnings)
	columns := []column{number("cluster"), number("members"), number("aggregate")}
	for _, m := range c.Metrics {
		columns = append(columns, number(m.Metric))
	}
	var rows [][]string
	for i, cluster := range c.Clusters {
		row := []string{strconv.Itoa(i + 1), grouped(cluster.Members), Ratio(cluster.Aggregate, 3)}
		for _, s := range cluster.Scores {
			row = append(row, Ratio(s, 3))
		}
		rows = append(rows, row)
	}
	p.Heading("Centres (scores)")
	p.table(columns, rows)

	columns = []column{region(string(c.By))}
	for i := range c.Clusters {
		columns = append(columns, words("in "+strconv.Itoa(i+1)))
	}
	rows = nil
	shown := make([]int, len(c.Clusters))
	for _, r := range c.Rows {
		if shown[r.Cluster]++; shown[r.Cluster] > top {
			continue
		}
		row := []string{rowName(r.Region, r.Unit)}
		for _, d := range r.Degrees {
			row = append(row, degreeCell(d))
		}
		rows = append(rows, row)
	}
	p.Heading(fmt.Sprintf("Membership of %s", c.Experiment))
	p.table(columns, rows)
	p.more(len(rows), len(c.Rows), string(c.By))
}

// ClustersWords says how many clusters there are and how clear they are.
func ClustersWords(c *analyze.Clusters) string {
	how := "as asked for"
	if c.Suggested {
		how = "the number that suits best"
	}
	clear := "clearly apart"
	switch k := len(c.Clusters); {
	case k < 2:
		clear = "nothing to tell apart"
	case !c.Groups:
		clear = "no better apart than as many random values may be"
	case c.PartitionCoefficient < 0.7:
		clear = "hardly apart"
	case c.PartitionCoefficient < 0.9:
		clear = "fairly well apart"
	}
	text := fmt.Sprintf("%s fall into %s (%s), %s (partition coefficient %s).", plural(len(c.Rows), string(c.By)),
		plural(len(c.Clusters), "cluster"), how, clear, Ratio(c.PartitionCoefficient, 3))
	if len(c.Rows) == 0 || len(c.Clusters) < 2 {
		return text
	}
	if apart := centresApart(c); apart < nearlyEqual {
		text += fmt.Sprintf(" All scores are nearly equal: the centres are at most %.2g apart.", apart)
	}
	highest := slices.MaxFunc(c.Rows, func(a, b analyze.Member) int { return cmp.Compare(a.Aggregate, b.Aggregate) })
	return text + fmt.Sprintf(" The highest scores belong to %s, the highest of all to %s.", plural(c.Clusters[0].Members, string(c.By)),
		spoken(highest.Region, highest.Unit))
}

// nearlyEqual scores are so little apart.
const nearlyEqual = 0.01

// centresApart is the largest difference between two centres in a score.
func centresApart(c *analyze.Clusters) float64 {
	apart := 0.0
	for _, a := range c.Clusters {
		for _, b := range c.Clusters {
			for j := range a.Scores {
				apart = max(apart, float64(a.Scores[j]-b.Scores[j]))
			}
		}
	}
	return apart
}
