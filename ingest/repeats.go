package ingest

import (
	"fmt"
	"math"

	"auspex/model"
)

// Repeats makes one experiment of several runs of the same configuration:
// every value becomes the mean over the runs, with its standard deviation and
// the number of runs in which the unit entered the region. A run in which it
// did not counts as zero for times and counts and not at all for ratios.
func Repeats(runs []*model.Experiment) (*model.Experiment, error) {
	if len(runs) < 2 {
		return nil, fmt.Errorf("repeated runs need at least two experiments, not %d", len(runs))
	}
	b := model.NewBuilder()
	for i, run := range runs {
		if len(run.Units) != len(runs[0].Units) {
			return nil, fmt.Errorf("%s has %d units and %s has %d: not repeats of one configuration",
				origin(runs, 0), len(runs[0].Units), origin(runs, i), len(run.Units))
		}
		if run.Runs > 1 {
			return nil, fmt.Errorf("%s holds repeated runs itself", origin(runs, i))
		}
		if what := otherBuild(runs[0], run); what != "" {
			return nil, fmt.Errorf("%s and %s are different builds (%s): compare them, or import them with --each", origin(runs, 0), origin(runs, i), what)
		}
		units := make([]int, len(run.Units))
		for u, unit := range run.Units {
			unit.Node = "" // the same rank may land on another node next time
			units[u] = b.Unit(unit)
		}
		place(b, run, units)
	}
	joined, err := b.Build(commonHeader(runs))
	if err != nil {
		return nil, err
	}
	joined.Runs = len(runs)
	spread(joined, runs)
	return joined, nil
}

// spread fills in mean, deviation and count from the runs.
func spread(joined *model.Experiment, runs []*model.Experiment) {
	s := &joined.Summaries
	rows := s.Rows()
	rowOf := make(map[[2]int32]int, rows)
	for i := range rows {
		rowOf[[2]int32{s.Unit[i], s.Region[i]}] = i
	}
	s.Count = make([]int32, rows)
	sums, squares, counts := newColumns(joined), newColumns(joined), newColumns(joined)
	index := indexOf(joined)
	for _, run := range runs {
		regions := index.regions(run)
		for row := range run.Summaries.Unit {
			unit := run.Units[run.Summaries.Unit[row]]
			unit.Node = ""
			to := rowOf[[2]int32{int32(index.units[unit]), int32(regions[run.Summaries.Region[row]])}]
			s.Count[to]++
			for m, metric := range run.Metrics {
				if v := run.Summaries.Values[m][row]; v == v {
					c := joined.MetricIndex(metric.Name, metric.Scope)
					sums[c][to] += v
					squares[c][to] += v * v
					counts[c][to]++
				}
			}
		}
	}
	s.Deviation = newColumns(joined)
	for m, metric := range joined.Metrics {
		for i := range rows {
			n := counts[m][i]
			if metric.Missing == model.Zero {
				n = float64(len(runs))
			}
			s.Values[m][i], s.Deviation[m][i] = meanAndDeviation(n, sums[m][i], squares[m][i])
		}
	}
}

func newColumns(e *model.Experiment) [][]float64 {
	columns := make([][]float64, len(e.Metrics))
	for m := range columns {
		columns[m] = make([]float64, e.Summaries.Rows())
	}
	return columns
}

// meanAndDeviation gives the mean and the sample standard deviation.
func meanAndDeviation(n, sum, squares float64) (mean, deviation float64) {
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	mean = sum / n
	if n == 1 {
		return mean, 0
	}
	return mean, math.Sqrt(max(0, squares-n*mean*mean) / (n - 1))
}

// locator finds the places of another experiment's units and regions.
type locator struct {
	units map[model.Unit]int
	paths map[string]int
}

func indexOf(e *model.Experiment) locator {
	l := locator{map[model.Unit]int{}, map[string]int{}}
	for i, u := range e.Units {
		l.units[u] = i
	}
	for i, p := range model.Paths(e.Regions) {
		l.paths[p] = i
	}
	return l
}

func (l locator) regions(e *model.Experiment) []int {
	index := make([]int, len(e.Regions))
	for i, p := range model.Paths(e.Regions) {
		index[i] = l.paths[p]
	}
	return index
}
