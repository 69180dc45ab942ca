package simulate

import (
	"fmt"
	"testing"

	"auspex/trace"
)

// Two receives take whatever comes. Rank 2 sends at once, rank 1 after a second of
// computing; a rank that waits for rank 1 waits that long, although the first
// receive is done.
func TestWaitMeansTheActualSource(t *testing.T) {
	receives := fmt.Sprintf("init;irecv %d 1 100;irecv %d 1 100;compute 1e8;", trace.AnySource, trace.AnySource)
	for _, c := range []struct {
		waits string
		from  float64 // seconds at which rank 0 is done, at least
		to    float64
	}{
		{"wait 1 0 1;compute 1e9;wait 2 0 1;finalize", 2, 2.1},
		{"wait 2 0 1;compute 1e9;wait 1 0 1;finalize", 1.1, 1.2},
		{"test 2 0 1;wait 2 0 1;compute 1e9;wait 1 0 1;finalize", 1.1, 1.2},
		{fmt.Sprintf("wait %d 0 1;compute 1e9;wait %d 0 1;finalize", trace.AnySource, trace.AnySource), 1.1, 1.2},
	} {
		tr := traceOf(t, receives+c.waits, "init;compute 1e9;send 0 1 100;finalize", "init;send 0 1 100;finalize")
		res := run(t, tr, Defaults(), Hooks{})
		if got := res.Ranks[0].Finish; got < c.from || got > c.to {
			t.Errorf("%s: done after %v s, want %v to %v", c.waits, got, c.from, c.to)
		}
	}
	// Nobody but ranks 1 and 2 has sent anything by then.
	tr := traceOf(t, receives+"compute 2e9;wait 3 0 1;finalize", "init;send 0 1 100;finalize", "init;send 0 1 100;finalize", "init;compute 9e9;finalize")
	if _, err := Run(t.Context(), tr, cluster(t, tr.NP()), oneToOne(tr.NP()), Defaults(), Hooks{}); err == nil {
		t.Error("a wait for a rank that sent nothing took another's message")
	}
}
