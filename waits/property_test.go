package waits_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"auspex/events"
	"auspex/simulate/loggp"
	"auspex/trace"
	"auspex/waits"
)

// program draws a program of some ranks that ends: steps in which all do the
// same kind of thing, with computation of their own before it.
func program(t *rapid.T, ranks, steps int) *trace.Trace {
	builders := make([]*trace.Builder, ranks)
	for r := range builders {
		builders[r] = trace.NewBuilder(r)
	}
	all := func(f func(r int, b *trace.Builder)) {
		for r, b := range builders {
			f(r, b)
		}
	}
	regions := []string{"A", "B", "C"}
	half := func(r int) int { return r * 2 / ranks } // which of two communicators
	all(func(r int, b *trace.Builder) {
		b.Add(&trace.Action{Kind: trace.CommSplit, Tag: int32(half(r)), Count: int64(r)})
	})
	for n := range steps {
		all(func(r int, b *trace.Builder) {
			b.Add(&trace.Action{Kind: trace.Location, File: rapid.SampledFrom(regions).Draw(t, "region")})
			b.Add(&trace.Action{Kind: trace.Compute, Value: float64(rapid.IntRange(0, 5000).Draw(t, "work"))})
		})
		root := int32(rapid.IntRange(0, ranks-1).Draw(t, "root"))
		shift := rapid.IntRange(1, max(ranks-1, 1)).Draw(t, "shift")
		switch rapid.IntRange(0, 12).Draw(t, "step") {
		case 0:
			all(func(_ int, b *trace.Builder) { b.Add(&trace.Action{Kind: trace.Allreduce, Count: 8}) })
		case 1:
			all(func(_ int, b *trace.Builder) { b.Add(&trace.Action{Kind: trace.Bcast, Peer: root, Count: 8}) })
		case 2:
			all(func(_ int, b *trace.Builder) { b.Add(&trace.Action{Kind: trace.Reduce, Peer: root, Count: 8}) })
		case 3:
			size := int64(rapid.SampledFrom([]int{5, 100}).Draw(t, "size")) // of 8 bytes
			all(func(r int, b *trace.Builder) {
				b.Add(&trace.Action{Kind: trace.SendRecv, Peer: int32((r + shift) % ranks), Peer2: int32((r - shift + ranks) % ranks), Count: size, Count2: size})
			})
		case 4:
			size := int64(rapid.SampledFrom([]int{5, 100}).Draw(t, "size")) // of 8 bytes
			all(func(r int, b *trace.Builder) {
				b.Add(&trace.Action{Kind: trace.Irecv, Peer: int32((r - shift + ranks) % ranks), Tag: 3, Count: size})
				b.Add(&trace.Action{Kind: trace.Isend, Peer: int32((r + shift) % ranks), Tag: 3, Count: size})
				b.Add(&trace.Action{Kind: trace.Compute, Value: float64(rapid.IntRange(0, 5000).Draw(t, "overlap"))})
				b.Add(&trace.Action{Kind: trace.WaitAll})
			})
		case 5: // a chain from rank to rank
			all(func(r int, b *trace.Builder) {
				if r > 0 {
					b.Add(&trace.Action{Kind: trace.Recv, Peer: int32(r - 1), Tag: 1, Count: 10})
				}
				if r < ranks-1 {
					b.Add(&trace.Action{Kind: trace.Send, Peer: int32(r + 1), Tag: 1, Count: 10})
				}
			})
		case 6: // each half for itself, in different collectives
			kinds := []trace.Kind{trace.Allreduce, trace.Barrier, trace.Bcast, trace.Gather, trace.Allgather}
			first, second := rapid.SampledFrom(kinds).Draw(t, "first"), rapid.SampledFrom(kinds).Draw(t, "second")
			all(func(r int, b *trace.Builder) {
				b.Add(&trace.Action{Kind: []trace.Kind{first, second}[half(r)], Comm: 1, Count: 8, Count2: 8})
			})
		case 7: // one half alone
			all(func(r int, b *trace.Builder) {
				if half(r) == 0 {
					b.Add(&trace.Action{Kind: trace.Alltoall, Comm: 1, Count: 8, Count2: 8})
				}
			})
		case 8: // to itself
			all(func(r int, b *trace.Builder) {
				b.Add(&trace.Action{Kind: trace.SendRecv, Peer: int32(r), Peer2: int32(r), Count: 100, Count2: 100})
			})
		case 9: // requests that are waited for one by one, as MPI_Waitany does, in some order
			size := int64(rapid.SampledFrom([]int{5, 100}).Draw(t, "size")) // of 8 bytes
			all(func(r int, b *trace.Builder) {
				from, to := int32((r-shift+ranks)%ranks), int32((r+shift)%ranks)
				waits := []*trace.Action{}
				for tag := range int32(2) {
					b.Add(&trace.Action{Kind: trace.Irecv, Peer: from, Tag: 5 + tag, Count: size})
					b.Add(&trace.Action{Kind: trace.Isend, Peer: to, Tag: 5 + tag, Count: size})
					waits = append(waits, &trace.Action{Kind: trace.Wait, Peer: from, Peer2: int32(r), Tag: 5 + tag},
						&trace.Action{Kind: trace.Wait, Peer: int32(r), Peer2: to, Tag: 5 + tag})
				}
				for _, w := range rapid.Permutation(waits).Draw(t, "completed") {
					b.Add(&trace.Action{Kind: trace.Compute, Value: float64(rapid.IntRange(0, 2000).Draw(t, "between"))})
					b.Add(w)
				}
			})
		case 10: // everybody to the root, which takes them as it knows them to come
			all(func(r int, b *trace.Builder) {
				if r != int(root) {
					b.Add(&trace.Action{Kind: trace.Send, Peer: root, Tag: 7, Count: 10})
					return
				}
				for _, from := range rapid.Permutation(identity(ranks)).Draw(t, "from") {
					if from != int(root) {
						b.Add(&trace.Action{Kind: trace.Recv, Peer: int32(from), Tag: 7, Count: 10})
					}
				}
			})
		case 11: // requests that stay open while others are begun and collectives entered
			all(func(r int, b *trace.Builder) {
				b.Add(&trace.Action{Kind: trace.Irecv, Peer: int32((r - shift + ranks) % ranks), Tag: int32(100 + n), Count: 5})
				b.Add(&trace.Action{Kind: trace.Isend, Peer: int32((r + shift) % ranks), Tag: int32(100 + n), Count: 5})
			})
		case 12:
			kind := rapid.SampledFrom([]trace.Kind{trace.Barrier, trace.Gather, trace.Scatter, trace.Alltoall, trace.Allgather}).Draw(t, "kind")
			all(func(_ int, b *trace.Builder) { b.Add(&trace.Action{Kind: kind, Peer: root, Count: 8, Count2: 8}) })
		}
	}
	all(func(_ int, b *trace.Builder) { b.Add(&trace.Action{Kind: trace.WaitAll}) }) // for what case 11 left
	tr := &trace.Trace{Name: "drawn"}
	for _, b := range builders {
		tr.Programs = append(tr.Programs, b.Program())
	}
	return tr
}

