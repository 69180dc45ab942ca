package job

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"auspex/training"
)

// Lane is what is kept of one rank.
type Lane struct {
	rank   int
	world  int // how many ranks the job has; 0 where the trace does not tell
	file   string
	begin  int64
	end    int64
	calls  []training.Call
	ranges []span          // what the rank is in when, without overlap, by time
	pairs  []training.Call // messages between two ranks
	host   []span          // ranges that the program named on the host
	still  [][2]int64      // see standing
	// Its own computation beside collectives and messages of its device, and that while
	// those of its host were under way, by time.
	onDevice, onHost [][2]int64
	kernels          []training.Launched               // of its device that are no collectives, by time
	steps            []training.Step                   // by time
	before           map[*training.Call]*training.Call // on the same stream
	after            map[*training.Call]*training.Call // what it needs of another stream
	readyAt          map[*training.Call]int64          // see readiness
	launches         bool                              // its device meets others: its host launches for it
	waited           [][2]int64                        // when its host waited, if so
	ends             []int64                           // of its collectives, by time, likewise
	latency          int64                             // from a launch to what it launches
}

// span is a stretch of time in a named range.
type span struct {
	from, to int64
	name     string
}

// LaneOf takes from a rank's profile what its lane needs.
func LaneOf(t *training.Trace) *Lane {
	r := training.Summarize(t)
	l := &Lane{rank: t.Rank, world: t.World, file: t.File}
	l.begin, l.end = t.Span()
	l.begin, l.end = l.begin+t.Base, l.end+t.Base
	for i := range r.Steps {
		l.steps = append(l.steps, training.Step{Start: r.Steps[i].Start, End: r.Steps[i].End})
	}
	for _, c := range r.Calls {
		if c.Pair {
			l.pairs = append(l.pairs, c)
			continue
		}
		l.calls = append(l.calls, c)
	}
	l.host = namedRanges(t)
	if l.ranges = l.host; t.MeetsOnDevice() {
		l.ranges = l.launched(t)
	}
	// NCCL has all ranks of a group ask for its collectives in one order; streams may
	// begin them in another.
	slices.SortStableFunc(l.calls, func(a, b training.Call) int { return cmp.Compare(a.Launched, b.Launched) })
	l.onDevice, l.onHost = computing(t, false), l.besideHost(t)
	if l.kernels = t.Launched(); t.Base != 0 {
		for i := range l.kernels {
			k := &l.kernels[i]
			if k.From, k.Began, k.To = k.From+t.Base, k.Began+t.Base, k.To+t.Base; k.At != training.NotLaunched {
				k.At += t.Base
			}
		}
	}
	if l.launches = t.MeetsOnDevice(); l.launches {
		l.waited, l.latency = hostWaits(t), latencyOf(l.kernels)
		for i := range l.calls {
			l.ends = append(l.ends, l.calls[i].End)
		}
		slices.Sort(l.ends)
	}
	return l
}

// longCall is how long a call of the runtime, in ns, works for itself: what takes longer
// waits, as for a full queue of the device or for memory.
const longCall = 100_000

// computing is when the rank itself computed, on its own clock.
func computing(t *training.Trace, host bool) [][2]int64 {
	own := t.Computing(host)
	for i := range own {
		own[i][0], own[i][1] = own[i][0]+t.Base, own[i][1]+t.Base
	}
	return own
}

