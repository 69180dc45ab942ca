package site

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// Change is a place in a series where its level changes.
type Change struct {
	At     int     `json:"at"`     // the first value of the new level
	Before float64 `json:"before"` // medians on both sides
	After  float64 `json:"after"`
	P      float64 `json:"p"` // that chance alone gives such a change
}

// A change is told when chance gives it in less than one of a hundred orders of
// the same values, and both levels have some values of their own. Fewer than
// leastRuns have too few orders for that.
const (
	significance = 0.01
	leastLevel   = 4
	leastRuns    = 10
	orders       = 999
)

// Changes finds where the level of a series changes: the split that parts the
// ranks of its values most, so that a few runs that took far longer do not count
// for more than that (Pettitt 1979), judged against the same values in random
// orders, and then the same in both halves (binary segmentation; Scott and Knott
// 1974).
func Changes(values []float64) []Change {
	var found []Change
	var search func(from, to int)
	search = func(from, to int) {
		ordered := ranks(values[from:to])
		at, most := split(ordered)
		if at < 0 || most == 0 {
			return
		}
		random := rand.New(rand.NewPCG(1, uint64(to-from))) // the same answer for the same series
		shuffled := slices.Clone(ordered)
		as := 1
		for range orders {
			random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			if _, other := split(shuffled); other >= most {
				as++
			}
		}
		p := float64(as) / (orders + 1)
		if p > significance {
			return
		}
		search(from, from+at)
		found = append(found, Change{At: from + at, P: p})
		search(from+at, to)
	}
	search(0, len(values))
	for i := range found {
		from, to := 0, len(values)
		if i > 0 {
			from = found[i-1].At
		}
		if i+1 < len(found) {
			to = found[i+1].At
		}
		found[i].Before, found[i].After = level(values[from:found[i].At]), level(values[found[i].At:to])
	}
	return found
}

// ranks are the places of values in their order; those of equal ones are alike.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := make([]float64, len(values))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && values[order[j]] == values[order[i]] {
			j++
		}
		j = max(j, i+1) // NaN is not equal to itself
		for _, at := range order[i:j] {
			out[at] = float64(i+j-1) / 2
		}
		i = j
	}
	return out
}

// split finds where a series parts into two levels that differ most, by the sum
// of squares between them.
func split(values []float64) (at int, most float64) {
	at = -1
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	mean := sum / float64(len(values))
	left := 0.0
	for i, v := range values {
		left += v - mean
		n, m := float64(i+1), float64(len(values)-i-1)
		if i+1 < leastLevel || len(values)-i-1 < leastLevel {
			continue
		}
		if between := left * left * (1/n + 1/m); between > most*(1+1e-12) {
			at, most = i+1, between
		}
	}
	return at, most
}

// level is the median.
func level(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
