package training

import (
	"cmp"
	"slices"
)

// excess is what a rank spends at a place more than the others do.
type excess struct {
	Region, Op string
	Doing      Doing
	Own        int64 // nanoseconds over all steps
	Others     int64 // the median of the other ranks
}

func (e excess) more() int64 { return e.Own - e.Others }

type placeKey struct {
	region, op string
	doing      Doing
}

// totals adds up a rank's places over its steps.
func totals(r *Rank) map[placeKey]int64 {
	sums := map[placeKey]int64{}
	for i := range r.Steps {
		for _, p := range r.Steps[i].Places {
			sums[placeKey{p.Region, p.Op, p.Doing}] += p.Time
		}
	}
	return sums
}

// excesses lists where a rank spends more than its peers, the most first.
func (j *job) excesses(r int) []excess {
	var list []excess
	for key, own := range j.totals[r] {
		var others []int64
		for _, o := range j.peers[r] {
			others = append(others, j.totals[o][key])
		}
		if e := (excess{key.region, key.op, key.doing, own, median(others)}); e.more() > 0 {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b excess) int {
		return cmp.Or(cmp.Compare(b.more(), a.more()), cmp.Compare(a.Region, b.Region), cmp.Compare(a.Op, b.Op), cmp.Compare(a.Doing, b.Doing))
	})
	return list
}
