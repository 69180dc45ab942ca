package predict

import (
	"fmt"
	"slices"

	"auspex/trace"
)

// equal tells whether two actions do the same.
func equal(a, b *trace.Action) bool {
	return a.Kind == b.Kind && a.Comm == b.Comm && a.Peer == b.Peer && a.Peer2 == b.Peer2 && a.Tag == b.Tag &&
		a.Count == b.Count && a.Count2 == b.Count2 && slices.Equal(a.Counts, b.Counts) && slices.Equal(a.Counts2, b.Counts2)
}

// told is a call in words: what it is, how much it moves and with whom.
func told(a *trace.Action) string {
	text := a.Kind.String()
	if n := volume(a); n > 0 {
		text += fmt.Sprintf(" of %d bytes", n)
	}
	switch a.Kind {
	case trace.Send, trace.Isend, trace.SendRecv, trace.Recv, trace.Irecv:
		if a.Peer >= 0 {
			text += fmt.Sprintf(" with rank %d", a.Peer)
		}
	}
	return text
}

// unlike says how a call of one run differs from that of another.
func unlike(a, b *trace.Action) string {
	if told(a) != told(b) {
		return fmt.Sprintf("%s in one run and %s in another", told(a), told(b))
	}
	for _, list := range []struct {
		what string
		a, b []int64
	}{{"to", a.Counts, b.Counts}, {"from", a.Counts2, b.Counts2}} {
		for i := range min(len(list.a), len(list.b)) {
			if list.a[i] != list.b[i] {
				return fmt.Sprintf("%s, with %d bytes %s rank %d in one run and %d in another", told(a), list.a[i]*a.Type.Size(), list.what, i, list.b[i]*a.Type.Size())
			}
		}
	}
	switch {
	case a.Tag != b.Tag:
		return fmt.Sprintf("%s, with tag %d in one run and %d in another", told(a), a.Tag, b.Tag)
	case a.Comm != b.Comm:
		return fmt.Sprintf("%s, on another communicator in one run than in another", told(a))
	}
	return fmt.Sprintf("%s, with other partners or sizes in one run than in another", told(a))
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
