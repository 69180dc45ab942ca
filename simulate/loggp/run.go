package loggp

import (
	"container/heap"
	"context"
	"fmt"
	"math"

	"auspex/events"
	"auspex/trace"
)

// Work says how long computation takes: the trace's time, times what these say.
type Work struct {
	// Scale is a factor by region and rank; nil, or a row that is nil, stands
	// for 1. A row may have a single value for all ranks.
	Scale [][]float64
	// Speed is how fast the hosts are, 0 for as they were.
	Speed float64
	// Cores is by rank what part of its stops in computation there is, and Calls of
	// those within calls; nil for all of it.
	Cores, Calls []float64
	// Pauses is by rank what part of its pauses there is; nil for all of it.
	Pauses []float64
	// Launching is by the trace's HostRegions and rank how many times as long hosts take
	// to launch what their devices do; nil, or a row that is nil, for what Scale says of a
	// region of that name.
	Launching [][]float64
	// Unpaused is by region whether its pauses are left out; nil for none.
	Unpaused []bool
}

// part is what part of a stop of a rank there is.
func (w *Work) part(rank int, within bool) float64 {
	parts := w.Cores
	if within {
		parts = w.Calls
	}
	if parts == nil {
		return 1
	}
	return parts[rank]
}

// Pause is how long a pause takes: a rank that is blocked or asleep.
func (w *Work) Pause(region int32, rank int, seconds float64) float64 {
	if w.Unpaused != nil && region >= 0 && w.Unpaused[region] {
		return 0
	}
	if w.Pauses != nil {
		seconds *= w.Pauses[rank]
	}
	return seconds
}

// Seconds is how long a stretch of computation takes.
func (w *Work) Seconds(region int32, rank int, value float64) float64 {
	s := value / 1e9
	if w.Scale != nil {
		if row := w.Scale[region]; len(row) == 1 {
			s *= row[0]
		} else if row != nil {
			s *= row[rank]
		}
	}
	if w.Speed > 0 {
		s /= w.Speed
	}
	return s
}

// Options are what a replay is to be like.
type Options struct {
	Network Network
	// Measured is the network that the calls of the trace's Joins took their time on:
	// on another one they take as much more or less as it says.
	Measured Network
	Work     Work
	// Regions numbers the regions as Work does: the Table of the trace's
	// profile. Needed where Work has rows.
	Regions *trace.Regions
	// Stops is when ranks had no core; nil where they always had one. They count
	// as computation.
	Stops trace.Stops
	// Delays is by how much each stop delayed the call that it was within, in the
	// replay without changes; nil for that replay itself.
	Delays [][]float64
	// Spans takes what each rank did when; nil where nobody wants to know.
	Spans func(*events.Span) error
	// Header names the spans' regions; needed with Spans. Run fills it.
	Header *events.Header
}

// Result is when the ranks ended.
type Result struct {
	Seconds float64 // when the last did
	Finish  []float64
	Compute []float64
	Stopped []float64 // of that, without a core; nil where Options has no Stops
	Paused  []float64 // blocked or asleep
	// Delays is by how much each stop delayed the call that it was within; nil where
	// Options has no Stops, or has Delays.
	Delays  [][]float64
	Actions int64
}

// quota is how many actions a rank runs ahead before others have their turn: it
// bounds how many messages are under way.
const quota = 128

// Run replays a trace.
func Run(ctx context.Context, t *trace.Trace, o Options) (*Result, error) {
	e := newEngine(t, o)
	for turns := 0; e.alive > 0; turns++ {
		if turns&0xff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		id, ok := e.pop()
		if !ok {
			return nil, e.deadlock()
		}
		if err := e.run(id); err != nil {
			return nil, fmt.Errorf("%s: action %d of rank %d: %w", t.Name, e.ranks[id].done-1, id, err)
		}
	}
	res := &Result{Actions: e.actions, Delays: e.delays}
	for i := range e.ranks {
		r := &e.ranks[i]
		res.Finish, res.Compute, res.Paused = append(res.Finish, r.clock), append(res.Compute, r.computed), append(res.Paused, r.paused)
		res.Seconds = max(res.Seconds, r.clock)
		if o.Stops != nil {
			res.Stopped = append(res.Stopped, r.stopped)
		}
	}
	return res, nil
}