// TestCausesAddUp holds the definitions on drawn traces: the causes of every
// wait add up to it, no rank waits longer than it runs, and the critical path is
// as long as the run, whatever the network.
func TestCausesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := program(t, rapid.IntRange(1, 6).Draw(t, "ranks"), rapid.IntRange(1, 12).Draw(t, "steps"))
		net := rapid.SampledFrom([]loggp.Network{loggp.Ideal(), {Latency: 1e-6, Bandwidth: 1e9}, {Latency: 1e-6, Bandwidth: 1e8, EagerBelow: 50}}).Draw(t, "network")
		r, err := waits.Analyze(t.Context(), loggp.NewSource(tr, loggp.Options{Network: net}))
		if err != nil {
			t.Fatal(err)
		}
		balanced(t, r)
		if len(r.Notes) > 0 {
			t.Errorf("notes: %v", r.Notes)
		}
		byRank := make([]float64, r.Ranks)
		for _, row := range r.Rows {
			for rank, s := range row.Ranks {
				byRank[rank] += s
			}
		}
		for rank, s := range byRank {
			if s > r.Seconds+1e-9 {
				t.Errorf("rank %d waits %g s in a run of %g s", rank, s, r.Seconds)
			}
		}
		path := 0.0
		for _, o := range r.CriticalPath {
			path += o.Seconds
		}
		if math.Abs(path-r.Seconds) > 1e-8+1e-6*r.Seconds {
			t.Errorf("the critical path is %g s long, the run %g s", path, r.Seconds)
		}
	})
}

// TestCallsAreWaits: on a network that takes no time, all that ranks are in calls is
// waiting, for senders, receivers or in collectives, whatever their messages are called.
func TestCallsAreWaits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := program(t, rapid.IntRange(1, 6).Draw(t, "ranks"), rapid.IntRange(1, 12).Draw(t, "steps"))
		o := loggp.Options{Network: loggp.Network{EagerBelow: rapid.SampledFrom([]int64{0, 50}).Draw(t, "eager")}}
		run, err := loggp.Run(t.Context(), tr, o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := waits.Analyze(t.Context(), loggp.NewSource(tr, o))
		if err != nil {
			t.Fatal(err)
		}
		for rank, finish := range run.Finish {
			waited := 0.0
			for _, row := range r.Rows {
				waited += row.Ranks[rank]
			}
			if in := finish - run.Compute[rank]; math.Abs(waited-in) > 1e-7 {
				t.Errorf("rank %d is in calls for %g s, and waits %g s", rank, in, waited)
			}
		}
	})
}

