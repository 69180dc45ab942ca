package analyze

import (
	"cmp"
	"math"
	"slices"

	"auspex/internal/mistake"
)

// ExperimentSimilarity compares experiments with a base: their regions, the
// whole program, and the factors under which they ran (Soft performance
// analysis, §6.4, Figure 6 and Table 2). Lists of similarities are in the order
// of Experiments, the base being the first.
type ExperimentSimilarity struct {
	Base        string              `json:"base"`
	Experiments []string            `json:"experiments"`
	Metrics     []ScoreMetric       `json:"metrics"`
	Distance    string              `json:"distance"`
	Over        Over                `json:"over"`
	PaperBase   bool                `json:"paper_base"`
	Factors     map[string][]Real   `json:"factors"`
	FactorInfo  []FactorInfo        `json:"factor_info"` // in the order asked for
	Program     []Real              `json:"program"`
	Regions     []RegionAcross      `json:"regions"` // the base's largest first
	Findings    []SensitivityToward `json:"findings"`
	Warnings    []string            `json:"warnings"`
}

// RegionAcross is one region in all experiments.
type RegionAcross struct {
	Region     string   `json:"region"`
	Similarity []Real   `json:"similarity"` // by experiment
	Values     [][]Real `json:"values"`     // by experiment and metric
}

// SimilarExperiments compares others with a base. A region that an experiment
// does not have counts as zero there.
func SimilarExperiments(words Words, datasets []*Dataset, o SimilarOptions) (*ExperimentSimilarity, error) {
	if len(datasets) < 2 {
		return nil, mistake.Refuse("a base and at least one other experiment are compared")
	}
	s, err := o.scorer(datasets[0])
	if err != nil {
		return nil, err
	}
	o.Over = cmp.Or(o.Over, OverMean)
	if err := CheckOver(o.Over); err != nil {
		return nil, err
	}
	e := &ExperimentSimilarity{
		Base: datasets[0].Name, Metrics: s.metrics, Distance: s.distance.String(), Over: o.Over, PaperBase: o.PaperBase,
		Factors: map[string][]Real{}, Regions: []RegionAcross{}, Findings: []SensitivityToward{}, Warnings: []string{},
	}
	for _, d := range datasets {
		e.Experiments = append(e.Experiments, d.Name)
	}
	related := true
	for _, d := range datasets[1:] {
		if warning, err := CheckRelated(datasets[0], d, true); err == nil && warning != "" { // without times nothing is said
			e.Warnings = append(e.Warnings, warning)
			related = false
		}
	}
	programs := &across{scorer: s, paperBase: o.PaperBase}
	regions := map[string]*across{}
	for i, d := range datasets {
		if err := programs.add(d, words, o.Over); err != nil {
			return nil, err
		}
		if err := addRegions(regions, s, d, words, o, i, len(datasets)); err != nil {
			return nil, err
		}
	}
	if len(o.Regions) > 0 && len(regions) == 0 {
		return nil, datasets[0].UnknownRegion(o.Regions[0])
	}
	e.Program = programs.similarity(nil)
	subjects := []subject{{values: programs}}
	if len(o.Regions) > 0 {
		subjects = nil
	}
	for path, a := range regions {
		e.Regions = append(e.Regions, RegionAcross{Region: path, Similarity: a.similarity(nil), Values: a.shown()})
		if len(o.Regions) > 0 {
			subjects = append(subjects, subject{region: path, values: a})
		}
	}
	slices.SortFunc(e.Regions, func(a, b RegionAcross) int {
		return cmp.Or(cmp.Compare(b.Values[0][0], a.Values[0][0]), cmp.Compare(a.Region, b.Region))
	})
	slices.SortFunc(subjects, func(a, b subject) int { return cmp.Compare(a.region, b.region) })
	factors, err := chooseFactors(words, datasets, o.Factors, e)
	if err != nil {
		return nil, err
	}
	if related { // what a factor does is told of one program
		e.findings(words, factors, subjects)
	}
	return e, nil
}

// across holds the values of one region, or of the program, by experiment.
type across struct {
	*scorer
	paperBase bool
	values    [][]float64 // by experiment and metric
}

func (a *across) add(d *Dataset, words Words, over Over) error {
	rows, err := d.Rows(ByProgram)
	if err != nil {
		return err
	}
	rows.Over = over
	columns, err := a.columns(d, words, rows)
	if err != nil {
		return err
	}
	var values []float64
	for _, c := range columns {
		values = append(values, c[0])
	}
	a.values = append(a.values, values)
	return nil
}

// addRegions adds one experiment's regions. Patterns that fit nothing in one
// experiment may fit in another.
func addRegions(regions map[string]*across, s *scorer, d *Dataset, words Words, o SimilarOptions, at, experiments int) error {
	rows, err := d.Rows(ByRegion)
	if err != nil {
		return err
	}
	rows.Over = o.Over
	columns, err := s.columns(d, words, rows)
	if err != nil {
		return err
	}
	chosen := Counting(len(d.Regions))
	if len(o.Regions) > 0 {
		chosen = nil
		for _, pattern := range o.Regions {
			if some, err := d.chooseRegions([]string{pattern}); err == nil {
				chosen = append(chosen, some...)
			}
		}
	}
	for _, r := range chosen {
		a := regions[d.Paths[r]]
		if a == nil {
			a = &across{scorer: s, paperBase: o.PaperBase, values: make([][]float64, experiments)}
			for i := range a.values {
				a.values[i] = make([]float64, len(s.metrics))
			}
			regions[d.Paths[r]] = a
		}
		for k := range columns {
			a.values[at][k] = columns[k][r]
		}
	}
	return nil
}

// similarity compares experiments with the first of members, all where it is
// nil.
func (a *across) similarity(members []int) []Real {
	if members == nil {
		members = Counting(len(a.values))
	}
	compared := make([][]float64, len(members))
	for i, m := range members {
		compared[i] = a.values[m]
	}
	most := tops(compared)
	if a.paperBase {
		most = compared[0]
	}
	base := a.score(compared[0], most)
	out := make([]Real, len(members))
	for i, values := range compared {
		out[i] = a.similar(base, a.score(values, most))
		if math.IsNaN(float64(out[i])) && slices.Equal(values, compared[0]) {
			out[i] = 1 // a correlation of scores that do not vary
		}
	}
	return out
}

// compared gives how alike two of the members perform, by their places, scored
// against the largest value of them all, or the first one's as the paper does.
func (a *across) compared(members []int) func(i, j int) Real {
	values := make([][]float64, len(members))
	for i, m := range members {
		values[i] = a.values[m]
	}
	most := tops(values)
	if a.paperBase {
		most = values[0]
	}
	return func(i, j int) Real {
		s := a.similar(a.score(values[i], most), a.score(values[j], most))
		if s.IsMissing() && slices.Equal(values[i], values[j]) {
			return 1 // a correlation of scores that do not vary
		}
		return s
	}
}

func (a *across) shown() [][]Real {
	out := make([][]Real, len(a.values))
	for i, values := range a.values {
		for _, v := range values {
			out[i] = append(out[i], Real(v))
		}
	}
	return out
}
