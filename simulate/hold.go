package simulate

import (
	"auspex/simulate/collective"
)

// Many MPI libraries move large messages only while their ranks are inside MPI:
// sender and receiver agree first, and who computes meanwhile does not answer.
// With Options.HoldLarge (calibrate measures it) a message that is not detached
// starts when both of its ranks are in a call that waits. Through memory that both
// can read a receiver often fetches it by itself (Options.ReceiveAlone).

// inside tells whether a rank is in a call that lets messages progress.
func (r *rank) inside() bool {
	switch r.mode {
	case inStep:
		return r.cur.Kind != collective.StepIsend && r.cur.Kind != collective.StepIrecv
	case inPlan, inWaitAll, inTest, inProbe, atEnd, finished:
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
	e.ranks[msg.src].held = append(e.ranks[msg.src].held, m)
	e.ranks[msg.dst].held = append(e.ranks[msg.dst].held, m)
	return nil
}

// progressHeld starts those messages of a rank that has just entered a call which
// waited for it.
func (e *engine) progressHeld(id int32, r *rank) error {
	if err := e.progressBuffers(r); err != nil {
		return err
	}
	if len(r.held) == 0 || !r.inside() {
		return nil
	}
	keep := r.held[:0]
	for _, m := range r.held {
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
	r.held = keep
	return nil
}
