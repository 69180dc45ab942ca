package training_test

import (
	"testing"

	"auspex/training"
)

// chain makes a pipeline of two stages without replicas: in each of six steps the first
// loads and computes 10 ms, in so many ms of kernels or else waiting for its host, sends,
// and the second computes as long.
func chain(load, kernels, lasts int64) []*training.Rank {
	ranks := []*training.Rank{{Number: 0, World: 2}, {Number: 1, World: 2}}
	at := int64(0)
	for step := range 6 {
		sent := at + (load+10)*millisecond
		end := sent + 10*millisecond
		call := func(rank int, from int64) {
			ranks[rank].Calls = append(ranks[rank].Calls, training.Call{Step: step, Name: "ncclDevKernel_SendRecv", Group: "p", Pair: true, Sends: rank == 0, Peer: 1 - rank, Seq: -1, Bytes: 8, Start: from, Arrived: from, Still: from, Launched: from, End: sent})
		}
		call(0, sent)
		call(1, at+millisecond)
		add := func(rank int, load, waits, kernels, lasts int64) {
			ranks[rank].Steps = append(ranks[rank].Steps, training.Step{
				Number: step, Start: at, End: end, Kernel: kernels * millisecond, Kernels: 1, Regions: map[string]int64{"load_batch": lasts * millisecond, "forward": 10 * millisecond},
				Places: []training.PlaceSum{
					{Region: "load_batch", Op: "aten::stack", Doing: training.Working, Time: load * millisecond},
					{Region: "forward", Op: "aten::mm", Doing: training.OnTheDevice, Time: kernels * millisecond},
					{Region: "forward", Op: "c10d::recv_", Doing: training.InCollective, Time: waits * millisecond},
				},
			})
		}
		add(0, load, 10, kernels, lasts)
		add(1, 1, load+9, 10, 1)
		at = end
	}
	return ranks
}

// TestPipelineWaitsForItsHost: a stage that nobody else holds and that is late each
// time since its host loads is named, with what it costs at most; one whose device only
// waited in a range, which lasts no longer than elsewhere, is not.
func TestPipelineWaitsForItsHost(t *testing.T) {
	r := find(t, chain(11, 10, 11))
	// Steps of 31 ms, of which 10 go.
	said(t, r.Words, "The pipeline waits for rank 0: it spends 66 ms over 6 steps in load_batch, the other stages 6.0 ms. Without that the job would take up to 32 % less time. Fix: more loader workers", true)
	for what, ranks := range map[string][]*training.Rank{"even": chain(1, 10, 1), "a range no longer": chain(11, 10, 1)} {
		if r := find(t, ranks); r.Words != "No straggler: none of 2 ranks stands out over 6 steps." {
			t.Errorf("%s: %s", what, r.Words)
		}
	}
}

// TestPaceOfAStage: kernels that take longer set the pace only where the stage works
// longest in all.
func TestPaceOfAStage(t *testing.T) {
	ranks := chain(1, 20, 1)
	said(t, find(t, ranks).Words, "The pipeline goes at the pace of the stage on rank 0", true)
	for i := range ranks[1].Steps { // its device waits for its host as long
		s := &ranks[1].Steps[i]
		s.Places = append(s.Places, training.PlaceSum{Region: "forward", Op: "aten::mm", Doing: training.Working, Time: 10 * millisecond})
	}
	said(t, find(t, ranks).Words, "No straggler", true)
}
