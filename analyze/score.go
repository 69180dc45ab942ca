package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"auspex/expr"
	"auspex/fuzzy"
	"auspex/internal/mistake"
	"auspex/model"
)

// Scores are the performance scores of regions or units (Soft performance
// analysis, eq. 1) and their aggregate (eq. 2).
type Scores struct {
	Experiment string        `json:"experiment"`
	Base       string        `json:"base"` // "program", "parent", or an experiment's name
	By         By            `json:"by"`
	Meaning    Meaning       `json:"meaning"` // of a high score
	Metrics    []ScoreMetric `json:"metrics"`
	Rows       []Scored      `json:"rows"` // the highest aggregate first
	Warnings   []string      `json:"warnings"`
	Folded     []Folding     `json:"-"` // by metric
}

// Meaning says what a high score stands for.
type Meaning string

// Impact: a high score takes a large part of the base's value.
// Severity: a high score is a severe problem; the metrics are chosen so.
// Quality: a high score is good; the metrics are chosen so.
const (
	Impact   Meaning = "impact"
	Severity Meaning = "severity"
	Quality  Meaning = "quality"
)

// ScoreMetric is one metric of a score: an expression, the shape of its
// membership function over [0, V], and its weight.
type ScoreMetric struct {
	Metric string    `json:"metric"`
	Shape  string    `json:"shape"`
	Weight float64   `json:"weight"`
	set    fuzzy.Set // Shape over [0, 1], or over the metric's own values
	own    bool      // the shape has numbers of its own and needs no base
}

// score is µ(v) of eq. 1. A shape without numbers is stretched over [0, V]; one
// with numbers is a membership function of the tool's own over the values.
func (m *ScoreMetric) score(v, base float64) float64 {
	if m.own {
		return m.set.Degree(v)
	}
	return fuzzy.Score(m.set, v, base)
}

// ParseScoreMetric reads "metric", "metric:0.7", "metric@S", "metric@S:0.7" or
// "metric@trapezoid(0, 1, 5, 9):0.7".
func ParseScoreMetric(text string) (ScoreMetric, error) {
	m := ScoreMetric{Shape: string(fuzzy.Linear), Weight: 1}
	rest := text
	if i := strings.LastIndexByte(rest, ':'); i >= 0 {
		if w, err := strconv.ParseFloat(rest[i+1:], 64); err == nil {
			if !(w > 0) || w > 1e9 {
				return m, mistake.Refuse("the weight of %q must be above 0", text)
			}
			m.Weight, rest = w, rest[:i]
		} else if strings.Contains(rest[:i], "@") { // names may have colons, shapes have none
			return m, mistake.Refuse("the weight of %q must be a number, not %q", text, rest[i+1:])
		}
	}
	metric, shape, shaped := strings.Cut(rest, "@")
	if shaped {
		m.Shape = shape
	}
	m.Metric = metric
	if _, err := expr.Parse(metric); err != nil {
		return m, err
	}
	if strings.Contains(m.Shape, "(") {
		set, err := ShapeOf(m.Shape)
		m.set, m.own = set, true
		return m, err
	}
	form, err := fuzzy.ParseForm(m.Shape)
	if err != nil {
		return m, err
	}
	m.set, err = form.Over(0, 1)
	return m, err
}

// DefaultScoreMetrics is time alone.
func DefaultScoreMetrics(d *Dataset) ([]ScoreMetric, error) {
	name, err := d.TimeMetric()
	if err != nil {
		return nil, err
	}
	m, err := ParseScoreMetric(expr.Quote(name))
	return []ScoreMetric{m}, err
}

// Scored is one region or unit.
type Scored struct {
	Region    string `json:"region,omitempty"`
	Unit      any    `json:"unit,omitempty"`
	Share     Real   `json:"share"`  // of the run, the region's own time; missing of units
	Scores    []Real `json:"scores"` // by metric
	Values    []Real `json:"values"`
	Bases     []Real `json:"bases"` // V of eq. 1, by metric
	Aggregate Real   `json:"aggregate"`
	row       int    // before they were ordered
}

