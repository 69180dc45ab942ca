package simulate

import (
	"fmt"
	"slices"

	"auspex/internal/mistake"
	"auspex/simulate/collective"
	"auspex/trace"
)

// A rank is a state machine: it runs through its actions until one has to wait,
// and is run again when what it waits for has happened.
type rank struct {
	cursor trace.Cursor
	began  float64 // when the current action began
	cur    collective.Step
	comm   *communicator // of the current step's messages

	open    []int32  // started by the collective at hand
	call    *ongoing // the collective at hand
	inWorld membership
	others  *[]membership // the other communicators it knows

	pending int32 // place in engine.pendings of what the trace has started and not yet waited for, or none
	host    int32
	need    int32 // messages to arrive before it runs again; 0 when it waits for none
	first   int32 // requests of a blocking step, none if there is none
	second  int32
	kind    trace.Kind // of the current action
	mode    mode
	stage   stage // how far the current step is
	double  bool  // the default datatype is double, not byte
}

// mode says what a rank is in the middle of.
type mode uint8

const (
	idle mode = iota // between two actions
	inStep
	inPlan
	inWaitAll
	inTest
	inProbe
	inSync  // one-sided: until what it began is over
	inTimer // compute or sleep
	atEnd
	finished
)

// stage says how far a rank is with the current step.
type stage uint8

const (
	fresh   stage = iota // nothing done yet
	started              // it has slept, posted or begun to compute
	posted               // its message is on its way, but it is not done with it
	waiting              // it has asked to be told of arrivals
)

// request is a pending send or receive of the trace, as wait and test name it.
type request struct {
	peer, tag int32
	handle    int32 // message and side, or one of the two below
}

const (
	handleDone = int32(-1) // a detached send: nothing to wait for
	// handleTested and below: a test has seen it complete, the first of
	// engine.tested and so on.
	handleTested = int32(-2)
)

// tested is the source and tag of what a test has seen complete.
type tested struct {
	src, tag int32
	send     bool
}

// ends are the source and the destination of a rank's request.
func (e *engine) ends(id int32, q *request) (src, dst int32) {
	var send bool
	switch {
	case q.handle >= 0:
		send = q.handle&1 == 0
	case q.handle == handleDone:
		send = true
	default:
		send = e.tested[handleTested-q.handle].send
	}
	if send {
		return id, q.peer
	}
	return q.peer, id
}

// seen keeps what a test has seen complete and returns a handle on it.
func (e *engine) seen(was tested) int32 {
	if k := len(e.untested); k > 0 {
		h := e.untested[k-1]
		e.untested = e.untested[:k-1]
		e.tested[handleTested-h] = was
		return h
	}
	e.tested = append(e.tested, was)
	return handleTested - int32(len(e.tested)-1)
}

// forget gives up a request that is waited for; what a test has seen needs no more.
func (e *engine) forget(q *request) {
	if q.handle <= handleTested {
		e.untested = append(e.untested, q.handle)
	}
}

// A handle is a message with the side that holds it.
func sendSide(id int32) int32 { return id << 1 }
func recvSide(id int32) int32 { return id<<1 | 1 }

// run lets a rank go on until it has to wait.
func (e *engine) run(id int32) error {
	r := &e.ranks[id]
	for {
		if r.mode != idle {
			done, err := e.resume(id, r)
			if err != nil {
				return e.at(id, err)
			}
			if !done {
				return nil
			}
			if r.mode == atEnd {
				if e.now > r.began { // for what it had not waited for
					e.ended(id, r)
				}
				r.mode = finished
				e.times[id].Finish = e.now
				e.alive--
				e.recur.ended(id)
				return nil
			}
			e.ended(id, r)
		}
		a := &e.action
		if !r.cursor.Next(a) {
			r.mode, r.stage, r.began = atEnd, fresh, e.now
			r.kind = trace.WaitAll
			if err := e.progressHeld(id, r); err != nil {
				return e.at(id, err)
			}
			continue
		}
		e.actions++
		if r.cursor.Turned() >= 0 {
			e.recur.turn(id, &r.cursor)
		}
		r.kind, r.began = a.Kind, e.now
		if err := e.begin(id, r, a); err != nil {
			return e.at(id, err)
		}
		if err := e.progressHeld(id, r); err != nil {
			return e.at(id, err)
		}
		if r.mode == idle && e.timeline != nil {
			e.timeline.Action(int(id), r.kind, e.now, e.now)
		}
	}
}

