package waits

import (
	"auspex/events"
	"auspex/trace"
)

// mailbox holds messages to one rank of which only one side has been seen.
type mailbox struct {
	open []*message
	lost int // that were given up
	// done are the latest messages with both sides, for sends whose completion
	// is yet to be seen.
	done [maxDone]*message
	turn int // where the next goes
	taken
}

// message is one whose sides come one after the other.
type message struct {
	src, tag, comm int32
	sent, received bool
	blocking       bool // the send is of a call that could wait
	send           visit
	posted         int64   // the receive
	receive        *intake // the call that completes it
	receiver       visit
	waiter         *visit // a later call that waits for the send
}

// intake is a call that completes receives: it is judged when all their sends
// are known.
type intake struct {
	visit
	left   int
	latest visit // of the sends
	any    bool
}

const maxDone = 32

// maxOpen is how many messages to one rank wait for their other side; older ones
// are given up.
const maxOpen = 4096

// keep files a message of which one side is missing.
func (a *Analyzer) keep(b *mailbox, m *message) {
	if len(b.open) >= maxOpen {
		half := len(b.open) / 2
		b.lost += half
		b.open = append(b.open[:0], b.open[half:]...)
	}
	b.open = append(b.open, m)
}

// messages looks at a call that sends or receives.
func (a *Analyzer) messages(v visit, s *events.Span) {
	var in *intake
	rank := a.header.Locations[s.Loc].Rank
	for i := range s.Messages {
		h := &s.Messages[i]
		if h.Peer < 0 || int(h.Peer) >= len(a.boxes) {
			continue
		}
		switch h.Side {
		case events.Sent:
			// Of a measured send-receive it is not told whether its send left at once.
			a.sent(v, rank, h, s.Kind == trace.Send || s.Kind == trace.SendRecv && !a.header.Replayed)
		case events.SendDone:
			a.sendDone(v, rank, h)
		case events.Received:
			if in == nil {
				in = a.newIntake(v)
				in.ordered, in.of = s.Kind == trace.Recv || s.Kind == trace.SendRecv, label{h.Tag, h.Comm}
			}
			a.received(in, rank, h)
		}
	}
	if in != nil && in.left == 0 {
		a.whole(in)
	}
}

// newIntake takes an intake that is done with, or makes one.
func (a *Analyzer) newIntake(v visit) *intake {
	if n := len(a.intakes); n > 0 {
		in := a.intakes[n-1]
		a.intakes = a.intakes[:n-1]
		*in = intake{visit: v}
		return in
	}
	return &intake{visit: v}
}

// newMessage likewise.
func (a *Analyzer) newMessage() *message {
	if n := len(a.spare); n > 0 {
		m := a.spare[n-1]
		a.spare = a.spare[:n-1]
		*m = message{}
		return m
	}
	return &message{}
}

// find takes the oldest open message with one side missing out of a box.
func (b *mailbox) find(src, tag, comm int32, needsSend bool) *message {
	for i, m := range b.open {
		if m.src == src && m.tag == tag && m.comm == comm && m.sent != needsSend {
			copy(b.open[i:], b.open[i+1:])
			b.open[len(b.open)-1] = nil
			b.open = b.open[:len(b.open)-1]
			return m
		}
	}
	return nil
}

func (a *Analyzer) sent(v visit, rank int32, h *events.Half, blocking bool) {
	box := &a.boxes[h.Peer]
	m := box.find(rank, h.Tag, h.Comm, true)
	if m == nil {
		m = a.newMessage()
		m.src, m.tag, m.comm, m.sent, m.send, m.blocking = rank, h.Tag, h.Comm, true, v, blocking
		a.keep(box, m)
		return
	}
	m.sent, m.send, m.blocking = true, v, blocking
	in := m.receive
	a.matched(box, m)
	if in.left--; in.left == 0 {
		a.whole(in)
	}
}

func (a *Analyzer) received(in *intake, rank int32, h *events.Half) {
	box := &a.boxes[rank]
	m := box.find(h.Peer, h.Tag, h.Comm, false)
	if m == nil {
		in.left++
		m = a.newMessage()
		m.src, m.tag, m.comm, m.received, m.posted, m.receive, m.receiver = h.Peer, h.Tag, h.Comm, true, h.Posted, in, in.visit
		a.keep(box, m)
		return
	}
	m.received, m.posted, m.receive, m.receiver = true, h.Posted, in, in.visit
	a.matched(box, m)
}

// matched looks at the sender, and keeps the latest sender for the receiver.
func (a *Analyzer) matched(box *mailbox, m *message) {
	in := m.receive
	if !in.any || later(m.send.begin, m.send.loc, in.latest.begin, in.latest.loc) {
		in.any, in.latest = true, m.send
	}
	box.take(in.begin, m.send.begin, label{m.tag, m.comm})
	m.receive = nil
	switch {
	case m.blocking:
		a.receivedLate(m, m.send)
	case m.waiter != nil:
		a.receivedLate(m, *m.waiter)
	default:
		m, box.done[box.turn] = box.done[box.turn], m
		box.turn = (box.turn + 1) % maxDone
	}
	if m != nil {
		a.spare = append(a.spare, m)
	}
}

// sendDone notes a call that waits for a send. Sends that left at once are never waited
// for, so that of those with one label the latest counts that had begun by then.
func (a *Analyzer) sendDone(v visit, rank int32, h *events.Half) {
	box := &a.boxes[h.Peer]
	var of *message
	at := -1 // among those that are done
	look := func(i int, m *message) {
		if m.src == rank && m.tag == h.Tag && m.comm == h.Comm && m.send.begin <= h.Posted && (of == nil || m.send.begin > of.send.begin) {
			of, at = m, i
		}
	}
	for k := range maxDone { // the oldest first
		i := (box.turn + k) % maxDone
		if m := box.done[i]; m != nil {
			look(i, m)
		}
	}
	for _, m := range box.open {
		if m.sent && m.waiter == nil {
			look(-1, m)
		}
	}
	switch {
	case of == nil:
	case at < 0:
		of.waiter = &v
	default:
		box.done[at] = nil
		a.receivedLate(of, v)
		a.spare = append(a.spare, of)
	}
}

// later orders moments of locations; of those at the same time the one with the
// lowest number counts, in whatever order they come.
func later(time int64, loc int32, than int64, other int32) bool {
	return time > than || time == than && loc < other
}

// receivedLate looks at a call that could not end before the receive was posted.
func (a *Analyzer) receivedLate(m *message, v visit) {
	if m.posted <= v.begin || v.end < m.posted {
		return
	}
	late := m.receiver
	step := late.at + 1
	if m.posted < late.begin { // started earlier than it was waited for
		late.at = a.locs[late.loc].log.at(m.posted)
		late.begin, late.node, step = m.posted, nil, late.at // that moment has no place on a path
	}
	a.waited(LateReceiver, v, late, step, m.posted)
}

// whole looks at a call that received and whose sends are all known: it waited
// for the latest.
func (a *Analyzer) whole(in *intake) {
	if in.any && in.latest.begin > in.begin {
		a.sender(in.visit, in.latest)
	}
	a.intakes = append(a.intakes, in)
}
