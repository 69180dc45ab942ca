package analyze

import (
	"slices"

	"auspex/account"
	"auspex/internal/mistake"
	"auspex/model"
)

// Efficiency says how well the units were used, after the POP project's
// multiplicative model: parallel = load balance × communication.
type Efficiency struct {
	LoadBalance   Real `json:"load_balance"`  // mean useful time / max useful time
	Communication Real `json:"communication"` // max useful time / run time
	Parallel      Real `json:"parallel"`
	// Serialization and Transfer make up communication; they want a trace, and
	// are nil without one.
	Serialization *Real `json:"serialization,omitempty"`
	Transfer      *Real `json:"transfer,omitempty"`
	// StartEnd is a part of communication, and of transfer: the share of the run
	// time that starting and ending leave, by the ledger; nil where there is none.
	StartEnd *Real `json:"start_end,omitempty"`
	// Cores is another: what ranks leave of the rest that stand within MPI without a
	// core; nil where none is known to.
	Cores *Real `json:"cores,omitempty"`
}

// Split parts communication by what of it the ideal network leaves, and ranks that
// stand without a core within MPI; 0 where one is not known.
func (e *Efficiency) Split(serialization, cores float64) {
	if s := Real(serialization); serialization > 0 && !e.Communication.IsMissing() {
		t := e.Communication / s
		e.Serialization, e.Transfer = &s, &t
	}
	if c := Real(cores); cores > 0 && !e.Communication.IsMissing() {
		e.Cores = &c
	}
}

// Times are the times efficiency is made of.
type Times struct {
	Metric  string    // "wtime" or another time metric
	Useful  []float64 // by unit: exclusive time outside communication
	Total   []float64 // by unit
	Runtime float64   // of the slowest unit
	// averaged: a unit's times are means over processes whose own are not known.
	averaged bool
	alike    alikeness
	first    UnitType // the type that efficiency is said of: processes or threads, where there are any
	asleep   []bool   // by unit: see findSleepers
}

// TimeMetric names the metric that "time" stands for: wall time where it was
// measured, else CPU time, else any metric in seconds.
func (d *Dataset) TimeMetric() (string, error) {
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
	return "", mistake.Refuse("experiment %q has no time metric", d.Name)
}

// MainMetric names the metric that a profile is about: time, or what was counted
// where no time is known, such as instructions or samples.
func (d *Dataset) MainMetric() (string, error) {
	name, err := d.TimeMetric()
	if err == nil {
		return name, nil
	}
	for _, name := range []string{"instructions", "samples", "cycles"} {
		if m, found := d.Resolve(name); found == nil && m.Additive() {
			return m.Name, nil
		}
	}
	for _, m := range d.Metrics {
		if m.Additive() && m.Scope == model.Exclusive && m.Name != model.Calls {
			return m.Name, nil
		}
	}
	return "", err
}

// Times sums exclusive time by unit, once.
func (d *Dataset) Times() (*Times, error) { return d.timesOnce() }

func (d *Dataset) sumTimes() (*Times, error) {
	name, err := d.TimeMetric()
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
	t := &Times{Metric: name}
	_, t.averaged = d.Factor(model.AveragedOver)
	units := &Rows{By: ByUnit, d: d, size: len(d.Units)}
	t.Useful = units.fold(exclusive, d.Communication, summed)
	if t.Total, err = d.UnitTotals(metric); err != nil {
		return nil, err
	}
	_, t.Runtime = Extremes(t.Total)
	t.alike = d.alikeness(exclusive)
	t.first = StreamUnit
	for _, of := range t.alike.types {
		if of != StreamUnit {
			t.first = of
			break
		}
	}
	t.asleep = d.findSleepers(t.Total, units.fold(exclusive, d.awake(), summed))
	return t, nil
}

// sleeping is the share of its time from which on a thread does next to nothing else.
const sleeping = 0.95

// awake marks the regions in which threads have not given their cores up.
func (d *Dataset) awake() []bool {
	out := make([]bool, len(d.Classes))
	for r, class := range d.Classes {
		out[r] = class != account.Asleep
	}
	return out
}

// findSleepers tells the threads that slept nearly as long as they lived, beside others of
// their process that did not: they wait for signals, collect garbage, start others, or
// are of a pool with nothing to do. They take no core, and whether the work is balanced
// is said of those that do.
func (d *Dataset) findSleepers(total, slept []float64) []bool {
	out := make([]bool, len(d.Units))
	some := map[int]bool{} // processes with a thread that did something
	for u := range out {
		out[u] = slept[u] >= sleeping*total[u] && total[u] > 0
		some[d.Units[u].Process] = some[d.Units[u].Process] || !out[u]
	}
	for u := range out {
		out[u] = out[u] && some[d.Units[u].Process]
	}
	return out
}

// Sleepers counts the threads that efficiency is not said of.
func (t *Times) Sleepers() int {
	n := 0
	for _, v := range t.asleep {
		if v {
			n++
		}
	}
	return n
}

// UnitTotals is a metric over all regions, by unit: the sum of the exclusive
// values. A flat profile's inclusive values know more: the largest is the
// program's. The result is shared: do not change it.
func (d *Dataset) UnitTotals(metric model.Metric) ([]float64, error) {
	return d.vector("totals of units "+metric.Name, func() ([]float64, error) { return d.unitTotals(metric) })
}

func (d *Dataset) unitTotals(metric model.Metric) ([]float64, error) {
	exclusive, err := d.Matrix(metric.Name + ScopeEnding(metric, model.Exclusive))
	if err != nil {
		return nil, err
	}
	units := &Rows{By: ByUnit, d: d, size: len(d.Units)}
	totals := units.fold(exclusive, nil, summed)
	if !model.IsFlat(d.Regions) || d.MetricIndex(metric.Name, model.Inclusive) < 0 {
		return totals, nil
	}
	inclusive, err := d.Matrix(metric.Name + ".inc")
	if err != nil {
		return nil, err
	}
	for u, outermost := range units.fold(inclusive, nil, greatest) {
		totals[u] = max(totals[u], outermost)
	}
	return totals, nil
}

// Judges tells whether efficiency is said of a unit: of the processes or threads, where
// there are any beside streams, that do not sleep nearly all the time.
func (t *Times) Judges(unit int) bool { return t.alike.types[unit] == t.first && !t.asleep[unit] }

// Judged are the useful times of the units that efficiency is said of.
func (t *Times) Judged() []float64 {
	var useful []float64
	for u, v := range t.Useful {
		if t.Judges(u) {
			useful = append(useful, v)
		}
	}
	return useful
}

// Efficiency is that of the units of one type.
func (t *Times) Efficiency() Efficiency {
	useful := t.Judged()
	_, most := Extremes(useful)
	e := Efficiency{
		LoadBalance:   Ratio(Mean(useful), most),
		Communication: Ratio(most, t.Runtime),
	}
	e.Parallel = e.LoadBalance * e.Communication
	if t.averaged || slices.Contains(t.alike.roles, Apart) { // the mean is known, the longest of the processes or threads is not
		e.LoadBalance, e.Communication = Missing, Missing
	}
	return e
}
