package simulate

import (
	"errors"
	"fmt"
	"slices"

	"auspex/simulate/collective"
	"auspex/trace"
)

// One-sided communication needs nothing of the rank whose window it is about: a put
// travels there, a get asks there and comes back, whatever that rank does meanwhile. It
// is over once the rank that began it waits for it: at a fence for puts to arrive, at a
// flush for word from there that they have, as Open MPI's pt2pt and MPICH do it. A lock
// is kept where the window is: the rank asks for it, and word of it comes back when
// nobody else holds it in a way that forbids it. Where a library moves large messages only
// while their ranks are inside MPI (Options.HoldLarge), it answers from another host only
// then, too.

// reached is what a rank has begun in the window of another and not waited for.
type reached struct {
	context, target int32
	message         int32
	put             bool
}

// journey is what becomes of a one-sided message when it arrives.
type journey struct {
	back  int64 // bytes that go back to its origin, staysThere for none
	lock  int32 // that it asks for, none for none
	alone bool
}

const staysThere = int64(-1)

// lock is that of a rank's window.
type lock struct {
	context, target int32
	shared          int     // how many hold it together
	alone           bool    // one holds it for itself
	waiting         []int32 // messages that ask for it
}

// beginOneSided starts what a rank does to the window of another.
func (e *engine) beginOneSided(id int32, r *rank, a *trace.Action) error {
	if err := e.enter(r, a.Comm); err != nil {
		return err
	}
	if members := r.comm.members; members != nil && int(a.Peer) >= len(members) {
		return fmt.Errorf("the window has %d ranks, no rank %d", len(members), a.Peer)
	}
	target := r.world(a.Peer)
	switch a.Kind {
	case trace.Put:
		return e.reach(id, r, target, r.size(a.Count, a.Type), staysThere)
	case trace.Get:
		return e.reach(id, r, target, 0, r.size(a.Count, a.Type))
	case trace.Lock:
		return e.askFor(id, r, target, a.Tag == trace.LockAlone)
	case trace.Fence:
		target = trace.AnySource
	}
	r.cur = collective.Step{Peer: target, Tag: a.Comm}
	r.mode = inSync
	if err := e.settle(id, r, target, a.Kind == trace.Unlock || a.Kind == trace.Flush && a.Tag != trace.FlushLocal); err != nil {
		return err
	}
	if a.Kind == trace.Unlock && target != trace.AnySource && len(r.open) == 0 {
		return e.ask(id, r, target)
	}
	return nil
}

// reach begins a put or a get.
func (e *engine) reach(id int32, r *rank, target int32, out, back int64) error {
	m, err := e.setOut(id, r, target, out, journey{back: back, lock: none})
	if err != nil {
		return err
	}
	if e.reached == nil {
		e.reached = make([][]reached, len(e.ranks))
	}
	e.reached[id] = append(e.reached[id], reached{r.comm.context, target, m, back == staysThere})
	if cost := overhead(e.opts.IsendOverhead, out); cost > 0 {
		e.sleep(id, cost)
		r.mode = inTimer
	}
	return nil
}

// reachedBy is what a rank has begun in others' windows and has not waited for.
func (e *engine) reachedBy(id int32) []reached {
	if e.reached == nil {
		return nil
	}
	return e.reached[id]
}

// setOut sends a one-sided message on its way.
func (e *engine) setOut(id int32, r *rank, target int32, bytes int64, j journey) (m int32, err error) {
	m = e.post.oneSided(id, target, r.comm.context, bytes)
	if e.journeys == nil {
		e.journeys = map[int32]journey{}
	}
	e.journeys[m] = j
	e.pathStart(m, id)
	return m, e.net.start(e.now, 0, r.host, e.ranks[target].host, bytes, 0, m)
}

// ask has a rank wait for word from another's window.
func (e *engine) ask(id int32, r *rank, target int32) error {
	m, err := e.setOut(id, r, target, 0, journey{lock: none})
	r.open = append(r.open, sendSide(m))
	return err
}