// renamed is a trace with its ranks in another order: rank r becomes to[r].
func renamed(tr *trace.Trace, to []int) *trace.Trace {
	out := &trace.Trace{Name: tr.Name, Programs: make([]trace.Program, len(to))}
	for r := range to {
		b := trace.NewBuilder(to[r])
		c := tr.Cursor(r)
		var a trace.Action
		for c.Next(&a) {
			switch {
			case a.Kind == trace.SendRecv, a.Kind == trace.Wait:
				a.Peer, a.Peer2 = int32(to[a.Peer]), int32(to[a.Peer2])
			case a.Kind == trace.Send, a.Kind == trace.Isend, a.Kind == trace.Recv, a.Kind == trace.Irecv, events.Rooted(a.Kind) && a.Comm == 0:
				a.Peer = int32(to[a.Peer])
			}
			b.Add(&a)
		}
		out.Programs[to[r]] = b.Program()
	}
	return out
}

// slower is a trace whose computation takes so many times as long.
func slower(tr *trace.Trace, by float64) *trace.Trace {
	out := &trace.Trace{Name: tr.Name}
	for r := range tr.NP() {
		b := trace.NewBuilder(r)
		c := tr.Cursor(r)
		var a trace.Action
		for c.Next(&a) {
			if a.Kind == trace.Compute {
				a.Value *= by
			}
			b.Add(&a)
		}
		out.Programs = append(out.Programs, b.Program())
	}
	return out
}

// sums are the waits of a report by rank and their causes, times a factor; to says
// what ranks are called.
func sums(r *waits.Report, to []int, by float64) map[string]float64 {
	out := map[string]float64{}
	for _, row := range r.Rows {
		for rank, s := range row.Ranks {
			out[fmt.Sprint(row.Pattern, row.Region, to[rank])] += by * s
		}
		for _, c := range row.Causes {
			out[fmt.Sprint(row.Pattern, row.Region, " for ", c.Region)] += by * c.Seconds
			if len(c.Ranks) == 1 {
				out[fmt.Sprint(row.Pattern, row.Region, " for ", c.Region, to[c.Ranks[0]])] += by * c.Seconds
			}
		}
	}
	return out
}

func alike(t *rapid.T, what string, x, y map[string]float64) {
	for key := range x {
		if math.Abs(x[key]-y[key]) > 1e-6 {
			t.Errorf("%s: %s is %g s and %g s", what, key, x[key], y[key])
		}
	}
}

// TestWhoeverIsWho: the numbers of ranks change nothing, and where computation takes
// twice as long on a network that takes no time, so do waits. What differs is
// computation alone: no call is a cause.
func TestWhoeverIsWho(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.IntRange(2, 6).Draw(t, "ranks")
		// In ms, with a different part of a µs in every stretch: no two ranks come
		// to anything at the same time, of which either could be the last.
		tr := slower(program(t, ranks, rapid.IntRange(1, 12).Draw(t, "steps")), 1e6)
		n := 0.0
		for r := range tr.NP() {
			b := trace.NewBuilder(r)
			c := tr.Cursor(r)
			var a trace.Action
			for c.Next(&a) {
				if a.Kind == trace.Compute {
					n++
					a.Value += math.Round(1e6 * math.Mod(n*0.6180339887, 1))
				}
				b.Add(&a)
			}
			tr.Programs[r] = b.Program()
		}
		to := rapid.Permutation(identity(ranks)).Draw(t, "order")
		net := rapid.SampledFrom([]loggp.Network{loggp.Ideal(), {EagerBelow: 50}}).Draw(t, "network")
		judge := func(tr *trace.Trace) *waits.Report {
			r, err := waits.Analyze(t.Context(), loggp.NewSource(tr, loggp.Options{Network: net}))
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		r := judge(tr)
		for _, row := range r.Rows {
			for _, c := range row.Causes {
				if strings.Contains(c.Region, "MPI_") && c.Seconds > 1e-6 {
					t.Errorf("%s waits %g s for %s", row.Region, c.Seconds, c.Region)
				}
			}
		}
		want := sums(r, to, 1)
		alike(t, "renamed", want, sums(judge(renamed(tr, to)), identity(ranks), 1))
		alike(t, "twice as slow", want, sums(judge(slower(tr, 2)), to, 0.5))
	})
}

func identity(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
