// Package analyze binds stored experiments to the algorithms. Every analysis
// takes a Dataset and returns a plain struct that carries its warnings; words
// and tables are made from it by package report.
//
//  1. Open makes a Dataset from a stored experiment.
//  2. Dataset.Metric resolves a metric name, an alias or an expression.
//  3. Summarise, Compare … answer a question about one or more datasets; package
//     diagnose compares the units of one.
package analyze

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"auspex/account"
	"auspex/expr"
	"auspex/internal/mistake"
	"auspex/model"
	"auspex/store"
)

// Dataset is an experiment opened for analysis. It may be used by several
// goroutines.
type Dataset struct {
	model.Header
	Units   []model.Unit
	Regions []model.Region
	Paths   []string // of the regions
	// Communication marks regions whose exclusive time is communication or
	// waiting.
	Communication []bool
	Classes       []account.Class // what the time of each region is

	stored     values
	flat       *folded // where regions are names
	timesOnce  func() (*Times, error)
	orderOnce  func() ([]OrderedRegion, error)
	wholeOnce  func() (*model.Experiment, error)
	byNameOnce func() (*Dataset, error)

	ledgersOnce func() ([]*account.Ledger, error)
	mu          sync.Mutex
	loaded      map[string]model.Matrix // by column name
	vectors     map[string][]float64    // by unit or region
	kept        func() *digest          // nil where there is none
}

// values is where a dataset's values come from: a stored experiment, or another
// dataset folded by name.
type values interface {
	Matrix(metric int) (model.Matrix, error)
	Deviation(metric int) (model.Matrix, error)
	Index() (unit, region []int32, err error)
	Load() (*model.Experiment, error)
	Table(name string) (string, error)
}

// Open reads the units and regions of a stored experiment.
func Open(e *store.Experiment) (*Dataset, error) {
	units, err := e.Units()
	if err != nil {
		return nil, err
	}
	regions, err := e.Regions()
	if err != nil {
		return nil, err
	}
	if len(units) != e.UnitCount || len(regions) != e.RegionCount {
		return nil, fmt.Errorf("experiment %q is damaged: %d of %d units, %d of %d regions",
			e.Name, len(units), e.UnitCount, len(regions), e.RegionCount)
	}
	return newDataset(e.Header, units, regions, e, func() *digest { return readDigest(e) }), nil
}

func newDataset(h model.Header, units []model.Unit, regions []model.Region, stored values, kept func() *digest) *Dataset {
	d := &Dataset{
		Header: h, Units: units, Regions: regions, Paths: model.Paths(regions), stored: stored,
		loaded: map[string]model.Matrix{}, vectors: map[string][]float64{}, kept: sync.OnceValue(kept),
	}
	d.sort(nil)
	d.ledgersOnce, d.byNameOnce = sync.OnceValues(d.keptLedgers), sync.OnceValues(d.foldNames)
	d.timesOnce, d.orderOnce, d.wholeOnce = sync.OnceValues(d.keptTimes), sync.OnceValues(d.treeOrder), sync.OnceValues(stored.Load)
	return d
}

// Resolve finds the metric a name stands for: a column ("wtime.inc"), a
// canonical name or the measuring tool's own ("PAPI_TOT_INS"), in any case.
// A name without a scope means the exclusive values where the metric has a
// scope. The scope asked for need not be the one that is stored.
func (d *Dataset) Resolve(name string) (model.Metric, error) {
	base, scope, explicit := model.SplitScope(name)
	if m, ok := d.find(name); ok {
		if m.Scope != model.Own {
			m.Scope = model.Exclusive
		}
		return m, nil
	}
	if explicit {
		if m, ok := d.find(base); ok && m.Scope != model.Own {
			m.Scope = scope
			return m, nil
		}
	}
	return model.Metric{}, d.unknown(name)
}

// find looks a name without scope up among names and aliases; L2_TCM is short
// for PAPI_L2_TCM.
func (d *Dataset) find(name string) (model.Metric, bool) {
	for _, same := range []func(a, b string) bool{
		func(a, b string) bool { return a == b },
		strings.EqualFold,
		func(a, b string) bool { return strings.EqualFold(a, "PAPI_"+b) },
	} {
		for _, m := range d.Metrics {
			if same(m.Name, name) || (m.Alias != "" && same(m.Alias, name)) {
				return m, true
			}
		}
	}
	return model.Metric{}, false
}

