package training_test

import (
	"fmt"
	"testing"

	"auspex/training"
)

// twoLevels makes ranks of nodes of four: in each step they compute 10 ms, meet in
// their node for so long, and then in a group of one rank of each node for 1 ms.
func twoLevels(nodes int, took func(node int) int64) []*training.Rank {
	ranks := make([]*training.Rank, 4*nodes)
	at := int64(0)
	for r := range ranks {
		ranks[r] = &training.Rank{Number: r, World: len(ranks)}
	}
	for step := range 6 {
		slowest := int64(0)
		for n := range nodes {
			slowest = max(slowest, took(n))
		}
		end := at + (10+slowest+1)*millisecond
		for r, rank := range ranks {
			call := func(group string, from, to int64, bytes int64) {
				rank.Calls = append(rank.Calls, training.Call{Step: step, Name: "ncclDevKernel_AllReduce_Sum", Group: group, Seq: int64(step), Bytes: bytes, Start: from, Arrived: from, Still: from, Launched: from, End: to})
			}
			ready := at + 10*millisecond
			own := ready + took(r/4)*millisecond
			call(fmt.Sprintf("node %d", r/4), ready, own, 8)
			call(fmt.Sprintf("across %d", r%4), own, end, 4)
			rank.Steps = append(rank.Steps, training.Step{Number: step, Start: at, End: end, Kernel: 10 * millisecond, Kernels: 1, Places: []training.PlaceSum{
				{Region: "forward", Op: "aten::mm", Doing: training.OnTheDevice, Time: 10 * millisecond},
				{Region: "forward", Op: "c10d::allreduce_", Doing: training.InCollective, Time: end - ready},
			}})
		}
		at = end
	}
	return ranks
}

// TestSlowGroup: the ranks of a node whose transfers are slow are named together, with
// what its transfers and the others' take, and what that costs.
func TestSlowGroup(t *testing.T) {
	for _, nodes := range []int{2, 4} {
		r := find(t, twoLevels(nodes, func(node int) int64 {
			if node == 1 {
				return 14
			}
			return 4
		}))
		said(t, r.Words, "Ranks 4 to 7 make the others wait (persistent): a transfer among them takes 14 ms, in the other groups 4.0 ms. The job runs at 60 %", true)
	}
	said(t, find(t, twoLevels(4, func(int) int64 { return 14 })).Words, "No straggler", true)
}
