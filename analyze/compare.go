package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"auspex/expr"
	"auspex/internal/mistake"
	"auspex/model"
)

// Comparison sets experiment B against experiment A.
type Comparison struct {
	A          string         `json:"a"`
	B          string         `json:"b"`
	TimeMetric string         `json:"time_metric"`
	Metric     string         `json:"metric"` // that regions are compared by
	Unit       string         `json:"unit"`   // of the metric, where it has one
	By         string         `json:"by"`     // whether regions are call paths or names
	Over       Over           `json:"over"`
	Runtime    RunPair        `json:"runtime"`
	Efficiency EfficiencyPair `json:"efficiency"`
	Factors    []FactorPair   `json:"factors"` // those that differ
	Regions    []RegionPair   `json:"regions"` // the largest change first
	Warnings   []string       `json:"warnings"`

	// AcrossUnits: the metric compares units, so that Over has no part in it.
	AcrossUnits bool `json:"-"`
	// WithoutCore is for how many seconds a unit of either run stood without a core, at
	// most: by as much they may differ for what else ran there.
	WithoutCore Real `json:"-"`
}

// RunPair is the run time of both experiments. Significant tells whether it differs
// by more than the spread of repeated runs explains; nil without repeats.
type RunPair struct {
	Pair
	Significant *bool `json:"significant"`
}

// Pair is a value of both experiments.
type Pair struct {
	A     Real `json:"a"`
	B     Real `json:"b"`
	Ratio Real `json:"ratio"` // B / A
}

// EfficiencyPair is the efficiency of both experiments.
type EfficiencyPair struct {
	A Efficiency `json:"a"`
	B Efficiency `json:"b"`
}

// FactorPair is a factor that differs; nil where an experiment lacks it.
type FactorPair struct {
	Name string `json:"name"`
	A    any    `json:"a"`
	B    any    `json:"b"`
}

// RegionPair is a region's value in both experiments.
type RegionPair struct {
	Region string     `json:"region"`
	Kind   model.Kind `json:"kind"`
	Share  Real       `json:"share"` // of the first run, the region's own time
	Pair
	Only string `json:"-"` // the experiment that has it, where the other does not
	// Significant tells whether the difference is more than the spread of
	// repeated runs explains: of the regions called so at most 5 % are not, as
	// told by Welch's t-tests; nil without repeats.
	Significant *bool `json:"significant"`
	// Counting is by how many seconds the values are off, give or take, by where samples
	// happened to fall; 0 where times were measured.
	Counting Real `json:"-"`

	chance float64 // of such a difference where there is none
}

// Over says how the units' times become one number a region.
type Over string

// The ways to sum up units.
const (
	OverMean  Over = "mean"
	OverMax   Over = "max"
	OverTotal Over = "total"
)

// CheckOver refuses other words.
func CheckOver(o Over) error {
	switch o {
	case OverMean, OverMax, OverTotal:
		return nil
	}
	return mistake.Refuse("units are summed up by %s, %s or %s, not by %q", OverMean, OverMax, OverTotal, o)
}

func (o Over) of(sum, most float64, n int) float64 {
	switch o {
	case OverMax:
		return most
	case OverTotal:
		return sum
	}
	return sum / float64(n)
}

// CompareOptions say what is compared.
type CompareOptions struct {
	Over   Over
	Metric string // empty: time
	Force  bool   // also programs that have nothing in common
}

