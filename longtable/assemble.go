package longtable

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"auspex/model"
)

// Limits on what a table may hold.
const (
	maxPathDepth = 1024
	maxNumber    = math.MaxInt32 // of a process or thread
	maxMetrics   = 4096

	// An experiment keeps a place for every metric of every row. A table
	// that fills fewer than one place in sparse, or has more than sparse
	// missing values to a value, is refused once that takes much memory or
	// time.
	sparse    = 1000
	muchSpace = 1 << 24 // places
	muchTime  = 1 << 22 // lines

	maxSeconds = 1e15 // thirty million years
)

// assembler makes an experiment of the lines of a table, whatever their form.
// Names are looked up by their bytes, so that a line costs no allocation.
type assembler struct {
	b       *model.Builder
	header  model.Header
	options Options

	regionIDs map[string]int // region index by path as written
	regions   []regionEntry  // what is known of each region
	metricIDs map[string]int // index into metrics by name as written
	metrics   []tableMetric
	count     int  // builder's column for the count of runs, -1 without
	ours      bool // the head says that auspex wrote the table

	// A run is a stretch of lines about one unit and region. Where the unit
	// meets a region beyond all it met before, which in a sorted table is
	// always so, it is enough to tell the metrics of the run apart.
	run       uint32
	runUnit   int
	runRegion int
	runIsNew  bool
	highestOf []int32 // the highest region each unit met

	rows, values, missing int // at least so many rows; lines with and without a value
}

// tableMetric is a metric and where the builder keeps it.
type tableMetric struct {
	metric    model.Metric
	values    int
	deviation int     // -1 without
	unit      string  // as the last line wrote it
	scale     float64 // from that unit
	run       uint32  // the last run with a value
	missing   int     // values that were empty or no finite numbers
}

// The builder keeps deviations and counts as columns of their own under
// scopes that no table can name.
const (
	deviationScope model.Scope = "\x00deviation"
	countScope     model.Scope = "\x00count"
)

func newAssembler(options Options) *assembler {
	return &assembler{
		b: model.NewBuilder(), options: options,
		regionIDs: map[string]int{}, metricIDs: map[string]int{}, count: -1, runUnit: -1,
	}
}

// unit returns the index of a unit.
func (a *assembler) unit(u model.Unit) (int, error) {
	if u.Process < 0 || u.Process > maxNumber || u.Thread < 0 || u.Thread > maxNumber {
		return 0, fmt.Errorf("process %d, thread %d: numbers from 0 to %d are allowed", u.Process, u.Thread, maxNumber)
	}
	return a.b.Unit(u), nil
}

// region returns the index of the region of that path.
func (a *assembler) region(path []byte) (int, error) {
	if i, ok := a.regionIDs[string(path)]; ok {
		return i, nil
	}
	names := model.SplitPath(string(path))
	if len(names) > maxPathDepth {
		return 0, fmt.Errorf("a region path of %d names; %d are allowed", len(names), maxPathDepth)
	}
	index := model.NoParent
	for _, name := range names {
		index = a.b.Region(model.Region{Name: name, Parent: index})
	}
	for len(a.regions) < a.b.RegionCount() {
		a.regions = append(a.regions, regionEntry{})
	}
	a.regionIDs[string(path)] = index
	return index, nil
}

// describeRegion fills in what is not known yet of a region.
func (a *assembler) describeRegion(index int, kind model.Kind, file string, line int) {
	r := &a.regions[index]
	if r.Kind == "" {
		r.Kind = model.Kind(model.CleanText(string(kind)))
	}
	if r.File == "" && r.Line == 0 {
		r.File, r.Line = model.CleanText(file), line
	}
}

// metric returns the index of the metric of that name.
func (a *assembler) metric(name []byte) (int, error) {
	if i, ok := a.metricIDs[string(name)]; ok {
		return i, nil
	}
	return a.addMetric(string(name), metricNamed(string(name)))
}

// metricNamed tells from its name alone what a metric is. A name with a scope
// (flops.exc) adds up; a canonical name without one is exclusive, but for
// calls; any other name belongs to its region alone and is never taken as
// zero where it is missing.
func metricNamed(name string) model.Metric {
	base, scope, scoped := model.SplitScope(name)
	switch {
	case name == model.Calls:
		scope = model.Own
	case !scoped && model.IsCanonical(name):
		scope = model.Exclusive
	case !scoped:
		return model.Metric{Name: name, Scope: model.Own, Missing: model.Absent}
	}
	m := model.NewMetric(base, "", scope)
	if !model.IsCanonical(base) {
		m.Unit = ""
	}
	return m
}

