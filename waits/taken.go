package waits

import (
	"cmp"
	"math"
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
	first earliest
	other earliest // once sorted: likewise, of those with other labels than the first has
}

// earliest is when a message was sent; once sorted, the first of this and all later
// ones.
type earliest struct {
	sent int64
	label
}

// label is what a receive from anyone may still ask for.
type label struct{ tag, comm int32 }

// joined is the first of both, and the first with another label.
func (t took) joined(with took) took {
	for _, e := range []earliest{with.first, with.other} {
		switch {
		case e.sent < t.first.sent && e.label != t.first.label:
			t.first, t.other = e, t.first
		case e.sent < t.first.sent:
			t.first = e
		case e.label != t.first.label && e.sent < t.other.sent:
			t.other = e
		}
	}
	return t
}

// maxTaken is how many of a rank are kept.
const maxTaken = 1 << 12

func (t *taken) take(begin, sent int64, of label) {
	if len(t.list) >= maxTaken {
		t.list = append(t.list[:0], t.list[len(t.list)/2:]...)
	}
	t.list, t.sorted = append(t.list, took{begin, earliest{sent, of}, earliest{sent: math.MaxInt64}}), false
}

// forget drops those up to a time.
func (t *taken) forget(upTo int64) {
	t.list = slices.DeleteFunc(t.list, func(m took) bool { return m.begin <= upTo })
}

// liesThere tells whether a message that was sent before a time was taken by a later
// call than v, or by none yet. In a replay it must have another tag: who received from
// anyone took what came first in the run.
func (a *Analyzer) liesThere(v *visit, time int64) bool {
	b := &a.boxes[a.header.Locations[v.loc].Rank]
	for _, m := range b.open {
		if m.sent && !m.received && m.send.begin < time && (!a.header.Replayed || label{m.tag, m.comm} != v.of) {
			return true
		}
	}
	if !b.sorted {
		slices.SortFunc(b.list, func(x, y took) int { return cmp.Compare(x.begin, y.begin) })
		for i := len(b.list) - 2; i >= 0; i-- {
			b.list[i] = b.list[i].joined(b.list[i+1])
		}
		b.sorted = true
	}
	i, _ := slices.BinarySearchFunc(b.list, v.begin+1, func(m took, t int64) int { return cmp.Compare(m.begin, t) })
	if i == len(b.list) {
		return false
	}
	first := b.list[i].first
	if a.header.Replayed && first.label == v.of {
		first = b.list[i].other
	}
	return first.sent < time
}