// Compare sets two experiments side by side, region by region.
func Compare(a, b *Dataset, words Words, o CompareOptions) (*Comparison, error) {
	if err := CheckOver(o.Over); err != nil {
		return nil, err
	}
	ta, err := a.Times()
	if err != nil {
		return nil, err
	}
	tb, err := b.Times()
	if err != nil {
		return nil, err
	}
	c := &Comparison{
		A: a.Name, B: b.Name, TimeMetric: ta.Metric, Metric: o.Metric, By: a.ByWord(), Over: o.Over, Warnings: []string{}, Regions: []RegionPair{},
		Runtime:    RunPair{Pair: Pair{Real(ta.Runtime), Real(tb.Runtime), Ratio(tb.Runtime, ta.Runtime)}},
		Efficiency: EfficiencyPair{ta.Efficiency(), tb.Efficiency()},
		Factors:    differingFactors(&a.Header, &b.Header),
	}
	warning, err := CheckRelated(a, b, o.Force)
	if err != nil {
		return nil, err
	}
	if warning != "" {
		c.Warnings = append(c.Warnings, warning)
	}
	if ta.Metric != tb.Metric {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s is timed by %s and %s by %s", a.Name, ta.Metric, b.Name, tb.Metric))
	}
	metrics := [2]string{o.Metric, o.Metric}
	if o.Metric == "" {
		metrics, c.Metric = [2]string{ta.Metric, tb.Metric}, ta.Metric
	}
	if c.Runtime.Significant, err = runtimesDiffer(a, b, ta, tb); err != nil {
		return nil, err
	}
	if c.WithoutCore, err = withoutCore(a, b); err != nil {
		return nil, err
	}
	valuesA, of, err := condense(a, words, metrics[0], o.Over)
	if err != nil {
		return nil, err
	}
	valuesB, _, err := condense(b, words, metrics[1], o.Over)
	if err != nil {
		return nil, err
	}
	c.Unit, c.AcrossUnits = of.unit, of.acrossUnits
	if len(a.Units) != len(b.Units) && !c.AcrossUnits {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%d units against %d: regions are compared by the %s over units",
			len(a.Units), len(b.Units), o.Over))
	}
	as, note := renamed(a, b)
	if note != "" {
		c.Warnings = append(c.Warnings, note)
	}
	inB, called := map[string]string{}, make(map[string]condensed, len(valuesB))
	for path, y := range valuesB {
		inB[as(path)], called[as(path)] = path, y
	}
	valuesB = called
	for path, x := range valuesA {
		y, both := valuesB[path]
		if !both {
			y = condensed{value: of.absent}
		}
		delete(valuesB, path)
		c.add(path, x, y, map[bool]string{false: a.Name}[both])
	}
	for path, y := range valuesB {
		c.add(path, condensed{kind: y.kind, value: of.absent}, y, b.Name)
	}
	shareA, shareB := a.shares(), b.shares()
	for i := range c.Regions {
		r := &c.Regions[i]
		if r.Share = shareA(r.Region); r.Share.IsMissing() && !shareB(inB[r.Region]).IsMissing() {
			r.Share = 0 // it is in the second only
		}
	}
	c.judge()
	slices.SortFunc(c.Regions, func(x, y RegionPair) int {
		return cmp.Or(cmp.Compare(y.change(), x.change()), cmp.Compare(x.Region, y.Region))
	})
	c.noteMissing(a, b, map[string]func(string) Real{a.Name: shareA, b.Name: func(path string) Real { return shareB(inB[path]) }})
	return c, nil
}

// Comparisons sets several experiments against one of them.
type Comparisons struct {
	Baseline string        `json:"baseline"`
	Others   []*Comparison `json:"comparisons"` // A is the baseline in each
}

// CompareAll sets the others against the baseline.
func CompareAll(baseline *Dataset, others []*Dataset, words Words, o CompareOptions) (*Comparisons, error) {
	all := &Comparisons{Baseline: baseline.Name}
	for _, d := range others {
		c, err := Compare(baseline, d, words, o)
		if err != nil {
			return nil, err
		}
		all.Others = append(all.Others, c)
	}
	return all, nil
}

// change is how far apart the values are; a region of which one is missing comes
// after all others.
func (r RegionPair) change() float64 {
	if r.A.IsMissing() || r.B.IsMissing() {
		return -1
	}
	return math.Abs(float64(r.B - r.A))
}

func (c *Comparison) add(path string, x, y condensed, only string) {
	if !(math.Abs(x.value) > 0) && !(math.Abs(y.value) > 0) { // zero or missing
		return
	}
	c.Regions = append(c.Regions, RegionPair{
		Region: path, Kind: x.kind, Pair: Pair{Real(x.value), Real(y.value), Ratio(y.value, x.value)},
		Only:     only,
		Counting: Real(math.Hypot(x.counting(), y.counting())),
		chance:   chance(x, y),
	})
}

// condensed is a region's value over all units, with its spread over runs.
type condensed struct {
	kind      model.Kind
	value     float64
	deviation float64
	runs      int
	samples   float64 // that the value was shared out by; 0 where it was measured
}

