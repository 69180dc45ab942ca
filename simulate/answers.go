package simulate

import (
	"errors"
	"slices"

	"auspex/simulate/collective"
)

// Ranks talk over one connection, in which nothing overtakes. A large message is
// announced, and moves when its receiver has answered; an answer goes behind what
// that rank has sent before, to the last byte. Large messages both ways pass at once
// where both are answered before either moves. They go one after the other where a
// rank has seen the other's announcement in an earlier call: it answers first and
// announces its own message then, and the answer to that finds the other's data
// before it (Options.InOrder; calibrate measures it). A sender is done with a large
// message when the system has taken it over, up to Options.Leaves bytes that have not
// arrived yet.

// way is what one rank sends to another.
type way struct {
	flying  []int32 // messages in the order they left
	bytes   int64
	waiting []unanswered
	behind  []announcement
}

// announcement is that of a message, and the one before it that was still on its way
// when it was made.
type announcement struct{ message, before int32 }

// unanswered is a message whose answer goes behind another one, and the rank that
// came to it last.
type unanswered struct{ message, behind, last int32 }

// announced is when a large message was announced, and when its data was handed to
// the system, by message.
type announced struct{ at, moved float64 }

// watched tells whether a message goes over a connection of which the order is kept.
func (e *engine) watched(m *message) bool {
	return e.ways != nil && e.ranks[m.src].host != e.ranks[m.dst].host
}

func (e *engine) way(src, dst int32) *way {
	key := [2]int32{src, dst}
	w := e.ways[key]
	if w == nil {
		w = &way{}
		e.ways[key] = w
	}
	return w
}

// announce notes when a send was asked for. Its announcement comes no earlier than what
// its rank had sent before.
func (e *engine) announce(m int32) {
	if e.ways == nil {
		return
	}
	for int(m) >= len(e.announced) {
		e.announced = append(e.announced, announced{})
	}
	e.announced[m] = announced{at: e.now}
	msg := &e.post.messages[m]
	if w := e.ways[[2]int32{msg.src, msg.dst}]; w != nil && !msg.detached && len(w.flying) > 0 {
		w.behind = append(w.behind, announcement{m, w.flying[len(w.flying)-1]})
	}
}

// came tells whether nothing is on its way any more that was before the announcement
// of a message.
func (w *way) came(m int32) bool {
	for i, a := range w.behind {
		if a.message == m {
			w.behind = slices.Delete(w.behind, i, i+1)
			return false
		}
	}
	return true
}

// stayed notes that a rank was in a call that looks for messages.
func (e *engine) stayed(id int32, r *rank) {
	if e.looked != nil && r.inside() && (r.mode != inPlan || r.cur.Kind != collective.StepIsend && r.cur.Kind != collective.StepIrecv) {
		e.looked[id] = e.now
	}
}

// word is how long the announcement or the answer is on its way.
func (e *engine) word(m *message) (float64, error) {
	r, err := e.net.route(e.ranks[m.src].host, e.ranks[m.dst].host)
	if err != nil {
		return 0, err
	}
	return overhead(e.opts.SendOverhead, 0) + overhead(e.opts.RecvOverhead, 0) + r.latency*factor(e.net.latencyFactor, float64(e.opts.Envelope)), nil
}

// answer lets a message on which both sides agree begin, or wait until what its
// receiver had sent before the answer has arrived; true if it waits.
func (e *engine) answer(m, last int32) (bool, error) {
	msg := &e.post.messages[m]
	if msg.detached {
		e.announced[m].moved = e.now
		return false, nil
	}
	word, err := e.word(msg)
	if err != nil {
		return false, err
	}
	answered := e.announced[m].at + word
	if e.way(msg.src, msg.dst).came(m) && answered < e.looked[msg.dst]+precision {
		answered = e.now // it has been seen, before anything that is sent now
	} else {
		answered = max(answered, e.now+word)
	}
	e.announced[m].moved = answered + word
	if !e.opts.InOrder {
		return false, nil
	}
	back := e.way(msg.dst, msg.src)
	for i := len(back.flying) - 1; i >= 0; i-- {
		if other := back.flying[i]; e.announced[other].moved < answered+precision {
			msg.state = unmoved
			back.waiting = append(back.waiting, unanswered{m, other, last})
			return true, nil
		}
	}
	return false, nil
}

// fly notes that a message has left; its sender may be done with it, or will be with so
// many bytes left.
func (e *engine) fly(m int32) (tail int64) {
	msg := &e.post.messages[m]
	w := e.way(msg.src, msg.dst)
	w.flying = append(w.flying, m)
	w.bytes += msg.bytes
	switch {
	case msg.detached:
	case w.bytes <= e.opts.Leaves:
		e.done(m)
	case msg.bytes > e.opts.Leaves:
		return e.opts.Leaves
	}
	return 0
}

// done lets a message's sender go on.
func (e *engine) done(m int32) {
	msg := &e.post.messages[m]
	msg.queued = true
	if msg.tellSource {
		msg.tellSource = false
		e.notify(msg.src, m)
	}
}

// landed notes that a message has arrived, and lets those move whose answers were
// behind it.
func (e *engine) landed(m int32) {
	msg := &e.post.messages[m]
	w := e.way(msg.src, msg.dst)
	w.bytes -= msg.bytes
	for i, other := range w.flying {
		if other == m {
			w.flying = append(w.flying[:i], w.flying[i+1:]...)
			break
		}
	}
	if len(w.behind) > 0 {
		e.failed = errors.Join(e.failed, e.follow(w, m, msg))
	}
	keep := w.waiting[:0]
	for _, u := range w.waiting {
		if u.behind != m {
			keep = append(keep, u)
			continue
		}
		e.announced[u.message].moved = e.now
		e.failed = errors.Join(e.failed, e.leave(u.message, u.last, true))
		e.pathBehind(u.message, m)
	}
	w.waiting = keep
}

// follow brings the announcements that were behind a message. What was handed to the
// system while a large message was on its way comes with the last of its bytes, and is
// seen with them; behind a small one, which is done at once, it is on its own way.
func (e *engine) follow(w *way, m int32, msg *message) error {
	at := e.now
	if !msg.detached {
		word, err := e.word(msg)
		if err != nil {
			return err
		}
		at -= word
	}
	w.behind = slices.DeleteFunc(w.behind, func(a announcement) bool {
		if a.before == m {
			e.announced[a.message].at = at
		}
		return a.before == m
	})
	return nil
}

// shiftWords makes all that happened of this happen later.
func (e *engine) shiftWords(by float64) {
	for i := range e.announced {
		e.announced[i].at += by
	}
	for i := range e.looked {
		e.looked[i] += by
	}
}