// besideHost is what the rank computed while collectives and messages of its host were
// under way.
func (l *Lane) besideHost(t *training.Trace) [][2]int64 {
	var under [][2]int64
	for i := range l.calls {
		if c := &l.calls[i]; training.HostCollective(c.Name) {
			under = append(under, [2]int64{c.Arrived, c.End})
		}
	}
	for i := range l.pairs {
		if c := &l.pairs[i]; training.HostCollective(c.Name) {
			under = append(under, [2]int64{c.Start, c.End})
		}
	}
	if len(under) == 0 {
		return nil
	}
	own := computing(t, true)
	slices.SortFunc(under, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	var list [][2]int64
	until := int64(math.MinInt64) // what lies before was looked at
	for _, u := range under {
		list = append(list, part(own, max(u[0], until), u[1])...)
		until = max(until, u[1])
	}
	return list
}

// hidden is what the rank computed while a collective was under way, from a time
// on.
func (l *Lane) hidden(c *training.Call, from int64) [][2]int64 {
	if training.HostCollective(c.Name) {
		return part(l.onHost, from, c.End)
	}
	return part(l.onDevice, from, c.End)
}

// part is what of a list of times lies between two.
func part(list [][2]int64, from, to int64) [][2]int64 {
	if from >= to {
		return nil
	}
	first, _ := slices.BinarySearchFunc(list, from, func(s [2]int64, at int64) int { return cmp.Compare(s[1], at+1) })
	var out [][2]int64
	for _, s := range list[first:] {
		if s[0] >= to {
			break
		}
		out = append(out, [2]int64{max(s[0], from), min(s[1], to)})
	}
	return out
}

// launched is what the rank is in where its device meets the others: while the
// device computes, the range that launched it, else the range that the host is in.
func (l *Lane) launched(t *training.Trace) []span {
	var list []span
	add := func(s span) {
		if s.to <= s.from {
			return
		}
		if n := len(list); n > 0 && list[n-1].name == s.name && list[n-1].to == s.from {
			list[n-1].to = s.to
		} else {
			list = append(list, s)
		}
	}
	at, first := int64(math.MinInt64), 0
	host := func(until int64) {
		for ; first < len(l.host) && l.host[first].from < until; first++ {
			r := l.host[first]
			add(span{max(r.from, at), min(r.to, until), r.name})
			if r.to > until {
				break
			}
		}
		at = max(at, until)
	}
	for _, k := range t.Launched() {
		from, to := k.From+t.Base, k.To+t.Base
		host(from)
		if k.At == training.NotLaunched {
			host(to)
			continue
		}
		if name := l.rangeAt(k.At + t.Base); name != "" {
			add(span{from, to, name})
		}
		at = to
	}
	host(math.MaxInt64)
	return list
}

// rangeAt is the range that the host is in at a time; "" for none.
func (l *Lane) rangeAt(at int64) string {
	n, _ := slices.BinarySearchFunc(l.host, at+1, func(s span, at int64) int { return cmp.Compare(s.from, at) })
	if n > 0 && at < l.host[n-1].to {
		return l.host[n-1].name
	}
	return ""
}

// namedRanges are the innermost ranges of the thread on which the program named
// the most time.
func namedRanges(t *training.Trace) []span {
	var best []span
	longest := int64(0)
	for track := range t.Tracks {
		if t.Tracks[track].Device {
			continue
		}
		var open, flat []span
		close := func(until int64) {
			for len(open) > 0 && open[len(open)-1].to <= until {
				last := open[len(open)-1]
				open = open[:len(open)-1]
				if last.to > last.from {
					flat = append(flat, last)
				}
				if len(open) > 0 {
					open[len(open)-1].from = max(open[len(open)-1].from, last.to)
				}
			}
		}
		for _, i := range t.On(track) {
			v := t.At(int(i))
			if v.Kind != training.Annotation || isMark(t.Names[v.Name]) {
				continue
			}
			from, to := v.Start+t.Base, v.End()+t.Base
			close(from)
			if len(open) > 0 && isFramework(t.Names[v.Name]) {
				continue
			}
			if len(open) > 0 {
				outer := &open[len(open)-1]
				if from > outer.from {
					flat = append(flat, span{outer.from, from, outer.name})
				}
				outer.from, to = from, min(to, outer.to)
			}
			open = append(open, span{from, to, t.Names[v.Name]})
		}
		close(1<<63 - 1)
		total := int64(0)
		for _, s := range flat {
			total += s.to - s.from
		}
		if total > longest {
			longest, best = total, flat
		}
	}
	slices.SortFunc(best, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	return best
}

// isMark tells ranges that say nothing of what the rank does: steps, and
// collectives themselves.
func isMark(name string) bool {
	for _, prefix := range []string{"ProfilerStep#", "nccl:", "gloo:", "mpi:", "ucc:"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// isFramework tells ranges that PyTorch opens by itself: they count where the
// program named none around them.
func isFramework(name string) bool {
	for _, prefix := range []string{"Optimizer.", "DistributedDataParallel.", "enumerate(DataLoader)#"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
