package peers

import (
	"math"

	"auspex/p2psap"
	"auspex/platform"
)

// planFailure draws the next death of a peer.
func (r *replay) planFailure(i int32) {
	if mean := r.o.Churn.Mean; mean > 0 {
		r.events.add(event{at: r.now + r.random.ExpFloat64()*mean, kind: failed, peer: i})
	}
}

// maxMoments is how many changes of a host's state are planned: a replay that
// lasts longer has its peers up from there on.
const maxMoments = 10000

// planState has a peer die where its host goes off and return with it.
func (r *replay) planState(i int32, profile *platform.Profile) {
	on := true
	for n := range maxMoments {
		m, ok := profile.Event(n)
		if !ok {
			return
		}
		switch {
		case on && m.Value == 0:
			r.events.add(event{at: m.At, kind: failed, peer: i, yes: true})
		case !on && m.Value != 0:
			r.events.add(event{at: m.At, kind: back, peer: i, yes: true})
		}
		on = m.Value != 0
	}
}

// checkpoint leaves a peer's state with those next to it.
func (r *replay) checkpoint(i int32) {
	me := &r.peer[i]
	every := r.program.Every
	if every == 0 || me.iterations%every != 0 || r.now < me.stateSent {
		return // none is begun while the one before is on its way
	}
	me.saved, me.savedAlone = me.cells, me.alone
	n := int32(len(r.peer))
	for _, to := range []int32{(i + 1) % n, (i + n - 1) % n} {
		if way, err := r.net.way(me.host, r.peer[to].host); err == nil && to != i {
			at, _ := r.net.send(way, r.now, wireBytes(float64(r.program.State), true), true)
			me.stateSent = max(me.stateSent, at)
		}
	}
}

// fails ends a peer. Where another takes its place, that comes after a while;
// where its host went off, with the host.
func (r *replay) fails(i int32) {
	me := &r.peer[i]
	if me.down {
		return
	}
	r.result.Failures++
	if me.vain++; me.vain > maxVain {
		r.gaveUp = true
	}
	me.down = true
	me.epoch++
	if r.cores != nil {
		r.halt(i)
	}
	r.quits(i)
	if !r.voting() {
		me.held, me.delivering = false, false
		if me.state == blocked {
			me.state = freezing
		}
	}
	if me.waiting {
		me.waiting = false
		r.waited += r.now - me.since
	}
	if r.o.Churn.Mean > 0 {
		r.events.add(event{at: r.now + r.o.Churn.Restart, kind: back, peer: i})
	}
}

// returns begins a peer's successor. It fetches its checkpoint. In order, it
// computes again what it had computed since, from messages that the others
// kept; otherwise it goes on from there, and so does the error.
func (r *replay) returns(i int32) {
	me := &r.peer[i]
	if !me.down {
		return
	}
	me.down = false
	me.epoch++
	ready := r.now
	n := int32(len(r.peer))
	if way, err := r.net.way(r.peer[(i+1)%n].host, me.host); err == nil && n > 1 && r.program.Every > 0 {
		at, _ := r.net.send(way, r.now, wireBytes(float64(r.program.State), true), true)
		ready = math.Max(ready, at+way.latency+2*r.o.Delay)
	}
	since := me.iterations
	if r.program.Every > 0 {
		since = me.iterations % r.program.Every
	}
	if r.program.Scheme == p2psap.Asynchronous {
		me.cells, me.alone = evenly(outset), 0
		if r.program.Every > 0 {
			me.cells, me.alone = me.saved, me.savedAlone
		}
	} else {
		ready += float64(since) * (me.seconds + me.overhead)
	}
	if !r.voting() && r.o.Limit == 0 {
		r.replaced(i)
	}
	r.planFailure(i)
	switch {
	case me.stopped() && me.held:
		r.finish(i)
	case me.computing:
		r.iterates(i, ready)
	case r.voting() && me.vote >= 0: // it had voted: the answer comes
	default:
		r.events.add(event{at: ready, kind: resumed, peer: i, epoch: me.epoch})
	}
}
