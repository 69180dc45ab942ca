package simulate

import (
	"fmt"

	"auspex/simulate/collective"
	"auspex/trace"
)

// postSend posts a send of the rank's current communicator and returns a
// handle on it; small sends are detached and need no waiting.
func (e *engine) postSend(id int32, r *rank, peer, tag int32, bytes int64) (int32, error) {
	if members := r.comm.members; members != nil {
		if int(peer) >= len(members) {
			return 0, fmt.Errorf("the communicator has %d ranks, no rank %d", len(members), peer)
		}
		peer = members[peer]
	}
	detached := bytes < e.opts.EagerBelow
	m, matched, err := e.post.send(id, peer, tag, r.comm.context, bytes)
	if err != nil {
		return 0, err
	}
	msg := &e.post.messages[m]
	msg.detached = detached
	if !detached {
		msg.held++
	}
	if e.cooling != nil {
		e.posted(m, id, true, matched)
	}
	e.announce(m)
	if matched || bytes < e.opts.PushBelow {
		if err := e.agreed(m, id, matched); err != nil {
			return 0, err
		}
	}
	if detached && !msg.queued {
		return handleDone, nil
	}
	return sendSide(m), nil
}

// postRecv posts a receive and returns a handle on it.
func (e *engine) postRecv(id int32, r *rank, peer, tag int32, room int64) (int32, error) {
	if members := r.comm.members; members != nil && peer >= 0 {
		if int(peer) >= len(members) {
			return 0, fmt.Errorf("the communicator has %d ranks, no rank %d", len(members), peer)
		}
		peer = members[peer]
	}
	if room < 0 {
		room = trace.AnySize
	}
	m, matched, err := e.post.receive(peer, id, tag, r.comm.context, room)
	if err != nil {
		return 0, err
	}
	msg := &e.post.messages[m]
	if !msg.queued {
		msg.held++
	}
	if e.cooling != nil {
		e.posted(m, id, false, matched)
	}
	if matched && msg.state == sendPosted {
		if err := e.agreed(m, id, true); err != nil {
			return 0, err
		}
	}
	return recvSide(m), nil
}

// depart starts the transfer of a message; last is the rank that came last,
// received says whether the receive is there.
func (e *engine) depart(m, last int32, received bool) error {
	if e.watched(&e.post.messages[m]) {
		if waits, err := e.answer(m, last); waits || err != nil {
			return err
		}
	}
	return e.leave(m, last, received)
}

// leave lets a message move.
func (e *engine) leave(m, last int32, received bool) error {
	msg := &e.post.messages[m]
	msg.state = travelling
	e.pathStart(m, last)
	tail := int64(0)
	if e.watched(msg) {
		tail = e.fly(m)
	}
	return e.net.start(e.now, e.delay(m, received), e.ranks[msg.src].host, e.ranks[msg.dst].host, msg.bytes, tail, m)
}

// moved is a flow that has no bytes left, or only those without which its sender is
// done.
func (e *engine) moved(flow int32) {
	if e.net.tail(flow, e.now) {
		e.done(e.net.transfers[flow].message)
		return
	}
	e.arrive(e.net.finish(flow, e.now))
}

// arrive ends a message's transfer and tells those who wait for it.
func (e *engine) arrive(m int32) {
	msg := &e.post.messages[m]
	j, oneSided := e.journeys[m]
	if oneSided && e.goesOn(m, j) {
		return
	}
	msg.state = arrived
	if !oneSided && e.carried(msg) {
		e.unloaded(m)
	}
	if !oneSided && e.watched(msg) {
		e.landed(m)
	}
	if msg.tellSource {
		e.notify(msg.src, m)
	}
	if msg.tellTarget {
		e.notify(msg.dst, m)
	}
}

// notify counts an arrival that a rank waits for.
func (e *engine) notify(id, m int32) {
	r := &e.ranks[id]
	if r.need == 0 {
		return
	}
	if r.need--; r.need == 0 {
		e.pathMessage(id, m)
		e.ready = append(e.ready, id)
	}
}

