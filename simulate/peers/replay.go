package peers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"auspex/internal/figure"
	"auspex/p2psap"
	"auspex/platform"
)

// peer is the state of one.
type peer struct {
	host              int32
	seconds, overhead float64        // of an iteration, on its host
	handling          float64        // of a message that comes or goes
	cells, saved      [cells]float64 // errors of its parts now, and in the last checkpoint
	iterations        int
	vain              int    // deaths since its last iteration
	alone, savedAlone int    // iterations that its own part of the error has had
	epoch             uint32 // of its life: what was begun before it died is void
	waiting, done     bool
	held              bool    // by the detection, not for want of a message
	since             float64 // it waits
	stateSent         float64 // when its last checkpoint has come
	down              bool
	computing         bool // it has taken its messages
	in                []channel
	out               []output
	termination
}

// channel is what comes from one other peer.
type channel struct {
	from     int32
	at       int32 // place among those of what the sender sends
	back     way
	inOrder  bool
	fresh    bool      // the newest has not been seen
	queue    []float64 // errors of messages in order
	newest   float64
	cell     int32  // of the peer that it meets
	seen     uint64 // number of the newest that an iteration has used
	settling uint64 // and had used when the peer began to settle
	number   uint64
	frozen   float64
	frozenAt uint64 // phase
}

// output is what goes to one other peer.
type output struct {
	to, slot       int32
	way            way
	size           float64
	inOrder, relay bool // relay: none is lost
	busy, pending  bool
	number, flying uint64  // of the newest, and of the last that was sent
	flown          float64 // when
	error          float64
	cell           int32 // of the peer whose error it carries
}

type replay struct {
	program *Program
	o       *Options
	rate    float64
	limit   float64 // iterations of a peer after which the replay is given up
	peer    []peer
	cluster []int32
	parent  []int32
	child   [][]int32
	net     *network
	speed   []course   // of hosts, as shares
	cores   *cores     // nil where each host has its own
	shared  []*sharing // by host; nil where it has a core for each of its peers
	events  events
	random  *rand.Rand
	now     float64
	left    int // peers that are not done
	waited  float64
	result  Result
	gaveUp  bool
}

// Run replays a program once.
func Run(ctx context.Context, p *Program, o Options) (*Result, error) {
	if err := p.validate(&o); err != nil {
		return nil, err
	}
	r, err := newReplay(p, &o)
	if err != nil {
		return nil, err
	}
	for i := range r.peer {
		r.begin(int32(i))
	}
	for count := 0; r.left > 0; count++ {
		if count%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(r.events.list) == 0 {
			return nil, errors.New("all peers wait, and nothing is on its way")
		}
		e := r.events.next()
		r.now = e.at
		if r.gaveUp || r.now > maxSeconds {
			return nil, fmt.Errorf("after %s: %w", figure.Seconds(r.now, 3), ErrNoEnd)
		}
		if r.result.Failures > maxFailures {
			return nil, fmt.Errorf("after %s and %d failures: %w", figure.Seconds(r.now, 3), r.result.Failures, ErrTooOften)
		}
		r.happens(&e)
	}
	r.result.Waiting = r.waited / float64(len(r.peer))
	for i := range r.peer {
		r.result.Iterations = append(r.result.Iterations, r.peer[i].iterations)
	}
	return &r.result, nil
}

// ErrNoEnd tells that peers do not converge.
var ErrNoEnd = errors.New("the peers have not converged: by the model this run has no end, for messages come too late or peers fail too often")

// ErrTooOften tells that a replay was given up.
var ErrTooOften = errors.New("peers fail so often that the replay of this run is given up")

// Where a replay is given up: after a hundred years, where a peer has made so
// many times the iterations of a synchronous run, and those that it makes while
// a message is on its way, or where it has died so often since its last one. Where
// peers do get on but die so often in all, it would take too long.
const (
	maxSeconds  = 3.156e9
	stepsFactor = 100
	maxVain     = 10_000
	maxFailures = 1_000_000
)

