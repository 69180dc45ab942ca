package predict

import (
	"slices"

	"auspex/trace"
)

// equal tells whether two actions do the same.
func equal(a, b *trace.Action) bool {
	return a.Kind == b.Kind && a.Comm == b.Comm && a.Peer == b.Peer && a.Peer2 == b.Peer2 && a.Tag == b.Tag &&
		a.Count == b.Count && a.Count2 == b.Count2 && slices.Equal(a.Counts, b.Counts) && slices.Equal(a.Counts2, b.Counts2)
}

// volume is what an action sends or hands over, in bytes.
func volume(a *trace.Action) int64 {
	n := a.Count
	if len(a.Counts) > 0 {
		n = 0
		for _, c := range a.Counts {
			n += c
		}
	}
	return n * a.Type.Size()
}