// counting is the standard deviation of as many samples.
func (x condensed) counting() float64 {
	if x.samples == 0 {
		return 0
	}
	return x.value / math.Sqrt(x.samples)
}

// quality is what is to be known of a metric that regions are compared by.
type quality struct {
	unit        string
	absent      float64 // its value in a region that an experiment lacks: no time, but no ratio of nothing either
	acrossUnits bool
}

// condense gives every region's value of a metric.
func condense(d *Dataset, words Words, metric string, over Over) (map[string]condensed, quality, error) {
	node, err := d.QuantityAsWritten(words, metric)
	if err != nil {
		return nil, quality{}, err
	}
	of := quality{absent: math.NaN()}
	name, plain := node.(*expr.Name)
	if !plain || !d.Has(name.Name) {
		of.acrossUnits = plain && comparesUnits(name.Name)
		values, err := condenseExpression(d, node, over)
		return values, of, err
	}
	described, err := d.Resolve(name.Name)
	if err != nil {
		return nil, of, err
	}
	of.unit = described.Unit
	if !described.Additive() {
		values, err := condenseExpression(d, node, over)
		return values, of, err
	}
	of.absent = 0
	values, err := condenseMetric(d, described.Column(), over)
	return values, of, err
}

// condenseExpression computes a metric that is no plain sum; it may be missing in a
// region.
func condenseExpression(d *Dataset, node expr.Node, over Over) (map[string]condensed, error) {
	rows, err := d.Rows(ByRegion)
	if err != nil {
		return nil, err
	}
	if over != OverTotal {
		rows.Over = over
	}
	values, err := rows.Eval(node)
	if err != nil {
		return nil, err
	}
	result := make(map[string]condensed, len(values))
	for i, v := range values {
		result[d.Paths[rows.Region[i]]] = condensed{kind: d.Regions[rows.Region[i]].Kind, value: v}
	}
	return result, nil
}

func condenseMetric(d *Dataset, column string, over Over) (map[string]condensed, error) {
	exclusive, err := d.Matrix(column)
	if err != nil {
		return nil, err
	}
	deviation, repeated, err := d.Deviation(column)
	if err != nil {
		return nil, err
	}
	samples, err := d.samplesOf()
	if err != nil {
		return nil, err
	}
	result := make(map[string]condensed, len(d.Regions))
	for r, region := range d.Regions {
		var sum, most, deviationSum, deviationOfMost float64
		for u := range d.Units {
			v := exclusive.At(u, r)
			sum += v
			if repeated {
				deviationSum += deviation.At(u, r)
			}
			if v > most {
				most = v
				if repeated {
					deviationOfMost = deviation.At(u, r)
				}
			}
		}
		x := condensed{kind: region.Kind, value: over.of(sum, most, len(d.Units)), samples: samples[r]}
		if repeated {
			// The units of one run may vary together, so their deviations
			// are added rather than their variances: the larger, safe bound.
			x.deviation = over.of(deviationSum, deviationOfMost, len(d.Units))
			x.runs = d.Runs
		}
		result[d.Paths[r]] = x
	}
	return result, nil
}

// samplesOf are the samples by region, of all units, where no calls tell that its time was
// measured.
func (d *Dataset) samplesOf() ([]float64, error) {
	out := make([]float64, len(d.Regions))
	name := model.Samples + "." + string(model.Exclusive)
	if !d.Has(name) {
		return out, nil
	}
	samples, err := d.Matrix(name)
	if err != nil {
		return nil, err
	}
	for u := range samples.Units {
		for r, n := range samples.Row(u) {
			if n > 0 {
				out[r] += n
			}
		}
	}
	if !d.Has(model.Calls) {
		return out, nil
	}
	calls, err := d.Matrix(model.Calls)
	if err != nil {
		return nil, err
	}
	for u := range calls.Units {
		for r, n := range calls.Row(u) {
			if n > 0 {
				out[r] = 0
			}
		}
	}
	return out, nil
}