func newReplay(p *Program, o *Options) (*replay, error) {
	n := p.peers()
	r := &replay{program: p, o: o, peer: make([]peer, n), cluster: clusterOf(p.Clusters), left: n,
		net: newNetwork(o.Platform, o), random: rand.New(rand.NewPCG(o.Seed, 0x9e3779b97f4a7c15))}
	r.parent, r.child = tree(p.Clusters)
	r.speed = courses(o.Platform, platform.HostSpeed, len(o.Platform.Hosts), func(int) float64 { return 1 })
	r.cores = newCores(o.Cores, len(o.Platform.Hosts), n, r.random)
	if p.Steps > 0 {
		r.rate = math.Pow(tolerance, 1/float64(p.Steps))
	}
	reference := o.Reference
	if reference == 0 {
		reference = o.Platform.Hosts[0].Speed
	}
	for i := range r.peer {
		w, me := &p.Peer[i], &r.peer[i]
		me.host = int32(i % len(o.Platform.Hosts))
		if len(o.Hosts) > 0 {
			if o.Hosts[i] < 0 || o.Hosts[i] >= len(o.Platform.Hosts) {
				return nil, fmt.Errorf("peer %d is on host %d of %d", i, o.Hosts[i], len(o.Platform.Hosts))
			}
			me.host = int32(o.Hosts[i])
		}
		slower := reference / o.Platform.Hosts[me.host].Speed
		me.seconds, me.overhead, me.handling = w.Compute*slower, w.Overhead*slower, w.Handling*slower
		me.cells, me.saved = evenly(outset), evenly(outset)
		me.phase = 1
		me.childUp, me.childVote = make([]bool, len(r.child[i])), make([]int8, len(r.child[i]))
		me.begin(1)
	}
	for i := range p.Peer {
		for _, s := range p.Peer[i].Sends {
			to := &r.peer[s.To]
			way, err := r.net.way(r.peer[i].host, to.host)
			if err != nil {
				return nil, err
			}
			back, err := r.net.way(to.host, r.peer[i].host)
			if err != nil {
				return nil, err
			}
			inOrder, reliable := r.inOrder(int32(i), int32(s.To)), r.reliable(int32(i), int32(s.To))
			to.in = append(to.in, channel{from: int32(i), at: int32(len(r.peer[i].out)), back: back, inOrder: inOrder, newest: outset})
			r.peer[i].out = append(r.peer[i].out, output{to: int32(s.To), slot: int32(len(to.in) - 1), way: way,
				size: float64(s.Bytes), inOrder: inOrder, relay: reliable})
		}
	}
	r.crowds()
	r.placeChannels()
	r.limit = r.mostIterations()
	r.startChurn()
	return r, nil
}

func (r *replay) happens(e *event) {
	switch e.kind {
	case turned:
		r.turned(e.peer, e.epoch)
		return
	case freed:
		r.freed(e.peer, e.epoch)
		return
	}
	if r.cores != nil && (e.kind == arrived || e.kind == heard || e.kind == thawed || e.kind == asked || e.kind == vacant) {
		came, takes := *e, r.peer[e.peer].handling
		switch e.kind {
		case vacant:
			takes = 0
		case heard, asked:
			takes *= wordShare
		}
		r.handle(e.peer, takes, func() { r.takes(&came) })
		return
	}
	r.takes(e)
}