// await asks to be told of a handle's arrival; false if it has arrived.
func (e *engine) await(h int32) bool {
	if e.complete(h) {
		return false
	}
	m := &e.post.messages[h>>1]
	if h&1 == 0 {
		m.tellSource = true
	} else {
		m.tellTarget = true
	}
	return true
}

// complete tells whether what a handle stands for is over: a message that has
// arrived, or one that was to leave and has left.
func (e *engine) complete(h int32) bool {
	m := &e.post.messages[h>>1]
	return m.state == arrived || h&1 == 0 && m.queued && m.state == travelling
}

// receiveCost is the time a rank spends on taking in an arrived message.
func (e *engine) receiveCost(h int32) float64 {
	m := &e.post.messages[h>>1]
	if h&1 == 0 || !m.detached || len(e.opts.RecvOverhead) == 0 {
		return 0
	}
	return overhead(e.opts.RecvOverhead, m.bytes)
}

// finishAll waits for all of a list of handles and empties it. Where receiving
// costs time, messages are taken in one by one as they arrive.
func (e *engine) finishAll(id int32, r *rank, list *[]int32) bool {
	if len(e.opts.RecvOverhead) == 0 {
		if r.stage != waiting {
			need := int32(0)
			for _, h := range *list {
				if h >= 0 && e.await(h) {
					need++
				}
			}
			r.stage = waiting
			if need > 0 {
				r.need = need
				return false
			}
		}
		for _, h := range *list {
			if h >= 0 {
				e.post.release(h >> 1)
			}
		}
		*list = (*list)[:0]
		return true
	}
	r.stage = waiting
	for {
		left := 0
		for i, h := range *list {
			if h < 0 {
				continue
			}
			left++
			if e.await(h) {
				continue
			}
			(*list)[i] = handleDone
			cost := e.receiveCost(h)
			e.post.release(h >> 1)
			left--
			if cost > 0 {
				e.sleep(id, cost)
				return false
			}
		}
		if left == 0 {
			*list = (*list)[:0]
			return true
		}
		// Everything that had arrived is taken in: wait for the next.
		r.need = 1
		return false
	}
}

// waitPending waits for all requests the trace has started.
func (e *engine) waitPending(id int32, r *rank) bool {
	if r.stage == fresh {
		r.open = r.open[:0]
		pending := e.pending(r)
		for i := range pending {
			if q := &pending[i]; q.handle >= 0 {
				r.open = append(r.open, q.handle)
			} else {
				e.forget(q)
			}
		}
		e.waitedFor(r)
	}
	return e.finishAll(id, r, &r.open)
}

