package analyze

import "testing"

// TestOfRanks: threads and devices of a training job are no ranks, and have no
// efficiency that could be held against that of its ranks.
func TestOfRanks(t *testing.T) {
	for threads, inTurns := range map[int]bool{1: false, 3: true} {
		s := Summary{Threads: threads, Efficiency: Efficiency{Parallel: 0.5}}
		if s.OfRanks(); s.InTurns != inTurns || (s.Efficiency.Parallel == 0.5) == inTurns {
			t.Errorf("%d threads: %v, %v", threads, s.InTurns, s.Efficiency.Parallel)
		}
	}
}