// takes is what an event does once the peer looks at it.
func (r *replay) takes(e *event) {
	me := &r.peer[e.peer]
	if me.done && e.kind != heard && e.kind != asked {
		return
	}
	switch e.kind {
	case iterated:
		if e.epoch == me.epoch {
			r.iterated(e.peer)
		}
	case arrived:
		c := &me.in[e.slot]
		known := r.net.acknowledge(c.back, r.now)
		if o := &r.peer[c.from].out[c.at]; !c.inOrder && o.flying == e.phase { // the next one may go
			clear := max(r.now, min(known+r.o.Delay, o.flown+patience))
			r.events.add(event{at: clear, kind: vacant, peer: c.from, slot: c.at, phase: e.phase})
		}
		switch {
		case c.inOrder:
			c.queue = append(c.queue, e.error)
			if me.waiting && !me.held {
				r.begin(e.peer)
			}
		case e.phase > c.number:
			if c.fresh {
				r.result.Overtaken++
			}
			c.number, c.newest, c.fresh = e.phase, e.error, true
		}
	case vacant:
		o := &me.out[e.slot]
		if o.flying != e.phase {
			return
		}
		o.busy = false
		if o.pending && !me.still() {
			r.sendNewest(e.peer, e.slot)
		}
	case heard:
		r.acknowledge(e.peer, e.slot)
		r.hear(e.peer, e.slot, e.word, e.phase, e.yes)
	case asked:
		r.acknowledge(e.peer, e.by)
		r.answer(e.peer, question{e.by, e.slot, e.phase})
	case thawed:
		c := &me.in[e.slot]
		r.net.acknowledge(c.back, r.now)
		if e.phase > c.frozenAt {
			c.frozen, c.frozenAt = e.error, e.phase
		}
		r.thaw(e.peer)
	case failed:
		r.fails(e.peer)
	case back:
		r.returns(e.peer)
	case started:
		if e.epoch == me.epoch {
			r.joins(e.peer)
		}
	case resumed:
		if e.epoch == me.epoch {
			r.begin(e.peer)
		}
	}
}

// begin starts an iteration, where what it must wait for has come.
func (r *replay) begin(i int32) {
	me := &r.peer[i]
	if me.down || me.done || me.held || me.computing {
		return
	}
	for k := range me.in {
		if c := &me.in[k]; c.inOrder && me.iterations > 0 && len(c.queue) == 0 && !me.stopped() {
			if !me.waiting {
				me.waiting, me.since = true, r.now
			}
			return
		}
	}
	if me.waiting {
		me.waiting = false
		r.waited += r.now - me.since
	}
	for k := range me.in {
		c := &me.in[k]
		c.fresh = false
		c.seen = c.number
		if c.inOrder && me.iterations > 0 && len(c.queue) > 0 {
			c.newest = c.queue[0]
			c.queue = c.queue[:copy(c.queue, c.queue[1:])]
		}
	}
	me.computing = true
	r.iterates(i, r.now)
}

// iterates has a peer compute from a moment on.
func (r *replay) iterates(i int32, from float64) {
	me := &r.peer[i]
	if r.shared[me.host] != nil {
		if from > r.now {
			r.events.add(event{at: from, kind: started, peer: i, epoch: me.epoch})
		} else {
			r.joins(i)
		}
		return
	}
	done := event{at: r.speed[me.host].done(from, me.seconds+me.overhead), kind: iterated, peer: i, epoch: me.epoch}
	if r.cores == nil || from > r.now {
		r.events.add(done)
		return
	}
	r.compute(i, me.seconds+me.overhead, func() { r.takes(&done) })
}

// iterated ends an iteration: the model of convergence, and the messages.
func (r *replay) iterated(i int32) {
	me := &r.peer[i]
	me.iterations++
	me.vain = 0
	me.alone++
	me.computing = false
	change := r.relax(me)
	for k := range me.out {
		o := &me.out[k]
		o.number++
		o.error = me.cells[o.cell]
		if o.inOrder {
			r.sendInOrder(i, o)
			continue
		}
		if o.pending {
			r.result.Overtaken++
		}
		o.pending = true
		if !o.busy && !me.still() {
			r.sendNewest(i, int32(k))
		}
	}
	r.checkpoint(i)
	if r.o.Limit > 0 {
		if me.iterations >= r.o.Limit {
			r.finish(i)
		} else {
			r.begin(i)
		}
		return
	}
	// Where all are in step the last change is the error times 1 - rate.
	if float64(me.iterations) > r.limit {
		r.gaveUp = true
	}
	r.converged(i, me.alone >= r.program.Steps && change <= tolerance*(1-r.rate)*(1+1e-9)/r.rate)
}

