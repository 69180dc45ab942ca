package simulate

import (
	"encoding/binary"
	"math"
	"slices"

	"auspex/simulate/collective"
)

// snapshot is the state of a replay at a quiet moment: what must be equal for
// the future to be the same, what must be alike, and sums to tell what was
// added since.
type snapshot struct {
	now     float64
	leader  []byte    // place of the leader
	state   []byte    // must be equal
	dates   []float64 // seconds from now; must be alike
	left    []uint64  // iterations left of each rank's loops
	ranks   []rankSums
	uses    usageSums // no message is on its way
	actions int64
}

type rankSums struct {
	done int64
	time RankTime
}

// usualState is the most bytes that the first rank may take and still be like
// the others: the root of a collective holds messages of all of them.
const usualState = 256

// snap takes a snapshot.
func (e *engine) snap(s *snapshot) {
	e.recur.kept, e.recur.watched = true, e.recur.leader
	s.now, s.actions = e.now, e.actions
	s.leader = e.ranks[e.recur.leader].cursor.AppendPlace(s.leader[:0])
	s.state, s.dates, s.left = s.state[:0], s.dates[:0], s.left[:0]
	s.ranks = slices.Grow(s.ranks[:0], len(e.ranks))
	for i := range e.ranks {
		if i == 1 && len(s.state) < usualState { // the others take about as much room
			s.state = slices.Grow(s.state, len(e.ranks)*(len(s.state)+2))
			s.dates, s.left = slices.Grow(s.dates, len(e.ranks)*len(s.dates)), slices.Grow(s.left, len(e.ranks)*len(s.left))
		}
		r := &e.ranks[i]
		e.stateOf(s, int32(i))
		for k := range r.cursor.Depth() {
			s.left = append(s.left, r.cursor.Left(k))
		}
		s.ranks = append(s.ranks, rankSums{r.cursor.Done(), e.times[i]})
	}
	e.commonState(s)
	e.net.sums(&s.uses)
}

func (s *snapshot) put(values ...int64) {
	for _, v := range values {
		s.state = binary.AppendVarint(s.state, v)
	}
}

func (s *snapshot) flag(b bool) {
	v := byte(0)
	if b {
		v = 1
	}
	s.state = append(s.state, v)
}

// stateOf appends the state of one rank.
func (e *engine) stateOf(s *snapshot, id int32) {
	r := &e.ranks[id]
	s.put(int64(r.mode))
	if r.mode == finished {
		return
	}
	s.state = r.cursor.AppendPlace(s.state)
	s.put(r.cursor.Taken(), int64(r.stage), int64(r.need), int64(r.comm.context), int64(len(r.pending)), int64(len(r.open)))
	s.flag(r.double)
	s.dates = append(s.dates, r.began-e.now)
	if r.mode != inTimer {
		s.put(int64(r.cur.Kind), int64(r.cur.Peer), int64(r.cur.Source), int64(r.cur.Tag), r.cur.Bytes, r.cur.Room, int64(math.Float64bits(r.cur.Flops)))
	}
	if r.mode == inPlan {
		s.put(int64(r.call.phase), int64(len(r.call.steps))-int64(r.call.at), int64(r.call.requests))
	}
	if (r.mode == inStep || r.mode == inPlan) && r.stage != fresh && r.cur.Kind != collective.StepWaitAll && r.cur.Kind != collective.StepExec {
		e.stateOfMessage(s, r.first)
		e.stateOfMessage(s, r.second)
	}
	for i := range r.pending {
		q := &r.pending[i]
		s.put(int64(q.peer), int64(q.tag))
		if q.handle <= handleTested {
			was := e.tested[handleTested-q.handle]
			s.put(int64(handleTested), int64(was.src), int64(was.tag))
			s.flag(was.send)
			continue
		}
		e.stateOfMessage(s, q.handle)
	}
	for _, h := range r.open {
		e.stateOfMessage(s, h)
	}
	reached := e.reachedBy(id)
	s.put(int64(len(reached)))
	for i := range reached {
		x := &reached[i]
		s.put(int64(x.context), int64(x.target), int64(e.post.messages[x.message].state))
		s.flag(x.put)
	}
	for i := range r.comms {
		m := &r.comms[i]
		if m.comm == nil {
			s.put(-1)
			continue
		}
		s.put(int64(m.comm.context), m.entered-m.comm.base, int64(len(m.comm.seen)))
		s.flag(m.place != nil && m.place.SetUp)
	}
	if e.looked != nil {
		s.dates = append(s.dates, e.looked[id]-e.now)
	}
	if len(e.opts.Cold) > 0 {
		s.dates = append(s.dates, e.cooling[id].sinceSend, e.cooling[id].sinceRecv)
	}
	e.stateOfTimer(s, id, r)
	e.stateOfBox(s, &e.post.boxes[id])
}

// stateOfTimer appends when a rank wakes up, and the work it does until then.
func (e *engine) stateOfTimer(s *snapshot, id int32, r *rank) {
	due, queued := e.queue.queued(id)
	w := &e.cpus.work[id]
	s.flag(queued)
	s.put(int64(math.Float32bits(w.cores)))
	if queued {
		s.dates = append(s.dates, due-e.now)
		s.flag(e.sleeping[id])
	}
	if w.cores > 0 {
		s.dates = append(s.dates, w.since-e.now, w.remains/e.cpus.hosts[r.host].rate)
	}
}

// stateOfMessage appends the message a handle holds. Its number among all
// messages may differ; its age tells it from others like it.
func (e *engine) stateOfMessage(s *snapshot, h int32) {
	if h < 0 {
		s.put(int64(h))
		return
	}
	m := &e.post.messages[h>>1]
	s.put(int64(h&1), int64(e.post.seq-m.seq), int64(m.src), int64(m.dst), int64(m.tag), int64(m.context), m.bytes,
		int64(m.state), int64(m.held))
	s.flag(m.detached)
	s.flag(m.queued)
	s.flag(m.tellSource)
	s.flag(m.tellTarget)
	if int(h>>1) < len(e.cold) {
		s.put(int64(math.Float64bits(e.cold[h>>1])))
	}
	if e.ways != nil && (m.state == sendPosted || m.state == paused || m.state == crowded) {
		s.dates = append(s.dates, e.announced[h>>1].at-e.now)
	}
}

// stateOfBox appends what lies in a mailbox.
func (e *engine) stateOfBox(s *snapshot, box *mailbox) {
	s.put(int64(box.count))
	if box.count > 0 {
		for _, l := range box.buckets {
			e.stateOfList(s, l)
		}
	}
	e.stateOfList(s, box.wild)
}

func (e *engine) stateOfList(s *snapshot, l bucket) {
	for id := l.head; id != none; id = e.post.messages[id].next {
		e.stateOfMessage(s, recvSide(id))
	}
	s.put(int64(none))
}

// commonState appends what belongs to no single rank. The order of events is no
// part of it: ranks that wake up at one instant go on in the order of their
// numbers.
func (e *engine) commonState(s *snapshot) {
	s.put(int64(e.alive), int64(e.tests), int64(e.probes), int64(e.contexts))
	e.stateOfBuffers(s)
	e.stateOfWindows(s)
	for i := range e.net.reserves {
		s.dates = append(s.dates, e.net.fill(int32(i), e.now).filled)
	}
}
