package job_test

import (
	"fmt"
	"strings"
	"testing"

	"auspex/events"
	"auspex/events/job"
	"auspex/pop"
	"auspex/training"
	"auspex/waits"
)

// rank makes the profile of a rank: ranges on its host and collectives on its
// device, in µs.
type rank struct{ t *training.Trace }

func newRank(number int, base int64) *rank {
	t := &training.Trace{File: fmt.Sprintf("rank%d.json", number), Rank: number, World: 2, Base: base}
	t.Tracks = []training.Track{{Process: "1", Thread: "1"}, {Process: "0", Thread: "7", Device: true, Stream: 7}}
	return &rank{t}
}

func (r *rank) add(kind training.Kind, track uint16, name string, from, to int64) int {
	r.t.Names = append(r.t.Names, name)
	return r.t.Add(training.Interval{Start: from * 1000, Length: (to - from) * 1000, Name: uint32(len(r.t.Names) - 1), Track: track, Kind: kind})
}

func (r *rank) during(name string, from, to int64) { r.add(training.Annotation, 0, name, from, to) }

func (r *rank) reduce(group string, seq, from, to int64) {
	i := r.add(training.Kernel, 1, "ncclDevKernel_AllReduce_Sum", from, to)
	r.t.Messages = append(r.t.Messages, training.Message{Interval: i, Collective: "allreduce", Group: group, GroupSize: 2, Seq: seq, Bytes: 8})
}

// twoRanks is a job of two steps; the second rank loads its batch slowly, by 300
// and 200 µs, and its clock counts from elsewhere.
func twoRanks(ahead int64) []*job.Lane {
	a, b := newRank(0, 0), newRank(1, ahead*1000)
	a.during("load", 0, 100)
	a.during("forward", 100, 400)
	a.during("DistributedDataParallel.forward", 150, 300)
	a.reduce("g", 1, 400, 750)
	a.during("load", 750, 850)
	a.reduce("g", 2, 850, 1100)
	b.during("load", 0, 400)
	b.during("forward", 400, 700)
	b.reduce("g", 1, 700, 750)
	b.during("load", 750, 1050)
	b.reduce("g", 2, 1050, 1100)
	return []*job.Lane{job.LaneOf(b.t), job.LaneOf(a.t)}
}

func told(t *testing.T, src events.Source) string {
	t.Helper()
	var b strings.Builder
	err := src.Each(t.Context(), func(s *events.Span) error {
		fmt.Fprintf(&b, "%d %s %s %d-%d\n", s.Loc, s.Kind, src.Header().Paths[s.Path].Name, s.Begin/1000, s.End/1000)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const want = `0 compute load 0-100
0 compute forward 100-400
1 compute load 0-400
1 compute forward 400-700
0 allreduce elsewhere/ncclDevKernel_AllReduce_Sum 400-750
1 allreduce elsewhere/ncclDevKernel_AllReduce_Sum 700-750
0 compute load 750-850
1 compute load 750-1050
0 allreduce elsewhere/ncclDevKernel_AllReduce_Sum 850-1100
1 allreduce elsewhere/ncclDevKernel_AllReduce_Sum 1050-1100
`

func TestSpans(t *testing.T) {
	src, err := job.New("job", twoRanks(0))
	if err != nil {
		t.Fatal(err)
	}
	if got := told(t, src); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if notes := src.Header().Notes; len(notes) > 0 {
		t.Errorf("noted: %v", notes)
	}
	apart, err := job.New("job", twoRanks(9_000_000))
	if err != nil {
		t.Fatal(err)
	}
	if got := told(t, apart); got != want {
		t.Errorf("with a clock 9 s ahead: got\n%s", got)
	}
	if notes := strings.Join(apart.Header().Notes, " "); !strings.Contains(notes, "clocks") {
		t.Errorf("noted: %q", notes)
	}
}

// TestMissingRanks: that traces of some ranks are not here is said, also where those
// that are begin with rank 0.
func TestMissingRanks(t *testing.T) {
	for world, noted := range map[int]bool{0: false, 2: false, 4: true} {
		var lanes []*job.Lane
		for r := range 2 {
			x := newRank(r, 0)
			x.t.World = world
			x.reduce("g", 1, 400, 750)
			lanes = append(lanes, job.LaneOf(x.t))
		}
		src, err := job.New("job", lanes)
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(src.Header().Notes, " "); strings.Contains(notes, "the job has 4 ranks, and the traces of 2 are here") != noted {
			t.Errorf("of %d ranks: noted %q", world, notes)
		}
	}
}

// TestWaits: the first rank waits 500 µs, all of it for the other's loading.
func TestWaits(t *testing.T) {
	src, err := job.New("job", twoRanks(0))
	if err != nil {
		t.Fatal(err)
	}
	r, err := waits.Analyze(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if words := r.Words; !strings.Contains(words, "load") || !strings.Contains(words, "rank 1") {
		t.Errorf("told: %s", words)
	}
	run, err := pop.Measure(t.Context(), src)
	if err != nil || run.Ideal <= 0 {
		t.Errorf("%+v, %v", run, err)
	}
}

// TestOrder: two groups whose collectives are under way at once and begin in
// another order on each rank replay to the end.
func TestOrder(t *testing.T) {
	a, b := newRank(0, 0), newRank(1, 0)
	a.reduce("g", 1, 0, 100)
	a.reduce("h", 1, 10, 90)
	b.reduce("h", 1, 5, 90)
	b.reduce("g", 1, 20, 100)
	src, err := job.New("job", []*job.Lane{job.LaneOf(a.t), job.LaneOf(b.t)})
	if err != nil {
		t.Fatal(err)
	}
	run, err := pop.Measure(t.Context(), src)
	if err != nil || len(run.Notes) > 0 && strings.Contains(strings.Join(run.Notes, ""), "replayed") {
		t.Errorf("%+v, %v", run, err)
	}
}

func TestRefused(t *testing.T) {
	a, b := newRank(0, 0), newRank(1, 0)
	a.reduce("g", 1, 0, 10)
	b.reduce("h", 1, 0, 10)
	for what, lanes := range map[string][]*job.Lane{
		"one rank":          {job.LaneOf(a.t)},
		"nothing in common": {job.LaneOf(a.t), job.LaneOf(b.t)},
		"one rank twice":    {job.LaneOf(a.t), job.LaneOf(a.t)},
	} {
		if _, err := job.New("job", lanes); err == nil {
			t.Errorf("%s was not refused", what)
		}
	}
}

// TestNoRanges: where a program named no ranges, it is said what `elsewhere` is; where it
// did, what is outside of them needs no words.
func TestNoRanges(t *testing.T) {
	bare := func(number int) *job.Lane {
		r := newRank(number, 0)
		r.reduce("g", 1, 400, 750)
		return job.LaneOf(r.t)
	}
	for _, c := range []struct {
		lanes []*job.Lane
		want  bool
	}{{[]*job.Lane{bare(0), bare(1)}, true}, {twoRanks(0), false}} {
		src, err := job.New("job", c.lanes)
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(strings.Join(src.Header().AllNotes(), " "), "the program named no ranges"); said != c.want {
			t.Errorf("said %v: %q", said, src.Header().AllNotes())
		}
	}
}