// mostIterations is the number of a peer's iterations after which there is no
// hope.
func (r *replay) mostIterations() float64 {
	exchange, own := 0.0, math.Inf(1)
	for i := range r.peer {
		me := &r.peer[i]
		own = min(own, me.seconds+me.overhead)
		for k := range me.out {
			w := &me.out[k].way
			takes := 2 * (w.latency + r.o.Delay)
			for _, l := range w.links {
				takes += wireBytes(me.out[k].size, me.out[k].relay) / r.net.bandwidth[l].least()
			}
			exchange = max(exchange, takes)
		}
	}
	longest := 0.0
	for _, c := range r.o.Platform.Changes { // a host or a link may be off so long
		longest = max(longest, c.Profile.Points[len(c.Profile.Points)-1].At+max(c.Profile.Again, 0))
	}
	exchange += longest
	return stepsFactor*float64(r.program.Steps)*(1+exchange/own) + 1000
}

// pass sends a message over the network, and what a stream answers meanwhile.
func (r *replay) pass(o *output, reliable bool) (at float64, lost bool) {
	if answers := streamAnswers(o.size); reliable && answers > 0 {
		r.net.send(r.peer[o.to].in[o.slot].back, r.now, answers, true)
	}
	return r.net.send(o.way, r.now, wireBytes(o.size, reliable), reliable)
}

// acknowledge has a peer's link say that a word came.
func (r *replay) acknowledge(by, of int32) {
	if back, err := r.net.way(r.peer[by].host, r.peer[of].host); err == nil {
		r.net.acknowledge(back, r.now)
	}
}

func (r *replay) count(o *output) {
	r.result.Messages++
	r.result.Bytes += wireBytes(o.size, o.relay)
}

func (r *replay) sendInOrder(i int32, o *output) {
	came := event{kind: arrived, peer: o.to, slot: o.slot, error: o.error, phase: o.number}
	r.count(o)
	r.out(i, 1, func() {
		at, _ := r.pass(o, true)
		came.at = at + r.o.Delay
		r.events.add(came)
	})
}

// out has a peer's links send something, which takes them a moment where the
// host shares its core.
func (r *replay) out(i int32, share float64, send func()) {
	if r.cores == nil {
		send()
	} else {
		r.handle(i, share*r.peer[i].handling, send)
	}
}

func (r *replay) sendNewest(i, k int32) {
	o := &r.peer[i].out[k]
	o.busy = true
	r.out(i, 1, func() { r.newestLeaves(i, k) })
}

// newestLeaves sends what is the newest now.
func (r *replay) newestLeaves(i, k int32) {
	o := &r.peer[i].out[k]
	o.pending = false
	o.flying, o.flown = o.number, r.now
	at, lost := r.pass(o, o.relay)
	r.count(o)
	// The next one goes when this one is known to have come, or is given up.
	if lost {
		r.result.Lost++
	} else {
		r.events.add(event{at: at + r.o.Delay, kind: arrived, peer: o.to, slot: o.slot, error: o.error, phase: o.number})
	}
	if lost || at+r.o.Delay > r.now+patience {
		r.events.add(event{at: r.now + patience, kind: vacant, peer: i, slot: k, phase: o.number})
	}
}

// patience is after how many seconds the library takes a message for lost.
const patience = 0.2

func (r *replay) finish(i int32) {
	me := &r.peer[i]
	if me.done {
		return
	}
	me.done = true
	r.left--
	r.result.Seconds = max(r.result.Seconds, r.now)
}

// voting tells whether each iteration ends with a vote of all.
func (r *replay) voting() bool { return r.program.Scheme == p2psap.Synchronous }

// startChurn plans the failures: by the rate, and by the states of hosts that
// change.
func (r *replay) startChurn() {
	for i := range r.peer {
		r.planFailure(int32(i))
	}
	off := map[int32]*platform.Profile{}
	for _, c := range r.o.Platform.Changes {
		if c.Of == platform.HostState {
			off[c.Index] = c.Profile
		}
	}
	for i := range r.peer {
		if profile := off[r.peer[i].host]; profile != nil {
			r.planState(int32(i), profile)
		}
	}
}
