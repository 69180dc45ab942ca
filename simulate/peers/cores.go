package peers

import (
	"math"
	"math/rand/v2"
)

// cores is the machine whose cores the hosts of a lab share, each host on one of
// them. Hosts that could run at once take turns, and so do a host's peer and the
// peer's links, also where the host has the core to itself. It matters: what has
// come for a host is looked at when its turn comes, so that asynchronous peers
// that never wait hear of one another once in a turn, not once in an iteration.
// And no host gets more than its share: one that has used it up stands still until
// the next period (internal/vcluster/cpu.go), also where its core is idle.
type cores struct {
	core  []core
	of    []int32 // the core of each host
	turn  float64 // mean seconds after which another that could run does
	load  []load  // by peer
	share []share // by host
	quota float64 // seconds of each period that a host may run
}

// share is what a host may still run in its period.
type share struct {
	from float64 // since when the period lasts
	left float64
}

// period is how often a host's share is renewed.
const period = 10e-3

type core struct {
	ready   []int32 // peers that could run, the next to do so first
	running int32   // -1 for none
	own     bool    // and does its own work, not its links'
	ends    float64 // its turn, where another could run
	since   float64 // of its work what is before is accounted for
	plan    uint32  // what was planned before is void
}

// load is what a peer has to compute. What its links do waits until its own work
// does, or until the next turn, in which it comes first: a thread that wakes does
// not interrupt one that is in its turn.
type load struct {
	links []work
	own   work
	busy  bool // there is own work
	live  bool // it is running or ready
}

type work struct {
	left float64
	then func()
}

// turnSeconds is Linux's: 0.7 ms times one more than the logarithm of the number
// of cores, of eight at most (kernel/sched/fair.c, sysctl_sched_base_slice).
func turnSeconds(n int) float64 { return 0.7e-3 * (1 + math.Floor(math.Log2(float64(min(n, 8))))) }

func newCores(n, hosts, peers int, random *rand.Rand) *cores {
	if n < 1 {
		return nil
	}
	quota := period * float64(n) / float64(hosts)
	if n >= hosts {
		quota = math.Inf(1)
	}
	c := &cores{core: make([]core, n), of: make([]int32, hosts), turn: turnSeconds(n), load: make([]load, peers), share: make([]share, hosts), quota: quota}
	for h := range c.of {
		c.of[h] = int32(h % n)
		c.share[h] = share{from: -random.Float64() * period, left: c.quota}
	}
	for k := range c.core {
		c.core[k].running = -1
	}
	return c
}

// wordShare is what a word of the detection takes of what a message with data
// does; the library counts them so (p2psap/runtime/state.h, moved).
const wordShare = 0.25

// compute has a peer do its own work, and handle what its links do.
func (r *replay) compute(i int32, seconds float64, then func()) {
	l := &r.cores.load[i]
	l.own, l.busy = work{seconds, then}, true
	r.wake(i)
}

func (r *replay) handle(i int32, seconds float64, then func()) {
	if r.peer[i].down {
		then() // by nobody: what was under way when it died
		return
	}
	l := &r.cores.load[i]
	before := r.program.Awaited * seconds
	l.links = append(l.links, work{before, then}, work{seconds - before, nil})
	r.wake(i)
}

// halt drops the work of a peer that died.
func (r *replay) halt(i int32) {
	k := r.cores.of[r.peer[i].host]
	c := &r.cores.core[k]
	if c.running == i {
		r.account(c)
	}
	l := &r.cores.load[i]
	left := l.links
	l.links, l.busy = nil, false
	if c.running == i {
		r.plan(k)
	}
	for _, w := range left {
		if w.then != nil {
			w.then()
		}
	}
}

// wake makes a peer with work ready.
func (r *replay) wake(i int32) {
	k := r.cores.of[r.peer[i].host]
	c, l := &r.cores.core[k], &r.cores.load[i]
	if c.running >= 0 {
		r.account(c)
	}
	if !l.live {
		l.live = true
		c.ready = append(c.ready, i)
	}
	r.plan(k)
}

// renewed is a host's share at a moment.
func (c *cores) renewed(host int32, now float64) *share {
	s := &c.share[host]
	if periods := math.Floor((now-s.from)/period + 1e-9); periods > 0 {
		s.from += periods * period
		s.left = c.quota
	}
	return s
}

// account takes what the running peer has done off its work.
func (r *replay) account(c *core) {
	l := &r.cores.load[c.running]
	done := r.now - c.since
	c.since = r.now
	s := r.cores.renewed(r.peer[c.running].host, r.now)
	s.left -= min(done, max(0, r.now-s.from))
	if c.own {
		l.own.left -= done
	} else if len(l.links) > 0 {
		l.links[0].left -= done
	}
}

// plan decides who runs on a core and until when. At the end of a turn the next
// one comes: of the same peer, its links, where they have something to do and no
// other could run.
func (r *replay) plan(k int32) {
	c := &r.cores.core[k]
	c.plan++
	if c.running >= 0 {
		l := &r.cores.load[c.running]
		switch over := r.now >= c.ends-1e-12; {
		case len(l.links) == 0 && !l.busy:
			l.live = false
			c.running = -1
		case r.cores.renewed(r.peer[c.running].host, r.now).left <= 1e-12, over && (len(c.ready) > 0 || c.own && len(l.links) > 0):
			c.ready = append(c.ready, c.running)
			c.running = -1
		}
	}
	if c.running < 0 {
		if len(c.ready) == 0 {
			return
		}
		next, at := r.nextOn(c)
		if next < 0 { // all have used up their shares
			r.events.add(event{at: at, kind: turned, peer: k, epoch: c.plan})
			return
		}
		c.running = c.ready[next]
		c.ready = append(c.ready[:next], c.ready[next+1:]...)
		c.since, c.own = r.now, false
		c.ends = r.now + r.cores.turn*(0.75+r.random.Float64()/2)
	}
	l := &r.cores.load[c.running]
	c.own = l.busy && (c.own || len(l.links) == 0)
	left := l.own.left
	if !c.own {
		left = l.links[0].left
	}
	at := r.now + max(left, 0)
	if len(c.ready) > 0 || c.own && len(l.links) > 0 {
		at = min(at, max(r.now, c.ends))
	}
	at = min(at, r.now+r.cores.renewed(r.peer[c.running].host, r.now).left)
	r.events.add(event{at: at, kind: turned, peer: k, epoch: c.plan})
}

// nextOn is the place of the peer that runs next on a core, or -1 and when one may.
func (r *replay) nextOn(c *core) (next int, at float64) {
	at = math.Inf(1)
	for k, i := range c.ready {
		s := r.cores.renewed(r.peer[i].host, r.now)
		if s.left > 1e-12 {
			return k, r.now
		}
		at = min(at, s.from+period)
	}
	return -1, at
}

// turned ends a piece of work, or a turn.
func (r *replay) turned(k int32, plan uint32) {
	c := &r.cores.core[k]
	if plan != c.plan {
		return
	}
	if c.running < 0 {
		r.plan(k)
		return
	}
	r.account(c)
	l := &r.cores.load[c.running]
	var then func()
	switch {
	case c.own && l.own.left <= 1e-12:
		then = l.own.then
		l.busy = false
	case !c.own && l.links[0].left <= 1e-12:
		then = l.links[0].then
		l.links = l.links[:copy(l.links, l.links[1:])]
	}
	if then != nil {
		then() // it may wake peers of this core, or have more to do
	}
	r.plan(k)
}
