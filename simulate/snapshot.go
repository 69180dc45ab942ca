package simulate

import (
	"encoding/binary"
	"math"
	"slices"

	"auspex/simulate/collective"
)

// state is where a rank, or what belongs to none, stands: what must be equal for the
// future to be the same, and what must be alike.
type state struct {
	counts []byte
	dates  []float64 // seconds from now
}

func (s *state) put(values ...int64) {
	for _, v := range values {
		s.counts = binary.AppendVarint(s.counts, v)
	}
}

func (s *state) flag(b bool) {
	v := byte(0)
	if b {
		v = 1
	}
	s.counts = append(s.counts, v)
}

func (s *state) reset() { s.counts, s.dates = s.counts[:0], s.dates[:0] }

// snapshot is the state of a replay at a quiet moment, with sums to tell what was added
// since. No message is on its way.
type snapshot struct {
	now     float64
	leader  []byte // place of the leader
	counts  []byte // of all states
	dates   packed // likewise
	left    packed // iterations left of each rank's loops
	done    packed // actions of ranks
	times   packed // of ranks
	carried packed // by link
	needed  packed // by link, where it is counted
	fat     map[int32]presence
	actions int64
}

// usualState is the most bytes that the first rank may take and still be like
// the others: the root of a collective holds messages of all of them.
const usualState = 256

// snap takes a snapshot.
func (e *engine) snap(s *snapshot) {
	e.recur.kept, e.recur.watched = true, e.recur.leader
	s.now, s.actions = e.now, e.actions
	s.leader = e.ranks[e.recur.leader].cursor.AppendPlace(s.leader[:0])
	s.counts = s.counts[:0]
	for _, list := range []*packed{&s.dates, &s.left, &s.done, &s.times, &s.carried, &s.needed} {
		list.reset()
	}
	for i := 0; i <= len(e.ranks); i++ {
		if i == 1 && len(s.counts) < usualState { // the others take about as much room
			s.counts = slices.Grow(s.counts, len(e.ranks)*(len(s.counts)+2))
		}
		now := e.stateAt(i)
		s.counts = append(s.counts, now.counts...)
		for k, x := range now.dates {
			s.dates.addFloat(k, x)
		}
	}
	for i := range e.ranks {
		c := &e.ranks[i].cursor
		for k := range c.Depth() {
			s.left.add(k, c.Left(k))
		}
		s.done.add(0, uint64(c.Done()))
		for k, seconds := range e.times[i].sums() {
			s.times.addFloat(k, *seconds)
		}
	}
	e.net.keepUse(s)
}

// stateAt is the state of a rank, or after the last of them of what belongs to none. It
// is valid until the next call.
func (e *engine) stateAt(i int) *state {
	s := &e.recur.now
	s.reset()
	if i < len(e.ranks) {
		e.stateOf(s, int32(i))
	} else {
		e.commonState(s)
	}
	return s
}

// stateOf appends the state of one rank.
func (e *engine) stateOf(s *state, id int32) {
	r := &e.ranks[id]
	s.put(int64(r.mode))
	if r.mode == finished {
		return
	}
	s.counts = r.cursor.AppendPlace(s.counts)
	s.put(r.cursor.Taken(), int64(r.stage), int64(r.need), int64(r.comm.context), int64(len(e.pending(r))), int64(len(r.open)))
	s.flag(r.double)
	s.dates = append(s.dates, r.began-e.now)
	if r.mode != inTimer {
		s.put(int64(r.cur.Kind), int64(r.cur.Peer), int64(r.cur.Source), int64(r.cur.Tag), r.cur.Bytes, r.cur.Room)
	}
	if r.mode == inPlan {
		s.put(int64(r.call.phase), int64(len(r.call.steps))-int64(r.call.at), int64(r.call.requests), int64(math.Float64bits(r.call.flops)))
	}
	if (r.mode == inStep || r.mode == inPlan) && r.stage != fresh && r.cur.Kind != collective.StepWaitAll && r.cur.Kind != collective.StepExec {
		e.stateOfMessage(s, r.first)
		e.stateOfMessage(s, r.second)
	}
	for _, q := range e.pending(r) {
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
	for i := range r.members() {
		m := r.member(i)
		if m.comm == nil {
			s.put(-1)
			continue
		}
		s.put(int64(m.comm.context), int64(m.entered-m.comm.base), int64(len(m.comm.seen)))
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
func (e *engine) stateOfTimer(s *state, id int32, r *rank) {
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
func (e *engine) stateOfMessage(s *state, h int32) {
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
func (e *engine) stateOfBox(s *state, box *mailbox) {
	s.put(int64(box.count))
	if box.count > 0 {
		for _, l := range e.post.buckets(box) {
			e.stateOfList(s, l)
		}
	}
	e.stateOfList(s, box.wild)
}

func (e *engine) stateOfList(s *state, l bucket) {
	for id := l.head; id != none; id = e.post.messages[id].next {
		e.stateOfMessage(s, recvSide(id))
	}
	s.put(int64(none))
}

// commonState appends what belongs to no single rank. The order of events is no
// part of it: ranks that wake up at one instant go on in the order of their
// numbers.
func (e *engine) commonState(s *state) {
	s.put(int64(e.alive), int64(e.tests), int64(e.probes), int64(e.contexts))
	e.stateOfBuffers(s)
	e.stateOfWindows(s)
	for i := range e.net.reserves {
		s.dates = append(s.dates, e.net.fill(int32(i), e.now).filled)
	}
}
