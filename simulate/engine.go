package simulate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"auspex/platform"
	"auspex/simulate/collective"
	"auspex/trace"
)

// engine is one replay under way.
type engine struct {
	opts     *Options
	trace    *trace.Trace
	plat     *platform.Platform
	now      float64
	queue    *eventQueue
	net      *network
	cpus     *cpus
	post     *post
	ranks    []rank
	world    *communicator
	sleeping []bool  // ranks whose event is the end of a sleep
	ready    []int32 // ranks to run
	alive    int
	actions  int64
	open     int   // see finalized
	contexts int32 // communicators made

	tested        []tested // of requests
	untested      []int32  // handles of those that are free
	tests, probes int      // failed in a row, over all ranks
	stuck         bool

	action   trace.Action    // the one being read
	pendings [][]request     // see rank.pending: few ranks have some at a time
	unused   []int32         // those of no rank
	plan     collective.Plan // the one being made
	call     collective.Call // as the rank makes it whose plan that is
	calls    []*ongoing      // free ones
	entered  *entered        // by the last rank that entered a collective
	pair     []int32
	times    []RankTime
	paths    []pathEnd   // of ranks, where the critical path is asked for
	starts   []pathStart // of messages, likewise
	timeline Timeline
	progress func(float64)
	recur    recurrence
	delayed  []delayed // by rank, where Options.HoldLarge or SendBuffer asks for it
	cooling  []cooling // by rank, where Options.Cold asks for it
	cold     []float64 // by message, likewise: how cold its ranks are together, up to 1
	// By sender and receiver, and in the order they were made; see buffers.go.
	connections map[[2]int32]*connection
	inOrder     []*connection
	journeys    map[int32]journey // by message, of those that are one-sided
	reached     [][]reached       // by rank, where there are such; see reachedBy
	locks       []lock            // of windows, in the order in which they were first asked for
	ways        map[[2]int32]*way // see answers.go
	announced   []announced       // by message, likewise
	looked      []float64         // by rank, likewise: when it last looked for messages
	changes     changes
	failed      error // of an event
}

// Run replays a trace on a platform; hosts gives every rank's host. It stops
// early when ctx is done.
func Run(ctx context.Context, t *trace.Trace, p *platform.Platform, hosts []int, o Options, hooks Hooks) (*Result, error) {
	np := t.NP()
	if len(hosts) < np {
		return nil, fmt.Errorf("simulate: %d ranks, but only %d are placed on hosts", np, len(hosts))
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	if t.Nanoseconds {
		p = p.Timed(o.ReferenceSpeed)
	}
	if len(p.Changes) > 0 {
		o.EveryIteration = true // no two need be alike
	}
	q := newEventQueue(np + 1)
	e := &engine{
		opts: &o, trace: t, plat: p, queue: q, cpus: newCPUs(p, np, q), post: newPost(np),
		net: newNetwork(p, &o, q, int32(np+1)), ranks: make([]rank, np), world: &communicator{size: np}, times: make([]RankTime, np), sleeping: make([]bool, np),
		alive: np, recur: newRecurrence(&o, hooks), tests: 1, probes: 1, timeline: hooks.Timeline, progress: hooks.Progress,
	}
	if len(p.Changes) > 0 {
		e.changes = newChanges(p)
		e.net.vary(func(message int32) (src, dst int32, a, b int32) {
			m := &e.post.messages[message]
			return m.src, m.dst, e.ranks[m.src].host, e.ranks[m.dst].host
		})
	}
	if o.HoldLarge || o.SendBuffer > 0 {
		e.delayed = make([]delayed, np)
	}
	if o.SendBuffer > 0 {
		e.connections = map[[2]int32]*connection{}
	}
	if o.InOrder || o.Leaves > 0 {
		e.ways, e.looked = map[[2]int32]*way{}, make([]float64, np)
	}
	if len(o.Cold) > 0 {
		e.cooling = make([]cooling, np)
	}
	if o.CriticalPath {
		e.paths = make([]pathEnd, np)
	}
	for i := range e.ranks {
		if hosts[i] < 0 || hosts[i] >= len(p.Hosts) {
			return nil, fmt.Errorf("simulate: rank %d is placed on host %d, but there are %d hosts", i, hosts[i], len(p.Hosts))
		}
		r := &e.ranks[i]
		r.cursor, r.host, r.comm, r.pending = t.Cursor(i), int32(hosts[i]), e.world, none
		r.inWorld = membership{comm: e.world, me: int32(i)}
		e.ready = append(e.ready, int32(i))
	}
	if err := e.loop(ctx); err != nil {
		return nil, err
	}
	return e.result(), nil
}

// loop is the simulation: run whoever can run, share resources, move on to the
// next event.
func (e *engine) loop(ctx context.Context) error {
	for e.changes.due(0, true) { // before anybody runs
		if err := e.alter(true); err != nil {
			return err
		}
	}
	happen := e.happen
	for round := 0; ; round++ {
		// SimGrid runs ranks that wake up at one instant by number, too.
		slices.Sort(e.ready)
		for i := 0; i < len(e.ready); i++ {
			if err := e.run(e.ready[i]); err != nil {
				return err
			}
		}
		if e.stuck {
			return e.deadlock()
		}
		e.ready = e.ready[:0]
		if round&0x3ff == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if e.progress != nil {
				e.progress(e.now)
			}
		}
		e.cpus.share(e.now)
		e.net.share(e.now)
		if e.recur.turned != 0 && e.net.running == 0 {
			e.look()
		} else if e.recur.kept && e.ranks[e.recur.watched].cursor.Depth() == 0 {
			e.recur.giveUp()
		}
		date, ok := e.queue.next()
		if e.changes.due(date, ok) && (ok || e.net.running > 0 || e.cpus.busy()) {
			if err := e.alter(ok); err != nil {
				return err
			}
			continue
		}
		if !ok {
			if e.alive > 0 && !e.finalized() {
				return e.deadlock()
			}
			return nil
		}
		if e.now = max(e.now, date); math.IsInf(e.now, 0) || math.IsNaN(e.now) {
			return errors.New("simulate: the simulated time has become larger than any number: look for a computation or a host's speed that cannot be")
		}
		e.changes.row = 0
		e.queue.each(e.now, happen)
		if e.failed != nil {
			return e.failed
		}
	}
}

// happen handles one event.
func (e *engine) happen(id int32) {
	if int(id) == len(e.ranks) {
		for f := e.net.arrivedOfCrowd(e.now); f != none; f = e.net.arrivedOfCrowd(e.now) {
			e.moved(f)
		}
		e.net.dirty = true
		return
	}
	if int(id) > len(e.ranks) {
		f := id - e.net.firstID
		if e.net.transfers[f].place != notYet {
			e.moved(f)
		} else {
			e.failed = errors.Join(e.failed, e.net.move(f, e.now))
		}
		return
	}
	if e.sleeping[id] {
		e.sleeping[id] = false
	} else {
		e.cpus.finish(id, e.ranks[id].host)
	}
	e.pathWork(id)
	e.ready = append(e.ready, id)
}