// ScoreBase says what a value is scored against.
type ScoreBase struct {
	Parent bool     // the parent region
	Other  *Dataset // another experiment; nil for the whole program
}

// Score computes the performance scores of regions or units over metrics.
// High scores mean impact unless quality says otherwise.
func Score(d *Dataset, words Words, metrics []ScoreMetric, base ScoreBase, by By, meaning Meaning) (*Scores, error) {
	if by != ByRegion && by != ByUnit && by != BySummary {
		return nil, mistake.Refuse("scores are by %s, %s, %s, %s or %s, not by %q", Paths, Names, ByRegion, ByUnit, BySummary, by)
	}
	if len(metrics) == 0 {
		return nil, mistake.Refuse("a score needs at least one metric")
	}
	if base.Parent && by == ByUnit {
		return nil, mistake.Refuse("only regions have a parent to be scored against")
	}
	rows, err := d.Rows(by)
	if err != nil {
		return nil, err
	}
	s := &Scores{Experiment: d.Name, Base: base.name(), By: by, Meaning: meaning, Metrics: metrics, Warnings: []string{}}
	s.Rows = make([]Scored, rows.Len())
	weights := make([]float64, len(metrics))
	share := d.shares()
	for i := range s.Rows {
		s.Rows[i].row, s.Rows[i].Share = i, Missing
		if by != ByUnit {
			s.Rows[i].Region = d.Paths[rows.Region[i]]
		}
		if by == ByRegion {
			s.Rows[i].Share = share(s.Rows[i].Region)
		} else {
			s.Rows[i].Unit = unitValue(d.Units[rows.Unit[i]])
		}
	}
	for k, m := range metrics {
		weights[k] = m.Weight
		if err := s.scoreMetric(d, words, rows, m, base); err != nil {
			return nil, err
		}
	}
	for i := range s.Rows {
		scores := make([]float64, len(metrics))
		for k, v := range s.Rows[i].Scores {
			scores[k] = float64(v)
		}
		aggregate, err := fuzzy.Aggregate(scores, weights)
		if err != nil {
			return nil, err
		}
		s.Rows[i].Aggregate = Real(aggregate)
	}
	slices.SortStableFunc(s.Rows, func(a, b Scored) int {
		return cmp.Compare(b.Aggregate, a.Aggregate) // missing last
	})
	return s, nil
}

func (b ScoreBase) name() string {
	switch {
	case b.Parent:
		return "parent"
	case b.Other != nil:
		return b.Other.Name
	}
	return "program"
}

// scoreMetric scores every row by one metric.
func (s *Scores) scoreMetric(d *Dataset, words Words, rows *Rows, m ScoreMetric, base ScoreBase) error {
	node, err := d.scoreNode(words, m, base)
	if err != nil {
		return err
	}
	values, err := rows.Eval(node)
	if err != nil {
		return err
	}
	bases, err := d.scoreBases(rows, node, values, base)
	if err != nil {
		return err
	}
	s.Folded = append(s.Folded, d.foldedBy(node))
	zero, without, negative, above := true, 0, 0, 0
	for i, v := range values {
		s.Rows[i].Values = append(s.Rows[i].Values, Real(v))
		s.Rows[i].Bases = append(s.Rows[i].Bases, Real(bases[i]))
		s.Rows[i].Scores = append(s.Rows[i].Scores, Real(m.score(v, bases[i])))
		zero = zero && !(math.Abs(v) > 0)
		if v < 0 && !m.own {
			negative++
		}
		if base.Other != nil && v > bases[i] && bases[i] > 0 && !m.own {
			above++
		}
		if v > 0 && !(bases[i] > 0) && !m.own {
			without++
		}
	}
	if zero {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s is zero or missing everywhere", m.Metric))
	}
	if negative > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s is below zero in %d of %d rows: scores rate values from zero up, so these score 0, or nothing where no value is above zero", m.Metric, negative, len(values)))
	}
	if above > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("in %d of %d rows %s is more than in %s, which scores 1 however much it is; `auspex compare %s %s` tells by how much", above, len(values), m.Metric, s.Base, s.Base, s.Experiment))
	}
	if without > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%d of %d rows have no score by %s: the base (%s) has no value for them", without, len(values), m.Metric, s.Base))
	}
	return nil
}

