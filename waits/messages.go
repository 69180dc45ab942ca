package waits

import (
	"auspex/events"
	"auspex/trace"
)

// intake is a call that completes receives: it is judged when all their sends
// are known.
type intake struct {
	visit
	latest  visit // of the sends
	of      label // of its first receive
	left    int32 // how many sends are not known; 1 more while the call is looked at
	any     bool  // latest is one
	ordered bool  // it takes one message and no other
	broken  bool  // a receive was given up
}

// intakes are those that are not judged yet.
type intakes struct {
	list []intake
	free []int32
}

// messages looks at a call of a rank that sends or receives.
func (a *Analyzer) messages(v *visit, rank int32, s *events.Span) {
	in := int32(-1)
	for i := range s.Messages {
		h := &s.Messages[i]
		if uint(h.Peer) >= uint(len(a.mail.boxes)) {
			continue
		}
		switch of := labelOf(h); h.Side {
		case events.Sent:
			// Of a measured send-receive it is not told whether its send left at once.
			a.sent(v, addressOf(rank, h.Peer, of), s.Kind == trace.Send || s.Kind == trace.SendRecv && !a.header.Replayed)
		case events.SendDone:
			a.sendDone(v, addressOf(rank, h.Peer, of), h.Posted)
		case events.Received:
			if in < 0 {
				in = a.newIntake(v, of, s.Kind == trace.Recv || s.Kind == trace.SendRecv)
			}
			a.received(in, addressOf(h.Peer, rank, of), h.Posted)
		}
	}
	if in >= 0 {
		a.known(in)
	}
}

func (a *Analyzer) newIntake(v *visit, of label, ordered bool) int32 {
	p := &a.intakes
	if len(p.free) == 0 {
		p.list = append(p.list, intake{})
		p.free = append(p.free, int32(len(p.list)-1))
	}
	n := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	in := &p.list[n]
	in.visit, in.of, in.ordered = *v, of, ordered
	in.left, in.any, in.broken = 1, false, false
	return n
}

// sent looks at the send of a message.
func (a *Analyzer) sent(v *visit, to address, blocking bool) {
	l := &a.mail
	at := l.find(to)
	if n := *at; n > 0 {
		if m := &l.pool[n-1]; !m.sent {
			box, in := l.remove(at, m), m.in
			a.matched(box, n, m, &a.intakes.list[in], v, blocking)
			a.known(in)
			return
		}
	}
	m, box := l.add(at, to, true)
	m.side, m.blocking = *v, blocking
	a.bound(box)
}

// received looks at the receive of a message.
func (a *Analyzer) received(in int32, from address, posted int64) {
	l := &a.mail
	at := l.find(from)
	call := &a.intakes.list[in]
	if n := *at; n > 0 {
		if m := &l.pool[n-1]; m.sent {
			box := l.remove(at, m)
			m.posted = posted
			a.matched(box, n, m, call, &m.side, m.blocking)
			return
		}
	}
	call.left++
	m, box := l.add(at, from, false)
	m.posted, m.in = posted, in
	a.bound(box)
}

// matched looks at the sender of a message that is no longer open, and keeps the latest
// sender for the receiver.
func (a *Analyzer) matched(box *mailbox, n int32, m *message, in *intake, send *visit, blocking bool) {
	if !in.any || later(send.begin, send.loc, in.latest.begin, in.latest.loc) {
		in.any, in.latest = true, *send
	}
	box.take(in.begin, send.begin, m.label)
	switch {
	case blocking:
		a.receivedLate(&in.visit, m.posted, send)
	case m.awaited:
		a.receivedLate(&in.visit, m.posted, &m.waiter)
	default:
		m.begun, m.side = send.begin, in.visit
		if n = box.done.put(n); n == 0 {
			return
		}
	}
	a.mail.release(n)
}

// bound keeps a rank from having too many messages with one side.
func (a *Analyzer) bound(b *mailbox) {
	if b.open > maxOpen {
		a.giveUp(b)
	}
}

// giveUp gives up the older messages of a rank.
func (a *Analyzer) giveUp(b *mailbox) {
	for range maxOpen / 2 {
		n := b.first
		m := &a.mail.pool[n-1]
		a.mail.remove(a.mail.find(m.address), m) // the oldest of all is the oldest of its address
		b.lost++
		if !m.sent {
			a.intakes.list[m.in].broken = true
			a.known(m.in)
		}
		a.mail.release(n)
	}
}

// known counts a send of a call that receives, or that none will come any more.
func (a *Analyzer) known(in int32) {
	call := &a.intakes.list[in]
	if call.left--; call.left == 0 {
		a.whole(in)
	}
}

// sendDone notes a call that waits for a send. Sends that left at once are never waited
// for, so that of those with one label the latest counts that had begun by then.
func (a *Analyzer) sendDone(v *visit, to address, posted int64) {
	l := &a.mail
	box := &l.boxes[to.to()]
	of, begun, place := int32(0), int64(0), -1
	for i, n := range box.done.all {
		if m := &l.pool[n-1]; m.address == to && m.begun <= posted && (of == 0 || m.begun > begun) {
			of, begun, place = n, m.begun, i
		}
	}
	for n := *l.find(to); n > 0; n = l.pool[n-1].next {
		if m := &l.pool[n-1]; m.sent && !m.awaited && m.side.begin <= posted && (of == 0 || m.side.begin > begun) {
			of, begun, place = n, m.side.begin, -1
		}
	}
	if of == 0 {
		return
	}
	m := &l.pool[of-1]
	if place < 0 {
		m.awaited, m.waiter = true, *v
		return
	}
	box.done.drop(place)
	a.receivedLate(&m.side, m.posted, v)
	l.release(of)
}

// later orders moments of locations; of those at the same time the one with the
// lowest number counts, in whatever order they come.
func later(time int64, loc int32, than int64, other int32) bool {
	return time > than || time == than && loc < other
}

// receivedLate looks at a call that could not end before a receive was posted, which
// another completed.
func (a *Analyzer) receivedLate(taker *visit, posted int64, v *visit) {
	if posted <= v.begin || v.end < posted {
		return
	}
	late, aside := *taker, false
	step := late.at + 1
	if posted < late.begin { // started earlier than it was waited for
		late.at = a.locs[late.loc].at(posted)
		late.begin, step, aside = posted, late.at, true // that moment has no place on a path
	}
	if e := a.waited(lateReceiver, v, &late, step, posted); e != nil {
		e.aside = aside
	}
}

// whole looks at a call that received and whose sends are all known: it waited
// for the latest.
func (a *Analyzer) whole(n int32) {
	in := &a.intakes.list[n]
	if in.any && in.latest.begin > in.begin && !in.broken {
		a.sender(in)
	}
	a.intakes.free = append(a.intakes.free, n)
}
