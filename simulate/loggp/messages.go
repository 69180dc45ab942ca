package loggp

import (
	"fmt"

	"auspex/events"
	"auspex/trace"
)

// message is one that was sent, or is waited for, or both.
type message struct {
	src, dst, tag, context int32
	bytes                  int64
	sent, posted           float64 // when each side came
	arrival                float64
	took                   float64 // see trace.Join
	isSent, isPosted       bool
	eager                  bool
	waitsSend, waitsRecv   bool // that side's rank waits for it
	doneSend, doneRecv     bool // that side needs it no more
}

// complete tells whether a side may go on, and from when.
func (m *message) complete(send bool) bool {
	if send {
		return m.eager || m.isSent && m.isPosted
	}
	return m.isSent && m.isPosted
}

// request is a message a rank has started and not waited for.
type request struct {
	src, dst, tag int32
	message       int32 // index into the receiver's box
	send          bool
}

// mailbox holds the messages to one rank.
type mailbox struct {
	messages []message
	free     []int32
	queue    []int32 // those not matched yet, oldest first
}

func (b *mailbox) add(m message) int32 {
	if n := len(b.free); n > 0 {
		i := b.free[n-1]
		b.free = b.free[:n-1]
		b.messages[i] = m
		return i
	}
	b.messages = append(b.messages, m)
	return int32(len(b.messages) - 1)
}

// release lets go of a message that both sides are done with.
func (b *mailbox) release(i int32) {
	if m := &b.messages[i]; m.doneSend && m.doneRecv {
		b.free = append(b.free, i)
	}
}

// match finds the oldest message that the other side of a new one has begun.
func (b *mailbox) match(src, tag, context int32, send bool) int32 {
	for at, i := range b.queue {
		m := &b.messages[i]
		if m.isSent == send || m.context != context {
			continue
		}
		fits := m.src == src && m.tag == tag
		if send {
			fits = (m.src == src || m.src == trace.AnySource) && (m.tag == tag || m.tag == trace.AnyTag)
		} else if src == trace.AnySource || tag == trace.AnyTag {
			fits = (m.src == src || src == trace.AnySource) && (m.tag == tag || tag == trace.AnyTag)
		}
		if fits {
			b.queue = append(b.queue[:at], b.queue[at+1:]...)
			return i
		}
	}
	return -1
}

// message starts a point-to-point action.
func (e *engine) message(id int32, r *rank) error {
	a := &r.action
	m, err := r.member(a.Comm)
	if err != nil {
		return err
	}
	r.waiting = r.waiting[:0]
	switch a.Kind {
	case trace.Send, trace.Isend:
		if a.Peer == trace.NullPeer {
			return nil
		}
		return e.start(id, r, m, a.Peer, a.Tag, r.size(a.Count, a.Type), true, a.Kind == trace.Send)
	case trace.Recv, trace.Irecv:
		if a.Peer == trace.NullPeer {
			return nil
		}
		return e.start(id, r, m, a.Peer, a.Tag, r.size(a.Count, a.Type), false, a.Kind == trace.Recv)
	}
	if a.Peer != trace.NullPeer {
		if err := e.start(id, r, m, a.Peer, 0, r.size(a.Count, a.Type), true, true); err != nil {
			return err
		}
	}
	if a.Peer2 != trace.NullPeer {
		return e.start(id, r, m, a.Peer2, 0, r.size(a.Count2, a.Type2), false, true)
	}
	return nil
}

// size converts elements to bytes.
func (r *rank) size(n int64, t trace.Type) int64 {
	if n < 0 {
		return 0 // whatever arrives
	}
	if t == trace.DefaultType {
		t = trace.Byte
		if r.double {
			t = trace.Double
		}
	}
	return n * t.Size()
}

// start begins one side of a message; where it blocks, the rank waits for it.
func (e *engine) start(id int32, r *rank, in member, peer, tag int32, bytes int64, send, blocking bool) error {
	peer, err := in.comm.world(peer)
	if err != nil {
		return err
	}
	dst, src := peer, id
	if !send {
		dst, src = id, peer
	}
	box := &e.boxes[dst]
	if send {
		r.clock += e.net.Overhead
	}
	i := box.match(src, tag, in.comm.context, send)
	if i < 0 {
		i = box.add(message{src: src, dst: dst, tag: tag, context: in.comm.context})
		box.queue = append(box.queue, i)
	}
	m := &box.messages[i]
	if send {
		m.src, m.tag, m.bytes, m.isSent, m.sent, m.eager = src, tag, bytes, true, r.clock, e.net.eager(bytes)
		m.arrival = m.sent + e.net.transfer(bytes)
		m.doneSend = m.eager
	} else {
		ready, join := r.join()
		m.isPosted, m.posted, m.took = true, ready, join.Seconds
	}
	if m.isSent && m.isPosted {
		switch {
		case e.trace.Joins != nil:
			m.arrival = max(m.sent, m.posted) + asMeasured(m.took, e.net.transfer(m.bytes), e.o.Measured.transfer(m.bytes))
		case !m.eager:
			m.arrival = max(m.sent, m.posted) + e.net.transfer(m.bytes)
		}
		e.wake(m, id)
	}
	if send && m.eager {
		return nil
	}
	if !blocking {
		r.requests = append(r.requests, request{src: src, dst: dst, tag: tag, message: i, send: send})
		return nil
	}
	e.await(r, dst, i, send)
	return nil
}

