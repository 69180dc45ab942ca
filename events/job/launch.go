package job

import (
	"cmp"
	"slices"

	"auspex/events"
	"auspex/trace"
	"auspex/training"
)

// hostWaits is when the host waited: for its device, or in calls of the runtime that
// take longer than they work.
func hostWaits(t *training.Trace) [][2]int64 {
	var list [][2]int64
	for i := range t.Len() {
		v := t.At(i)
		if v.Kind != training.Runtime {
			continue
		}
		from, to := v.Start+t.Base, v.End()+t.Base
		if !training.WaitsForDevice(t.Name(v)) {
			from += longCall
		}
		if from < to {
			list = append(list, [2]int64{from, to})
		}
	}
	slices.SortFunc(list, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	var out [][2]int64
	for _, s := range list {
		if n := len(out); n > 0 && s[0] <= out[n-1][1] {
			out[n-1][1] = max(out[n-1][1], s[1])
		} else {
			out = append(out, s)
		}
	}
	return out
}

// latencyOf is the least time from a launch to what it launches; where that is long, what
// was launched waited for something else.
func latencyOf(kernels []training.Launched) int64 {
	least := int64(-1)
	for _, k := range kernels {
		if d := k.Began - k.At; k.At != training.NotLaunched && d >= 0 && (least < 0 || d < least) {
			least = d
		}
	}
	return min(max(least, 0), atOnce)
}

// launcher follows what a lane's host does while its device computes.
type launcher struct {
	kernel  int           // the first that has not ended
	count   int32         // stretches so far
	of      map[int]int32 // the last stretch of each kernel
	at      []int64       // when stretches were launched: of each the latest so far
	counted int           // kernels whose launch was told
	paths   *events.Paths
}

// worked is what a host does between two times, by range, without what it waited.
func (h *launcher) worked(l *Lane, from, to int64) (list []trace.HostWork) {
	add := func(from, to int64) {
		for from < to {
			name, until := elsewhere, to
			n, _ := slices.BinarySearchFunc(l.host, from+1, func(s span, at int64) int { return cmp.Compare(s.from, at) })
			if n > 0 && from < l.host[n-1].to {
				name, until = l.host[n-1].name, min(until, l.host[n-1].to)
			} else if n < len(l.host) {
				until = min(until, l.host[n].from)
			}
			region := h.paths.Of(events.Path{Name: name})
			if k := len(list) - 1; k >= 0 && list[k].Region == region {
				list[k].Seconds += float64(until-from) / 1e9
			} else {
				list = append(list, trace.HostWork{Region: region, Seconds: float64(until-from) / 1e9})
			}
			from = until
		}
	}
	for _, w := range part(l.waited, from, to) {
		add(from, w[0])
		from = w[1]
	}
	add(from, to)
	return list
}

// stretch cuts a stretch that begins at a time where a kernel begins or ends, and says
// how it was launched.
func (h *launcher) stretch(l *Lane, at, end int64) (int64, trace.Launch) {
	var launch trace.Launch
	for h.kernel < len(l.kernels) && l.kernels[h.kernel].To <= at {
		h.kernel++
	}
	last := l.begin
	if len(h.at) > 0 {
		last = h.at[len(h.at)-1]
	}
	if h.kernel < len(l.kernels) {
		k := &l.kernels[h.kernel]
		switch {
		case at < k.Began: // its device waits
			end = min(end, k.Began)
			due := k.At + l.latency
			launch.Gap = k.At != training.NotLaunched && due > at && k.Began-due <= atOnce
		default:
			end = min(end, k.To)
			if k.At != training.NotLaunched && h.counted <= h.kernel {
				h.counted = h.kernel + 1
				launch = h.launched(l, k, last)
				last = max(last, k.At)
			}
			h.of[h.kernel] = h.count
		}
	}
	h.at = append(h.at, last)
	h.count++
	return end, launch
}

// launched says how a kernel came to be launched.
func (h *launcher) launched(l *Lane, k *training.Launched, last int64) trace.Launch {
	launch := trace.Launch{Known: true, Delay: float64(l.latency) / 1e9, Host: h.worked(l, last, k.At)}
	n, _ := slices.BinarySearchFunc(l.waited, k.At+1, func(w [2]int64, at int64) int { return cmp.Compare(w[1], at) })
	if n == 0 || l.waited[n-1][1] <= last {
		return launch
	}
	wait := l.waited[n-1]
	launch.Since = h.worked(l, wait[1], k.At)
	if i := l.computedBy(wait[1]) - 1; i >= 0 && l.kernels[i].To >= wait[0] && wait[1]-l.kernels[i].To <= atOnce {
		if stretch, is := h.of[i]; is {
			launch.Waited = h.count - stretch
		}
	} else if l.endsIn(wait) {
		launch.Waited = -1
	}
	return launch
}

// endsIn tells whether a collective of the lane ended while the host waited.
func (l *Lane) endsIn(wait [2]int64) bool {
	n, _ := slices.BinarySearch(l.ends, wait[0])
	return n < len(l.ends) && l.ends[n] <= wait[1]
}

// asked says how the host came to ask for a call: by how many stretches back the latest
// one is that it launched before, and how long it worked since.
func (h *launcher) asked(l *Lane, c *training.Call) (launch trace.Launch) {
	if training.HostCollective(c.Name) || c.Launched >= c.Start {
		return launch
	}
	n, _ := slices.BinarySearchFunc(h.at, c.Launched+1, func(at, until int64) int { return cmp.Compare(at, until) })
	if n == 0 {
		return launch
	}
	launch.Waited = int32(len(h.at) - n + 1)
	launch.Since = h.worked(l, h.at[n-1], c.Launched)
	return launch
}
