package analyze

import (
	"iter"
	"math"
	"slices"
	"strings"

	"auspex/expr"
	"auspex/fuzzy"
	"auspex/internal/mistake"
)

// SimilarOptions say what is compared and how (Soft performance analysis,
// §5 and §6.4).
type SimilarOptions struct {
	Metrics  []ScoreMetric  // none: time
	Distance fuzzy.Distance // of score vectors
	Over     Over           // across experiments: what becomes of the units; mean where empty
	Regions  []string       // paths, names or globs of either; none: all
	Factors  []string       // none: those of the vocabulary, else numbers that vary
	// PaperBase takes V of eq. 1 from the base experiment, as the paper does:
	// everything slower than the base then scores 1 and looks alike. Else V
	// is the largest value compared.
	PaperBase bool
}

// Similarities measured for more than this many objects come without the
// matrix, which nobody could read.
const matrixLimit = 512

// scorer turns values into score vectors and compares those.
type scorer struct {
	metrics  []ScoreMetric
	distance fuzzy.Distance
	weights  []float64
}

func (o *SimilarOptions) scorer(d *Dataset) (*scorer, error) {
	s := &scorer{metrics: o.Metrics, distance: o.Distance}
	if len(s.metrics) == 0 {
		var err error
		if s.metrics, err = DefaultScoreMetrics(d); err != nil {
			return nil, err
		}
	}
	if s.distance == fuzzy.Correlation && len(s.metrics) < 3 {
		return nil, mistake.Refuse("correlation needs at least three metrics, not %d", len(s.metrics))
	}
	for _, m := range s.metrics {
		s.weights = append(s.weights, m.Weight)
	}
	return s, nil
}

// columns evaluates the metrics on rows: a column each.
func (s *scorer) columns(d *Dataset, words Words, rows *Rows) ([][]float64, error) {
	var columns [][]float64
	for _, m := range s.metrics {
		node, err := d.QuantityAsWritten(words, m.Metric)
		if err != nil {
			return nil, err
		}
		column, err := rows.Eval(node)
		if err != nil {
			return nil, err
		}
		columns = append(columns, column)
	}
	return columns, nil
}

// score gives the score vector of a value a metric against V a metric.
func (s *scorer) score(values, tops []float64) []float64 {
	scores := make([]float64, len(values))
	for k, m := range s.metrics {
		scores[k] = m.score(values[k], tops[k])
	}
	return scores
}

// tops is the largest value of each metric over some objects.
func tops(values [][]float64) []float64 {
	most := make([]float64, len(values[0]))
	for k := range most {
		most[k] = math.NaN()
		for _, v := range values {
			if v[k] == v[k] && !(v[k] <= most[k]) {
				most[k] = v[k]
			}
		}
	}
	return most
}

// similar is eq. 3; the options were checked, so that it cannot fail.
func (s *scorer) similar(a, b []float64) Real {
	v, err := s.distance.Similarity(a, b, s.weights)
	if err != nil {
		return Missing
	}
	return Real(v)
}

// matrix compares all with all.
func (s *scorer) matrix(scores [][]float64) [][]Real {
	m := make([][]Real, len(scores))
	for i := range m {
		m[i] = make([]Real, len(scores))
		m[i][i] = s.similar(scores[i], scores[i])
		for j := range i {
			m[i][j] = s.similar(scores[i], scores[j])
			m[j][i] = m[i][j]
		}
	}
	return m
}

// chooseRegions finds the regions that patterns name: a path, a name, or a
// glob of either, in any case. A path that exists is that region alone, also
// where it has a * of its own, as methods of Go have.
func (d *Dataset) chooseRegions(patterns []string) ([]int, error) {
	var chosen []int
	taken := make([]bool, len(d.Paths))
	for _, pattern := range patterns {
		found := false
		for r := range d.matching(pattern) {
			found = true
			if !taken[r] {
				taken[r] = true
				chosen = append(chosen, r)
			}
		}
		if !found {
			return nil, d.UnknownRegion(pattern)
		}
	}
	return chosen, nil
}

func (d *Dataset) matching(pattern string) iter.Seq[int] {
	matches := func(text string) bool { return strings.EqualFold(pattern, text) }
	if strings.ContainsAny(pattern, "*?") {
		if r := slices.Index(d.Paths, pattern); r >= 0 {
			return func(yield func(int) bool) { yield(r) }
		}
		glob := newGlob(pattern)
		matches = glob.match
	}
	return func(yield func(int) bool) {
		for r, path := range d.Paths {
			if (matches(path) || matches(d.Regions[r].Name)) && !yield(r) {
				return
			}
		}
	}
}

func (d *Dataset) UnknownRegion(pattern string) error {
	names := slices.Clone(d.Paths)
	for _, r := range d.Regions {
		names = append(names, r.Name)
	}
	if hint := expr.DidYouMean(pattern, names); hint != "" {
		return mistake.Refuse("experiment %q has no region %q; %s", d.Name, pattern, hint)
	}
	return mistake.Refuse("experiment %q has no region %q; `auspex show %s --regions` lists them", d.Name, pattern, d.Name)
}

// ChosenRegions lists the paths that patterns stand for.
func ChosenRegions(d *Dataset, patterns []string) ([]string, error) {
	chosen, err := d.chooseRegions(patterns)
	var paths []string
	for _, r := range chosen {
		paths = append(paths, d.Paths[r])
	}
	return paths, err
}
