package launch

import (
	"testing"

	"auspex/probe"
	"auspex/trace"
)

// Exchanges that meet each other stay what they are; those that meet plain
// messages are taken apart, with their tags.
func TestExchanges(t *testing.T) {
	exchange := func(to, from int32) trace.Action {
		return trace.Action{Kind: trace.SendRecv, Type: trace.Byte, Type2: trace.Byte, Peer: to, Peer2: from, Count: 8, Count2: 8}
	}
	split := trace.Action{Kind: trace.CommSplit, Tag: 0}
	inSplit := exchange(1, 1)
	inSplit.Comm = 1
	for _, c := range []struct {
		name  string
		ranks [][]trace.Action
		meet  bool
	}{
		{"a ring", [][]trace.Action{{exchange(1, 2)}, {exchange(2, 0)}, {exchange(0, 1)}}, true},
		{"a row with ends", [][]trace.Action{{exchange(1, trace.NullPeer)}, {exchange(trace.NullPeer, 0)}}, true},
		{"one side is plain", [][]trace.Action{{exchange(1, 1)}, {{Kind: trace.Recv, Peer: 0, Tag: 3, Count: 8, Type: trace.Byte}}}, false},
		{"one side in a communicator of its own", [][]trace.Action{{split, inSplit}, {split}}, false},
		{"from anyone", [][]trace.Action{{exchange(1, trace.AnySource)}, {}}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := &trace.Trace{}
			for rank, list := range c.ranks {
				b := trace.NewBuilder(rank)
				for _, a := range list {
					b.Add(&a)
				}
				tr.Programs = append(tr.Programs, b.Program())
			}
			if got := exchangesMeet(tr); got != c.meet {
				t.Errorf("they meet: %v", got)
			}
		})
	}
	list := messagesOf(&probe.Event{Kind: probe.EventSendrecv, Peer: 2, Peer2: 1, Tag: 11<<32 | 12, Count: 80, Count2: 40}, 0)
	kinds := []trace.Kind{trace.Isend, trace.Irecv, trace.Wait, trace.Wait}
	for i, a := range list {
		if i >= len(kinds) || a.Kind != kinds[i] {
			t.Fatalf("%+v", list)
		}
	}
	if list[0].Tag != 11 || list[0].Peer != 2 || list[0].Count != 80 || list[1].Tag != 12 || list[1].Peer != 1 || list[1].Count != 40 ||
		list[2].Peer2 != 2 || list[3].Peer != 1 || list[3].Peer2 != 0 {
		t.Errorf("%+v", list)
	}
}
