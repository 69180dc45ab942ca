package waits

import (
	"cmp"
	"slices"
)

// taken are the messages that a rank took in, by when the call began that did: for
// receives that waited while another message lay there.
type taken struct {
	list   []took
	sorted bool
}

type took struct {
	begin int64 // of the call
	sent  int64 // when the message was; once sorted, the first of this and all later ones
}

// maxTaken is how many of a rank are kept.
const maxTaken = 1 << 12

func (t *taken) take(begin, sent int64) {
	if len(t.list) >= maxTaken {
		t.list = append(t.list[:0], t.list[len(t.list)/2:]...)
	}
	t.list, t.sorted = append(t.list, took{begin, sent}), false
}

// forget drops those up to a time.
func (t *taken) forget(upTo int64) {
	t.list = slices.DeleteFunc(t.list, func(m took) bool { return m.begin <= upTo })
}

// liesThere tells whether a message that was sent before a time was taken by a later
// call than v, or by none yet.
func (a *Analyzer) liesThere(v *visit, time int64) bool {
	b := &a.boxes[a.header.Locations[v.loc].Rank]
	for _, m := range b.open {
		if m.sent && !m.received && m.send.begin < time {
			return true
		}
	}
	if !b.sorted {
		slices.SortFunc(b.list, func(x, y took) int { return cmp.Compare(x.begin, y.begin) })
		for i := len(b.list) - 2; i >= 0; i-- {
			b.list[i].sent = min(b.list[i].sent, b.list[i+1].sent)
		}
		b.sorted = true
	}
	i, _ := slices.BinarySearchFunc(b.list, v.begin+1, func(m took, t int64) int { return cmp.Compare(m.begin, t) })
	return i < len(b.list) && b.list[i].sent < time
}
