package launch

import (
	"auspex/probe"
	"auspex/trace"
)

// exchangesMeet tells whether the MPI_Sendrecv of a trace meet each other: what
// one sends, another receives. A replay matches them by their partners alone, so
// those that meet plain sends and receives must be taken apart.
func exchangesMeet(t *trace.Trace) bool {
	type pair struct{ group, from, to int32 }
	open := map[pair]int{}
	for rank := range t.NP() {
		// A rank's number in each of its communicators, and which that is: the
		// runtime gives a split the first member's number as its colour.
		me, group := []int32{int32(rank)}, []int32{-1}
		c := t.Cursor(rank)
		for a := (trace.Action{}); c.Next(&a); {
			switch {
			case a.Kind == trace.CommSplit && a.Tag >= 0:
				me, group = append(me, int32(a.Count)), append(group, a.Tag)
			case a.Kind == trace.SendRecv && int(a.Comm) < len(me):
				if a.Peer >= 0 {
					open[pair{group[a.Comm], me[a.Comm], a.Peer}]++
				}
				if a.Peer2 >= 0 {
					open[pair{group[a.Comm], a.Peer2, me[a.Comm]}]--
				}
				if a.Peer2 == trace.AnySource {
					return true // nobody can tell
				}
			}
		}
	}
	for _, n := range open {
		if n != 0 {
			return false
		}
	}
	return true
}

// messagesOf takes an exchange apart: a send and a receive with their tags, and the
// waiting for both. A wait names ranks of the world, which are known there only;
// elsewhere all that was begun is waited for.
func messagesOf(e *probe.Event, rank int) []trace.Action {
	message := trace.Action{Type: trace.Byte, Type2: trace.Byte, Comm: int32(e.Comm)}
	var list, waits []trace.Action
	if to := peer(e.Peer); to != trace.NullPeer {
		a := message
		a.Kind, a.Peer, a.Tag, a.Count = trace.Isend, to, int32(e.Tag>>32), e.Count
		list = append(list, a)
		waits = append(waits, trace.Action{Kind: trace.Wait, Peer: int32(rank), Peer2: to, Tag: a.Tag})
	}
	if from := peer(e.Peer2); from != trace.NullPeer {
		a := message
		a.Kind, a.Peer, a.Tag, a.Count = trace.Irecv, from, int32(uint32(e.Tag)), e.Count2
		if a.Tag == probe.Any {
			a.Tag = trace.AnyTag
		}
		list = append(list, a)
		waits = append(waits, trace.Action{Kind: trace.Wait, Peer: from, Peer2: int32(rank), Tag: a.Tag})
	}
	switch {
	case len(list) == 0:
		return []trace.Action{{Kind: trace.SendRecv, Type: trace.Byte, Type2: trace.Byte, Comm: int32(e.Comm), Peer: trace.NullPeer, Peer2: trace.NullPeer}}
	case e.Comm != 0:
		waits = []trace.Action{{Kind: trace.WaitAll}}
	}
	return append(list, waits...)
}
