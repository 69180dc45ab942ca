package paraver

import (
	"slices"
	"strings"
	"testing"

	"auspex/events"
	"auspex/trace"
)

// TestUndefinedCommunicators: a collective over a communicator that the file does not
// define is one of the ranks that name it, not of all.
func TestUndefinedCommunicators(t *testing.T) {
	var b strings.Builder
	b.WriteString("#Paraver (01/01/2026 at 00:00):50_ns:1(3):1:3(1:1,1:1,1:1),1\nc:1:1:3:1:2:3\n")
	for _, line := range []string{
		"2:1:1:1:1:10:50000002:8:50100004:7", "2:2:1:2:1:10:50000002:8:50100004:7", "2:3:1:3:1:10:50000002:8:50100004:1",
		"2:1:1:1:1:50:50000002:0", "2:2:1:2:1:50:50000002:0", "2:3:1:3:1:50:50000002:0",
	} {
		b.WriteString(line + "\n")
	}
	src := open(t, file(t, b.String(), smallNames))
	got := map[int32][]int32{}
	err := src.Each(t.Context(), func(s *events.Span) error {
		if s.Kind == trace.Barrier {
			got[s.Loc] = src.Header().Comms[s.Comm]
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for rank, want := range [][]int32{{0, 1}, {0, 1}, nil} {
		if !slices.Equal(got[int32(rank)], want) {
			t.Errorf("rank %d is in a barrier of %v, want %v", rank, got[int32(rank)], want)
		}
	}
	if want := "communicators that the file does not define: 1; each is taken to be of the ranks that use it"; !slices.Contains(src.Header().Notes, want) {
		t.Errorf("notes %q", src.Header().Notes)
	}
}
