package analyze

import (
	"cmp"
	"fmt"
	"slices"

	"auspex/internal/mistake"
)

// UnitSimilarity compares the units' summaries of one region with each other.
type UnitSimilarity struct {
	Experiment string        `json:"experiment"`
	Region     string        `json:"region"`
	Metrics    []ScoreMetric `json:"metrics"`
	Distance   string        `json:"distance"`
	Units      []any         `json:"units"`  // that entered the region
	Matrix     [][]Real      `json:"matrix"` // by unit and unit; null where there are too many
	Typical    []Real        `json:"typical"`
	Rows       []UnitLike    `json:"rows"` // the least typical first
	Odd        []any         `json:"odd"`
	Warnings   []string      `json:"warnings"`
}

// UnitLike is how like the typical unit one unit is. The typical unit has the
// median of every score.
type UnitLike struct {
	Unit       any    `json:"unit"`
	Values     []Real `json:"values"` // by metric
	Similarity Real   `json:"similarity"`
	Odd        bool   `json:"odd"`
}

// A unit is odd where it is farther from the typical one than oddDistance and
// more than oddFactor times as far as half of the units.
const (
	oddDistance = 0.05
	oddFactor   = 3
)

// SimilarUnits compares the units in one region.
func SimilarUnits(d *Dataset, words Words, region string, o SimilarOptions) (*UnitSimilarity, error) {
	s, err := o.scorer(d)
	if err != nil {
		return nil, err
	}
	chosen, err := d.chooseRegions([]string{region})
	if err != nil {
		return nil, err
	}
	if len(chosen) > 1 {
		return nil, mistake.Refuse("%q names %d regions; units are compared in one", region, len(chosen))
	}
	rows, err := d.Rows(BySummary)
	if err != nil {
		return nil, err
	}
	columns, err := s.columns(d, words, rows)
	if err != nil {
		return nil, err
	}
	u := &UnitSimilarity{
		Experiment: d.Name, Region: d.Paths[chosen[0]], Metrics: s.metrics, Distance: s.distance.String(),
		Units: []any{}, Typical: []Real{}, Rows: []UnitLike{}, Odd: []any{}, Warnings: []string{},
	}
	var values [][]float64
	for i := range rows.Len() {
		if rows.Region[i] != chosen[0] {
			continue
		}
		u.Units = append(u.Units, unitValue(d.Units[rows.Unit[i]]))
		row := make([]float64, len(columns))
		for k := range columns {
			row[k] = columns[k][i]
		}
		values = append(values, row)
	}
	u.compare(s, values)
	if absent := len(d.Units) - len(values); absent > 0 {
		u.Warnings = append(u.Warnings, fmt.Sprintf("%d of %d units never entered the region", absent, len(d.Units)))
	}
	return u, nil
}

func (u *UnitSimilarity) compare(s *scorer, values [][]float64) {
	if len(values) == 0 {
		return
	}
	if len(values) == 1 {
		u.Warnings = append(u.Warnings, "only one unit entered the region: there is nothing to compare it with")
	}
	most := tops(values)
	scores := make([][]float64, len(values))
	for i, v := range values {
		scores[i] = s.score(v, most)
	}
	typical := make([]float64, len(s.metrics))
	for k := range typical {
		typical[k] = medianOf(scores, k)
		u.Typical = append(u.Typical, Real(medianOf(values, k)))
	}
	distances := make([]float64, 0, len(values))
	for i, score := range scores {
		like := UnitLike{Unit: u.Units[i], Similarity: s.similar(score, typical)}
		for _, v := range values[i] {
			like.Values = append(like.Values, Real(v))
		}
		u.Rows = append(u.Rows, like)
		if !like.Similarity.IsMissing() {
			distances = append(distances, 1-float64(like.Similarity))
		}
	}
	slices.Sort(distances)
	for i := range u.Rows {
		away := 1 - float64(u.Rows[i].Similarity)
		if len(distances) > 0 && away > oddDistance && away > oddFactor*distances[len(distances)/2] {
			u.Rows[i].Odd = true
			u.Odd = append(u.Odd, u.Rows[i].Unit)
		}
	}
	slices.SortStableFunc(u.Rows, func(a, b UnitLike) int { // missing last
		switch {
		case a.Similarity.IsMissing() && !b.Similarity.IsMissing():
			return 1
		case b.Similarity.IsMissing() && !a.Similarity.IsMissing():
			return -1
		}
		return cmp.Compare(a.Similarity, b.Similarity)
	})
	if missing := len(values) - len(distances); missing > 0 {
		u.Warnings = append(u.Warnings, fmt.Sprintf("%d of %d units cannot be compared: their value is missing, or no value is above zero", missing, len(values)))
	}
	if len(values) > matrixLimit {
		u.Warnings = append(u.Warnings, fmt.Sprintf("%d units are too many for a matrix; each is compared with the typical one", len(values)))
		return
	}
	u.Matrix = s.matrix(scores)
}

func medianOf(rows [][]float64, column int) float64 {
	var values []float64
	for _, row := range rows {
		if row[column] == row[column] {
			values = append(values, row[column])
		}
	}
	if len(values) == 0 {
		return float64(Missing)
	}
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 1 {
		return values[middle]
	}
	return (values[middle-1] + values[middle]) / 2
}

// RegionSimilarity compares selected regions within one experiment.
type RegionSimilarity struct {
	Experiment string        `json:"experiment"`
	Metrics    []ScoreMetric `json:"metrics"`
	Distance   string        `json:"distance"`
	Regions    []string      `json:"regions"`
	Values     [][]Real      `json:"values"` // by region and metric
	Matrix     [][]Real      `json:"matrix"` // by region and region
	Warnings   []string      `json:"warnings"`
}

// SimilarRegions compares the regions that the options choose.
func SimilarRegions(d *Dataset, words Words, o SimilarOptions) (*RegionSimilarity, error) {
	s, err := o.scorer(d)
	if err != nil {
		return nil, err
	}
	chosen, err := d.chooseRegions(o.Regions)
	if err != nil {
		return nil, err
	}
	if len(chosen) < 2 || len(chosen) > matrixLimit {
		return nil, mistake.Refuse("2 to %d regions can be compared with each other, not %d", matrixLimit, len(chosen))
	}
	rows, err := d.Rows(ByRegion)
	if err != nil {
		return nil, err
	}
	rows.Over = o.Over
	columns, err := s.columns(d, words, rows)
	if err != nil {
		return nil, err
	}
	r := &RegionSimilarity{Experiment: d.Name, Metrics: s.metrics, Distance: s.distance.String(), Warnings: []string{}}
	values := make([][]float64, len(chosen))
	for i, g := range chosen {
		r.Regions = append(r.Regions, d.Paths[g])
		var shown []Real
		for k := range columns {
			values[i] = append(values[i], columns[k][g])
			shown = append(shown, Real(columns[k][g]))
		}
		r.Values = append(r.Values, shown)
	}
	most := tops(values)
	scores := make([][]float64, len(values))
	for i, v := range values {
		scores[i] = s.score(v, most)
	}
	r.Matrix = s.matrix(scores)
	return r, nil
}
