package training

import (
	"math"
	"testing"
)

// A moment counts once: a transfer beside computation is hidden, of two transfers
// at once the first counts, and what is left of the step is idle. Time between
// steps that are not in the table is nobody's.
func TestProfileCountsAMomentOnce(t *testing.T) {
	table := NewOperations()
	for _, op := range []Operation{
		{Rank: 0, Step: 1, Kind: "forward-compute", Seq: 0, Start: 10, Time: 4},
		{Rank: 0, Step: 1, Kind: "forward-send", Seq: 0, Start: 12, Time: 4},         // 2 beside computation, 2 alone
		{Rank: 0, Step: 1, Kind: "grads-reduce-scatter", Seq: 0, Start: 15, Time: 3}, // 1 beside the send
		{Rank: 7, Data: 1, Step: 1, Kind: "forward-compute", Seq: 0, Start: 10, Time: 1},
		{Rank: 7, Data: 1, Step: 1, Kind: "forward-recv", Seq: 0, Start: 11, Time: 1},
		{Rank: 7, Data: 1, Step: 1, Kind: "backward-compute", Seq: 0, Start: 11.25, Time: 0.5}, // in the middle of it
		{Rank: 0, Step: 9, Kind: "forward-compute", Seq: 0, Start: 1000, Time: 1},
		{Rank: 7, Data: 1, Step: 9, Kind: "forward-compute", Seq: 0, Start: 1000, Time: 1},
	} {
		if err := table.Add(op); err != nil {
			t.Fatal(err)
		}
	}
	type at struct {
		rank int
		kind string
	}
	want := map[at]float64{
		{0, "forward-compute"}: 5, {0, "forward-send"}: 2, {0, "grads-reduce-scatter"}: 2,
		{7, "forward-compute"}: 2, {7, "forward-recv"}: 0.5, {7, "backward-compute"}: 0.5, {7, ""}: 6,
	}
	for _, s := range table.Profile() {
		if math.Abs(s.Seconds-want[at{s.Rank, s.Kind}]) > 1e-9 {
			t.Errorf("%d %q: %v s, want %v", s.Rank, s.Kind, s.Seconds, want[at{s.Rank, s.Kind}])
		}
		delete(want, at{s.Rank, s.Kind})
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
}
