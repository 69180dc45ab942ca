package loggp

import (
	"fmt"
	"slices"

	"auspex/trace"
)

// reached is what a rank has begun in the window of another and not waited for.
type reached struct {
	context, target int32
	over            float64
	put             bool
}

// lock is that of a rank's window.
type lock struct {
	context, target int32
	shared          int
	alone           bool
	free            [2]float64 // since when: for those who share it, and for one alone
	holder          [2]int32   // who had it last, likewise
	waiting         []int32    // ranks
}

// oneSided does something to the window of another.
func (e *engine) oneSided(id int32, r *rank) error {
	a := &r.action
	m, err := r.member(a.Comm)
	if err != nil {
		return err
	}
	target, err := m.comm.world(a.Peer)
	if err != nil {
		return err
	}
	c := m.comm.context
	switch a.Kind {
	case trace.Put:
		r.clock += e.net.Overhead
		r.reached = append(r.reached, reached{c, target, r.clock + e.net.transfer(r.size(a.Count, a.Type)), true})
	case trace.Get:
		r.clock += e.net.Overhead
		r.reached = append(r.reached, reached{c, target, r.clock + e.net.Latency + e.net.transfer(r.size(a.Count, a.Type)), false})
	case trace.Flush:
		r.settle(c, target, a.Tag != trace.FlushLocal, e.net)
	case trace.Fence:
		r.settle(c, trace.AnySource, false, e.net)
		return e.collective(id, r)
	case trace.Lock:
		e.lock(id, r, c, target)
	case trace.Unlock:
		r.settle(c, target, true, e.net)
		return e.unlock(id, r, c, target)
	}
	return nil
}

// settle has a rank wait until all is over that it has begun in a window, and where asked
// for has word from there that its puts are.
func (r *rank) settle(context, target int32, word bool, net *Network) {
	r.reached = slices.DeleteFunc(r.reached, func(x reached) bool {
		if x.context != context || target != trace.AnySource && x.target != target {
			return false
		}
		if over := x.over + net.Latency; word && x.put {
			r.clock = max(r.clock, over)
		}
		r.clock = max(r.clock, x.over)
		return true
	})
}

// lockOf finds the lock of a window.
func (e *engine) lockOf(context, target int32) *lock {
	i := slices.IndexFunc(e.locks, func(l lock) bool { return l.context == context && l.target == target })
	if i < 0 {
		i = len(e.locks)
		e.locks = append(e.locks, lock{context: context, target: target})
	}
	return &e.locks[i]
}

// lock takes a lock, or has the rank wait until others give it back.
func (e *engine) lock(id int32, r *rank, context, target int32) {
	l := e.lockOf(context, target)
	r.holder = -1
	r.mode = inCollective
	if len(l.waiting) > 0 || !l.take(e, id) {
		l.waiting = append(l.waiting, id)
	}
}

// take takes a lock for a rank, if that can be, and has it go on when word of that is
// there.
func (l *lock) take(e *engine, id int32) bool {
	r := &e.ranks[id]
	alone := r.action.Tag == trace.LockAlone
	if l.alone || alone && l.shared > 0 {
		return false
	}
	if way := bit(alone); l.free[way] > r.clock {
		r.clock, r.holder = l.free[way], l.holder[way]
	}
	if alone {
		l.alone = true
	} else {
		l.shared++
	}
	r.clock += 2 * e.net.Latency
	e.push(id)
	return true
}

// unlock gives a lock back, and to those who wait for it. One on all windows of a
// communicator was never asked for.
func (e *engine) unlock(id int32, r *rank, context, target int32) error {
	if target == trace.AnySource {
		return nil
	}
	l := e.lockOf(context, target)
	l.free[1], l.holder[1] = r.clock, id
	switch {
	case l.alone:
		l.alone = false
		l.free[0], l.holder[0] = r.clock, id
	case l.shared > 0:
		l.shared--
	default:
		return fmt.Errorf("unlock: nobody has locked the window of rank %d", target)
	}
	for len(l.waiting) > 0 && l.take(e, l.waiting[0]) {
		l.waiting = l.waiting[1:]
	}
	return nil
}
