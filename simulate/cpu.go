package simulate

import (
	"math"

	"auspex/platform"
)

// cpu is a host's processors: the threads of its executions share them fairly, and none
// runs faster than one core. An execution is of one thread, or of a team of so many that
// a real number of cores has work.
type cpu struct {
	speed   float64 // of one core, flop/s
	rate    float64 // of each execution
	cores   int32
	first   int32   // rank of the last that came, or none
	wanted  float64 // cores, by all executions
	dirty   bool
	crowded bool // more cores are wanted than there are
}

// execution is a rank's piece of work.
type execution struct {
	remains float64 // flops
	since   float64
	next    int32   // rank of another one on the host, or none
	cores   float32 // that it has work for, 0 where it is over
}

type cpus struct {
	hosts []cpu
	work  []execution // by rank
	queue *eventQueue
	dirty []int32 // hosts where executions came or went
}

func newCPUs(p *platform.Platform, ranks int, q *eventQueue) *cpus {
	c := &cpus{hosts: make([]cpu, len(p.Hosts)), work: make([]execution, ranks), queue: q}
	for i, h := range p.Hosts {
		c.hosts[i] = cpu{speed: h.Speed, cores: int32(min(max(h.Cores, 1), math.MaxInt32)), first: none}
	}
	return c
}

// start begins to execute flops for a rank on its host.
func (c *cpus) start(now float64, rank, host int32, flops, cores float64) {
	h := &c.hosts[host]
	w := &c.work[rank]
	*w = execution{remains: flops, since: now, next: h.first, cores: float32(max(cores, 1))}
	h.first = rank
	h.wanted += float64(w.cores)
	c.touch(host)
}

// finish takes a rank that is done off its host.
func (c *cpus) finish(rank, host int32) {
	h := &c.hosts[host]
	at := &h.first
	for *at != rank {
		at = &c.work[*at].next
	}
	w := &c.work[rank]
	*at = w.next
	h.wanted -= float64(w.cores) // sums of these are exact
	w.cores = 0
	c.touch(host)
}

func (c *cpus) touch(host int32) {
	if h := &c.hosts[host]; !h.dirty {
		h.dirty = true
		c.dirty = append(c.dirty, host)
	}
}

// share sets the rates on the hosts that changed and dates their executions.
func (c *cpus) share(now float64) {
	for _, i := range c.dirty {
		h := &c.hosts[i]
		h.dirty = false
		if h.first == none {
			continue
		}
		rate := h.speed * min(1, float64(h.cores)/h.wanted)
		before := h.crowded
		if h.crowded = h.wanted > float64(h.cores); h.crowded || before {
			c.shareCrowded(h, now, rate)
			continue
		}
		for r := h.first; r != none; r = c.work[r].next {
			w := &c.work[r]
			if w.since < now {
				if rate == h.rate {
					continue // nothing changed for it
				}
				w.remains -= h.rate * (now - w.since)
				if w.remains < 1e-14 {
					w.remains = 0
				}
				w.since = now
			}
			if rate > 0 {
				c.queue.schedule(r, now+w.remains/rate)
			} else {
				c.queue.cancel(r)
			}
		}
		h.rate = rate
	}
	c.dirty = c.dirty[:0]
}

// shareCrowded dates the executions of a host with more of them than cores.
// Whoever comes or goes changes the rate of all, so only those that end first
// are dated: the dates of the others would never come.
func (c *cpus) shareCrowded(h *cpu, now, rate float64) {
	least := math.Inf(1)
	for r := h.first; r != none; r = c.work[r].next {
		w := &c.work[r]
		if w.since < now {
			if w.remains -= h.rate * (now - w.since); w.remains < 1e-14 {
				w.remains = 0
			}
			w.since = now
		}
		least = min(least, w.remains)
	}
	first := least*(1+1e-12) + 1e-14
	for r := h.first; r != none; r = c.work[r].next {
		if w := &c.work[r]; rate > 0 && (!h.crowded || w.remains <= first) {
			c.queue.schedule(r, now+w.remains/rate)
		} else {
			c.queue.cancel(r)
		}
	}
	h.rate = rate
}

// busy reports whether anything is being executed.
func (c *cpus) busy() bool {
	for i := range c.hosts {
		if c.hosts[i].first != none {
			return true
		}
	}
	return false
}
