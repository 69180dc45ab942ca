package training

import (
	"fmt"
	"slices"
	"strings"
)

// turn is for whom the others waited in a step: in each group for the one that made
// it wait longest. Where ranks that share a part of a model are late together, each is
// the last of another group.
type turn struct {
	waited int64 // by the mean of the others in a group, in that where it is most
	ranks  []int // the last ones of this group, and of others that waited half as long
}

// turnOf finds it by when each rank arrived at the meetings of a step, and when it
// stood still in them.
func turnOf(arrivals, stills [][]int64) turn {
	type lastOf struct {
		rank   int
		waited int64
	}
	var lasts []lastOf
	var most turn
	for _, meetings := range byMembers(arrivals) {
		waited := map[int][][]stretch{} // for whom, by whom
		for _, n := range meetings {
			at := arrivals[n]
			last := lastOne(at)
			by := waited[last]
			if by == nil {
				by = make([][]stretch, len(at))
				waited[last] = by
			}
			for o := range at {
				if o != last && at[o] != absent {
					by[o] = append(by[o], stretch{stills[n][o], at[last]})
				}
			}
		}
		members := len(except(arrivals[meetings[0]], -1))
		var group lastOf
		for last, by := range waited {
			var sum int64
			for _, list := range by {
				sum += covered(list)
			}
			if mean := sum / int64(max(members-1, 1)); mean > group.waited || mean == group.waited && last < group.rank {
				group = lastOf{last, mean}
			}
		}
		lasts = append(lasts, group)
		most.waited = max(most.waited, group.waited)
	}
	for _, l := range lasts {
		if l.waited > 0 && 2*l.waited >= most.waited && !slices.Contains(most.ranks, l.rank) {
			most.ranks = append(most.ranks, l.rank)
		}
	}
	return most
}

// byMembers lists the meetings of each set of ranks.
func byMembers(arrivals [][]int64) [][]int {
	groups := map[string]int{}
	var list [][]int
	for n, at := range arrivals {
		members := make([]byte, len(at))
		for r, time := range at {
			if time != absent {
				members[r] = 1
			}
		}
		i, ok := groups[string(members)]
		if !ok {
			i = len(list)
			groups[string(members)] = i
			list = append(list, nil)
		}
		list[i] = append(list[i], n)
	}
	return list
}

// lastOne is the rank that arrived last.
func lastOne(at []int64) int {
	last := 0
	for r, time := range at {
		if time > at[last] {
			last = r
		}
	}
	return last
}

// inTurn tells whether others are as late as a rank in the steps in which it is
// not: what is uneven then is the work, which goes round, not a rank.
func (j *job) inTurn(r int) bool {
	var most int64
	for _, late := range j.late.late {
		most = max(most, late[r])
	}
	isLate := func(step, rank int) bool { return most > 0 && 2*j.late.late[step][rank] >= most }
	often := 0
	for _, late := range j.late.late {
		if 4*late[r] >= most {
			often++
		}
	}
	if 5*often >= 4*len(j.late.late) {
		return false // it is late in nearly every step, whoever else is
	}
	own, others := 0, 0 // steps
	shared := make([]int, len(j.ranks))
	for step := range j.late.late {
		if !isLate(step, r) {
			continue
		}
		own++
		for o := range j.ranks {
			if isLate(step, o) {
				shared[o]++
			}
		}
	}
	for step := range j.late.late {
		if isLate(step, r) {
			continue
		}
		for o := range j.ranks {
			// Who is late along with the rank is a straggler beside it.
			if o != r && isLate(step, o) && 2*shared[o] <= own {
				others++
				break
			}
		}
	}
	quiet := len(j.late.late) - own
	return others > 0 && (others >= own || 2*others >= quiet)
}

// goesRound is the share of the run that the others wait for one rank or another. Where
// they wait for one of them for two thirds of that, its number is told: it is late more
// often than others, and yet no straggler. Where hosts meet, whose waits hold what they
// compute meanwhile, half of it is one rank's, of which nothing is known then. The share
// is 0 where it is little.
func (j *job) goesRound() (share float64, mostly *int) {
	var all int64
	turns := make([]int64, len(j.ranks))
	for i, t := range j.late.turns {
		waited := min(t.waited, j.ownMore(t.ranks, j.late.steps[i]))
		all += waited
		for _, r := range t.ranks {
			turns[r] += waited
		}
	}
	share, most := float64(all)/float64(j.run), 2.0/3
	onHost := slices.ContainsFunc(j.ranks[0].Calls, func(c Call) bool { return HostCollective(c.Name) })
	if onHost {
		most = 0.5
	}
	if share < minShare || len(j.late.turns) < 3 {
		return 0, nil
	}
	for r, waited := range turns {
		switch {
		case float64(waited) <= most*float64(all):
		case onHost:
			return 0, nil
		default:
			return share, &j.ranks[r].Number
		}
	}
	return share, nil
}

// ownMore is what one of the ranks does itself in a step beyond the median of its peers,
// at most: whoever comes late by a clock that is wrong does no more than they.
func (j *job) ownMore(ranks []int, step int) int64 {
	does := func(r int) int64 { return j.inStep(r, step, isOwn) - j.launching(r, step) }
	var most int64
	for _, r := range ranks {
		var others []int64
		for _, o := range j.peers[r] {
			others = append(others, does(o))
		}
		most = max(most, does(r)-median(others))
	}
	return most
}

// launching is how long a rank's device has nothing to do in a step because its host
// launches too slowly. Each host is behind by that now and then, which is no work of its
// own.
func (j *job) launching(r, step int) (sum int64) {
	if s := j.ranks[r].step(step); s != nil {
		for _, h := range s.Held {
			if h.Cause == heldLaunching {
				sum += h.Time
			}
		}
	}
	return sum
}

// turnsNote names the ranks that the others wait for, step by step.
func (j *job) turnsNote() string {
	var turns []string
	for i := range j.late.steps {
		turns = append(turns, fmt.Sprint(j.ranks[j.late.last[i]].Number))
	}
	return fmt.Sprintf("the others wait for a different rank from step to step (%s): the work is uneven, not a rank slow", strings.Join(turns[:min(len(turns), 12)], ", "))
}

// tellTurns says for whom the others wait where nobody is a straggler.
func (j *job) tellTurns(result *Result, inTurn bool) {
	if !inTurn && len(result.Stragglers) > 0 {
		result.round = 0
	}
	if inTurn || result.round > 0 && result.mostly == nil {
		j.notes = append(j.notes, j.turnsNote())
	}
}

// mostlyFor names the rank that the others wait for most, where there is one.
func (r *Result) mostlyFor() string {
	if r.mostly == nil {
		return ""
	}
	return fmt.Sprintf(", mostly for rank %d, though nothing there takes longer step after step", *r.mostly)
}