// at says where in the trace a rank's mistake is.
func (e *engine) at(id int32, err error) error {
	if e.ranks[id].mode == atEnd || e.ranks[id].cursor.Done() == 0 {
		return fmt.Errorf("simulate: rank %d: %w", id, err)
	}
	n := e.ranks[id].cursor.Done() - 1
	file, line := e.trace.Position(int(id), n)
	if line > 0 {
		return mistake.AtLine(file, line, "rank %d, %s: %w", id, e.ranks[id].kind, err)
	}
	return fmt.Errorf("%s: action %d of rank %d, %s: %w", file, n, id, e.ranks[id].kind, err)
}

// size converts elements to bytes.
func (r *rank) size(n int64, t trace.Type) int64 {
	if t == trace.DefaultType {
		t = trace.Byte
		if r.double {
			t = trace.Double
		}
	}
	return n * t.Size()
}

// begin starts an action. Those that never wait are done when it returns; the
// others leave r.mode at what is to be resumed.
func (e *engine) begin(id int32, r *rank, a *trace.Action) error {
	r.stage, r.comm = fresh, e.world
	switch a.Kind {
	case trace.Init:
		r.double = a.Count != 0
	case trace.Finalize, trace.CommSize, trace.Location:
	case trace.Compute:
		e.worked(id, a.Value/e.plat.Hosts[r.host].Speed)
		e.execute(id, r, a.Value, a.Cores)
		r.mode = inTimer
	case trace.Sleep:
		e.worked(id, a.Value)
		e.sleep(id, a.Value)
		r.mode = inTimer
	case trace.Send, trace.Isend, trace.Recv, trace.Irecv:
		return e.beginMessage(id, r, a)
	case trace.Put, trace.Get, trace.Fence, trace.Flush, trace.Lock, trace.Unlock:
		return e.beginOneSided(id, r, a)
	case trace.SendRecv:
		r.cur = collective.Step{Kind: collective.StepExchange, Peer: a.Peer, Bytes: r.size(a.Count, a.Type), Source: a.Peer2, Room: r.size(a.Count2, a.Type2)}
		r.mode = inStep
		return e.enter(r, a.Comm)
	case trace.Wait:
		return e.beginWait(id, r, a)
	case trace.Test:
		return e.beginTest(id, r, a)
	case trace.WaitAll:
		r.mode = inWaitAll
	default:
		return e.beginCollective(id, r, a)
	}
	return nil
}

// beginMessage starts a point-to-point action.
func (e *engine) beginMessage(id int32, r *rank, a *trace.Action) error {
	if a.Peer == trace.NullPeer {
		return nil
	}
	if a.Comm != 0 {
		if err := e.enter(r, a.Comm); err != nil {
			return err
		}
	}
	bytes := a.Count
	if bytes > 0 {
		bytes = r.size(bytes, a.Type)
	}
	r.cur = collective.Step{Peer: a.Peer, Bytes: bytes, Tag: a.Tag}
	switch a.Kind {
	case trace.Send:
		r.cur.Kind, r.mode = collective.StepSend, inStep
	case trace.Isend:
		if len(e.opts.IsendOverhead) == 0 {
			return e.isend(id, r)
		}
		r.cur.Kind, r.mode = collective.StepIsend, inStep
	default:
		r.cur.Kind = collective.StepRecv
		if a.Kind == trace.Irecv {
			r.cur.Kind = collective.StepIrecv
		}
		if a.Count == trace.ProbeSize {
			r.mode = inProbe
			return nil
		}
		if a.Kind == trace.Irecv {
			return e.irecv(id, r)
		}
		r.mode = inStep
	}
	return nil
}

