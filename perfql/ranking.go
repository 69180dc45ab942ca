package perfql

import (
	"cmp"
	"math"
	"slices"
)

// Ranking collects rows of several experiments and keeps the best of them, as
// the query orders them, up to its limit.
type Ranking struct {
	Query *Query
	rows  []Row
}

// slack is how many rows more than the limit are kept before they are sorted.
const slack = 4096

// Add takes rows in any order.
func (r *Ranking) Add(rows ...Row) {
	r.rows = append(r.rows, rows...)
	if limit := r.Query.Limit; limit > 0 && len(r.rows) > 2*limit+slack {
		r.trim()
	}
}

// Rows gives the rows in the query's order.
func (r *Ranking) Rows() []Row {
	r.trim()
	return r.rows
}

func (r *Ranking) trim() {
	slices.SortStableFunc(r.rows, r.Query.compare)
	if limit := r.Query.Limit; limit > 0 && len(r.rows) > limit {
		clear(r.rows[limit:])
		r.rows = r.rows[:limit]
	}
}

// compare puts what comes first in the answer first; missing comes last in
// either direction.
func (q *Query) compare(a, b Row) int {
	keys := q.Order
	if len(keys) == 0 {
		keys = []Key{{By: "degree", Desc: true}}
	}
	for i, k := range keys {
		c := 0
		switch k.By {
		case "degree":
			c = numbers(a.Degree, b.Degree, k.Desc)
		case "region":
			c = turned(compareRegions(a.Region, b.Region), k.Desc)
		case "unit":
			c = turned(compareUnits(a.Unit, b.Unit), k.Desc)
		default:
			c = numbers(a.Keys[i], b.Keys[i], k.Desc)
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(a.Experiment, b.Experiment), compareRegions(a.Region, b.Region), compareUnits(a.Unit, b.Unit),
		cmp.Compare(a.RegionID, b.RegionID), cmp.Compare(a.UnitID, b.UnitID))
}

func turned(c int, desc bool) int {
	if desc {
		return -c
	}
	return c
}

func numbers(a, b float64, desc bool) int {
	if math.IsNaN(a) || math.IsNaN(b) {
		return turned(cmp.Compare(a, b), true) // NaN is the least there is
	}
	return turned(cmp.Compare(a, b), desc)
}

func compareRegions(a, b *Region) int {
	if a == nil || b == nil {
		return 0
	}
	return cmp.Compare(a.Path, b.Path)
}

func compareUnits(a, b *Unit) int {
	if a == nil || b == nil {
		return 0
	}
	return cmp.Or(cmp.Compare(a.Process, b.Process), cmp.Compare(a.Thread, b.Thread))
}
