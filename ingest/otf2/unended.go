package otf2

import "fmt"

// unended collects which ranks were in a region when the trace ended.
type unended struct {
	ranks  map[int]bool
	rank   int // the first of them
	region string
}

func (u *unended) in(rank int, region string) {
	if u.ranks == nil {
		u.ranks, u.rank, u.region = map[int]bool{}, rank, region
	}
	u.ranks[rank] = true
}

// words is nothing of a trace that is whole.
func (u *unended) words() string {
	switch len(u.ranks) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("rank %d was still in %s when the trace ended", u.rank, u.region)
	}
	return fmt.Sprintf("%d ranks were still in regions when the trace ended, rank %d in %s", len(u.ranks), u.rank, u.region)
}
