package diagnose

import (
	"cmp"
	"slices"

	"auspex/analyze"
)

// A continuum has no kinds to hold a region against. Regions are ranked by
// their share of the variance between units instead: of Σ_i ‖V_i − V̄‖², what
// lies along the region's coordinate. Below level 1 a nested region's share is
// its covariance with the region around it over that one's variance, so that
// the shares of all parts add up to 1.
const (
	coveredShare = 0.95 // of the variance is held by the critical regions of level 1 together
	nestedShare  = 0.5  // at least is the share of a critical region nested in another
)

// columnShares is each level-1 region's share of the variance between units.
func (s *study) columnShares() []float64 {
	shares := make([]float64, s.points.Dim)
	sum := 0.0
	for c := range shares {
		values := coordinate(s.points, c)
		shares[c] = covariance(values, values)
		sum += shares[c]
	}
	for c := range shares {
		if sum > 0 {
			shares[c] /= sum
		}
	}
	return shares
}

// searchVariance finds the fewest level-1 regions that hold nearly all of the
// variance, those left out that cost next to nothing, and what is nested in
// them.
func (s *study) searchVariance() []critical {
	shares := s.columnShares()
	order := analyze.Counting(len(shares))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(shares[b], shares[a]) })
	var out []critical
	held := 0.0
	for _, c := range order {
		if held >= coveredShare {
			break
		}
		held += shares[c]
		if len(out) > 0 && lostTime(coordinate(s.points, c)) < s.floor {
			continue
		}
		out = s.varianceBelow(out, critical{place: s.top.columns[c], level: 1, inside: -1, share: shares[c]})
	}
	return out
}

func (s *study) varianceBelow(out []critical, c critical) []critical {
	at := len(out)
	c.core = true
	out = append(out, c)
	if c.self || c.group {
		return out
	}
	outer := s.values(c.place)
	spread := covariance(outer, outer)
	if spread == 0 {
		return out
	}
	for _, r := range s.top.nested[c.region] {
		inner := place{region: r}
		if share := covariance(s.values(inner), outer) / spread; share >= nestedShare {
			out[at].core = false
			out = s.varianceBelow(out, critical{place: inner, level: c.level + 1, inside: at, share: share})
		}
	}
	return out
}

// tertiles gives every value its third: 0, 1 or 2, equal values the same.
func tertiles(values []float64) []int {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	out := make([]int, len(values))
	if len(values) == 0 {
		return out
	}
	first, second := sorted[len(sorted)/3], sorted[2*len(sorted)/3]
	for i, v := range values {
		if v >= first {
			out[i]++
		}
		if v >= second {
			out[i]++
		}
	}
	return out
}