// MetricNames lists the names a user may write, without scopes and aliases.
func (d *Dataset) MetricNames() []string {
	var names []string
	seen := map[string]bool{}
	for _, m := range d.Metrics {
		if !seen[m.Name] {
			names = append(names, m.Name)
			seen[m.Name] = true
		}
	}
	return names
}

func (d *Dataset) unknown(name string) error {
	names := d.MetricNames()
	if near := expr.Suggest(name, names); len(near) > 0 {
		return mistake.Refuse("experiment %q has no metric %q; did you mean %s?", d.Name, name, strings.Join(near, " or "))
	}
	return mistake.Refuse("experiment %q has no metric %q; it has %s", d.Name, name, strings.Join(names, ", "))
}

// Has tells whether a metric is there.
func (d *Dataset) Has(name string) bool {
	_, err := d.Resolve(name)
	return err == nil
}

// Matrix loads a metric densely in the scope asked for, computing it over the
// tree where the other scope was measured. The result is shared: do not
// change it.
func (d *Dataset) Matrix(name string) (model.Matrix, error) {
	metric, err := d.Resolve(name)
	if err != nil {
		return model.Matrix{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if m, ok := d.loaded[metric.Column()]; ok {
		return m, nil
	}
	m, err := d.Load(metric)
	if err == nil {
		d.loaded[metric.Column()] = m
	}
	return m, err
}

// Load reads a metric afresh; unlike Matrix, it keeps nothing, and the result is
// the caller's own.
func (d *Dataset) Load(metric model.Metric) (model.Matrix, error) {
	if i := d.MetricIndex(metric.Name, metric.Scope); i >= 0 {
		return d.matrix(i)
	}
	switch metric.Scope {
	case model.Inclusive:
		m, err := d.matrix(d.MetricIndex(metric.Name, model.Exclusive))
		if err == nil {
			m = d.own(m)
			m.ToInclusive(d.Regions)
		}
		return m, err
	default:
		m, err := d.matrix(d.MetricIndex(metric.Name, model.Inclusive))
		if err == nil {
			m = d.own(m)
			m.ToExclusive(d.Regions)
		}
		return m, err
	}
}

// own is a matrix that may be changed: one of an experiment that is not stored
// yet is the experiment's.
func (d *Dataset) own(m model.Matrix) model.Matrix {
	if _, unstored := d.stored.(unstored); unstored {
		return m.Clone()
	}
	return m
}

// matrix reads a stored metric. A small experiment is read as a whole, once.
func (d *Dataset) matrix(metric int) (model.Matrix, error) {
	if d.flat != nil || !d.small() {
		return d.stored.Matrix(metric)
	}
	whole, err := d.wholeOnce()
	if err != nil {
		return model.Matrix{}, err
	}
	m := model.NewMatrix(len(d.Units), len(d.Regions), d.Metrics[metric].Missing)
	m.Scatter(whole.Summaries.Unit, whole.Summaries.Region, whole.Summaries.Values[metric], d.Metrics[metric].Missing)
	return m, nil
}

// Deviation loads the standard deviations of a metric as it was stored. ok is
// false where there is only one run or the scope was computed.
func (d *Dataset) Deviation(name string) (m model.Matrix, ok bool, err error) {
	metric, err := d.Resolve(name)
	if err != nil {
		return m, false, err
	}
	i := d.MetricIndex(metric.Name, metric.Scope)
	if i < 0 || d.Runs < 2 {
		return m, false, nil
	}
	m, err = d.stored.Deviation(i)
	if errors.Is(err, errNoDeviation) {
		return m, false, nil
	}
	return m, err == nil, err
}

// RegionNamed finds a region by its path, or by its name where only one has
// it.
func (d *Dataset) RegionNamed(text string) (int, error) {
	found := -1
	for r, path := range d.Paths {
		if path == text {
			return r, nil
		}
		if strings.EqualFold(d.Regions[r].Name, text) {
			if found >= 0 {
				return -1, mistake.Refuse("several regions are called %q, among them %s and %s; give the path", text, d.Paths[found], path)
			}
			found = r
		}
	}
	if found < 0 {
		return -1, mistake.Refuse("experiment %q has no region %q; `auspex show %s --regions` lists them", d.Name, text, d.Name)
	}
	return found, nil
}
