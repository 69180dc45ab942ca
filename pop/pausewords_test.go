package pop

import (
	"strings"
	"testing"
)

// Times in a note are written in the unit that a person would choose.
func TestPausesInWords(t *testing.T) {
	for want, seconds := range map[string][]float64{
		"rank 1 was blocked or asleep for 18.2 µs,":               {0, 1.82e-5},
		"the ranks were blocked or asleep for 1.5 ms in the mean": {1.5e-3, 1.5e-3},
		"rank 0 was blocked or asleep for 1.05 s,":                {1.05},
	} {
		if got := pausedWords(seconds); !strings.HasPrefix(got, want) {
			t.Errorf("%v: %q, not %q", seconds, got, want)
		}
	}
}