// settle lists what has to arrive until all is over that a rank has begun in a window;
// where that takes word from there, the puts still on their way bring it.
func (e *engine) settle(id int32, r *rank, target int32, word bool) error {
	r.open = r.open[:0]
	all := e.reachedBy(id)
	kept := all[:0]
	var silent, told []int32 // windows from which it takes word, and those from which it comes
	for _, x := range all {
		if x.context != r.comm.context || target != trace.AnySource && x.target != target {
			kept = append(kept, x)
			continue
		}
		m := &e.post.messages[x.message]
		side := recvSide(x.message)
		if m.src == id {
			side = sendSide(x.message)
		}
		r.open = append(r.open, side)
		switch {
		case !word || !x.put:
		case m.state == arrived:
			silent = append(silent, x.target)
		default:
			e.journeys[x.message] = journey{lock: none}
			told = append(told, x.target)
		}
	}
	if all != nil {
		e.reached[id] = kept
	}
	slices.Sort(silent)
	for _, t := range slices.Compact(silent) {
		if !slices.Contains(told, t) {
			if err := e.ask(id, r, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// synchronise goes on with what waits for all that a rank has begun; true when it is
// done.
func (e *engine) synchronise(id int32, r *rank) (bool, error) {
	if !e.finishAll(id, r, &r.open) {
		return false, nil
	}
	switch r.kind {
	case trace.Unlock:
		return true, e.unlock(r.comm.context, r.cur.Peer)
	case trace.Fence:
		r.stage = fresh
		meet := trace.Action{Kind: trace.Fence, Comm: r.cur.Tag, Type: trace.Byte, Type2: trace.Byte, Peer: trace.RootUnset}
		if err := e.beginCollective(id, r, &meet); err != nil {
			return false, err
		}
		return e.doPlan(id, r)
	}
	return true, nil
}

// goesOn sends a one-sided message that has arrived back to its origin, or has it wait
// for the lock that it asks for; false where it stays there.
func (e *engine) goesOn(m int32, j journey) bool {
	msg := &e.post.messages[m]
	if (j.lock != none || j.back != staysThere) && e.opts.HoldLarge && e.ranks[msg.src].host != e.ranks[msg.dst].host && !e.ranks[msg.dst].inside() {
		d := &e.delayed[msg.dst]
		d.asked = append(d.asked, m)
		return true
	}
	if j.lock != none {
		l := &e.locks[j.lock]
		if len(l.waiting) > 0 || !l.take(j.alone) {
			l.waiting = append(l.waiting, m)
			return true
		}
	}
	if j.back == staysThere {
		delete(e.journeys, m)
		return false
	}
	msg.src, msg.dst, msg.tellSource, msg.tellTarget = msg.dst, msg.src, msg.tellTarget, msg.tellSource
	msg.bytes = j.back
	e.journeys[m] = journey{back: staysThere, lock: none}
	e.failed = errors.Join(e.failed, e.net.start(e.now, 0, e.ranks[msg.src].host, e.ranks[msg.dst].host, msg.bytes, 0, m))
	return true
}

// answerAsked has a rank answer what came while it was outside of MPI.
func (e *engine) answerAsked(d *delayed) {
	asked := d.asked
	d.asked = nil
	for _, m := range asked {
		e.goesOn(m, e.journeys[m])
	}
}

// askFor asks for a lock and waits for it.
func (e *engine) askFor(id int32, r *rank, target int32, alone bool) error {
	m, err := e.setOut(id, r, target, 0, journey{lock: e.lockOf(r.comm.context, target), alone: alone})
	r.open = append(r.open[:0], sendSide(m))
	r.cur, r.mode = collective.Step{Peer: target}, inSync
	return err
}

// lockOf finds the lock of a window.
func (e *engine) lockOf(context, target int32) int32 {
	i := slices.IndexFunc(e.locks, func(l lock) bool { return l.context == context && l.target == target })
	if i < 0 {
		i = len(e.locks)
		e.locks = append(e.locks, lock{context: context, target: target})
	}
	return int32(i)
}

// take takes a lock, if that can be.
func (l *lock) take(alone bool) bool {
	if l.alone || alone && l.shared > 0 {
		return false
	}
	if alone {
		l.alone = true
	} else {
		l.shared++
	}
	return true
}

// unlock gives a lock back, and to those who wait for it. One on all windows of a
// communicator was never asked for.
func (e *engine) unlock(context, target int32) error {
	if target == trace.AnySource {
		return nil
	}
	l := &e.locks[e.lockOf(context, target)]
	switch {
	case l.alone:
		l.alone = false
	case l.shared > 0:
		l.shared--
	default:
		return fmt.Errorf("nobody has locked the window of rank %d", target)
	}
	waiting := l.waiting
	l.waiting = nil
	for _, m := range waiting { // who cannot have it waits again, in the same order
		e.goesOn(m, e.journeys[m])
	}
	return nil
}

// stateOfWindows appends who holds and wants which lock, and who has yet to answer whom.
func (e *engine) stateOfWindows(s *state) {
	for id := range e.delayed {
		for _, m := range e.delayed[id].asked {
			j := e.journeys[m]
			s.put(int64(id), int64(e.post.messages[m].src), j.back, int64(j.lock))
			s.flag(j.alone)
		}
	}
	for i := range e.locks {
		l := &e.locks[i]
		s.put(int64(l.context), int64(l.target), int64(l.shared), int64(len(l.waiting)))
		s.flag(l.alone)
		for _, m := range l.waiting {
			s.put(int64(e.post.messages[m].src))
			s.flag(e.journeys[m].alone)
		}
	}
}