// isend posts the current step's send for the trace.
func (e *engine) isend(id int32, r *rank) error {
	h, err := e.postSend(id, r, r.cur.Peer, r.cur.Tag, r.cur.Bytes)
	if err != nil {
		return err
	}
	e.pend(r, h)
	return nil
}

// irecv posts the current step's receive for the trace.
func (e *engine) irecv(id int32, r *rank) error {
	h, err := e.postRecv(id, r, r.cur.Peer, r.cur.Tag, r.cur.Bytes)
	if err != nil {
		return err
	}
	e.pend(r, h)
	return nil
}

// pend files a request of the current step, started by the trace.
func (e *engine) pend(r *rank, h int32) {
	if r.pending == none {
		if last := len(e.unused) - 1; last >= 0 {
			r.pending, e.unused = e.unused[last], e.unused[:last]
		} else {
			r.pending, e.pendings = int32(len(e.pendings)), append(e.pendings, nil)
		}
	}
	list := &e.pendings[r.pending]
	*list = append(*list, request{peer: r.world(r.cur.Peer), tag: r.cur.Tag, handle: h})
}

// pending is what the trace has started and a rank has not yet waited for.
func (e *engine) pending(r *rank) []request {
	if r.pending == none {
		return nil
	}
	return e.pendings[r.pending]
}

// waitedFor empties that.
func (e *engine) waitedFor(r *rank) {
	if r.pending != none {
		e.pendings[r.pending] = e.pendings[r.pending][:0]
		e.unused, r.pending = append(e.unused, r.pending), none
	}
}

// world converts a rank of the current communicator.
func (r *rank) world(peer int32) int32 {
	if members := r.comm.members; members != nil && peer >= 0 && int(peer) < len(members) {
		return members[peer]
	}
	return peer
}

// find looks up a pending request. A wildcard receive answers to what it was
// written with, and to the source and tag it turned out to have; as long as
// nobody has sent anything for it, it may still turn out to have any.
func (e *engine) find(id int32, r *rank, src, dst, tag int32) int {
	open := -1
	pending := e.pending(r)
	for i := range pending {
		q := &pending[i]
		a, b := e.ends(id, q)
		if a == src && b == dst && q.tag == tag {
			return i
		}
		if b != dst || a != src && a != trace.AnySource || q.tag != tag && q.tag != trace.AnyTag {
			continue
		}
		from, with, known := e.actual(id, q)
		switch {
		case known && from == src && with == tag:
			return i
		case !known && open < 0:
			open = i
		}
	}
	return open
}

// actual is the source and tag of the message that a request is about, once it
// is known.
func (e *engine) actual(id int32, q *request) (src, tag int32, known bool) {
	if q.handle <= handleTested {
		was := e.tested[handleTested-q.handle]
		return was.src, was.tag, true
	}
	if q.handle < 0 {
		return id, q.tag, true
	}
	m := &e.post.messages[q.handle>>1]
	return m.src, m.tag, m.state != recvPosted
}

func (e *engine) beginWait(id int32, r *rank, a *trace.Action) error {
	i := e.find(id, r, a.Peer, a.Peer2, a.Tag)
	if i < 0 {
		return fmt.Errorf("no send or receive from rank %d to rank %d with tag %d was started", a.Peer, a.Peer2, a.Tag)
	}
	list := &e.pendings[r.pending]
	h := (*list)[i].handle
	e.forget(&(*list)[i])
	*list = slices.Delete(*list, i, i+1)
	if h < 0 {
		return nil
	}
	r.cur = collective.Step{Kind: collective.StepWait}
	r.first, r.second, r.stage = h, none, started
	r.mode = inStep
	return nil
}

func (e *engine) beginTest(id int32, r *rank, a *trace.Action) error {
	i := e.find(id, r, a.Peer, a.Peer2, a.Tag)
	if i < 0 {
		return fmt.Errorf("no send or receive from rank %d to rank %d with tag %d was started", a.Peer, a.Peer2, a.Tag)
	}
	if e.pendings[r.pending][i].handle <= handleTested {
		return nil
	}
	r.cur = collective.Step{Kind: collective.StepWait, Peer: a.Peer, Source: a.Peer2, Tag: a.Tag}
	e.sleep(id, float64(e.tests)*testSleep)
	r.mode = inTest
	return nil
}

