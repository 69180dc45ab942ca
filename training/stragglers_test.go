package training_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"auspex/training"
)

// made is a rank of a made job: three steps or more of load, compute and an
// all-reduce as a kernel, in milliseconds.
type made struct {
	clock int64              // what the rank's clock is ahead
	load  func(step int) int // milliseconds
	gap   func(step int) int // that no operator covers
}

const millisecond = 1_000_000

// job makes traces in which every step ends when the last rank has arrived and
// a transfer of 2 ms is over.
func job(steps int, ranks ...made) []*training.Rank {
	arrived := make([][]int64, steps)
	begin := int64(1000 * millisecond)
	var begins, ends []int64
	for step := range steps {
		latest := int64(0)
		for _, r := range ranks {
			at := begin + int64(r.load(step)+10)*millisecond
			if r.gap != nil {
				at += int64(r.gap(step)) * millisecond
			}
			arrived[step] = append(arrived[step], at)
			latest = max(latest, at)
		}
		begins, ends = append(begins, begin), append(ends, latest+2*millisecond)
		begin = latest + 3*millisecond
	}
	var list []*training.Rank
	for i, r := range ranks {
		t := &training.Trace{
			Rank: i, World: len(ranks), Base: r.clock,
			Tracks: []training.Track{{Process: "1", Thread: "1"}, {Process: "0", Thread: "7", Device: true, Stream: 7}},
		}
		name := func(text string) uint32 {
			t.Names = append(t.Names, text)
			return uint32(len(t.Names) - 1)
		}
		for step := range steps {
			load := int64(r.load(step)) * millisecond
			add := func(kind training.Kind, what string, track uint16, start, length int64) {
				t.Add(training.Interval{Kind: kind, Name: name(what), Track: track, Start: start, Length: length})
			}
			add(training.Annotation, fmt.Sprintf("ProfilerStep#%d", step), 0, begins[step], ends[step]+millisecond-begins[step])
			add(training.Annotation, "load_batch", 0, begins[step], load)
			add(training.Operator, "aten::mm", 0, arrived[step][i]-10*millisecond, 10*millisecond)
			add(training.Runtime, "cudaStreamSynchronize", 0, arrived[step][i], ends[step]-arrived[step][i])
			add(training.Kernel, "ncclDevKernel_AllReduce_Sum", 1, arrived[step][i], ends[step]-arrived[step][i])
		}
		list = append(list, training.Summarize(t))
	}
	return list
}

func always(ms int) func(int) int { return func(int) int { return ms } }

func find(t *testing.T, ranks []*training.Rank) *training.Result {
	t.Helper()
	r, err := training.Stragglers(ranks)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestPatterns(t *testing.T) {
	fast := made{load: always(5)}
	for _, c := range []struct {
		load    func(step int) int
		pattern training.Pattern
	}{
		{always(40), training.Persistent},
		{func(step int) int { return 15 + 20*step }, training.Drifting},
		{func(step int) int {
			if step == 2 {
				return 90
			}
			return 5
		}, training.NowAndThen},
	} {
		r := find(t, job(5, fast, made{load: c.load}, fast, fast))
		if len(r.Stragglers) != 1 || r.Stragglers[0].Rank != 1 || r.Stragglers[0].Region != "load_batch" || r.Stragglers[0].Pattern != c.pattern {
			t.Errorf("%s: %s", c.pattern, r.Words)
		}
	}
}

func TestEqualRanks(t *testing.T) {
	fast := made{load: always(20)}
	r := find(t, job(3, fast, fast, fast))
	if len(r.Stragglers) != 0 || *r.Slowdown > 1.0001 || strings.Contains(r.Words, "makes the others wait") {
		t.Errorf("S %.3f: %s", *r.Slowdown, r.Words)
	}
}

// TestClocks: clocks that are seconds apart are aligned by the ends of the
// collectives, and the answer is the same.
func TestClocks(t *testing.T) {
	fast := made{load: always(5)}
	slow := made{load: always(40)}
	want := find(t, job(3, fast, slow, fast))
	slow.clock = 7_000 * millisecond
	got := find(t, job(3, fast, slow, fast))
	if got.Words != want.Words {
		t.Errorf("with another clock: %s\nnot: %s", got.Words, want.Words)
	}
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "clock of rank 1") || len(want.Notes) != 0 {
		t.Errorf("notes: %q and %q", got.Notes, want.Notes)
	}
}

