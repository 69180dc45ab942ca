package pop_test

import (
	"context"
	"math"
	"testing"

	"auspex/events"
	"auspex/pop"
	"auspex/trace"
)

// hybrid is two ranks of two threads, worked out on paper. Rank 0 is outside of
// MPI until 8 s and rank 1 until 9 s; at 10 s both leave a barrier. Their first
// threads compute all that time, their second ones for 4 and 5 s.
type hybrid struct{ header events.Header }

func (h *hybrid) Header() *events.Header { return &h.header }

func (h *hybrid) Each(_ context.Context, visit func(*events.Span) error) error {
	for _, s := range []struct {
		loc      int32
		kind     trace.Kind
		from, to int64
	}{
		{0, trace.Compute, 0, 8}, {1, trace.Compute, 0, 4}, {1, events.ThreadBarrier, 4, 8}, {2, trace.Compute, 0, 9}, {3, trace.Compute, 0, 5}, {3, events.ThreadBarrier, 5, 9},
		{0, trace.Barrier, 8, 10}, {2, trace.Barrier, 9, 10},
	} {
		if err := visit(&events.Span{Loc: s.loc, Kind: s.kind, Root: -1, Begin: s.from * 1e9, End: s.to * 1e9}); err != nil {
			return err
		}
	}
	return nil
}

func TestHybrid(t *testing.T) {
	src := &hybrid{events.Header{Name: "hybrid", Ranks: 2, Locations: []events.Location{{}, {Thread: 1}, {Rank: 1}, {Rank: 1, Thread: 1}}, Paths: []events.Path{{Name: "p"}}}}
	r, err := pop.Measure(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	f := pop.Of(r)
	for _, c := range []struct {
		name string
		got  *float64
		want float64
	}{
		{"load balance", f.LoadBalance, 6.5 / 9}, {"communication", f.Communication, 0.9}, {"parallel", f.Parallel, 0.65},
		{"MPI", f.MPI, 0.85}, {"MPI load balance", f.MPILoadBalance, 8.5 / 9}, {"MPI communication", f.MPICommunication, 0.9},
		{"OpenMP", f.OpenMP, 0.65 / 0.85}, {"OpenMP load balance", f.OpenMPLoadBalance, 6.5 / 8.5}, {"OpenMP communication", f.OpenMPCommunication, 1},
		{"serialization", f.Serialization, 1}, {"transfer", f.Transfer, 0.9},
	} {
		if c.got == nil || math.Abs(*c.got-c.want) > 1e-12 {
			t.Errorf("%s is %v, not %g", c.name, c.got, c.want)
		}
	}
}

// TestProfiled: a rank that sleeps outside of MPI is outside of it there too. No
// factor is above 1, and parallel is the profile's.
func TestProfiled(t *testing.T) {
	for _, useful := range [][]float64{{0.17, 1.32}, {0.1, 1.6}} {
		r := pop.Run{Ranks: 2, Units: 2, Useful: []float64{0.16, 0.17}, Seconds: 1.66, Ideal: 1.37, IdealUseful: 0.17}
		r.Profiled(useful)
		f := pop.Of(r)
		if want := (useful[0] + useful[1]) / 2 / 1.66; math.Abs(*f.Parallel-want) > 1e-12 {
			t.Errorf("parallel is %g, not %g", *f.Parallel, want)
		}
		if *f.Serialization > 1 || *f.Transfer > 1 || math.Abs(*f.Serialization**f.Transfer-*f.Communication) > 1e-12 {
			t.Errorf("serialization %g, transfer %g, communication %g", *f.Serialization, *f.Transfer, *f.Communication)
		}
	}
}

// contradicting is a trace of two ranks whose clocks differ: the first leaves a
// barrier at 1 s, before the second comes at 2 s.
type contradicting struct{ header events.Header }

func (c *contradicting) Header() *events.Header { return &c.header }

func (c *contradicting) Each(_ context.Context, visit func(*events.Span) error) error {
	for _, s := range []events.Span{
		{Loc: 0, Kind: trace.Compute, End: 1e9}, {Loc: 0, Kind: trace.Barrier, Begin: 1e9, End: 1e9}, {Loc: 0, Kind: trace.Compute, Begin: 1e9, End: 3e9},
		{Loc: 1, Kind: trace.Compute, End: 2e9}, {Loc: 1, Kind: trace.Barrier, Begin: 2e9, End: 2e9},
	} {
		s.Root = -1
		if err := visit(&s); err != nil {
			return err
		}
	}
	return nil
}

// TestNoFactorAboveOne: the ideal replay of such a trace takes longer than the run.
func TestNoFactorAboveOne(t *testing.T) {
	r, err := pop.Measure(t.Context(), &contradicting{events.Header{Name: "clocks", Ranks: 2, Locations: []events.Location{{}, {Rank: 1}}, Paths: []events.Path{{Name: "p"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if f := pop.Of(r); *f.Transfer > 1 || *f.Serialization > 1 || len(f.Notes) != 1 {
		t.Errorf("serialization %g, transfer %g, noted %q", *f.Serialization, *f.Transfer, f.Notes)
	}
}

// TestThreads: what a profile tells of threads splits the factors of a replay as those
// of a measured trace are split.
func TestThreads(t *testing.T) {
	r := pop.Run{Ranks: 2, Units: 2, Useful: []float64{8, 9}, Seconds: 10, Ideal: 9, IdealUseful: 9}
	r.Threads([]float64{8, 4, 9, 5}, []float64{8, 9})
	f := pop.Of(r)
	for name, c := range map[string]struct {
		got  *float64
		want float64
	}{"parallel": {f.Parallel, 0.65}, "MPI": {f.MPI, 0.85}, "OpenMP load balance": {f.OpenMPLoadBalance, 6.5 / 8.5}, "transfer": {f.Transfer, 0.9}} {
		if c.got == nil || math.Abs(*c.got-c.want) > 1e-12 {
			t.Errorf("%s is %v, not %g", name, c.got, c.want)
		}
	}
}
