package site

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Change is a place in a series where its level changes.
type Change struct {
	At     int     `json:"at"`     // the first value of the new level
	Before float64 `json:"before"` // geometric means of the levels on both sides
	After  float64 `json:"after"`
	P      float64 `json:"p"` // that chance alone gives such a change
}

// A change is told when chance gives it in less than one of a hundred orders of
// the same values, and both levels have some values of their own.
const (
	significance = 0.01
	leastLevel   = 4
	orders       = 999
)

// Changes finds where the level of a series of positive numbers changes: the
// split that parts it most, judged against the same values in random orders,
// and then the same in both halves (binary segmentation; Scott and Knott 1974).
func Changes(values []float64) []Change {
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(max(v, math.SmallestNonzeroFloat64))
	}
	var found []Change
	var search func(from, to int)
	search = func(from, to int) {
		at, most := split(logs[from:to])
		if at < 0 || most == 0 {
			return
		}
		random := rand.New(rand.NewPCG(1, uint64(to-from))) // the same answer for the same series
		shuffled := slices.Clone(logs[from:to])
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
	search(0, len(logs))
	for i := range found {
		from, to := 0, len(logs)
		if i > 0 {
			from = found[i-1].At
		}
		if i+1 < len(found) {
			to = found[i+1].At
		}
		found[i].Before, found[i].After = level(logs[from:found[i].At]), level(logs[found[i].At:to])
	}
	return found
}

// split finds where a series parts into two levels that differ most, by the sum
// of squares between them.
func split(logs []float64) (at int, most float64) {
	at = -1
	sum := 0.0
	for _, v := range logs {
		sum += v
	}
	mean := sum / float64(len(logs))
	left := 0.0
	for i, v := range logs {
		left += v - mean
		n, m := float64(i+1), float64(len(logs)-i-1)
		if i+1 < leastLevel || len(logs)-i-1 < leastLevel {
			continue
		}
		if between := left * left * (1/n + 1/m); between > most*(1+1e-12) {
			at, most = i+1, between
		}
	}
	return at, most
}

func level(logs []float64) float64 {
	sum := 0.0
	for _, v := range logs {
		sum += v
	}
	return math.Exp(sum / float64(len(logs)))
}
