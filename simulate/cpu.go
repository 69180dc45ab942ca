package simulate

import (
	"math"

	"auspex/platform"
)

// cpu is a host's processors: n executions share them fairly, and none runs
// faster than one core.
type cpu struct {
	speed   float64 // of one core, flop/s
	rate    float64 // of each execution
	cores   int32
	count   int32 // executions
	first   int32 // rank of the last that came, or none
	dirty   bool
	crowded bool // there are more of them than cores
}

// execution is a rank's piece of work.
type execution struct {
	remains float64 // flops
	since   float64
	next    int32 // rank of another one on the host, or none
	running bool
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
func (c *cpus) start(now float64, rank, host int32, flops float64) {
	h := &c.hosts[host]
	c.work[rank] = execution{remains: flops, since: now, next: h.first, running: true}
	h.first = rank
	h.count++
	c.touch(host)
}

// finish takes a rank that is done off its host.
func (c *cpus) finish(rank, host int32) {
	h := &c.hosts[host]
	c.work[rank].running = false
	at := &h.first
	for *at != rank {
		at = &c.work[*at].next
	}
	*at = c.work[rank].next
	h.count--
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
		if h.count == 0 {
			continue
		}
		rate := h.speed * min(1, float64(h.cores)/float64(h.count))
		before := h.crowded
		if h.crowded = h.count > h.cores; h.crowded || before {
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
// are dated: to move all of them each time would fill the queue with dates that
// never come.
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
		if c.hosts[i].count > 0 {
			return true
		}
	}
	return false
}