// slept is how long a sleep lasts: SimGrid's shortest at least, where it is any.
func slept(seconds float64) float64 {
	if seconds > 0 {
		return max(seconds, precision)
	}
	return 0
}

// sleep wakes a rank up later.
func (e *engine) sleep(id int32, seconds float64) {
	e.queue.schedule(id, e.now+slept(seconds))
	e.sleeping[id] = true
	e.pathBusy(id)
}

// execute has a rank compute, with work for so many cores, 0 for one.
func (e *engine) execute(id int32, r *rank, flops, cores float64) {
	if e.opts.OwnCores {
		cores = 0
	}
	e.cpus.start(e.now, id, r.host, flops, cores)
	e.pathBusy(id)
}

// resume goes on with the current action and tells whether it is done.
func (e *engine) resume(id int32, r *rank) (bool, error) {
	switch r.mode {
	case inStep:
		return e.doStep(id, r)
	case inPlan:
		return e.doPlan(id, r)
	case inWaitAll, atEnd:
		return e.waitPending(id, r), nil
	case inTest:
		if r.stage == fresh { // it sleeps first
			r.stage = started
			return false, nil
		}
		return true, e.test(id, r)
	case inProbe:
		return e.probe(id, r)
	case inSync:
		return e.synchronise(id, r)
	}
	// inTimer: it runs again when the time has come.
	if r.stage == fresh {
		r.stage = started
		return false, nil
	}
	return true, nil
}

// SimGrid makes failed tests and probes last longer and longer, by counters
// that all ranks share; this is the unit.
const testSleep = 1e-4

// test is run after its sleep.
func (e *engine) test(id int32, r *rank) error {
	i := e.find(id, r, r.cur.Peer, r.cur.Source, r.cur.Tag)
	if i < 0 { // a wildcard receive that has turned out to be another's
		e.tests++
		return nil
	}
	q := &e.pendings[r.pending][i]
	h := q.handle
	if h >= 0 && !e.complete(h) {
		e.tests++
		return nil
	}
	e.tests = 1
	if h <= handleTested {
		return nil // by another test
	}
	was := tested{id, q.tag, true}
	if h >= 0 {
		m := &e.post.messages[h>>1]
		was = tested{m.src, m.tag, h&1 == 0}
		e.post.release(h >> 1)
	}
	q.handle = e.seen(was)
	return nil
}

// onlyProbes tells whether nobody can do anything any more but look for messages
// that nobody will send.
func (e *engine) onlyProbes() bool {
	if e.net.running > 0 {
		return false
	}
	for i := range e.ranks {
		if r := &e.ranks[i]; r.mode != finished && r.mode != inProbe && r.need == 0 {
			return false
		}
	}
	return true
}

// probe waits for a message to be there before it receives it.
func (e *engine) probe(id int32, r *rank) (bool, error) {
	if r.stage == fresh {
		e.execute(id, r, float64(e.probes)*testSleep*e.cpus.hosts[r.host].speed, 0)
		r.stage = started
		return false, nil
	}
	m := e.post.findSend(r.world(r.cur.Peer), id, r.cur.Tag, r.comm.context, false)
	r.stage = fresh
	if m == none {
		// From some ten thousand on they grow faster than SimGrid's, so that
		// the end of a computation of years is not waited for step by step.
		e.probes += 1 + e.probes>>16
		if e.probes&0x3ff == 0 && e.onlyProbes() {
			e.stuck = true
			return false, nil
		}
		return e.probe(id, r)
	}
	e.probes = 1
	r.cur.Bytes = e.post.messages[m].bytes
	r.mode = inStep
	if r.cur.Kind == collective.StepIrecv {
		return true, e.irecv(id, r)
	}
	return e.doStep(id, r)
}