type engine struct {
	trace    *trace.Trace
	o        Options
	net      *Network
	ranks    []rank
	boxes    []mailbox
	table    *trace.Regions
	ready    []int32 // a ring; a heap by clock where inTime is set
	head     int
	inTime   bool // who receives from anyone must see messages in the order of time
	alive    int
	actions  int64
	world    *communicator
	told     teller
	open     []*gathering // free ones
	locks    []lock       // of windows
	contexts int32
	delays   [][]float64 // as in Result
}

// rank is one rank's state.
type rank struct {
	place     trace.Place
	clock     float64
	computed  float64
	paused    float64 // blocked or asleep
	began     float64 // of the action that waits
	requests  []request
	comms     []member
	reached   []reached
	holder    int32   // who had the lock that it waited for, -1 for nobody
	waiting   []int32 // messages that the present action waits for
	need      int32
	done      int64
	region    int32
	action    trace.Action // the present one
	mode      mode
	double    bool
	stops     []trace.Stop // to come
	stopped   float64      // seconds so far
	until     float64      // when the stop within the present call is over
	within    int          // which stop that is
	called    float64      // when the call began that the next stop is within, where that is several actions
	after     float64      // by how much it delays the end of the call
	since     float64      // when the present call began: of waits one after the other, the first
	held      float64      // how long stops within it hold it
	awaits    bool         // the latest action was a wait
	worked    int32        // region of the latest computation
	starts    []float64    // of its computation, where the trace has joins
	joined    bool         // the trace tells of its collectives and receives:
	joins     []trace.Join // those to come
	ends      []float64    // of those that were
	launches  []trace.Launch
	host      float64   // when its host made the latest launch
	hostScale []float64 // how many times as long its host works, by region
	launched  []float64 // when its host launched each stretch
	stretches []float64 // when each ended
}

type mode uint8

const (
	idle mode = iota
	inMessages
	inCollective
	finished
)

func newEngine(t *trace.Trace, o Options) *engine {
	e := &engine{trace: t, o: o, ranks: make([]rank, t.NP()), boxes: make([]mailbox, t.NP()), alive: t.NP()}
	if e.net = &e.o.Network; o.Regions != nil {
		e.table = o.Regions
	} else {
		e.table = trace.NewRegions(t)
	}
	e.world = &communicator{size: t.NP()}
	e.ready, e.inTime = make([]int32, 0, t.NP()), t.FromAnyone()
	for i := range e.ranks {
		r := &e.ranks[i]
		r.place, r.region = e.table.Walk(t, i), -1
		r.comms = []member{{comm: e.world, me: int32(i)}}
		if r.worked = -1; i < len(o.Stops) {
			r.stops = o.Stops[i]
		}
		if i < len(t.Joins) {
			r.joins, r.joined = t.Joins[i], true
		}
		if i < len(t.Launches) {
			r.launches, r.hostScale = t.Launches[i], e.hostScale(i)
		}
		e.ready = append(e.ready, int32(i))
	}
	if o.Spans != nil {
		e.told = newTeller(e)
	}
	if o.Stops != nil && o.Delays == nil {
		for _, list := range o.Stops {
			e.delays = append(e.delays, make([]float64, len(list)))
		}
	}
	return e
}

// push makes a rank run again.
func (e *engine) push(id int32) {
	if e.inTime {
		heap.Push((*byClock)(e), id)
		return
	}
	e.ready = append(e.ready, id)
}

func (e *engine) pop() (int32, bool) {
	if e.inTime {
		if len(e.ready) == 0 {
			return 0, false
		}
		return heap.Pop((*byClock)(e)).(int32), true
	}
	if e.head == len(e.ready) {
		return 0, false
	}
	id := e.ready[e.head]
	e.head++
	if e.head > 1024 && 2*e.head > len(e.ready) {
		e.ready = append(e.ready[:0], e.ready[e.head:]...)
		e.head = 0
	}
	return id, true
}

