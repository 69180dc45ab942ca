package training_test

import (
	"fmt"
	"strings"
	"testing"

	"auspex/training"
)

// said checks that words hold a text exactly where they should.
func said(t *testing.T, words, text string, want bool) {
	t.Helper()
	if strings.Contains(words, text) != want {
		t.Errorf("%q, to be said: %v: %s", text, want, words)
	}
}

// gemms is a trace whose host launches kernels, each a while after the one
// before has ended, or ahead of time.
func gemms(operators map[string]int64, ahead, communicates bool) *training.DeviceResult {
	trace := &training.Trace{Names: []string{"cudaLaunchKernel", "gemm", "ncclDevKernel_AllReduce_Sum"}, Tracks: []training.Track{{}, {Device: true, Stream: 7}, {Device: true, Stream: 9}}}
	at, id := int64(0), uint32(0)
	for _, name := range []string{"aten::mm", "aten::conv2d", "aten::relu"} {
		length, has := operators[name]
		if !has {
			continue
		}
		trace.Names = append(trace.Names, name)
		for range 4 {
			id++
			trace.Add(training.Interval{Kind: training.Operator, Name: uint32(len(trace.Names) - 1), Start: at, Length: 30})
			trace.Add(training.Interval{Kind: training.Runtime, Start: at + 10, Length: 10, Correlation: id})
			start := at + 50
			if ahead {
				start = 1_000_000 + int64(id)*2*length
			}
			trace.Add(training.Interval{Kind: training.Kernel, Name: 1, Track: 1, Start: start, Length: length, Correlation: id})
			if communicates {
				trace.Add(training.Interval{Kind: training.Kernel, Name: 2, Track: 2, Start: start + length/2, Length: length})
			}
			if at += 40; !ahead {
				at += 2 * length
			}
		}
	}
	return training.Device(trace)
}

// TestDeviceSentences: what is said of a device, and where it is not.
func TestDeviceSentences(t *testing.T) {
	one := map[string]int64{"aten::mm": 1000}
	said(t, gemms(one, false, true).Words, "of the communication was hidden", true)
	said(t, gemms(one, false, false).Words, "of the communication was hidden", false)
	said(t, gemms(one, false, false).Words, "the host had not launched the next kernel", true)
	said(t, gemms(one, true, false).Words, "the host had not launched the next kernel", false)
	said(t, gemms(map[string]int64{"aten::mm": 5}, false, false).Words, "take less time than their launch", true)
	said(t, gemms(one, false, false).Words, "take less time than their launch", false)
	instant := &training.Trace{Names: []string{"gemm"}, Tracks: []training.Track{{Device: true}}}
	instant.Add(training.Interval{Kind: training.Kernel})
	said(t, training.Device(instant).Words, "took no time", true)
	said(t, gemms(one, false, false).Words, "took no time", false)
}

// TestComparisonSentences: two traces set against each other.
func TestComparisonSentences(t *testing.T) {
	before := gemms(map[string]int64{"aten::mm": 1000, "aten::relu": 100}, false, false)
	for _, c := range []struct {
		now  map[string]int64
		says []string // of those below
	}{
		{map[string]int64{"aten::mm": 1000, "aten::relu": 100}, nil},
		{map[string]int64{"aten::mm": 2000, "aten::relu": 100}, []string{"times as long", "The largest loss is aten::mm: "}},
		{map[string]int64{"aten::mm": 500, "aten::relu": 50}, []string{"times as fast"}},
		{map[string]int64{"aten::mm": 1000, "aten::relu": 150, "aten::conv2d": 5000}, []string{"times as long", "The largest loss is aten::conv2d, which is added"}},
		{map[string]int64{}, []string{"nothing to compare"}},
	} {
		words := training.Compare(before, gemms(c.now, false, false), "a", "b").Words
		for _, text := range []string{"times as long", "times as fast", "The largest loss is aten::mm: ", "The largest loss is aten::conv2d, which is added", "nothing to compare"} {
			said(t, words, text, strings.Contains(strings.Join(c.says, "|"), text))
		}
	}
}

// TestAgainstSentences: a job held against an earlier run of it.
func TestAgainstSentences(t *testing.T) {
	run := func(load, rest int) *training.Result {
		r := made{load: always(load), gap: always(rest)}
		return find(t, job(3, r, r))
	}
	for _, c := range []struct {
		now  *training.Result
		says string
		most bool
	}{
		{run(40, 10), "times as long as in the earlier run", true},
		{run(12, 60), "times as long as in the earlier run", false}, // most of it is outside load_batch
		{run(4, 0), "less than in the earlier run", false},
		{run(10, 10), "as long as in the earlier run (", false},
	} {
		c.now.Against(run(10, 10))
		for _, text := range []string{"times as long as in the earlier run", "less than in the earlier run", "takes as long as in the earlier run ("} {
			said(t, c.now.Words, text, strings.Contains("takes "+c.says, text))
		}
		said(t, c.now.Words, "most of it is in load_batch", c.most)
	}
	nothing := &training.Result{}
	now := run(10, 10)
	now.Against(nothing)
	said(t, strings.Join(now.Notes, "\n"), "no steps and no kernels to compare with", true)
	now = run(10, 10)
	now.Against(run(10, 10))
	said(t, strings.Join(now.Notes, "\n"), "no steps and no kernels to compare with", false)
}

