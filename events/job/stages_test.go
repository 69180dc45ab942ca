package job_test

import (
	"fmt"
	"math"
	"testing"

	"auspex/events/job"
	"auspex/training"
	"auspex/whatif"
)

// stream adds a stream of the device, and is its track.
func (r *rank) stream(n int) uint16 {
	r.t.Tracks = append(r.t.Tracks, training.Track{Process: "0", Thread: fmt.Sprint(n), Device: true, Stream: n})
	return uint16(len(r.t.Tracks) - 1)
}

// together adds a kernel that communicates, on a stream of its own.
func (r *rank) together(track uint16, at, from, to int64, m training.Message) {
	m.Interval = r.launch("ncclDevKernel_"+m.Collective, at, from, to)
	r.t.At(m.Interval).Track = track
	m.Bytes = 1 << 20
	r.t.Messages = append(r.t.Messages, m)
}

// interleaved is a pipeline of two stages, in µs: four micro-batches forward for 1000
// and backward for 2000 each, one backward after each forward once the pipeline is full;
// rank 0 takes so many times as long. Hosts launch all at once.
func interleaved(slow int64) (lanes []*job.Lane, end int64) {
	const batches, transfer = 4, 10
	orders := [2][]int{{1, 2, -1, 3, -2, 4, -3, -4}, {1, -1, 2, -2, 3, -3, 4, -4}} // micro-batches; backward below 0
	ready, began := map[[2]int]int64{}, map[[2]int]int64{}
	at, next := [2]int64{100, 100}, [2]int{}
	for next[0] < 2*batches || next[1] < 2*batches {
		for s := range 2 {
			if next[s] == 2*batches {
				continue
			}
			n := orders[s][next[s]]
			from := at[s]
			if s == 1 && n > 0 || s == 0 && n < 0 { // it needs the other's
				sent, is := ready[[2]int{1 - s, n}]
				if !is {
					continue
				}
				from = max(from, sent+transfer)
			}
			length := int64(1000)
			if n < 0 {
				length = 2000
			}
			if s == 0 {
				length *= slow
			}
			began[[2]int{s, n}], ready[[2]int{s, n}] = from, from+length
			at[s], next[s] = from+length, next[s]+1
		}
	}
	for s := range 2 {
		r, peer := newRank(s, 0), 1-s
		r.during("train", 0, 50)
		in, out := r.stream(20), r.stream(21)
		launch, posted := int64(0), int64(100)
		for _, n := range orders[s] {
			key, other := [2]int{s, n}, [2]int{peer, n}
			message := training.Message{Group: "p", GroupSize: 2, Seq: -1}
			if sends := s == 0 && n > 0 || s == 1 && n < 0; sends {
				r.t.At(r.launch("gemm", launch, began[key], ready[key])).Track = 1
				message.Collective, message.Target = "send", &peer
				r.together(out, launch+1, ready[key], ready[key]+transfer, message)
			} else {
				message.Collective, message.Source = "recv", &peer
				come := max(ready[other], posted) + transfer
				r.together(in, launch, posted, come, message)
				posted = come
				r.launch("gemm", launch+1, began[key], ready[key])
			}
			launch += 5
		}
		lanes = append(lanes, job.LaneOf(r.t))
	}
	return lanes, max(at[0], at[1])
}

// TestReceivedBeside: a message that came while the stage computed is waited for where
// it is needed, not where it came.
func TestReceivedBeside(t *testing.T) {
	lanes, took := interleaved(3)
	_, cured := interleaved(1)
	src, err := job.New("job", lanes)
	if err != nil {
		t.Fatal(err)
	}
	a := priced(t, src, whatif.Change{Kind: whatif.LikeMedian, Rank: 0})
	if math.Abs(a.BaseSeconds-float64(took)/1e6) > 1e-5 || math.Abs(a.NewSeconds-float64(cured)/1e6) > 0.03*a.NewSeconds {
		t.Errorf("%g s of %g s, should be %g of %g", a.NewSeconds, a.BaseSeconds, float64(cured)/1e6, float64(took)/1e6)
	}
}

// twoLevels is a job of two nodes of two ranks, in µs: each step computes four times for
// 1000, on rank 1 for so much more; after each a reduction of 300 within the node begins
// on one stream, then one of 300 across nodes on another, which the end of the step waits
// for. Hosts launch all at once.
func twoLevels(late int64) (lanes []*job.Lane, end int64) {
	const ranks, parts, reduce = 4, 4, 300
	var list []*rank
	var streams [][2]uint16
	for number := range ranks {
		r := newRank(number, 0)
		r.t.World = ranks
		r.during("train", 0, 900)
		list, streams = append(list, r), append(streams, [2]uint16{r.stream(20), r.stream(21)})
	}
	end = 1000
	for step := range 5 {
		var own, launch [ranks]int64
		var queue [ranks][2]int64 // when the streams are free
		for number := range list {
			own[number], launch[number], queue[number] = end, int64(step*100), [2]int64{end, end}
		}
		for k := range parts {
			var needs [ranks]int64
			for number, r := range list {
				length := int64(1000)
				if number == 1 {
					length += late
				}
				r.launch("gemm", launch[number], own[number], own[number]+length)
				own[number] += length
				needs[number] = own[number]
			}
			for level, groups := range [2][2][2]int{{{0, 1}, {2, 3}}, {{0, 2}, {1, 3}}} {
				for g, members := range groups {
					last := int64(0)
					for _, m := range members {
						last = max(last, needs[m], queue[m][level])
					}
					for _, m := range members {
						from := max(needs[m], queue[m][level])
						list[m].together(streams[m][level], launch[m]+int64(level)+1, from, last+reduce, training.Message{Collective: "allreduce", Group: fmt.Sprint(level, g), GroupSize: 2, Seq: int64(step*parts + k)})
					}
					for _, m := range members {
						needs[m], queue[m][level] = last+reduce, last+reduce
					}
				}
			}
			for number := range list {
				launch[number] += 5
			}
		}
		for number := range list {
			end = max(end, queue[number][1])
		}
	}
	for _, r := range list {
		lanes = append(lanes, job.LaneOf(r.t))
	}
	return lanes, end
}

// TestTwoLevels: what is reduced across nodes needs what was reduced within them, also
// where the rank computed on meanwhile.
func TestTwoLevels(t *testing.T) {
	lanes, took := twoLevels(2000)
	_, cured := twoLevels(0)
	src, err := job.New("job", lanes)
	if err != nil {
		t.Fatal(err)
	}
	a := priced(t, src, whatif.Change{Kind: whatif.LikeMedian, Rank: 1})
	if math.Abs(a.BaseSeconds-float64(took)/1e6) > 1e-5 || math.Abs(a.NewSeconds-float64(cured)/1e6) > 0.02*a.NewSeconds {
		t.Errorf("%g s of %g s, should be %g of %g", a.NewSeconds, a.BaseSeconds, float64(cured)/1e6, float64(took)/1e6)
	}
}