func (a *assembler) addMetric(written string, m model.Metric) (int, error) {
	if m.Name == "" || strings.ContainsRune(written, 0) || strings.ContainsRune(m.Name, 0) {
		return 0, fmt.Errorf("%q is no name for a metric", written)
	}
	column := a.b.Metric(m)
	for i := range a.metrics {
		if a.metrics[i].values == column { // the same metric written in another way
			a.metricIDs[written] = i
			return i, nil
		}
	}
	if len(a.metrics) == maxMetrics {
		return 0, fmt.Errorf("more than %d metrics; %q is one too many", maxMetrics, short(written))
	}
	a.metrics = append(a.metrics, tableMetric{metric: a.b.MetricAt(column), values: column, deviation: -1, scale: 1})
	a.metricIDs[written] = len(a.metrics) - 1
	return len(a.metrics) - 1, nil
}

// describeMetric adds a metric by its entry in the head.
func (a *assembler) describeMetric(column string, m model.Metric) error {
	if m.Name == "" {
		guess := metricNamed(column)
		m.Name, m.Scope = guess.Name, guess.Scope
		if m.Unit == "" {
			m.Unit = guess.Unit
		}
		if m.Missing == "" {
			m.Missing = guess.Missing
		}
	}
	if m.Missing == "" {
		m.Missing = model.Zero
	}
	switch {
	case m.Column() != column:
		return fmt.Errorf("describes %q", m.Column())
	case m.Scope != model.Own && m.Scope != model.Exclusive && m.Scope != model.Inclusive:
		return fmt.Errorf("scope %q is not one of exc, inc and none", m.Scope)
	case m.Missing != model.Zero && m.Missing != model.Absent:
		return fmt.Errorf("missing %q is not one of zero and absent", m.Missing)
	}
	if _, there := a.metricIDs[column]; there {
		return errors.New("described twice")
	}
	_, err := a.addMetric(column, m)
	return err
}

// timeUnits are the units that the canonical times are converted from.
var timeUnits = map[string]float64{
	"s": 1, "sec": 1, "seconds": 1, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9, "min": 60, "h": 3600,
}

// setUnit notes the unit that a line gives for its metric; none means the
// metric's own.
func (a *assembler) setUnit(metric int, unit []byte) error {
	m := &a.metrics[metric]
	if string(unit) == m.unit {
		return nil
	}
	written := string(unit)
	if m.scale = 1; written == "" {
		m.unit = ""
		return nil
	}
	canonical := model.IsCanonical(m.metric.Name)
	scale, isTime := timeUnits[strings.ToLower(written)]
	switch {
	case canonical && m.metric.Unit == "s" && isTime:
		m.scale = scale
	case canonical && m.metric.Unit != written:
		return fmt.Errorf("%s is in %s, not in %q", m.metric.Column(), m.metric.Unit, written)
	case m.metric.Unit == "":
		m.metric.Unit = model.CleanText(written)
	case m.metric.Unit != written:
		return fmt.Errorf("%s is in %s on an earlier line and in %q here", m.metric.Column(), m.metric.Unit, written)
	}
	m.unit = written
	return nil
}

// set puts a value in its place. A missing value still says that the unit
// entered the region.
func (a *assembler) set(unit, region, metric int, value float64) error {
	m := &a.metrics[metric]
	if value != value || math.IsInf(value, 0) {
		m.missing++
		a.b.Enter(unit, region)
		if a.missing++; a.missing > muchTime && a.missing > sparse*a.values {
			return fmt.Errorf("%d values are missing and only %d are there", a.missing, a.values)
		}
		return nil
	}
	if err := a.sound(m, value); err != nil {
		return err
	}
	a.values++
	if a.has(unit, region, m) {
		return errTwice
	}
	if places := a.rows * len(a.metrics); places > muchSpace && places > sparse*a.values {
		return fmt.Errorf("%d values of %d metrics in %d rows: too sparse a table", a.values, len(a.metrics), a.rows)
	}
	a.b.Set(unit, region, m.values, value*m.scale)
	return nil
}