// scoreNode resolves a metric; against a parent the inclusive values are
// compared, since a parent's exclusive value does not hold its children's.
func (d *Dataset) scoreNode(words Words, m ScoreMetric, base ScoreBase) (expr.Node, error) {
	node, err := d.QuantityAsWritten(words, m.Metric)
	if err != nil || !base.Parent {
		return node, err
	}
	return expr.Substitute(node, func(name *expr.Name) expr.Node {
		metric, err := d.Resolve(name.Name)
		if _, _, scoped := model.SplitScope(name.Name); err != nil || scoped || metric.Scope == model.Own {
			return name
		}
		return &expr.Name{Name: metric.Name + ".inc", Offset: name.Offset}
	}), nil
}

// scoreBases gives V of eq. 1 for every row.
func (d *Dataset) scoreBases(rows *Rows, node expr.Node, values []float64, base ScoreBase) ([]float64, error) {
	bases := make([]float64, len(values))
	switch {
	case base.Parent:
		at := map[[2]int]float64{} // by unit, 0 where rows are regions, and region
		unit := func(i int) int {
			if rows.Unit == nil {
				return 0
			}
			return rows.Unit[i]
		}
		for i, r := range rows.Region {
			at[[2]int{unit(i), r}] = values[i]
		}
		for i, r := range rows.Region {
			bases[i] = values[i]
			if p := d.Regions[r].Parent; p != model.NoParent {
				bases[i] = at[[2]int{unit(i), p}]
			}
		}
	case base.Other != nil:
		other, err := base.Other.Rows(rows.By)
		if err != nil {
			return nil, err
		}
		theirs, err := other.Eval(node)
		if err != nil {
			return nil, err
		}
		at := map[string]float64{}
		for i, v := range theirs {
			at[base.Other.rowName(other, i)] = v
		}
		for i := range bases {
			v, there := at[d.rowName(rows, i)]
			if !there {
				v = math.NaN()
			}
			bases[i] = v
		}
	default:
		whole, err := d.programValue(node, rows, values)
		if err != nil {
			return nil, err
		}
		for i := range bases {
			bases[i] = whole
		}
	}
	return bases, nil
}

// programValue is the whole program's value of a metric. Ratios may be larger
// in a part than in the whole; then the largest part is the base, so that
// scores stay in [0, 1]. So it is for units, of which none is part of another; a
// summary is part of its unit, so the largest unit is the base.
func (d *Dataset) programValue(node expr.Node, rows *Rows, values []float64) (float64, error) {
	if rows.By == ByUnit {
		return largest(values), nil
	}
	of := ByProgram
	if rows.By == BySummary {
		of = ByUnit
	}
	around, err := d.Rows(of)
	if err != nil {
		return 0, err
	}
	whole, err := around.Eval(node)
	if err != nil {
		return 0, err
	}
	v := largest(whole)
	if most := largest(values); most > v || v != v {
		v = most
	}
	return v, nil
}

// rowName identifies a row across experiments.
func (d *Dataset) rowName(rows *Rows, i int) string {
	switch rows.By {
	case ByRegion:
		return d.Paths[rows.Region[i]]
	case BySummary:
		return d.Paths[rows.Region[i]] + "\x00" + d.Units[rows.Unit[i]].String()
	}
	return d.Units[rows.Unit[i]].String()
}
