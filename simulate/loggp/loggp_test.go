package loggp_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"auspex/events"
	"auspex/simulate/loggp"
	"auspex/trace"
)

// written makes a trace of lines `rank action args`, in ns and bytes.
func written(t testing.TB, ranks int, add func(rank int, b *trace.Builder)) *trace.Trace {
	t.Helper()
	tr := &trace.Trace{Name: "written", Nanoseconds: true}
	for r := range ranks {
		b := trace.NewBuilder(r)
		add(r, b)
		tr.Programs = append(tr.Programs, b.Program())
	}
	return tr
}

func compute(b *trace.Builder, region string, seconds float64) {
	b.Add(&trace.Action{Kind: trace.Location, File: region})
	b.Add(&trace.Action{Kind: trace.Compute, Value: seconds * 1e9})
}

func replay(t *testing.T, tr *trace.Trace, o loggp.Options) *loggp.Result {
	t.Helper()
	r, err := loggp.Run(t.Context(), tr, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*(1+want) {
		t.Errorf("%s: %g, should be %g", what, got, want)
	}
}

// TestMessage works a single message out: sent at 1 s, 1000 bytes at 1 MB/s and
// 0.5 s latency arrive at 1.501 s; the receiver is there at 0.
func TestMessage(t *testing.T) {
	tr := written(t, 2, func(r int, b *trace.Builder) {
		if r == 0 {
			compute(b, "A", 1)
			b.Add(&trace.Action{Kind: trace.Send, Type: trace.Byte, Peer: 1, Count: 1000})
		} else {
			b.Add(&trace.Action{Kind: trace.Recv, Type: trace.Byte, Peer: 0, Count: 1000})
			compute(b, "B", 2)
		}
	})
	net := loggp.Network{Latency: 0.5, Bandwidth: 1e6}
	r := replay(t, tr, loggp.Options{Network: net})
	near(t, "sender", r.Finish[0], 1)
	near(t, "receiver", r.Finish[1], 3.501)
	near(t, "ideal", replay(t, tr, loggp.Options{}).Finish[1], 3)
	net.EagerBelow = 100 // the sender waits until the message has arrived
	near(t, "sender that waits", replay(t, tr, loggp.Options{Network: net}).Finish[0], 1.501)
}

// TestToItself: a rank that sends to itself, as at a periodic border of one rank, is not
// woken a second time: it waits in the barrier that follows.
func TestToItself(t *testing.T) {
	for _, size := range []int64{10, 1000} {
		tr := written(t, 2, func(r int, b *trace.Builder) {
			b.Add(&trace.Action{Kind: trace.SendRecv, Type: trace.Byte, Type2: trace.Byte, Peer: int32(r), Peer2: int32(r), Count: size, Count2: size})
			compute(b, "A", float64(r+1))
			b.Add(&trace.Action{Kind: trace.Barrier})
		})
		for rank, finish := range replay(t, tr, loggp.Options{Network: loggp.Network{EagerBelow: 100}}).Finish {
			near(t, fmt.Sprintf("rank %d, %d bytes", rank, size), finish, 2)
		}
	}
}

// TestCollectives holds who waits for whom: in all-to-all for the last, in a
// broadcast for the root, in a reduction the root for all.
// A scan waits for those before it and for nobody else: rank 1 takes in what rank 2
// sends before its own.
func TestScans(t *testing.T) {
	for _, kind := range []trace.Kind{trace.Scan, trace.Exscan} {
		tr := written(t, 4, func(r int, b *trace.Builder) {
			compute(b, "A", []float64{2, 1, 4, 3}[r])
			if r == 2 {
				b.Add(&trace.Action{Kind: trace.Send, Type: trace.Byte, Peer: 1, Count: 1000})
			}
			b.Add(&trace.Action{Kind: kind, Type: trace.Byte, Count: 8})
			if r == 1 {
				b.Add(&trace.Action{Kind: trace.Recv, Type: trace.Byte, Peer: 2, Count: 1000})
			}
		})
		r := replay(t, tr, loggp.Options{Network: loggp.Network{EagerBelow: 100}})
		for rank, want := range []float64{2, 4, 4, 4} {
			near(t, fmt.Sprintf("%s, rank %d", kind, rank), r.Finish[rank], want)
		}
		joint := loggp.Options{Network: loggp.Network{Joint: true}}
		near(t, fmt.Sprintf("%s that holds all", kind), replay(t, tr, joint).Finish[0], 4)
	}
}

func TestCollectives(t *testing.T) {
	for _, c := range []struct {
		kind trace.Kind
		want []float64
	}{
		{trace.Allreduce, []float64{3, 3, 3}}, {trace.Barrier, []float64{3, 3, 3}}, {trace.Alltoall, []float64{3, 3, 3}},
		{trace.Bcast, []float64{2, 2, 3}}, {trace.Reduce, []float64{1, 3, 3}},
	} {
		tr := written(t, 3, func(r int, b *trace.Builder) {
			compute(b, "A", float64(r+1))
			b.Add(&trace.Action{Kind: c.kind, Type: trace.Byte, Peer: 1, Count: 8})
		})
		r := replay(t, tr, loggp.Options{})
		for rank := range c.want {
			near(t, fmt.Sprintf("%s, rank %d", c.kind, rank), r.Finish[rank], c.want[rank])
		}
	}
}

// TestSizes: a collective takes as long as its own bytes, whatever came before it; of
// lists, as if all of a rank's pieces were of their mean.
func TestSizes(t *testing.T) {
	lists := []trace.Action{
		{Kind: trace.Alltoallv, Type: trace.Byte, Type2: trace.Byte, Count: 900, Counts: []int64{0, 400, 200}, Count2: 900, Counts2: []int64{0, 400, 200}},
		{Kind: trace.Scatterv, Type: trace.Byte, Type2: trace.Byte, Counts: []int64{0, 400, 200}, Count2: 200},
		{Kind: trace.Gatherv, Type: trace.Byte, Type2: trace.Byte, Count: 200, Counts2: []int64{200, 200, 200}},
		{Kind: trace.ReduceScatter, Type: trace.Byte, Counts: []int64{100, 50, 50}},
	}
	plain := []trace.Kind{trace.Alltoall, trace.Scatter, trace.Gather, trace.Allreduce}
	net := loggp.Network{Bandwidth: 100}
	takes := func(actions ...trace.Action) float64 {
		tr := written(t, 3, func(_ int, b *trace.Builder) {
			for i := range actions {
				b.Add(&actions[i])
				b.Add(&trace.Action{Kind: trace.Barrier})
			}
		})
		return replay(t, tr, loggp.Options{Network: net}).Seconds
	}
	for i := range lists {
		own := takes(lists[i])
		near(t, lists[i].Kind.String(), own, takes(trace.Action{Kind: plain[i], Type: trace.Byte, Type2: trace.Byte, Count: 200, Count2: 200}))
		small := trace.Action{Kind: trace.Allreduce, Type: trace.Byte, Count: 1}
		near(t, "one byte after "+lists[i].Kind.String(), takes(lists[i], small)-own, takes(small))
	}
}

// TestSplit: a barrier of the even ranks alone.
func TestSplit(t *testing.T) {
	tr := written(t, 4, func(r int, b *trace.Builder) {
		b.Add(&trace.Action{Kind: trace.CommSplit, Tag: int32(r % 2), Count: int64(r)})
		compute(b, "A", float64(r+1))
		b.Add(&trace.Action{Kind: trace.Barrier, Comm: 1})
	})
	r := replay(t, tr, loggp.Options{})
	for rank, want := range []float64{3, 4, 3, 4} {
		near(t, fmt.Sprintf("rank %d", rank), r.Finish[rank], want)
	}
}

// TestDeadlock names who waits.
func TestDeadlock(t *testing.T) {
	tr := written(t, 2, func(r int, b *trace.Builder) {
		b.Add(&trace.Action{Kind: trace.Recv, Type: trace.Byte, Peer: int32(1 - r), Count: 1})
	})
	_, err := loggp.Run(t.Context(), tr, loggp.Options{})
	if err == nil || !strings.Contains(err.Error(), "rank 0 in recv") {
		t.Errorf("got %v", err)
	}
}

// TestWork: regions scaled by rank.
func TestWork(t *testing.T) {
	tr := written(t, 2, func(r int, b *trace.Builder) {
		compute(b, "A", 1)
		compute(b, "B", float64(r+1))
	})
	p, err := loggp.NewProfile(t.Context(), tr)
	if err != nil {
		t.Fatal(err)
	}
	i, ok := p.Region("B")
	if !ok {
		t.Fatalf("no region B among %v", p.Regions)
	}
	near(t, "B of rank 1", p.Seconds[i][1], 2)
	w := loggp.Work{Scale: make([][]float64, len(p.Regions))}
	w.Scale[i] = []float64{1, 0.25}
	r := replay(t, tr, loggp.Options{Work: w, Regions: p.Table})
	near(t, "rank 0", r.Finish[0], 2)
	near(t, "rank 1", r.Finish[1], 1.5)
}

// TestJoint: the root of a broadcast leaves it at once, unless nobody leaves a
// collective before all have come.
func TestJoint(t *testing.T) {
	tr := &trace.Trace{Name: "joint"}
	for r := range 2 {
		b := trace.NewBuilder(r)
		b.Add(&trace.Action{Kind: trace.Compute, Value: float64(1+r) * 1e9})
		b.Add(&trace.Action{Kind: trace.Bcast, Count: 8})
		tr.Programs = append(tr.Programs, b.Program())
	}
	for joint, want := range map[bool]float64{false: 1, true: 2} {
		r, err := loggp.Run(t.Context(), tr, loggp.Options{Network: loggp.Network{Joint: joint}})
		if err != nil || r.Finish[0] != want || r.Finish[1] != 2 {
			t.Errorf("joint %v: %+v, %v", joint, r, err)
		}
	}
}

// TestReady: a rank that was ready for a collective and computed on keeps nobody
// waiting by that, and hides what the collective takes meanwhile.
func TestReady(t *testing.T) {
	tr := written(t, 2, func(r int, b *trace.Builder) {
		compute(b, "A", float64(1+r))
		if r == 0 {
			compute(b, "B", 5)
		}
		b.Add(&trace.Action{Kind: trace.Allreduce, Type: trace.Byte, Count: 8})
		compute(b, "C", 1)
	})
	for _, c := range []struct {
		ahead        int32
		took         float64
		first, other float64
	}{
		{0, 0, 7, 7}, {1, 0, 7, 3}, {1, 3, 7, 6}, {1, 6, 9, 9},
	} {
		tr.Joins = [][]trace.Join{{{Ahead: c.ahead, Seconds: c.took}}, {{Seconds: c.took}}}
		r := replay(t, tr, loggp.Options{Network: loggp.Network{Latency: 1}, Measured: loggp.Network{Latency: 1}})
		near(t, fmt.Sprintf("%+v, the one that computes on", c), r.Finish[0], c.first)
		near(t, fmt.Sprintf("%+v, the other", c), r.Finish[1], c.other)
	}
}

// TestUnknownCommunicators: in text, comm_split and comm_dup do nothing.
func TestUnknownCommunicators(t *testing.T) {
	for _, kind := range []trace.Kind{trace.CommSplit, trace.CommDup} {
		tr := written(t, 2, func(r int, b *trace.Builder) {
			compute(b, "A", float64(r+1))
			b.Add(&trace.Action{Kind: kind, Comm: -1})
			b.Add(&trace.Action{Kind: trace.Barrier})
		})
		near(t, kind.String(), replay(t, tr, loggp.Options{}).Seconds, 2)
		src := loggp.NewSource(tr, loggp.Options{})
		if err := src.Each(t.Context(), func(*events.Span) error { return nil }); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestQueue: a rank that has done all its work before the first of two collectives was
// ready for both while it worked; the second begins when the first has ended.
func TestQueue(t *testing.T) {
	tr := written(t, 2, func(r int, b *trace.Builder) {
		compute(b, "A", 1)
		if r == 0 {
			compute(b, "B", 5)
		}
		b.Add(&trace.Action{Kind: trace.Allreduce, Type: trace.Byte, Count: 8})
		compute(b, "C", 1)
		b.Add(&trace.Action{Kind: trace.Allreduce, Type: trace.Byte, Count: 8})
	})
	for _, c := range []struct {
		behind        int32
		half          bool
		first, second float64
	}{{0, false, 7, 4}, {1, false, 7, 5}, {1, true, 7, 3}} {
		tr.Joins = [][]trace.Join{{{Ahead: 1, Seconds: 2}, {Ahead: 2, Behind: c.behind, Seconds: 2}}, {{Ahead: 0, Seconds: 2}, {Ahead: 2, Behind: c.behind, Seconds: 2}}}
		o := loggp.Options{Network: loggp.Network{Latency: 1}, Measured: loggp.Network{Latency: 1}}
		if c.half {
			o.Network.Latency = 0.5
		}
		r := replay(t, tr, o)
		near(t, fmt.Sprintf("%+v, the one that is early", c), r.Finish[0], c.first)
		near(t, fmt.Sprintf("%+v, the other", c), r.Finish[1], c.second)
	}
}
