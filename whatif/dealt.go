package whatif

import (
	"fmt"

	"auspex/trace"
)

// fewDealt is how many answers in an order of their own make a master.
const fewDealt = 8

// dealer is a rank that answers others in the order in which they come, as a master
// that hands out work does: who is given what depends on how fast everybody is. A
// replay keeps who got what. -1 where there is none.
func dealer(t *trace.Trace) int {
	for rank := range t.NP() {
		if deals(t, rank) {
			return rank
		}
	}
	return -1
}

func deals(t *trace.Trace, rank int) bool {
	const nobody = trace.NullPeer
	var order []int32 // whom it answers
	heard := int32(nobody)
	var a trace.Action
	for at := t.Cursor(rank); at.Next(&a); {
		switch a.Kind {
		case trace.Recv:
			heard = a.Peer
		case trace.Irecv:
			if a.Peer == trace.AnySource {
				heard = a.Peer
			}
		case trace.Send, trace.Isend:
			if int(a.Peer) == rank {
				continue
			}
			if heard != nobody && (heard == a.Peer || heard == trace.AnySource) {
				order = append(order, a.Peer)
			}
			heard = nobody
		}
	}
	distinct := map[int32]bool{}
	for _, p := range order {
		distinct[p] = true
	}
	n := len(distinct)
	if n < 2 || len(order) < fewDealt {
		return false
	}
	byTurns := true
	for i := n; i < len(order); i++ {
		byTurns = byTurns && order[i] == order[i-n]
	}
	return !byTurns && minor(t, rank, distinct)
}

// minor tells whether most of those that a rank answers have messages with nobody else:
// neighbours that exchange borders have several, and meet in an order of their own, too.
func minor(t *trace.Trace, rank int, answered map[int32]bool) bool {
	alone := 0
	for p := range answered {
		if int(p) < t.NP() && meetsOnly(t, int(p), rank) {
			alone++
		}
	}
	return 2*alone > len(answered)
}

func meetsOnly(t *trace.Trace, rank, other int) bool {
	var a trace.Action
	for at := t.Cursor(rank); at.Next(&a); {
		switch a.Kind {
		case trace.Recv, trace.Irecv, trace.Send, trace.Isend:
			if a.Peer >= 0 && int(a.Peer) != other && int(a.Peer) != rank {
				return false
			}
		}
	}
	return true
}

// HandsOut tells whether a rank hands out work to whoever comes next. What balancing
// brings there, no replay of the run tells.
func (c *Case) HandsOut() bool { return c.dealer >= 0 }

// dealt is what is to be said where work is handed out.
func (c *Case) dealt() string {
	return fmt.Sprintf("rank %d answers the others in the order in which they come, as who hands out work does: a replay keeps who got what, and does not tell what balancing would bring", c.dealer)
}
