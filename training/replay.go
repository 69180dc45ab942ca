package training

import (
	"runtime"
	"sync/atomic"

	"auspex/internal/crew"
)

// choice says which operations of which lanes keep the time they took; all
// others take their ideal time.
type choice struct {
	keep func(op int) bool
	// except, by stage and data-parallel rank, turns the choice round for a
	// worker; nil for none.
	except func(stage, data int) bool
}

// chunkLanes is how many lanes are replayed at a time: their ends should fit
// into the cache.
const chunkLanes = 2048

// replay says how long each step takes: every operation starts when all it
// waits for has ended, and those of a group end together, each a transfer after
// the last start (arXiv 2505.05713, section 3.2). With whole, a step ends with
// its last operation, else with the last optimizer.
func (w *whatIf) replay(c choice, whole bool) []float64 {
	steps := len(w.l.steps)
	perChunk := min(max(chunkLanes/w.l.data, 1), steps)
	times := make([]float64, steps)
	var next atomic.Int64 // chunk
	var workers crew.Crew
	for range min(runtime.GOMAXPROCS(0), (steps+perChunk-1)/perChunk) {
		workers.Go(func() {
			run := newRun(w, perChunk*w.l.data)
			for {
				first := (int(next.Add(1)) - 1) * perChunk
				if first >= steps {
					return
				}
				run.steps(c, first, min(first+perChunk, steps), whole, times)
			}
		})
	}
	workers.Wait()
	return times
}

// run replays some steps; its space is used again.
type run struct {
	*whatIf
	ends  [][]float64
	group []float64
}

func newRun(w *whatIf, lanes int) *run {
	r := &run{whatIf: w, group: make([]float64, lanes)}
	all := make([]float64, lanes*len(w.o.ops))
	for range w.o.ops {
		r.ends = append(r.ends, all[:lanes:lanes])
		all = all[lanes:]
	}
	return r
}

func (r *run) steps(c choice, first, end int, whole bool, times []float64) {
	data := r.l.data
	lanes := (end - first) * data
	for i := 0; i < len(r.g.order); i++ {
		op := r.g.order[i]
		r.begin(op, lanes)
		group := r.g.group[op]
		if group < 0 {
			r.finish(c, op, first, lanes)
			continue
		}
		members := r.g.groups[group]
		for _, m := range members[1:] {
			r.begin(m, lanes)
		}
		i += len(members) - 1
		r.meet(members, r.g.across[group], lanes)
		for _, m := range members {
			copy(r.ends[m][:lanes], r.group[:lanes])
			r.finish(c, m, first, lanes)
		}
	}
	for step := first; step < end; step++ {
		at := (step - first) * data
		longest := 0.0
		if whole {
			for op := range r.ends {
				longest = highest(longest, r.ends[op][at:at+data])
			}
		} else {
			for _, op := range r.g.last {
				longest = highest(longest, r.ends[op][at:at+data])
			}
		}
		times[step] = longest
	}
}

func highest(so float64, values []float64) float64 {
	for _, v := range values {
		so = max(so, v)
	}
	return so
}

// begin puts the start of an operation where its end will be.
func (r *run) begin(op int32, lanes int) {
	to := r.ends[op][:lanes]
	deps := r.g.deps[op]
	if len(deps) == 0 {
		clear(to)
		return
	}
	copy(to, r.ends[deps[0]])
	for _, d := range deps[1:] {
		from := r.ends[d][:len(to)]
		for i, v := range from {
			if v > to[i] {
				to[i] = v
			}
		}
	}
}

// meet is when the last member of a group is there.
func (r *run) meet(members []int32, across bool, lanes int) {
	to := r.group[:lanes]
	copy(to, r.ends[members[0]])
	for _, m := range members[1:] {
		from := r.ends[m][:len(to)]
		for i, v := range from {
			if v > to[i] {
				to[i] = v
			}
		}
	}
	if !across {
		return
	}
	for at := 0; at < lanes; at += r.l.data {
		step := to[at : at+r.l.data]
		last := highest(step[0], step)
		for i := range step {
			step[i] = last
		}
	}
}

// finish adds the time of an operation.
func (r *run) finish(c choice, op int32, first, lanes int) {
	to := r.ends[op][:lanes]
	keep := c.keep(int(op))
	ideal := r.ideal[r.o.ops[op].kind]
	from := r.l.time[op][first*r.l.data:][:lanes]
	if c.except == nil {
		if keep {
			for i, v := range from {
				to[i] += float64(v)
			}
			return
		}
		for i := range to {
			to[i] += ideal
		}
		return
	}
	for d := range r.l.data {
		if keep != c.except(int(r.o.ops[op].stage), d) {
			for i := d; i < lanes; i += r.l.data {
				to[i] += float64(from[i])
			}
		} else {
			for i := d; i < lanes; i += r.l.data {
				to[i] += ideal
			}
		}
	}
}