// TestCodeWithoutOperators: time that no range and no operator covers is a
// cause too.
func TestCodeWithoutOperators(t *testing.T) {
	fast := made{load: always(5)}
	slow := made{load: always(5), gap: func(step int) int { return 30 * (step % 2) }}
	r := find(t, job(6, fast, fast, slow))
	if len(r.Stragglers) != 1 || r.Stragglers[0].Rank != 2 || r.Stragglers[0].Region != "" || r.Stragglers[0].Pattern != training.NowAndThen {
		t.Errorf("%s", r.Words)
	}
}

func TestOneRankAndTwice(t *testing.T) {
	fast := made{load: always(5)}
	alone := find(t, job(2, fast))
	if !strings.Contains(alone.Words, "one rank") || alone.Slowdown != nil {
		t.Errorf("%s", alone.Words)
	}
	ranks := job(2, fast, fast)
	ranks[1].Number = 0
	if _, err := training.Stragglers(ranks); err == nil || !strings.Contains(err.Error(), "both of rank 0") {
		t.Errorf("one rank twice: %v", err)
	}
	if _, err := training.Stragglers(nil); err == nil {
		t.Error("no ranks, no mistake")
	}
}

// TestAgainst: what all ranks share makes nobody wait; an earlier run tells.
func TestAgainst(t *testing.T) {
	before := find(t, job(3, made{load: always(10)}, made{load: always(10)}))
	now := find(t, job(3, made{load: always(40)}, made{load: always(40)}))
	if len(now.Stragglers) != 0 {
		t.Fatal(now.Words)
	}
	now.Against(before)
	if now.Uniform == nil || now.Uniform.Ratio < 2 || !strings.Contains(now.Words, "load_batch: 40 ms instead of 10 ms") {
		t.Errorf("%s", now.Words)
	}
	before.Against(before)
	if !strings.Contains(before.Words, "as long as in the earlier run") {
		t.Errorf("%s", before.Words)
	}
}

// TestTheLateRankIsNamed: with any loads, a straggler that is named loads
// longest, and others wait for it in some step.
func TestTheLateRankIsNamed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loads := rapid.SliceOfN(rapid.IntRange(1, 100), 2, 6).Draw(t, "loads")
		var ranks []made
		most := 0
		for _, ms := range loads {
			ranks = append(ranks, made{load: always(ms)})
			most = max(most, ms)
		}
		r, err := training.Stragglers(job(3, ranks...))
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Stragglers) > 0 && loads[r.Stragglers[0].Rank] != most {
			t.Fatalf("%v: %s", loads, r.Words)
		}
		if *r.Slowdown < 0.9999 {
			t.Fatalf("slower than ideal by %v", *r.Slowdown)
		}
	})
}

// TestHeadlineAndTable: what is said of the straggler and its row in the table are
// one answer; and a rank that is late in every step, by more or by less, is not so
// now and then.
func TestHeadlineAndTable(t *testing.T) {
	fast := made{load: always(10)}
	slow := made{load: func(step int) int { return 10 + []int{20, 106, 39, 14, 167, 158, 134, 144, 25, 32}[step%10] }}
	r := find(t, job(10, fast, slow))
	if len(r.Stragglers) != 1 {
		t.Fatalf("%s %q", r.Words, r.Notes)
	}
	if speed := 1 - r.Stragglers[0].Share; speed**r.Ranks[1].Slowdown < 0.95 || speed**r.Ranks[1].Slowdown > 1.05 || *r.Ranks[0].Slowdown != 1 {
		t.Errorf("at %.2f of the speed and slowed down by %.3f: %s", speed, *r.Ranks[1].Slowdown, r.Words)
	}
	if r.Stragglers[0].Pattern != training.Persistent {
		t.Errorf("it is late in every step, and %s", r.Stragglers[0].Pattern)
	}
}
