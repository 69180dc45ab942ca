package training

import (
	"cmp"
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
	fastest := make([]int64, len(j.ranks))
	calls := make([]int64, len(j.ranks))
	ends := j.ends()
	for r, rank := range j.ranks {
		// The same call of each step, by its place in the order.
		byPlace := map[int][]int64{}
		place, step := 0, -1
		for i := range rank.Calls {
			c := &rank.Calls[i]
			if c.Step != step {
				place, step = 0, c.Step
			}
			byPlace[place] = append(byPlace[place], j.transfer(r, c, ends))
			place++
		}
		if len(byPlace) == 0 {
			return Straggler{}, false
		}
		calls[r] = int64(len(rank.Calls))
		fastest[r] = 1<<63 - 1
		for _, times := range byPlace {
			fastest[r] = min(fastest[r], median(times))
		}
	}
	worst := 0
	for r := range fastest {
		if fastest[r] > fastest[worst] {
			worst = r
		}
	}
	others := median(except(fastest, worst))
	lost := (fastest[worst] - others) * calls[worst]
	if fastest[worst] < 2*others || float64(lost) < slowLink*float64(j.run) {
		return Straggler{}, false
	}
	s := Straggler{
		Rank: j.ranks[worst].Number, Side: Network, Cause: "slow link", Pattern: Persistent, Operators: []OperatorTime{},
		Seconds: seconds(fastest[worst]), Others: seconds(others), Late: seconds(j.lateTotal(worst)),
		Share: min(float64(lost)/float64(j.run), 1),
	}
	s.Fix = fix(&s)
	return s, true
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
