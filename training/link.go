package training

import (
	"cmp"
	"math"
	"slices"
)

// together is how close the ends of two calls are that belong to one
// collective, where no group is given.
const together = 300_000 // nanoseconds

// slowLink finds a rank all of whose transfers are slow, in whatever group. In
// a ring every member is as slow as the slowest link, so it takes collectives
// of several groups to tell which rank that is.
func (j *job) slowLink() (Straggler, bool) {
	if len(j.ranks) < 3 {
		return Straggler{}, false
	}
	transfers, usual := j.transfers()
	fastest := make([]float64, len(j.ranks)) // of what is usual for such a call
	typical := make([]int64, len(j.ranks))
	slowest := make([]string, len(j.ranks)) // name of that call
	moved := make([]int64, len(j.ranks))    // time of all calls, were they as usual
	for r, rank := range j.ranks {
		if len(rank.Calls) == 0 {
			return Straggler{}, false
		}
		// What one group does, or, where groups have no names, the same call
		// of each step by its place in the order.
		type series struct {
			group string
			place int
		}
		shares, times := map[series][]float64{}, map[series][]int64{}
		name := map[series]string{}
		place, step := 0, -1
		for i := range rank.Calls {
			c := &rank.Calls[i]
			if c.Step != step {
				place, step = 0, c.Step
			}
			at := series{place: place}
			if c.Group != "" {
				at = series{group: c.Group}
			}
			shares[at] = append(shares[at], float64(transfers[r][i])/float64(max(usual[kindOf(c)], 1)))
			times[at] = append(times[at], transfers[r][i])
			name[at] = c.Name
			moved[r] += usual[kindOf(c)]
			place++
		}
		fastest[r] = math.Inf(1)
		for at, list := range shares {
			if share := middleOf(list); share < fastest[r] {
				fastest[r], typical[r], slowest[r] = share, median(times[at]), name[at]
			}
		}
	}
	worst := 0
	for r := range fastest {
		if fastest[r] > fastest[worst] {
			worst = r
		}
	}
	rest := slices.Delete(slices.Clone(fastest), worst, worst+1)
	slices.Sort(rest)
	lost := (fastest[worst] - rest[len(rest)/2]) * float64(moved[worst])
	if fastest[worst] < 2*rest[len(rest)/2] || lost < slowLink*float64(j.run) {
		return Straggler{}, false
	}
	others := int64(float64(typical[worst]) * rest[len(rest)/2] / fastest[worst])
	if typical[worst]-others < 2*j.residual || !j.meetWithout(worst) {
		return Straggler{}, false
	}
	s := Straggler{
		Rank: j.ranks[worst].Number, Side: Network, Cause: "slow link", Pattern: Persistent,
		Operators: []OperatorTime{{slowest[worst], seconds(typical[worst]), seconds(others)}},
		Seconds:   seconds(typical[worst]), Others: seconds(others), Late: seconds(j.lateTotal(worst)),
		Share: min(lost/float64(j.run), 1),
	}
	s.Fix = fix(&s)
	return s, true
}

// meetWithout tells whether other ranks meet where a rank has no part: with all
// in one group, a slow link is that of all. Where groups have no names, and calls
// were matched by their order, they are others that end together and well apart
// from the rank.
func (j *job) meetWithout(r int) bool {
	apart := max(together, clockSpreads*j.residual, clockLimit(stepsOf(j.ranks)))
	return slices.ContainsFunc(j.meetings, func(m meeting) bool {
		if m.calls[r] == nil {
			return true
		}
		var ends []int64
		for o, c := range m.calls {
			if c != nil && o != r && c.Group == "" {
				if end := c.End - j.shifts[o]; max(end-m.calls[r].End+j.shifts[r], m.calls[r].End-j.shifts[r]-end) > apart {
					ends = append(ends, end)
				}
			}
		}
		slices.Sort(ends)
		for i := 1; i < len(ends); i++ {
			if ends[i]-ends[i-1] <= together {
				return true
			}
		}
		return false
	})
}

// callKind is what makes transfers comparable.
type callKind struct {
	name  string
	bytes int64
	pair  bool
}

func kindOf(c *Call) callKind { return callKind{c.Name, c.Bytes, c.Pair} }

// transfers is the time that each rank's calls took once all were there, and
// what is usual for calls of one kind.
func (j *job) transfers() (times [][]int64, usual map[callKind]int64) {
	ends := j.ends()
	all := map[callKind][]int64{}
	for r, rank := range j.ranks {
		list := make([]int64, len(rank.Calls))
		for i := range rank.Calls {
			c := &rank.Calls[i]
			list[i] = j.transfer(r, c, ends)
			all[kindOf(c)] = append(all[kindOf(c)], list[i])
		}
		times = append(times, list)
	}
	usual = map[callKind]int64{}
	for kind, list := range all {
		usual[kind] = median(list)
	}
	return times, usual
}

// ended is a call with the rank that made it.
type ended struct {
	rank int
	call *Call
	at   int64
}

// ends lists all calls by their end, on the common clock.
func (j *job) ends() []ended {
	var list []ended
	for r, rank := range j.ranks {
		for i := range rank.Calls {
			list = append(list, ended{r, &rank.Calls[i], rank.Calls[i].End - j.shifts[r]})
		}
	}
	slices.SortFunc(list, func(a, b ended) int { return cmp.Compare(a.at, b.at) })
	return list
}

// transfer is the time from the last arrival of a collective to a call's end.
// Who took part is told by the group, or else by who ended at the same time.
func (j *job) transfer(r int, c *Call, ends []ended) int64 {
	end, arrived := c.End-j.shifts[r], c.Arrived-j.shifts[r]
	from, _ := slices.BinarySearchFunc(ends, end-together, func(e ended, at int64) int { return cmp.Compare(e.at, at) })
	for _, e := range ends[from:] {
		if e.at > end+together {
			break
		}
		if e.rank != r && e.call.Group == c.Group {
			if at := e.call.Arrived - j.shifts[e.rank]; at < end {
				arrived = max(arrived, at)
			}
		}
	}
	return end - arrived
}