// await has the rank wait for one side of a message.
func (e *engine) await(r *rank, dst, i int32, send bool) {
	m := &e.boxes[dst].messages[i]
	r.mode = inMessages
	r.waiting = append(r.waiting, dst, i<<1|bit(send))
	if m.complete(send) {
		return
	}
	r.need++
	if send {
		m.waitsSend = true
	} else {
		m.waitsRecv = true
	}
}

func bit(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// wake tells those who wait for a message that it is complete. The rank by which it is
// runs already, also where it sends to itself.
func (e *engine) wake(m *message, by int32) {
	tell := func(id int32) {
		r := &e.ranks[id]
		if r.need--; r.need == 0 && id != by {
			e.push(id)
		}
	}
	if m.waitsSend {
		m.waitsSend = false
		tell(m.src)
	}
	if m.waitsRecv {
		m.waitsRecv = false
		tell(m.dst)
	}
}

// resume ends an action that waited.
func (e *engine) resume(id int32, r *rank) error {
	if r.mode == inMessages {
		if r.need > 0 {
			return nil
		}
		for k := 0; k < len(r.waiting); k += 2 {
			box, i, send := &e.boxes[r.waiting[k]], r.waiting[k+1]>>1, r.waiting[k+1]&1 == 1
			m := &box.messages[i]
			until := m.arrival
			if !send {
				until += e.net.Overhead
				r.left(until)
			}
			r.clock = max(r.clock, until)
		}
		r.mode = idle
		if err := e.ended(id, r); err != nil {
			return err
		}
		for k := 0; k < len(r.waiting); k += 2 {
			box, i := &e.boxes[r.waiting[k]], r.waiting[k+1]>>1
			m := &box.messages[i]
			if r.waiting[k+1]&1 == 1 {
				m.doneSend = true
			} else {
				m.doneRecv = true
			}
			box.release(i)
		}
		r.waiting = r.waiting[:0]
		return nil
	}
	r.mode = idle
	return e.ended(id, r)
}

// wait waits for one request that the trace names.
func (e *engine) wait(id int32, r *rank) error {
	a := &r.action
	r.waiting = r.waiting[:0]
	at := r.find(a.Peer, a.Peer2, a.Tag)
	if at < 0 {
		if a.Peer == id && e.net.EagerBelow >= 0 {
			return nil // a send that left without its receiver
		}
		return fmt.Errorf("wait: no send or receive from rank %d to rank %d with tag %d was started", a.Peer, a.Peer2, a.Tag)
	}
	q := r.requests[at]
	r.requests = append(r.requests[:at], r.requests[at+1:]...)
	e.await(r, q.dst, q.message, q.send)
	return nil
}

func (r *rank) find(src, dst, tag int32) int {
	for i := range r.requests {
		if q := &r.requests[i]; q.src == src && q.dst == dst && q.tag == tag {
			return i
		}
	}
	for i := range r.requests {
		if q := &r.requests[i]; q.src == trace.AnySource && q.dst == dst && (q.tag == tag || q.tag == trace.AnyTag) {
			return i
		}
	}
	return -1
}

// waitAll waits for all requests.
func (e *engine) waitAll(r *rank) {
	r.waiting = r.waiting[:0]
	for _, q := range r.requests {
		e.await(r, q.dst, q.message, q.send)
	}
	r.requests = r.requests[:0]
}

// halves lists what the present action sends and completes, for its span.
func (e *engine) halves(id int32, r *rank, to []events.Half) []events.Half {
	a := &r.action
	if (a.Kind == trace.Send || a.Kind == trace.Isend || a.Kind == trace.SendRecv) && a.Peer != trace.NullPeer {
		if m, err := r.member(a.Comm); err == nil {
			peer, _ := m.comm.world(a.Peer)
			to = append(to, events.Half{Side: events.Sent, Peer: peer, Tag: a.Tag * (1 - bit(a.Kind == trace.SendRecv)), Comm: m.comm.context, Bytes: r.size(a.Count, a.Type), Posted: nanos(r.began)})
		}
	}
	for k := 0; k < len(r.waiting); k += 2 {
		m := &e.boxes[r.waiting[k]].messages[r.waiting[k+1]>>1]
		if r.waiting[k+1]&1 == 0 {
			to = append(to, events.Half{Side: events.Received, Peer: m.src, Tag: m.tag, Comm: m.context, Bytes: m.bytes, Posted: nanos(m.posted)})
		} else if a.Kind == trace.Wait || a.Kind == trace.WaitAll || a.Kind == trace.SendRecv {
			to = append(to, events.Half{Side: events.SendDone, Peer: m.dst, Tag: m.tag, Comm: m.context, Bytes: m.bytes, Posted: nanos(m.sent)})
		}
	}
	return to
}
