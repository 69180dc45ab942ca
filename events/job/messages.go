package job

import (
	"cmp"
	"slices"

	"auspex/events"
	"auspex/trace"
	"auspex/training"
)

// message is a message between two ranks with the calls of both.
type message struct {
	from, to      int32 // lanes
	nth           int32 // of those from one to the other
	send, receive *training.Call
}

// messagesOf joins the messages between two ranks: the first that one sends to
// the other is the first that this receives from it. Where the two disagree on
// how many there are, or a trace does not tell who the other is, they are left
// out, and counted.
func messagesOf(lanes []*Lane) (found map[*training.Call]*message, left int) {
	type ends struct{ sends, receives []*training.Call }
	number := map[int]int32{} // lanes by rank
	for i, l := range lanes {
		number[l.rank] = int32(i)
	}
	pairs := map[[2]int32]*ends{}
	for i, l := range lanes {
		for k := range l.pairs {
			c := &l.pairs[k]
			peer, here := number[c.Peer]
			if c.Peer < 0 || !here {
				left++
				continue
			}
			key := [2]int32{int32(i), peer}
			if !c.Sends {
				key = [2]int32{peer, int32(i)}
			}
			if pairs[key] == nil {
				pairs[key] = &ends{}
			}
			if e := pairs[key]; c.Sends {
				e.sends = append(e.sends, c)
			} else {
				e.receives = append(e.receives, c)
			}
		}
	}
	found = map[*training.Call]*message{}
	for key, e := range pairs {
		if len(e.sends) != len(e.receives) {
			left += len(e.sends) + len(e.receives)
			continue
		}
		for n := range e.sends {
			m := &message{key[0], key[1], int32(n), e.sends[n], e.receives[n]}
			found[m.send], found[m.receive] = m, m
		}
	}
	return found, left
}

// standing is when a rank stood still in calls in which it waits for nobody that is
// known: messages that it sends, and what the others' side of is not here.
func (s *Source) standing(l *Lane) [][2]int64 {
	var list [][2]int64
	add := func(c *training.Call, from int64) {
		for _, own := range l.hidden(c, from) {
			list = append(list, [2]int64{from, own[0]})
			from = own[1]
		}
		list = append(list, [2]int64{from, c.End})
	}
	for i := range l.pairs {
		c := &l.pairs[i]
		if m := s.messages[c]; m == nil || m.send == c {
			add(c, c.Start)
		}
	}
	for i := range l.calls {
		if c := &l.calls[i]; s.meetings[c] == nil {
			add(c, c.Arrived)
		}
	}
	slices.SortFunc(list, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	var out [][2]int64
	for _, t := range list {
		if n := len(out); n > 0 && t[0] <= out[n-1][1] {
			out[n-1][1] = max(out[n-1][1], t[1])
		} else if t[1] > t[0] {
			out = append(out, t)
		}
	}
	return out
}

// send adds a rank's side of a message that it sends; it goes on at once.
func (w *walker) send(c *training.Call, m *message) {
	w.compute(c.Start)
	half := events.Half{Side: events.Sent, Peer: m.to, Tag: m.nth, Bytes: max(c.Bytes, 0), Posted: c.Start - w.off()}
	w.add(events.Span{Kind: trace.Isend, Path: w.pathOf(c), Root: -1, Messages: []events.Half{half}}, w.now)
}

// receive adds a message, which is what the rank stands still for until a time.
func (w *walker) receive(c *training.Call, m *message, end int64) {
	half := events.Half{Side: events.Received, Peer: m.from, Tag: m.nth, Bytes: max(c.Bytes, 0), Posted: c.Start - w.off()}
	from, to := m.send.Start-w.s.shift[m.from], c.Start-w.s.shift[m.to]
	s := events.Span{Kind: trace.Recv, Path: w.pathOf(c), Root: -1, Messages: []events.Half{half}, Transfer: max(c.End-w.s.shift[m.to]-max(from, to), 0)}
	w.joined(&s, c)
	w.add(s, end)
}
