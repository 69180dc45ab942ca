package diagnose

import (
	"slices"

	"auspex/account"
	"auspex/analyze"
	"auspex/internal/mistake"
	"auspex/model"
)

// timing holds the times that are compared.
type timing struct {
	metric  model.Metric
	useful  model.Matrix // groups × regions: inclusive, communication left out
	whole   []float64    // by region: inclusive, communication and all units in
	total   []float64    // by group: everything
	runtime float64      // of the slowest group, in wall time where measured
	groups  []int        // under which region each is counted; nil for itself
	beyond  bool         // besides CPU time, input and output and time blocked
}

// beyondCPU tells whether the ledger has seen more that others wait for than
// the CPU time that is compared.
func beyondCPU(d *analyze.Dataset, metric model.Metric, o Options) (bool, error) {
	if o.Metric != "" || metric.Name != model.CPUTime {
		return false, nil
	}
	all, err := d.Ledgers()
	return err == nil && len(all) > 0 && all[0].BeyondCPU, err
}

// withWork has the work of the ledger in all regions but those of communication.
func withWork(d *analyze.Dataset, exclusive model.Matrix) (model.Matrix, error) {
	work, err := d.Work()
	if err != nil {
		return exclusive, err
	}
	for u := range work.Units {
		row := work.Row(u)
		for r, v := range exclusive.Row(u) {
			if communicates(d, r) || d.Classes[r] == account.Beginning {
				row[r] = v
			}
		}
	}
	return work, nil
}

// communicates tells regions of communication and waiting. Input and output
// through MPI is none, unless the ledger sees units wait for each other in it: it is
// work that others wait for. So is sending where the ledger sees others wait for it.
func communicates(d *analyze.Dataset, r int) bool {
	if !d.Communication[r] || d.Classes[r] == account.InOut {
		return false
	}
	all, err := d.Ledgers()
	known := err == nil && len(all) > 0
	if d.Classes[r] == account.InOutOfAll {
		return known && slices.Contains(all[0].WaitedIn, r)
	}
	return !known || !slices.Contains(all[0].WaitedFor, r)
}

// workMetric chooses the metric of the vectors: CPU time where it was
// measured, for that is the work; else wall time, else any time.
func workMetric(d *analyze.Dataset, asked string) (model.Metric, error) {
	if asked != "" {
		m, err := d.Resolve(asked)
		if err == nil && !m.Additive() {
			err = mistake.Refuse("%s does not add up over regions and units; choose a time or a count", asked)
		}
		return m, err
	}
	if d.Has(model.CPUTime) {
		return d.Resolve(model.CPUTime)
	}
	name, err := d.TimeMetric()
	if err != nil {
		return model.Metric{}, mistake.Refuse("%w; --metric names another metric to compare", err)
	}
	return d.Resolve(name)
}

func compareTimes(d *analyze.Dataset, g *grouping, o Options) (*timing, error) {
	metric, err := workMetric(d, o.Metric)
	if err != nil {
		return nil, err
	}
	t := &timing{metric: metric}
	exclusive, err := d.Matrix(metric.Name + analyze.ScopeEnding(metric, model.Exclusive))
	if err != nil {
		return nil, err
	}
	if t.beyond, err = beyondCPU(d, metric, o); err != nil {
		return nil, err
	}
	if t.beyond {
		if exclusive, err = withWork(d, exclusive); err != nil {
			return nil, err
		}
	}
	t.useful = g.fold(exclusive, true)
	t.whole = inclusive(d, t.useful)
	if t.total, err = g.totals(d, metric); err != nil {
		return nil, err
	}
	_, t.runtime = analyze.Extremes(t.total)
	if metric.Unit == "s" && metric.Name != model.WallTime && d.Has(model.WallTime) {
		wall, err := d.Resolve(model.WallTime)
		if err != nil {
			return nil, err
		}
		walls, err := g.totals(d, wall)
		if err != nil {
			return nil, err
		}
		_, t.runtime = analyze.Extremes(walls)
	}
	if !o.WithMPI {
		t.dropCommunication(d)
	}
	t.useful.ToInclusive(d.Regions)
	return t, nil
}

// inclusive sums groups up, with what is nested in each region.
func inclusive(d *analyze.Dataset, exclusive model.Matrix) []float64 {
	sum := make([]float64, len(d.Regions))
	for k := range exclusive.Units {
		for r, v := range exclusive.Row(k) {
			sum[r] += v
		}
	}
	upTree(sum, d.Regions)
	return sum
}