// withoutCore is for how long any unit of the runs could have run and had no core, as far
// as the units did not keep each other from it: that they do again.
func withoutCore(runs ...*Dataset) (Real, error) {
	most := 0.0
	for _, d := range runs {
		totals := map[string][]float64{}
		for _, name := range []string{model.CoreWait, model.CPUTime} {
			if !d.Has(name) {
				continue
			}
			metric, err := d.Resolve(name)
			if err != nil {
				return Missing, err
			}
			if totals[name], err = d.UnitTotals(metric); err != nil {
				return Missing, err
			}
		}
		waits := totals[model.CoreWait]
		all, err := d.Ledgers()
		if err != nil || len(waits) == 0 || len(all) == 0 {
			continue
		}
		apart := 1.0
		if l := all[0]; l.Cores > 0 { // as in account: n − cores of n wait while all cores are busy
			own := Total(totals[model.CPUTime]) / float64(l.Cores) * float64(max(0, l.Units-len(l.Idle)-l.Cores))
			apart = max(0, 1-own/max(Total(waits), 1e-9))
		}
		most = max(most, apart*slices.Max(waits))
	}
	return Real(most), nil
}

// chance is that of a difference as large between equal means, by Welch's t-test;
// NaN without repeats on both sides.
func chance(x, y condensed) float64 {
	if x.runs < 2 || y.runs < 2 {
		return math.NaN()
	}
	vx := x.deviation * x.deviation / float64(x.runs)
	vy := y.deviation * y.deviation / float64(y.runs)
	if vx+vy == 0 {
		if x.value == y.value {
			return 1
		}
		return 0
	}
	t := math.Abs(x.value-y.value) / math.Sqrt(vx+vy)
	freedom := (vx + vy) * (vx + vy) / (vx*vx/float64(x.runs-1) + vy*vy/float64(y.runs-1))
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Survival(t)
}

// runtimesDiffer tells whether two run times differ by more than the spread of
// repeated runs explains; nil without repeats.
func runtimesDiffer(a, b *Dataset, ta, tb *Times) (*bool, error) {
	x, err := condenseRuntime(a, ta)
	if err != nil {
		return nil, err
	}
	y, err := condenseRuntime(b, tb)
	if err != nil {
		return nil, err
	}
	p := chance(x, y)
	if p != p {
		return nil, nil
	}
	differ := p <= falseDiscoveries
	return &differ, nil
}

// condenseRuntime is the time of the slowest unit. What is known of its spread is
// that of every region: since regions may vary together their deviations are added,
// the safe bound. Where they make up for each other, as work and waiting do, a
// difference may be called noise that is none.
func condenseRuntime(d *Dataset, t *Times) (condensed, error) {
	x := condensed{value: t.Runtime}
	deviation, repeated, err := d.Deviation(t.Metric + "." + string(model.Exclusive))
	if err != nil || !repeated {
		return x, err
	}
	x.runs = d.Runs
	slowest := slices.Index(t.Total, t.Runtime)
	for r := range d.Regions {
		if slowest >= 0 {
			x.deviation += deviation.At(slowest, r)
		}
	}
	return x, nil
}

// falseDiscoveries is the share of regions called significant that may be so by
// chance.
const falseDiscoveries = 0.05

// judge tells which differences are beyond chance. A program has hundreds of
// regions, of which one in twenty would pass a test of its own at 5 %; the limit
// follows from all of them (Benjamini and Hochberg 1995).
func (c *Comparison) judge() {
	var chances []float64
	for _, r := range c.Regions {
		if r.chance == r.chance {
			chances = append(chances, r.chance)
		}
	}
	slices.Sort(chances)
	limit := -1.0
	for i, p := range chances {
		if p <= falseDiscoveries*float64(i+1)/float64(len(chances)) {
			limit = p
		}
	}
	for i := range c.Regions {
		if r := &c.Regions[i]; r.chance == r.chance {
			is := r.chance <= limit
			r.Significant = &is
		}
	}
}

func differingFactors(a, b *model.Header) []FactorPair {
	pairs := []FactorPair{}
	for _, fa := range a.Factors {
		fb, ok := b.Factor(fa.Name)
		switch {
		case !ok:
			pairs = append(pairs, FactorPair{fa.Name, fa.Value(), nil})
		case fa.Value() != fb.Value():
			pairs = append(pairs, FactorPair{fa.Name, fa.Value(), fb.Value()})
		}
	}
	for _, fb := range b.Factors {
		if _, ok := a.Factor(fb.Name); !ok {
			pairs = append(pairs, FactorPair{fb.Name, nil, fb.Value()})
		}
	}
	return pairs
}
