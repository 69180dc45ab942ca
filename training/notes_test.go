package training_test

import (
	"slices"
	"testing"
)

// TestNotesOfTraces: what was noted of traces as they were read is told with whose they
// are, once.
func TestNotesOfTraces(t *testing.T) {
	const cut, lost = "the list of events is not closed: the trace may have been cut short", "1 event never ended"
	ranks := job(3, made{load: always(5)}, made{load: always(5)}, made{load: always(5)})
	before := find(t, ranks).Notes
	ranks[0].Notes, ranks[1].Notes, ranks[2].Notes = []string{cut}, []string{cut, lost}, []string{cut}
	after := find(t, ranks).Notes
	if want := append(slices.Clone(before), "ranks 0 to 2: "+cut, "rank 1: "+lost); !slices.Equal(after, want) {
		t.Errorf("%q, not %q", after, want)
	}
}