// run lets a rank go on until it has to wait, or others are to have a turn.
func (e *engine) run(id int32) error {
	r := &e.ranks[id]
	for range quota {
		if r.mode != idle {
			if err := e.resume(id, r); err != nil {
				return err
			}
			if r.mode != idle {
				return nil
			}
			if e.inTime { // its clock has moved on
				break
			}
		}
		region, ok := r.place.Next(&r.action)
		if !ok {
			r.mode = finished
			e.alive--
			return nil
		}
		r.done++
		e.actions++
		r.region, r.began = region, r.clock
		waits := r.action.Kind == trace.Wait || r.action.Kind == trace.WaitAll
		if !waits || !r.awaits {
			r.since, r.held = r.clock, 0
		}
		r.awaits = waits
		if len(r.stops) > 0 && r.stops[0].Action-r.stops[0].Before < r.done {
			if err := e.stop(id, r); err != nil {
				return err
			}
		}
		if err := e.begin(id, r); err != nil {
			return err
		}
		if r.mode != idle {
			if r.need > 0 || r.mode == inCollective {
				return nil
			}
			continue
		}
		if err := e.ended(id, r); err != nil {
			return err
		}
		if e.inTime {
			break
		}
	}
	e.push(id)
	return nil
}

// byClock keeps the ranks that can go on so that the one whose clock is least comes
// first, and of those the one with the lowest number.
type byClock engine

func (q *byClock) Len() int { return len(q.ready) }

func (q *byClock) Less(i, j int) bool {
	x, y := q.ready[i], q.ready[j]
	return q.ranks[x].clock < q.ranks[y].clock || q.ranks[x].clock == q.ranks[y].clock && x < y
}

func (q *byClock) Swap(i, j int) { q.ready[i], q.ready[j] = q.ready[j], q.ready[i] }

func (q *byClock) Push(id any) { q.ready = append(q.ready, id.(int32)) }

func (q *byClock) Pop() any {
	last := q.ready[len(q.ready)-1]
	q.ready = q.ready[:len(q.ready)-1]
	return last
}

// ended tells of an action that is done. A rank that was without a core in it
// stands still until it has one again.
func (e *engine) ended(id int32, r *rank) error {
	if e.o.Spans != nil {
		if err := e.told.action(e, id, r); err != nil {
			return err
		}
	}
	delay := r.after
	if r.until > r.clock {
		delay = r.until - r.clock
		e.delays[id][r.within] = delay
	}
	if r.until, r.after = 0, 0; delay <= 0 {
		return nil
	}
	return e.stand(id, r, delay, true)
}

func (e *engine) begin(id int32, r *rank) error {
	a := &r.action
	switch a.Kind {
	case trace.Init:
		r.double = a.Count != 0
	case trace.Finalize, trace.CommSize:
	case trace.Compute:
		if e.trace.Joins != nil {
			r.starts = append(r.starts, r.clock)
		}
		s := e.o.Work.Seconds(r.region, int(id), a.Value)
		if r.launches != nil {
			s = r.launch(s)
		}
		r.clock += s
		r.computed += s
		r.worked = r.region
	case trace.Sleep:
		s := e.o.Work.Pause(r.region, int(id), a.Value)
		r.clock += s
		r.paused += s
	case trace.Send, trace.Isend, trace.Recv, trace.Irecv, trace.SendRecv:
		return e.message(id, r)
	case trace.Put, trace.Get, trace.Fence, trace.Flush, trace.Lock, trace.Unlock:
		return e.oneSided(id, r)
	case trace.Wait:
		return e.wait(id, r)
	case trace.Test:
		return nil // whether it succeeds is told by the wait that follows
	case trace.WaitAll:
		e.waitAll(r)
	default:
		if a.MakesUnknown() {
			return nil
		}
		return e.collective(id, r)
	}
	if math.IsInf(r.clock, 0) || math.IsNaN(r.clock) {
		return fmt.Errorf("the time is no number any more")
	}
	return nil
}
