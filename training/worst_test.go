package training

import "testing"

// TestWorstOf: three per cent of four workers is one of them.
func TestWorstOf(t *testing.T) {
	for workers, want := range map[int]string{4: "of the 4 workers", 60: "2 of the 60 workers", 1000: "3 % of the workers"} {
		if got := worstOf(workers); got != want {
			t.Errorf("%d: the worst %q, want %q", workers, got, want)
		}
	}
}
