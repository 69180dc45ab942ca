package loggp

import (
	"slices"

	"auspex/trace"
)

// join is when a rank was ready for the collective or the receive that it begins:
// now, or some stretches of computation ago, once what its queue does first had ended.
func (r *rank) join() (ready float64, j trace.Join) {
	ready = r.clock
	if !r.action.Kind.Collective() && r.action.Kind != trace.Recv || len(r.joins) == 0 {
		return ready, j
	}
	j, r.joins = r.joins[0], r.joins[1:]
	if n := len(r.starts) - int(j.Ahead); j.Ahead > 0 && n >= 0 {
		ready = r.starts[n]
	}
	for _, back := range []int32{j.Behind, j.After} {
		if n := len(r.ends) - int(back); back > 0 && n >= 0 {
			ready = max(ready, r.ends[n])
		}
	}
	if n := len(r.launched) - int(j.Launched); j.Launched > 0 && n >= 0 {
		ready = max(ready, r.launched[n]+r.hostWork(j.Host))
	}
	return ready, j
}

// launch has what a rank's device computes next wait for its host, and is how long it
// takes: what the device waited in the trace, it waits as long as it has to.
func (r *rank) launch(seconds float64) float64 {
	n := len(r.launched)
	if n >= len(r.launches) {
		return seconds
	}
	l := &r.launches[n]
	if l.Known {
		r.host += r.hostWork(l.Host)
		since := r.hostWork(l.Since)
		switch {
		case l.Waited < 0:
			r.host = max(r.host, r.clock+since)
		case l.Waited > 0 && n >= int(l.Waited):
			r.host = max(r.host, r.stretches[n-int(l.Waited)]+since)
		}
		r.clock = max(r.clock, r.host+l.Delay)
	}
	if l.Gap {
		seconds = 0
	}
	r.launched, r.stretches = append(r.launched, r.host), append(r.stretches, r.clock+seconds)
	return seconds
}

// hostWork is how long a rank's host does something.
func (r *rank) hostWork(list []trace.HostWork) (sum float64) {
	for _, w := range list {
		sum += w.Seconds * r.hostScale[w.Region]
	}
	return sum
}

// hostScale is how many times as long a rank's host works, by region.
func (e *engine) hostScale(rank int) []float64 {
	w := &e.o.Work
	scale := make([]float64, len(e.trace.HostRegions))
	for i, name := range e.trace.HostRegions {
		scale[i] = 1
		switch region := slices.Index(e.table.Names, name); {
		case i < len(w.Launching) && w.Launching[i] != nil:
			scale[i] = w.Launching[i][rank]
		case region >= 0 && w.Scale != nil && len(w.Scale[region]) == 1:
			scale[i] = w.Scale[region][0]
		case region >= 0 && w.Scale != nil && w.Scale[region] != nil:
			scale[i] = w.Scale[region][rank]
		}
		if w.Speed > 0 {
			scale[i] /= w.Speed
		}
	}
	return scale
}

// left has a rank go on when a collective or a receive has ended, which it may have
// computed beyond.
func (r *rank) left(end float64) {
	r.clock = max(r.clock, end)
	if r.joined {
		r.ends = append(r.ends, end)
	}
}

// asMeasured is how long a call takes on a network, of which it is known how long it
// took on another, and how long both should take.
func asMeasured(took, here, there float64) float64 {
	if here <= 0 || there <= 0 {
		return 0
	}
	return took * here / there
}
