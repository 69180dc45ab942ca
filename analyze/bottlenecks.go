package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"auspex/expr"
	"auspex/fuzzy"
	"auspex/internal/mistake"
)

// Bottlenecks is a search for regions whose metric passes a threshold, with
// how severe each is and which are close to it (Soft performance analysis,
// §6.3, Figures 4 and 5).
type Bottlenecks struct {
	Experiment string         `json:"experiment"`
	Metric     string         `json:"metric"`
	Threshold  float64        `json:"threshold"`
	Upper      float64        `json:"upper"`
	Negligible string         `json:"negligible_set"` // empty without the band
	Severity   []SeverityTerm `json:"severity_sets"`
	Rows       []Bottleneck   `json:"rows"` // the largest value first
	Warnings   []string       `json:"warnings"`
	Folded     Folding        `json:"-"`
}

// SeverityTerm is a word for how severe a bottleneck is.
type SeverityTerm struct {
	Name string    `json:"name"`
	Text string    `json:"set"`
	Set  fuzzy.Set `json:"-"`
}

// Bottleneck is one region found.
type Bottleneck struct {
	Region string `json:"region"`
	Unit   any    `json:"unit,omitempty"` // only by summary
	Share  Real   `json:"share"`          // of the run, the region's own time
	Value  Real   `json:"value"`
	Crisp  bool   `json:"crisp"` // passes the threshold
	// Negligible is the degree of lying close to the threshold; zero without
	// the band.
	Negligible Real `json:"negligible"`
	// Severity has a degree per term, only where the crisp test holds: below
	// the threshold a Z set would call everything low.
	Severity Degrees `json:"severity"`
}

// BottleneckOptions are the threshold and its sets. Upper of zero means the
// end of the metric's universe where the vocabulary knows one, else the largest
// value found.
type BottleneckOptions struct {
	By         By // ByRegion where empty, or BySummary
	Threshold  float64
	Upper      float64
	Negligible fuzzy.Set      // nil: Figure 4's Pi around the threshold
	NoBand     bool           // crisp search alone, as in Figure 5(a)
	Severity   []SeverityTerm // empty: Figure 4's S from the threshold to Upper
}

// ParseSeverity reads a word for severity: "high=S(0.9, 1)".
func ParseSeverity(text string) (SeverityTerm, error) {
	name, shape, ok := strings.Cut(text, "=")
	name, shape = strings.TrimSpace(name), strings.TrimSpace(shape)
	if !ok || name == "" || shape == "" {
		return SeverityTerm{}, mistake.Refuse("a severity is written word=shape, such as high=S(0.9, 1), not %q", text)
	}
	set, err := ShapeOf(shape)
	return SeverityTerm{Name: name, Text: shape, Set: set}, err
}

// ShapeOf reads a set that is written out with numbers, perhaps modified:
// "very S(0.9, 1)".
func ShapeOf(text string) (fuzzy.Set, error) {
	phrase, err := fuzzy.ParsePhrase(text)
	if err != nil {
		return nil, err
	}
	return fuzzy.Bind(phrase, fuzzy.Minimum, func(t *fuzzy.TermRef) (fuzzy.Set, error) {
		return nil, mistake.Refuse("%q has no numbers: write a shape such as S(0.9, 1)", t.Name)
	})
}

// bandShare is the half width of the default band, as a share of the
// threshold: the paper's example bands 0.7 with 0.65 to 0.75.
const bandShare = 0.05 / 0.7

// FindBottlenecks searches the regions.
func FindBottlenecks(d *Dataset, words Words, metric string, o BottleneckOptions) (*Bottlenecks, error) {
	q, err := d.QuantityAsWritten(words, metric)
	if err != nil {
		return nil, err
	}
	if o.By = cmp.Or(o.By, ByRegion); o.By != ByRegion && o.By != BySummary {
		return nil, fmt.Errorf("bottlenecks are by %s, %s, %s or %s, not by %q", Paths, Names, ByRegion, BySummary, o.By)
	}
	rows, err := d.Rows(o.By)
	if err != nil {
		return nil, err
	}
	values, err := rows.Eval(q)
	if err != nil {
		return nil, err
	}
	b := &Bottlenecks{Experiment: d.Name, Metric: metric, Threshold: o.Threshold, Rows: []Bottleneck{}, Warnings: []string{}, Folded: d.foldedBy(q)}
	if v, over := words.VariableOf(q); o.Upper == 0 && v != nil && expr.Equal(over, q) && v.High > o.Threshold {
		o.Upper = v.High // the universe ends there, such as a ratio's at one
	}
	if err := b.chooseSets(&o, values); err != nil {
		return nil, err
	}
	missing, share := 0, d.shares()
	for i, v := range values {
		if v != v {
			missing++
			continue
		}
		row := Bottleneck{Region: d.Paths[rows.Region[i]], Share: share(d.Paths[rows.Region[i]]), Value: Real(v), Crisp: v > o.Threshold}
		if o.By == BySummary {
			row.Unit, row.Share = unitValue(d.Units[rows.Unit[i]]), Missing
		}
		if o.Negligible != nil {
			row.Negligible = Real(o.Negligible.Degree(v))
		}
		if !row.Crisp && row.Negligible == 0 {
			continue
		}
		if row.Crisp {
			for _, term := range o.Severity {
				row.Severity.Names = append(row.Severity.Names, term.Name)
				row.Severity.Of = append(row.Severity.Of, Real(term.Set.Degree(v)))
			}
		}
		b.Rows = append(b.Rows, row)
	}
	if missing == len(values) {
		b.Warnings = append(b.Warnings, fmt.Sprintf("%s has no value in any region", metric))
	}
	slices.SortStableFunc(b.Rows, func(x, y Bottleneck) int { return cmp.Compare(y.Value, x.Value) })
	return b, nil
}

// chooseSets fills in Figure 4's defaults.
func (b *Bottlenecks) chooseSets(o *BottleneckOptions, values []float64) error {
	if math.IsNaN(o.Threshold) || math.IsInf(o.Threshold, 0) {
		return mistake.Refuse("the threshold must be a number")
	}
	if o.Upper == 0 {
		o.Upper = largest(values)
		if !(o.Upper > o.Threshold) {
			o.Upper = o.Threshold + max(math.Abs(o.Threshold), 1)
		}
	}
	if o.Upper <= o.Threshold {
		return mistake.Refuse("the upper bound %g must lie above the threshold %g", o.Upper, o.Threshold)
	}
	b.Upper = o.Upper
	if o.NoBand {
		o.Negligible = nil
	} else if o.Negligible == nil {
		width := bandShare * math.Abs(o.Threshold)
		if width == 0 {
			width = bandShare * (o.Upper - o.Threshold)
		}
		band, err := fuzzy.NegligibleBottleneck(o.Threshold, width)
		if err != nil {
			return err
		}
		o.Negligible = band
	}
	if o.Negligible != nil {
		b.Negligible = o.Negligible.String()
	}
	if len(o.Severity) == 0 {
		severe, err := fuzzy.SevereBottleneck(o.Threshold, o.Upper)
		if err != nil {
			return err
		}
		o.Severity = []SeverityTerm{{Name: "severe", Text: severe.String(), Set: severe}}
	}
	b.Severity = o.Severity
	return nil
}
