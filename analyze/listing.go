package analyze

import (
	"cmp"
	"math"
	"slices"

	"auspex/model"
)

// TreeNode is one line of the region tree.
type TreeNode struct {
	Region    string     `json:"region"` // path
	Name      string     `json:"name"`
	Depth     int        `json:"depth"`
	Kind      model.Kind `json:"kind"`
	File      string     `json:"file,omitempty"`
	Line      int        `json:"line,omitempty"`
	Unit      string     `json:"unit"`
	Inclusive Real       `json:"inclusive"` // mean over units
	Exclusive Real       `json:"exclusive"`
	Share     Real       `json:"share"` // inclusive, mean over units, of the run
}

// Tree lists the region tree depth first, the heaviest of siblings first,
// regions below the least share left out.
func Tree(d *Dataset, metric string, leastShare float64) ([]TreeNode, string, error) {
	if metric == "" {
		var err error
		if metric, err = d.MainMetric(); err != nil {
			return nil, "", err
		}
	}
	described, err := d.Resolve(metric)
	if err != nil {
		return nil, "", err
	}
	inclusive, err := d.RegionMeans(described.Name + ScopeEnding(described, model.Inclusive))
	if err != nil {
		return nil, "", err
	}
	exclusive, err := d.RegionMeans(described.Name + ScopeEnding(described, model.Exclusive))
	if err != nil {
		return nil, "", err
	}
	totals, err := d.UnitTotals(described)
	if err != nil {
		return nil, "", err
	}
	_, whole := Extremes(totals)
	if t, err := d.Times(); err == nil && t.Metric == described.Name {
		whole = t.Runtime // the denominator of all shares of a run
	}
	children, roots := model.Children(d.Regions)
	var nodes []TreeNode
	var walk func(siblings []int, depth int)
	walk = func(siblings []int, depth int) {
		heaviestFirst(siblings, inclusive)
		for _, r := range siblings {
			share := Ratio(inclusive[r], whole)
			if leastShare > 0 && !(float64(share) >= leastShare) {
				continue
			}
			region := d.Regions[r]
			nodes = append(nodes, TreeNode{
				Region: d.Paths[r], Name: region.Name, Depth: depth, Kind: region.Kind, File: region.File, Line: region.Line,
				Unit: described.Unit, Inclusive: Real(inclusive[r]), Exclusive: Real(exclusive[r]), Share: share,
			})
			walk(children[r], depth+1)
		}
	}
	walk(roots, 0)
	return nodes, described.Name, nil
}

// heaviestFirst orders regions by what they weigh.
func heaviestFirst(regions []int, weight []float64) {
	slices.SortStableFunc(regions, func(a, b int) int { return cmp.Compare(weight[b], weight[a]) })
}

// ScopeEnding is what follows a metric's name to ask for a scope; metrics without
// scopes have none.
func ScopeEnding(m model.Metric, scope model.Scope) string {
	if m.Scope == model.Own {
		return ""
	}
	return "." + string(scope)
}

// RegionMeans averages a metric over the units that have it. The result is
// shared: do not change it.
func (d *Dataset) RegionMeans(column string) ([]float64, error) {
	return d.vector("means of regions "+column, func() ([]float64, error) {
		means, known := make([]float64, len(d.Regions)), make([]int, len(d.Regions))
		err := d.eachRow(column, func(row []float64) {
			for r, v := range row {
				if v == v {
					means[r] += v
					known[r]++
				}
			}
		})
		for r, n := range known {
			if means[r] /= float64(n); n == 0 {
				means[r] = math.NaN()
			}
		}
		return means, err
	})
}

// UnitTime is one unit's share of the work.
type UnitTime struct {
	Unit          string `json:"unit"`
	Node          string `json:"node"`
	Process       int    `json:"process"`
	Thread        int    `json:"thread"`
	Total         Real   `json:"total"`
	Useful        Real   `json:"useful"`
	Communication Real   `json:"communication"`
	UsefulShare   Real   `json:"useful_share"` // of the run time
}

// UnitTimes lists the units with their times.
func UnitTimes(d *Dataset) ([]UnitTime, error) {
	t, err := d.Times()
	if err != nil {
		return nil, err
	}
	rows := make([]UnitTime, len(d.Units))
	for u, unit := range d.Units {
		rows[u] = UnitTime{
			Unit: unit.String(), Node: unit.Node, Process: unit.Process, Thread: unit.Thread,
			Total: Real(t.Total[u]), Useful: Real(t.Useful[u]), Communication: Real(t.Total[u] - t.Useful[u]),
			UsefulShare: Ratio(t.Useful[u], t.Runtime),
		}
	}
	return rows, nil
}

// MetricInfo describes a metric and the range of its values.
type MetricInfo struct {
	Column       string `json:"name"`
	Alias        string `json:"alias,omitempty"`
	Unit         string `json:"unit"`
	ScopeWords   string `json:"scope"`
	MissingWords string `json:"missing"`
	Least        Real   `json:"min"`
	Mean         Real   `json:"mean"`
	Most         Real   `json:"max"`
}

// MetricInfos describes what was measured. The range is over the regions and
// units that were entered.
func MetricInfos(d *Dataset) ([]MetricInfo, error) {
	whole, err := d.stored.Load()
	if err != nil {
		return nil, err
	}
	infos := make([]MetricInfo, len(d.Metrics))
	for i, m := range d.Metrics {
		info := MetricInfo{Column: m.Column(), Alias: m.Alias, Unit: m.Unit, Least: Missing, Mean: Missing, Most: Missing}
		info.ScopeWords = map[model.Scope]string{model.Exclusive: "exclusive", model.Inclusive: "inclusive", model.Own: "own"}[m.Scope]
		info.MissingWords = map[model.Missing]string{model.Zero: "zero", model.Absent: "missing"}[m.Missing]
		sum, n := 0.0, 0
		for _, v := range whole.Summaries.Values[i] {
			if v != v {
				continue
			}
			if n == 0 {
				info.Least, info.Most = Real(v), Real(v)
			}
			info.Least, info.Most = min(info.Least, Real(v)), max(info.Most, Real(v))
			sum += v
			n++
		}
		info.Mean = Ratio(sum, float64(n))
		infos[i] = info
	}
	return infos, nil
}