// totals is a metric over all regions, by group.
func (g *grouping) totals(d *analyze.Dataset, metric model.Metric) ([]float64, error) {
	units, err := d.UnitTotals(metric)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(g.names))
	for u, v := range units {
		if g.of[u] >= 0 {
			out[g.of[u]] += v
		}
	}
	return out, nil
}

func (t *timing) dropCommunication(d *analyze.Dataset) {
	for k := range t.useful.Units {
		row := t.useful.Row(k)
		for r := range row {
			if communicates(d, r) {
				row[r] = 0
			}
		}
	}
}

// upTree adds every region's value to its parent's.
func upTree(values []float64, regions []model.Region) {
	for r := len(regions) - 1; r >= 0; r-- {
		if p := regions[r].Parent; p != model.NoParent {
			values[p] += values[r]
		}
	}
}

// topLevel is level 1 of the search: the places whose times make the vectors.
type topLevel struct {
	parent  int    // the region they are parts of, or model.NoParent
	path    string // of the parent
	columns []place
	nested  [][]int // children of every region
}

// trunkShare is the share of its parent's time from which a region is only
// the way to its parts.
const trunkShare = 0.9

// topLevel finds level 1: from the root, go down while one part holds nearly
// all of the time; level 1 is that region's parts and its own time. Places
// where no unit spent any time are left out.
func (t *timing) topLevel(d *analyze.Dataset, below string) (*topLevel, error) {
	children, roots := model.Children(d.Regions)
	top := &topLevel{parent: model.NoParent, nested: children}
	parts := roots
	if below != "" {
		r, err := d.RegionNamed(below)
		if err != nil {
			return nil, err
		}
		if len(children[r]) == 0 {
			return nil, mistake.Refuse("no region is nested in %s, so there is nothing to search below it", d.Paths[r])
		}
		top.parent, parts = r, children[r]
	} else {
		for {
			next := t.trunk(d, children, parts)
			if next < 0 {
				break
			}
			top.parent, parts = next, children[next]
		}
	}
	used := make([]bool, len(d.Regions))
	for k := range t.useful.Units {
		for r, v := range t.useful.Row(k) {
			used[r] = used[r] || v != 0
		}
	}
	for _, r := range parts {
		if used[r] {
			top.columns = append(top.columns, place{region: r})
		}
	}
	if top.parent != model.NoParent {
		top.path = d.Paths[top.parent]
		self := place{region: top.parent, self: true}
		for _, v := range t.column(d, self) {
			if v != 0 {
				top.columns = append(top.columns, self)
				break
			}
		}
	}
	return top, nil
}

// byName makes level 1 of the names of regions, each with its own time:
// threads do the same under different roots.
func (s *study) byName() {
	s.top.parent, s.top.path, s.top.columns = model.NoParent, "", nil
	for r, g := range s.groups {
		p := place{region: r, group: true}
		if g == r && !communicates(s.d, r) && analyze.Total(s.time.column(s.d, p)) > 0 {
			s.top.columns = append(s.top.columns, p)
		}
	}
}

// trunk is the part that holds nearly all of the time and has parts itself, or
// -1.
func (t *timing) trunk(d *analyze.Dataset, children [][]int, parts []int) int {
	sum := 0.0
	if len(parts) > 0 && d.Regions[parts[0]].Parent != model.NoParent {
		sum = t.whole[d.Regions[parts[0]].Parent]
	} else {
		for _, r := range parts {
			sum += t.whole[r]
		}
	}
	for _, r := range parts {
		if t.whole[r] >= trunkShare*sum && t.whole[r] > 0 && len(children[r]) > 0 && !communicates(d, r) {
			return r
		}
	}
	return -1
}

// column gives the time of every group in a place.
func (t *timing) column(d *analyze.Dataset, p place) []float64 {
	out := make([]float64, t.useful.Units)
	for k := range out {
		out[k] = t.useful.At(k, p.region)
	}
	if p.group {
		clear(out)
		for r, g := range t.groups {
			if g == p.region {
				for k, v := range t.column(d, place{region: r, self: true}) {
					out[k] += v
				}
			}
		}
		return out
	}
	if p.self {
		for r := p.region + 1; r < len(d.Regions); r++ {
			if d.Regions[r].Parent != p.region {
				continue
			}
			for k := range out {
				out[k] -= t.useful.At(k, r)
			}
		}
		for k, v := range out {
			// What subtraction leaves of equal times is not time.
			if v < 1e-9*t.useful.At(k, p.region) {
				out[k] = 0
			}
		}
	}
	return out
}