// doStep goes on with a single step; true when it is done.
func (e *engine) doStep(id int32, r *rank) (bool, error) {
	s := &r.cur
	switch s.Kind {
	case collective.StepSend, collective.StepIsend, collective.StepExchange:
		if s.Kind == collective.StepExchange && r.world(s.Peer) == id && r.world(s.Source) == id {
			return true, nil
		}
		if r.stage == fresh && s.Peer != trace.NullPeer {
			r.stage = started
			if cost := e.sendCost(s); cost > 0 {
				e.sleep(id, cost-min(cost, overhead(e.opts.Early, s.Bytes)))
				return false, nil
			}
		}
		if r.stage != waiting && r.stage != posted {
			r.first, r.second = none, none
			if e.ways != nil && s.Kind == collective.StepExchange && s.Source != trace.NullPeer { // as libraries do
				h, err := e.postRecv(id, r, s.Source, s.Tag, s.Room)
				if err != nil {
					return false, err
				}
				r.second = h
			}
			if s.Peer != trace.NullPeer {
				h, err := e.postSend(id, r, s.Peer, s.Tag, s.Bytes)
				if err != nil {
					return false, err
				}
				r.first = h
				if rest := min(e.sendCost(s), overhead(e.opts.Early, s.Bytes)); rest > 0 {
					r.stage = posted
					e.sleep(id, rest)
					return false, nil
				}
			}
		}
		if r.stage != waiting {
			if s.Kind == collective.StepIsend {
				e.keep(r, r.first)
				return true, nil
			}
			if s.Kind == collective.StepExchange && s.Source != trace.NullPeer && r.second == none {
				h, err := e.postRecv(id, r, s.Source, s.Tag, s.Room)
				if err != nil {
					return false, err
				}
				r.second = h
			}
		}
		return e.finishPair(id, r), nil
	case collective.StepRecv, collective.StepIrecv:
		if r.stage == fresh {
			h, err := e.postRecv(id, r, s.Peer, s.Tag, s.Bytes)
			if err != nil {
				return false, err
			}
			if s.Kind == collective.StepIrecv {
				e.keep(r, h)
				return true, nil
			}
			r.first, r.second, r.stage = h, none, started
		}
		return e.finishPair(id, r), nil
	case collective.StepWait:
		if r.stage == fresh { // a wait of a plan
			r.first, r.second, r.stage = r.open[s.Peer], none, started
			r.open[s.Peer] = handleDone
		}
		return e.finishPair(id, r), nil
	case collective.StepWaitAll:
		return e.finishAll(id, r, &r.open), nil
	default: // stepExec
		if r.stage == fresh {
			r.stage = started
			e.execute(id, r, r.call.flops, 0)
			return false, nil
		}
		return true, nil
	}
}

// keep files a started request: with the trace's, or with the collective's.
func (e *engine) keep(r *rank, h int32) {
	if r.mode == inPlan {
		r.open = append(r.open, h)
		return
	}
	e.pend(r, h)
}

// sendCost is the time a rank spends before a send of the step is posted.
func (e *engine) sendCost(s *collective.Step) float64 {
	if s.Kind != collective.StepSend {
		return overhead(e.opts.IsendOverhead, s.Bytes)
	}
	if s.Bytes < e.opts.EagerBelow {
		return overhead(e.opts.SendOverhead, s.Bytes)
	}
	return 0
}

// finishPair waits for the one or two requests of a blocking step.
func (e *engine) finishPair(id int32, r *rank) bool {
	if len(e.opts.RecvOverhead) == 0 {
		if r.stage != waiting {
			r.stage = waiting
			need := int32(0)
			if r.first >= 0 && e.await(r.first) {
				need++
			}
			if r.second >= 0 && e.await(r.second) {
				need++
			}
			if need > 0 {
				r.need = need
				return false
			}
		}
		if r.first >= 0 {
			e.post.release(r.first >> 1)
		}
		if r.second >= 0 {
			e.post.release(r.second >> 1)
		}
		return true
	}
	e.pair = append(e.pair[:0], r.first, r.second)
	list := e.pair
	done := e.finishAll(id, r, &list)
	if !done {
		r.first, r.second = e.pair[0], e.pair[1]
	}
	return done
}

// doPlan goes on with a collective; true when it is done.
func (e *engine) doPlan(id int32, r *rank) (bool, error) {
	if r.stage != fresh { // in the middle of a step
		if done, err := e.doStep(id, r); err != nil || !done {
			return false, err
		}
		e.stayed(id, r)
		r.stage = fresh
	}
	c, kept := r.call, true
	steps := c.steps[c.at:]
	for {
		for i := range steps {
			r.cur = steps[i]
			done, err := e.doStep(id, r)
			if err != nil {
				return false, err
			}
			if !done {
				if kept {
					c.at += int32(i + 1)
				} else { // the plan is all ranks': what is left of it must be kept
					c.steps, c.at = append(c.steps[:0], steps[i+1:]...), 0
				}
				return false, nil
			}
			e.stayed(id, r)
			r.stage = fresh
		}
		c.steps, c.at = c.steps[:0], 0
		if !e.nextPhase(id, r) {
			e.endCall(r)
			return true, nil
		}
		steps, kept = e.plan.Steps, false
	}
}
