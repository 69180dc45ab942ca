package paraver

import (
	"strings"
	"testing"

	"auspex/events"
)

// TestCutShort: a trace that lost its end says so, and calls that were not left are
// there up to where they are known to have lasted.
func TestCutShort(t *testing.T) {
	lines := strings.SplitAfter(small, "\n")
	head := strings.Join(lines[:9], "") // up to the message
	for _, c := range []struct{ name, text, spans, missing string }{
		{"whole", small, want, ""},
		{"cut", head, `0 compute program 0-1000
1 compute program 0-3000
0 recv program/MPI_Recv 1000-3100 1:1
1 send program/MPI_Send 3000-3050 0:0
`, "the records end at 3.1 µs, and the first line of the trace says 5 µs"},
		{"without states", strings.ReplaceAll(strings.ReplaceAll(head, "\n1:", "\n#:"), ":5000_ns", ":3000_ns"), `0 compute program 0-1000
1 compute program 0-3000
0 recv program/MPI_Recv 1000-3000
1 send program/MPI_Send 3000-3000 0:0
`, "rank 0 is still in MPI_Recv where the trace ends"},
	} {
		path := file(t, c.text, smallNames)
		got, src := told(t, path), open(t, path)
		if sorted(got) != sorted(c.spans) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.spans)
		}
		if src.Header().Incomplete != c.missing {
			t.Errorf("%s: missing is %q, want %q", c.name, src.Header().Incomplete, c.missing)
		}
	}
}

// open reads a trace to its end.
func open(t *testing.T, path string) *Trace {
	t.Helper()
	src, err := Open(path)
	if err == nil {
		err = src.Each(t.Context(), func(*events.Span) error { return nil })
	}
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// TestLargeTimes: times since 1970 in nanoseconds have nineteen digits.
func TestLargeTimes(t *testing.T) {
	const head = "#Paraver (01/01/2026 at 00:00):5000_ns:1(1):1:1(1:1),0\n"
	got := told(t, file(t, head+"1:1:1:1:1:1763400000000000000:1763400000000000100:1\n", ""))
	if want := "0 compute program 1763400000000000000-1763400000000000100\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, digits := range []string{"9300000000000000000", "99999999999999999999", "-5"} {
		src, err := Open(file(t, head+"1:1:1:1:1:0:"+digits+":1\n", ""))
		if err != nil {
			t.Fatal(err)
		}
		if err := src.Each(t.Context(), func(*events.Span) error { return nil }); err == nil || !strings.Contains(err.Error(), "no time from 0 to") {
			t.Errorf("%s: %v", digits, err)
		}
	}
}