// TestTurns: work that goes round makes nobody a straggler, and a note says so;
// where one rank is slow, no note does.
func TestTurns(t *testing.T) {
	const note = "the work is uneven, not a rank slow"
	turn := func(rank, more int) made {
		return made{load: func(step int) int { return 10 + more*b2i(step%2 == rank) }}
	}
	round := find(t, job(8, turn(0, 40), turn(1, 60)))
	said(t, strings.Join(round.Notes, "\n"), note, true)
	said(t, round.Words, "No straggler", true)
	one := find(t, job(8, made{load: always(50)}, made{load: always(10)}, made{load: always(10)}, made{load: always(10)}))
	said(t, strings.Join(one.Notes, "\n"), note, false)
	said(t, one.Words, "No straggler", false)
}

// ring makes a job whose ranks meet in pairs, each with the next, one pair after
// the other; a transfer takes as long as the slower of its two links. All meet at
// the end of a step.
func ring(steps int, links []int, oneMore int) []*training.Rank {
	ranks := len(links)
	traces := make([]*training.Trace, ranks)
	for r := range traces {
		traces[r] = &training.Trace{Rank: r, World: ranks, Names: []string{"gloo:all_reduce", "aten::mm"}, Tracks: []training.Track{{Process: "1", Thread: "1"}}}
	}
	at := int64(0)
	meet := func(group string, members []int, length int64) {
		for _, r := range members {
			t := traces[r]
			i := t.Add(training.Interval{Kind: training.Annotation, Start: at, Length: length})
			t.Messages = append(t.Messages, training.Message{Interval: i, Bytes: int64(len(members)) << 20, Collective: "all_reduce", Group: group, GroupSize: len(members), Seq: -1})
		}
		at += length + 10_000
	}
	for s := range steps {
		begin := at
		for _, t := range traces {
			t.Add(training.Interval{Kind: training.Operator, Name: 1, Start: at, Length: 4 * millisecond})
		}
		at += 4 * millisecond
		for r := range ranks {
			next := (r + 1) % ranks
			meet(fmt.Sprint("pair", r), []int{r, next}, int64(max(links[r], links[next]))*millisecond)
		}
		if s == 1 && oneMore >= 0 {
			meet("pair0", []int{oneMore}, millisecond)
		}
		for _, t := range traces {
			t.Names = append(t.Names, fmt.Sprintf("ProfilerStep#%d", s))
			t.Add(training.Interval{Kind: training.Annotation, Name: uint32(len(t.Names) - 1), Start: begin, Length: at - begin})
		}
	}
	var list []*training.Rank
	for _, t := range traces {
		list = append(list, training.Summarize(t))
	}
	return list
}

// TestSlowLink: a rank is said to have a slow link where it is slow in every
// group, not where all transfers are, and not where one group is.
func TestSlowLink(t *testing.T) {
	slow := find(t, ring(4, []int{2, 2, 12, 2, 2}, -1))
	said(t, slow.Words, "Rank 2 makes the others wait (persistent): its fastest transfer takes", true)
	said(t, slow.Words, "every group that it is in is slow", true)
	for _, links := range [][]int{{2, 2, 2, 2, 2}, {12, 12, 12, 12, 12}} {
		said(t, find(t, ring(4, links, -1)).Words, "its fastest transfer takes", false)
	}
}

// TestNotes: what is said of ranks and calls that are not there.
func TestNotes(t *testing.T) {
	const calls, missing, nobody = "in 1 step the ranks made different numbers of collective calls", "a rank that is not may be the last to arrive", "no collective was found that two of the ranks took part in"
	all := []string{calls, missing, nobody}
	check := func(ranks []*training.Rank, says string) {
		t.Helper()
		notes := strings.Join(find(t, ranks).Notes, "\n")
		for _, text := range all {
			said(t, notes, text, text == says)
		}
	}
	fast := made{load: always(5)}
	check(job(3, fast, fast), "")
	few := job(3, fast, fast)
	few[0].World, few[1].World = 8, 8
	check(few, missing)
	alone := job(3, fast, fast)
	alone[1].Calls = nil
	check(alone, nobody)
	check(ring(3, []int{2, 2, 2}, 1), calls)
}
