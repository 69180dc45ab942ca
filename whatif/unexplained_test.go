package whatif_test

import (
	"strings"
	"testing"

	"auspex/trace"
	"auspex/whatif"
)

// TestNoNetworkIsThatSlow: twenty barriers do not take a second on any network; and
// what is known of messages without sizes is no bandwidth.
func TestNoNetworkIsThatSlow(t *testing.T) {
	meeting := func(bytes int64) *trace.Trace {
		return programs(2, func(_ int, b *trace.Builder) {
			for range 20 {
				compute(b, "A", 0.01)
				b.Add(&trace.Action{Kind: trace.Allreduce, Type: trace.Byte, Count: bytes})
			}
		})
	}
	for _, c := range []struct {
		name                         string
		bytes                        int64
		timed                        bool
		measured                     float64
		fitted, bandwidth, explained bool
	}{
		{"blocked elsewhere", 8, false, 1.4, false, false, false},
		{"a slow network", 1e6, false, 1.4, true, true, true},
		{"no sizes, as measured", 0, true, 0.6, true, false, true},
		{"as fast as one machine", 8, false, 0.2, false, false, true},
	} {
		w, err := whatif.New(t.Context(), whatif.Setup{Trace: meeting(c.bytes), Network: whatif.SharedMemory(), Measured: c.measured, Timed: c.timed})
		if err != nil {
			t.Fatal(err)
		}
		l, err := w.Opportunities(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(l.Notes, " ")
		if strings.Contains(notes, "its network is taken to be") != c.fitted || strings.Contains(notes, "B/s") != c.bandwidth || w.Explained() != c.explained || strings.Contains(notes, "1.2 s longer than its replay between ranks of one machine, more than") == c.explained {
			t.Errorf("%s: noted %q, explained %v", c.name, notes, w.Explained())
		}
		network := false
		for _, o := range l.Opportunities {
			network = network || o.Change == "--network ideal"
		}
		if network != c.fitted || strings.Contains(l.Words, "as far as the trace tells") == c.explained {
			t.Errorf("%s: %s %+v", c.name, l.Words, l.Opportunities)
		}
	}
	w, err := whatif.New(t.Context(), whatif.Setup{Trace: meeting(8), Network: whatif.SharedMemory(), Measured: 0.2, Untold: 0.1})
	if err != nil || w.Explained() {
		t.Errorf("half of the time in calls that the trace does not know is explained, %v", err)
	}
}
