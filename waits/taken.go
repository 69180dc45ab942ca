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
	latest int64 // when the last of the calls began
	// later is by place what was sent first of the messages from there on, and what of
	// those with other labels than that; none where it is not known.
	later [][2]earliest
}

type took struct {
	begin int64 // of the call
	earliest
}

// earliest is when a message was sent.
type earliest struct {
	sent int64
	label
}

// maxTaken is how many of a rank are kept.
const maxTaken = 1 << 12

func (t *taken) take(begin, sent int64, of label) {
	if len(t.list) >= maxTaken {
		t.list = append(t.list[:0], t.list[len(t.list)/2:]...)
	}
	t.list = append(t.list, took{begin, earliest{sent, of}})
	t.later, t.latest = t.later[:0], max(t.latest, begin)
}

// forget drops those up to a time.
func (t *taken) forget(upTo int64) {
	t.later = t.later[:0]
	if t.latest <= upTo { // mostly
		t.list = t.list[:0]
		return
	}
	t.list = slices.DeleteFunc(t.list, func(m took) bool { return m.begin <= upTo })
}

// sort makes later.
func (t *taken) sort() {
	slices.SortFunc(t.list, func(x, y took) int { return cmp.Compare(x.begin, y.begin) })
	t.later = slices.Grow(t.later[:0], len(t.list))[:len(t.list)]
	next := [2]earliest{{sent: math.MaxInt64}, {sent: math.MaxInt64}}
	for i := len(t.list) - 1; i >= 0; i-- {
		switch e := t.list[i].earliest; {
		case e.label == next[0].label:
			next[0].sent = min(next[0].sent, e.sent)
		case e.sent <= next[0].sent:
			next = [2]earliest{e, next[0]}
		case e.sent < next[1].sent:
			next[1] = e
		}
		t.later[i] = next
	}
}

// liesThere tells whether a message that was sent before a wait was over was taken by a
// later call, or by none yet. In a replay it must have another label: who received from
// anyone took what came first in the run.
func (a *Analyzer) liesThere(e *event) bool {
	b := &a.mail.boxes[a.locs[e.v.loc].rank]
	for n := b.first; n > 0; n = a.mail.pool[n-1].newer {
		if m := &a.mail.pool[n-1]; m.sent && m.side.begin < e.until && (!a.header.Replayed || m.label != e.of) {
			return true
		}
	}
	if len(b.later) < len(b.list) {
		b.sort()
	}
	i, _ := slices.BinarySearchFunc(b.list, e.v.begin+1, func(m took, t int64) int { return cmp.Compare(m.begin, t) })
	if i == len(b.list) {
		return false
	}
	first := b.later[i][0]
	if a.header.Replayed && first.label == e.of {
		first = b.later[i][1]
	}
	return first.sent < e.until
}
