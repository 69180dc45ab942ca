package whatif

import "auspex/trace"

// programsOf tells apart programs that one trace of measured times holds: ranks that
// neither send to one another nor meet, nor have others in common that do. Work of one
// does not move to another. A rank by itself makes no program; nil where there is one.
// Communicators are made by all ranks in such a trace, whoever is in them.
func programsOf(t *trace.Trace) [][]int {
	of := make([]int, t.NP()) // a rank of the same program, at last itself
	for rank := range of {
		of[rank] = rank
	}
	first := func(rank int) int {
		for of[rank] != rank {
			of[rank] = of[of[rank]]
			rank = of[rank]
		}
		return rank
	}
	join := func(x, y int) { of[max(first(x), first(y))] = min(first(x), first(y)) }
	met := map[[2]int32]int{} // who was seen first in a communicator, by its number and who split it off
	var a trace.Action
	for rank := range t.NP() {
		var colours []int32
		for at := t.Cursor(rank); at.Next(&a); {
			switch {
			case a.Kind == trace.CommSplit:
				colours = append(colours, a.Tag)
			case a.Kind.Collective():
				key := [2]int32{a.Comm, 0}
				if n := int(a.Comm) - 1; n >= 0 && n < len(colours) {
					key[1] = colours[n]
				}
				if other, seen := met[key]; seen {
					join(rank, other)
				}
				met[key] = rank
			case a.Kind >= trace.Send && a.Kind <= trace.SendRecv:
				for _, peer := range []int32{a.Peer, a.Peer2} {
					if a.Comm == 0 && peer >= 0 && int(peer) < t.NP() && (peer == a.Peer || a.Kind == trace.SendRecv) {
						join(rank, int(peer))
					}
				}
			}
		}
	}
	groups := map[int][]int{}
	for rank := range of {
		groups[first(rank)] = append(groups[first(rank)], rank)
	}
	var programs [][]int
	large := 0
	for rank := range of {
		if of[rank] == rank {
			if programs = append(programs, groups[rank]); len(groups[rank]) > 1 {
				large++
			}
		}
	}
	if large < 2 {
		return nil
	}
	return programs
}

// balanceWithin gives those ranks of each program that enter a region their mean of it.
func (c *Case) balanceWithin(s *setting, regions []int) {
	for _, r := range regions {
		spent, row := c.spent(s, r), scaleRow(s, c, r)
		for _, program := range c.programs {
			total, n := 0.0, 0
			for _, rank := range program {
				if spent[rank] > 0 {
					total, n = total+spent[rank], n+1
				}
			}
			for _, rank := range program {
				if spent[rank] > 0 {
					row[rank] *= total / float64(n) / spent[rank]
				}
			}
		}
	}
}
