package peers

import "auspex/platform"

// sharing is a host with more peers than cores: those that compute at one time get
// equal parts of it.
type sharing struct {
	cores int
	busy  []computing
	since float64 // what was computed before is accounted for
	plan  uint32  // what was planned before is void
}

// computing is an iteration that is under way.
type computing struct {
	peer  int32
	epoch uint32
	left  float64 // seconds that it needs on a core of its own
}

// Crowded tells whether a platform has fewer cores than so many peers, dealt out in
// turn, need on some host.
func Crowded(p *platform.Platform, peers int) bool {
	count := make([]int, len(p.Hosts))
	for i := range peers {
		count[i%len(count)]++
	}
	for h, n := range count {
		if n > coresOf(&p.Hosts[h]) {
			return true
		}
	}
	return false
}

func coresOf(h *platform.Host) int { return max(h.Cores, 1) }

// crowds finds the hosts that have more peers than cores.
func (r *replay) crowds() {
	r.shared = make([]*sharing, len(r.o.Platform.Hosts))
	count := make([]int, len(r.shared))
	for i := range r.peer {
		h := r.peer[i].host
		if count[h]++; count[h] > coresOf(&r.o.Platform.Hosts[h]) && r.shared[h] == nil && r.cores == nil {
			r.shared[h] = &sharing{cores: coresOf(&r.o.Platform.Hosts[h])}
		}
	}
}

// joins has a peer compute on a host that it shares.
func (r *replay) joins(i int32) {
	me := &r.peer[i]
	h := r.shared[me.host]
	r.progress(me.host)
	h.busy = append(h.busy, computing{i, me.epoch, me.seconds + me.overhead})
	r.nextFreed(me.host)
}

// quits takes a peer that died off its host.
func (r *replay) quits(i int32) {
	host := r.peer[i].host
	h := r.shared[host]
	if h == nil {
		return
	}
	r.progress(host)
	kept := h.busy[:0]
	for _, c := range h.busy {
		if c.peer != i {
			kept = append(kept, c)
		}
	}
	h.busy = kept
	r.nextFreed(host)
}

// slower is how many times as long as on a core of its own each one takes.
func (h *sharing) slower() float64 { return max(1, float64(len(h.busy))/float64(h.cores)) }

// progress takes what was computed since the last time off what is left.
func (r *replay) progress(host int32) {
	h := r.shared[host]
	if len(h.busy) > 0 {
		done := r.speed[host].worked(h.since, r.now) / h.slower()
		for k := range h.busy {
			h.busy[k].left -= done
		}
	}
	h.since = r.now
}

// nextFreed plans the end of the iteration that needs the least.
func (r *replay) nextFreed(host int32) {
	h := r.shared[host]
	h.plan++
	if len(h.busy) > 0 {
		r.events.add(event{at: r.speed[host].done(r.now, max(0, h.least())*h.slower()), kind: freed, peer: host, epoch: h.plan})
	}
}

func (h *sharing) least() float64 {
	least := h.busy[0].left
	for _, c := range h.busy {
		least = min(least, c.left)
	}
	return least
}

// freed ends iterations on a shared host: those that need no more than rounding
// explains end at once.
func (r *replay) freed(host int32, plan uint32) {
	h := r.shared[host]
	if plan != h.plan {
		return
	}
	r.progress(host)
	least := h.least()
	var ended []computing
	kept := h.busy[:0]
	for _, c := range h.busy {
		if me := &r.peer[c.peer]; c.left <= least+1e-9*(me.seconds+me.overhead) {
			ended = append(ended, c)
		} else {
			kept = append(kept, c)
		}
	}
	h.busy = kept
	r.nextFreed(host)
	for _, c := range ended {
		r.takes(&event{at: r.now, kind: iterated, peer: c.peer, epoch: c.epoch})
	}
}
