package waits_test

import (
	"strings"
	"testing"

	"auspex/trace"
	"auspex/waits"
)

// TestOrderOfReplays: a replay keeps who was taken in which order, so that only
// another tag tells that a message was passed over; measured times tell it anyway.
func TestOrderOfReplays(t *testing.T) {
	const text = "0 compute A 0 1\n0 send S 1 1.1 ->2#%\n1 compute A 0 3\n1 send S 3 3.1 ->2\n2 compute A 0 2\n2 recv R 2 3.2 <-1\n2 recv R 3.2 3.3 <-0#%"
	for _, c := range []struct {
		tag      string
		replayed bool
		want     waits.Pattern
	}{{"0", false, waits.WrongOrder}, {"0", true, waits.LateSender}, {"7", true, waits.WrongOrder}, {"7", false, waits.WrongOrder}} {
		src := write(t, strings.ReplaceAll(text, "%", c.tag))
		src.header.Replayed = c.replayed
		r, err := waits.Analyze(t.Context(), src)
		if err != nil || len(r.Rows) != 1 || r.Rows[0].Pattern != c.want {
			t.Errorf("%+v: %+v, %v", c, r.Rows, err)
		}
	}
}

// TestTies: all that are last at the same time are named, and what a call waits for in
// two ways is told apart.
func TestTies(t *testing.T) {
	for _, c := range []struct{ name, trace, want string }{
		{"a root that waits for two", "0 compute A 0 1\n0 reduce X 1 3 root=0\n1 compute A 0 3\n1 reduce X 3 3 root=0\n2 compute A 0 3\n2 reduce X 3 3 root=0",
			"`X` waits 2 s, 2 s of it for `A` on ranks 1 and 2."},
		{"one that all wait for, and others", "0 compute A 0 1\n0 barrier X 1 3\n1 compute A 0 3\n1 barrier X 3 3\n2 compute A 0 3\n2 barrier X 3 3",
			"`X` waits 2 s, 2 s of it for `A` on ranks 1 and 2."},
		{"two ways to wait", "0 compute A 0 1\n0 send S 1 1.1 ->2#7\n1 compute A 0 3\n1 send S 3 3.1 ->2\n2 compute A 0 2\n2 recv R 2 3 <-1\n2 recv R 3 3 <-0#7\n2 recv R 3 5 <-0#7\n0 compute A 1.1 5\n0 send S 5 5 ->2#7",
			"`R` also waits 1 s for a message while an earlier one is there, 1 s of it for `A` on rank 1."},
	} {
		r, err := waits.Analyze(t.Context(), write(t, c.trace))
		if err != nil || !strings.Contains(r.Words, c.want) {
			t.Errorf("%s: %s, %v\nwant: %s", c.name, r.Words, err, c.want)
		}
	}
}

// TestNoRowOfNothing: who computes beside a collective until long after it was over has
// not waited in it, and there is no row of 0 s.
func TestNoRowOfNothing(t *testing.T) {
	src := write(t, "0 compute A 0 1\n0 barrier X 1 1\n1 compute A 0 2\n1 barrier X 2 2")
	for i := range src.spans {
		if s := &src.spans[i]; s.Loc == 1 && s.Kind == trace.Barrier {
			s.Lead = 1e9
		}
	}
	r, err := waits.Analyze(t.Context(), src)
	if err != nil || len(r.Rows) != 0 {
		t.Errorf("%+v, %v", r.Rows, err)
	}
}
