package waits_test

import (
	"math"
	"strings"
	"testing"

	"auspex/waits"
)

// A wait between ranks that is shorter than what their clocks contradict each other by is
// not told; a longer one is, and so is one of threads of one rank.
func TestWaitsThatClocksDoNotTell(t *testing.T) {
	for _, c := range []struct {
		doubt int64 // ns
		told  float64
		said  string
	}{
		{0, 3, "The ranks wait 25 % of their time for one another."},
		{1e9, 2, "The ranks wait 17 % of their time for one another."},
		{2e9, 0, "As far as the clocks of the ranks tell, they hardly wait for one another: 0 s of 12 s, and 3 s that may be but differences of clocks."},
	} {
		w := write(t, `
			0 compute A 0 3
			1 compute A 0 2
			1 barrier B 2 3
			0 barrier B 3 3
			0 compute C 3 4
			1 compute C 3 6
			0 barrier B 4 6
			1 barrier B 6 6`)
		w.header.Doubt = c.doubt
		r, err := waits.Analyze(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		caused := 0.0
		for _, row := range r.Rows {
			for _, cause := range row.Causes {
				caused += cause.Seconds
			}
		}
		if math.Abs(r.Waited-c.told) > 1e-9 || math.Abs(caused-c.told) > 1e-9 || !strings.Contains(r.Words, c.said) {
			t.Errorf("%d ns: %g s, causes %g s: %s", c.doubt, r.Waited, caused, r.Words)
		}
		if noted := strings.Contains(strings.Join(r.Notes, ""), "are not told"); noted != (c.doubt > 0) {
			t.Errorf("%d ns: %q", c.doubt, r.Notes)
		}
	}
}
