package simulate

import (
	"auspex/simulate/collective"
)

// Many MPI libraries move large messages only while their ranks are inside MPI:
// sender and receiver agree first, and who computes meanwhile does not answer.
// With Options.HoldLarge (calibrate measures it) a message that is not detached
// starts when both of its ranks are in a call that waits. Through memory that both
// can read a receiver often fetches it by itself (Options.ReceiveAlone).

// delayed is what of a rank waits until it is inside MPI.
type delayed struct {
	held     []int32       // messages that wait for progress
	asked    []int32       // one-sided ones that it has yet to answer, see onesided.go
	outgoing []*connection // with messages that wait for room, see buffers.go
}

// inside tells whether a rank is in a call that lets messages progress.
func (r *rank) inside() bool {
	switch r.mode {
	case inStep:
		return r.cur.Kind != collective.StepIsend && r.cur.Kind != collective.StepIrecv
	case inPlan, inWaitAll, inTest, inProbe, inSync, atEnd, finished:
		return true
	}
	return false
}

// moves tells whether a message on which both sides agree can start.
func (e *engine) moves(m *message) bool {
	return !e.opts.HoldLarge || m.detached ||
		e.ranks[m.dst].inside() && (m.bytes < e.opts.ReceiveAlone || e.ranks[m.src].inside())
}

// agreed starts a message on which both sides agree, or that is pushed; or has it
// wait for progress.
func (e *engine) agreed(m, last int32, received bool) error {
	msg := &e.post.messages[m]
	if e.carried(msg) {
		return e.carry(m, last, received)
	}
	if e.moves(msg) {
		return e.depart(m, last, received)
	}
	msg.state = paused
	e.delayed[msg.src].held = append(e.delayed[msg.src].held, m)
	e.delayed[msg.dst].held = append(e.delayed[msg.dst].held, m)
	return nil
}

// progressHeld starts those messages of a rank that has just entered a call which
// waited for it.
func (e *engine) progressHeld(id int32, r *rank) error {
	if e.delayed == nil {
		return nil
	}
	d := &e.delayed[id]
	if err := e.progressBuffers(d, r); err != nil {
		return err
	}
	if !r.inside() {
		return nil
	}
	e.answerAsked(d)
	keep := d.held[:0]
	for _, m := range d.held {
		msg := &e.post.messages[m]
		switch {
		case msg.state != paused || msg.src != id && msg.dst != id:
			continue // the partner has started it
		case !e.moves(msg):
			keep = append(keep, m)
		default:
			if err := e.depart(m, id, true); err != nil {
				return err
			}
		}
	}
	d.held = keep
	return nil
}
