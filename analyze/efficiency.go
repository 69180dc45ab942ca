package analyze

import (
	"fmt"

	"auspex/model"
)

// Efficiency says how well the units were used, after the POP project's
// multiplicative model: parallel = load balance × communication.
type Efficiency struct {
	LoadBalance   Real `json:"load_balance"`  // mean useful time / max useful time
	Communication Real `json:"communication"` // max useful time / run time
	Parallel      Real `json:"parallel"`
}

// times are the times efficiency is made of.
type times struct {
	metric  string    // "wtime" or another time metric
	useful  []float64 // by unit: exclusive time outside communication
	total   []float64 // by unit
	runtime float64   // of the slowest unit
}

// timeMetric names the metric that "time" stands for: wall time where it was
// measured, else CPU time, else any metric in seconds.
func (d *Dataset) timeMetric() (string, error) {
	for _, name := range []string{model.WallTime, model.CPUTime} {
		if d.Has(name) {
			return name, nil
		}
	}
	for _, m := range d.Metrics {
		if m.Unit == "s" && m.Additive() && m.Scope != model.Own {
			return m.Name, nil
		}
	}
	return "", fmt.Errorf("experiment %q has no time metric", d.Name)
}

// times sums exclusive time by unit, once.
func (d *Dataset) times() (*times, error) { return d.timesOnce() }

func (d *Dataset) sumTimes() (*times, error) {
	name, err := d.timeMetric()
	if err != nil {
		return nil, err
	}
	metric, err := d.Resolve(name)
	if err != nil {
		return nil, err
	}
	exclusive, err := d.Matrix(name + ".exc")
	if err != nil {
		return nil, err
	}
	t := &times{metric: name}
	units := &Rows{By: ByUnit, d: d, size: len(d.Units)}
	t.useful = units.fold(exclusive, d.Communication, total)
	if t.total, err = d.unitTotals(metric); err != nil {
		return nil, err
	}
	_, t.runtime = extremes(t.total)
	return t, nil
}

// unitTotals is a metric over all regions, by unit: the sum of the exclusive
// values. A flat profile's inclusive values know more: the largest is the
// program's.
func (d *Dataset) unitTotals(metric model.Metric) ([]float64, error) {
	exclusive, err := d.Matrix(metric.Name + scopeEnding(metric, model.Exclusive))
	if err != nil {
		return nil, err
	}
	units := &Rows{By: ByUnit, d: d, size: len(d.Units)}
	totals := units.fold(exclusive, nil, total)
	if !model.IsFlat(d.Regions) || d.MetricIndex(metric.Name, model.Inclusive) < 0 {
		return totals, nil
	}
	inclusive, err := d.Matrix(metric.Name + ".inc")
	if err != nil {
		return nil, err
	}
	for u, outermost := range units.fold(inclusive, nil, largest) {
		totals[u] = max(totals[u], outermost)
	}
	return totals, nil
}

func (t *times) efficiency() Efficiency {
	_, most := extremes(t.useful)
	e := Efficiency{
		LoadBalance:   ratio(mean(t.useful), most),
		Communication: ratio(most, t.runtime),
	}
	e.Parallel = e.LoadBalance * e.Communication
	return e
}

func extremes(values []float64) (least, most float64) {
	if len(values) == 0 {
		return 0, 0
	}
	least, most = values[0], values[0]
	for _, v := range values {
		least, most = min(least, v), max(most, v)
	}
	return least, most
}

func mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