// sound refuses what cannot have been measured.
func (a *assembler) sound(m *tableMetric, value float64) error {
	value *= m.scale
	switch time := m.metric.Unit == "s" && !a.ours; {
	case math.Abs(value) > model.MaxValue:
		return fmt.Errorf("%s is %g: values beyond %g cannot be added up", m.metric.Column(), value, model.MaxValue)
	case time && value > maxSeconds:
		return fmt.Errorf("%s is %g s, longer than %g s", m.metric.Column(), value, maxSeconds)
	case time && value < 0:
		return fmt.Errorf("%s is %g s: a time cannot be below zero", m.metric.Column(), value)
	}
	return nil
}

// has tells whether the value is there already, and takes it as there from
// now on.
func (a *assembler) has(unit, region int, m *tableMetric) bool {
	if unit != a.runUnit || region != a.runRegion {
		for unit >= len(a.highestOf) {
			a.highestOf = append(a.highestOf, -1)
		}
		a.run++
		a.runUnit, a.runRegion = unit, region
		a.runIsNew = int32(region) > a.highestOf[unit]
		a.highestOf[unit] = max(a.highestOf[unit], int32(region))
		if a.runIsNew {
			a.rows++
		}
	}
	if !a.runIsNew {
		return a.b.Has(unit, region, m.values)
	}
	twice := m.run == a.run
	m.run = a.run
	return twice
}

var errTwice = errors.New("this unit, region and metric already have a value: a long table gives each once; sum or average repeated measurements first")

// setDeviation and setCount put in place what belongs to repeated runs.
func (a *assembler) setDeviation(unit, region, metric int, deviation float64) error {
	m := &a.metrics[metric]
	if deviation != deviation {
		return nil
	}
	if deviation < 0 || deviation*m.scale > model.MaxValue {
		return fmt.Errorf("%g is no standard deviation", deviation)
	}
	if m.deviation < 0 {
		m.deviation = a.b.Metric(model.Metric{Name: m.metric.Column(), Scope: deviationScope})
	}
	a.b.Set(unit, region, m.deviation, deviation*m.scale)
	return nil
}

func (a *assembler) setCount(unit, region int, count float64) error {
	if count != math.Trunc(count) || count < 0 || count > math.MaxInt32 {
		return fmt.Errorf("%v is not a number of runs", count)
	}
	if a.count < 0 {
		a.count = a.b.Metric(model.Metric{Name: "count", Scope: countScope})
	}
	a.b.Set(unit, region, a.count, count)
	return nil
}

// finish builds the experiment. Deviations and counts are there where the
// table had such columns.
func (a *assembler) finish(ctx context.Context, deviations, counts bool) (*model.Experiment, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i := range a.metrics {
		// A metric that has no answer everywhere says so by leaving it out.
		if m := &a.metrics[i]; m.missing > 0 && !a.ours && m.metric.Missing == model.Zero {
			a.header.Notes = append(a.header.Notes, model.MissingNote(m.metric, m.missing))
		}
	}
	if !a.ours {
		a.noteTimes()
	}
	e, err := a.b.Build(a.header)
	if err != nil {
		return nil, err
	}
	for i, known := range a.regions {
		r := &e.Regions[i]
		r.File, r.Line = known.File, known.Line
		if known.Kind != "" {
			r.Kind = known.Kind
		} else if a.options.KindOf != nil {
			r.Kind = a.options.KindOf(r.Name)
		}
	}
	a.sortColumns(e, deviations, counts)
	if !a.ours {
		noteScopes(e)
	}
	return e, nil
}

// sortColumns parts the builder's columns into values, deviations and counts.
func (a *assembler) sortColumns(e *model.Experiment, deviations, counts bool) {
	s := &e.Summaries
	all := s.Values
	e.Metrics, s.Values = nil, nil
	for _, m := range a.metrics {
		e.Metrics = append(e.Metrics, m.metric)
		s.Values = append(s.Values, all[m.values])
		if !deviations {
			continue
		}
		if m.deviation >= 0 {
			s.Deviation = append(s.Deviation, all[m.deviation])
		} else {
			s.Deviation = append(s.Deviation, missing(s.Rows()))
		}
	}
	if counts {
		s.Count = make([]int32, s.Rows())
		for i := range s.Count {
			s.Count[i] = int32(e.Runs)
			if a.count >= 0 && all[a.count][i] == all[a.count][i] {
				s.Count[i] = int32(all[a.count][i])
			}
		}
	}
}

// missing is a column without values.
func missing(rows int) []float64 {
	column := make([]float64, rows)
	for i := range column {
		column[i] = math.NaN()
	}
	return column
}
