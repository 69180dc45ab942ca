package simulate

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// precision is the time within which SimGrid takes events as simultaneous
// (surf/precision as smpirun sets it).
const precision = 1e-9

// atOnce is the time within which events happen at once here. It is a little
// less than precision: events that are a whole nanosecond apart, as computations
// of whole flops at 1 Gf/s make them, are told apart however their dates were
// rounded, and so in one iteration of a loop as in another.
const atOnce = 0.999 * precision

const none = int32(-1)

// eventQueue orders things by the date they are due: a radix heap (Ahuja,
// Mehlhorn, Orlin and Tarjan, 1990). No event is due before the clock, and no
// date is negative, so that dates are in the order of their bits; an event is in
// the list of the highest bit in which its date differs from the clock's. Events
// of one date stay together, and in the order they were scheduled.
type eventQueue struct {
	nodes []eventNode // by event id
	lists [64]eventList
	some  uint64 // lists that are not empty, a bit each
	clock uint64
	now   []int32 // events that happen at once
}

type eventNode struct {
	due        uint64 // the date's bits
	next, prev int32  // in its list; prev is out where it is in none
}

type eventList struct{ head, tail int32 }

// out is the prev of an event that is not queued.
const out = int32(-2)

func newEventQueue(n int) *eventQueue {
	q := &eventQueue{nodes: make([]eventNode, 0, 5*n)}
	for i := range q.lists {
		q.lists[i] = eventList{none, none}
	}
	q.grow(n)
	return q
}

// grow makes room for event ids below n.
func (q *eventQueue) grow(n int) {
	for len(q.nodes) < n {
		q.nodes = append(q.nodes, eventNode{prev: out})
	}
}

// queued tells whether an event is to happen, and when.
func (q *eventQueue) queued(id int32) (due float64, ok bool) {
	n := &q.nodes[id]
	return math.Float64frombits(n.due), n.prev != out
}

// schedule sets when an event is due.
func (q *eventQueue) schedule(id int32, due float64) {
	n := &q.nodes[id]
	date := max(math.Float64bits(due), q.clock)
	if n.prev != out {
		if n.due == date {
			return
		}
		q.unlink(id)
	}
	n.due = date
	q.link(id)
}

// place is the list of a date.
func (q *eventQueue) place(due uint64) int { return bits.Len64(due^q.clock) & 63 }

func (q *eventQueue) link(id int32) {
	n := &q.nodes[id]
	i := q.place(n.due)
	l := &q.lists[i]
	n.next, n.prev = none, l.tail
	if l.tail != none {
		q.nodes[l.tail].next = id
	} else {
		l.head = id
		q.some |= 1 << i
	}
	l.tail = id
}

func (q *eventQueue) unlink(id int32) {
	n := &q.nodes[id]
	i := q.place(n.due)
	l := &q.lists[i]
	if n.prev != none {
		q.nodes[n.prev].next = n.next
	} else {
		l.head = n.next
	}
	if n.next != none {
		q.nodes[n.next].prev = n.prev
	} else {
		l.tail = n.prev
	}
	if l.head == none {
		q.some &^= 1 << i
	}
	n.prev = out
}

// cancel removes an event if it is queued.
func (q *eventQueue) cancel(id int32) {
	if q.nodes[id].prev != out {
		q.unlink(id)
	}
}

// next returns the earliest date at which something is due.
func (q *eventQueue) next() (float64, bool) {
	if q.some == 0 {
		return 0, false
	}
	least := uint64(math.MaxUint64)
	for id := q.lists[bits.TrailingZeros64(q.some)].head; id != none; {
		n := &q.nodes[id]
		least = min(least, n.due)
		id = n.next
	}
	return math.Float64frombits(least), true
}

// take empties a list and returns its first event.
func (q *eventQueue) take(i int) int32 {
	id := q.lists[i].head
	q.lists[i] = eventList{none, none}
	q.some &^= 1 << i
	return id
}

// advance moves the clock on; nothing is due before. The dates of one list only
// are in another order to the new clock than to the old one.
func (q *eventQueue) advance(now float64) {
	date := math.Float64bits(now)
	if date <= q.clock {
		return
	}
	i := q.place(date)
	q.clock = date
	for id := q.take(i); id != none; {
		following := q.nodes[id].next
		q.link(id)
		id = following
	}
}

// each hands over all events that are due before now+atOnce, the earliest first.
// Nothing may be scheduled meanwhile.
func (q *eventQueue) each(now float64, happen func(id int32)) {
	q.advance(now)
	end := math.Float64bits(now + atOnce) // late in a long run that is now
	q.now = q.now[:0]
	ordered := true
	for left := q.some; left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		if i > 0 && (q.clock>>(i-1)|1)<<(i-1) >= end { // no date of the list is earlier
			break
		}
		for id := q.lists[i].head; id != none; {
			n := &q.nodes[id]
			following := n.next
			if i == 0 || n.due < end {
				q.unlink(id)
				if k := len(q.now); k > 0 && q.nodes[q.now[k-1]].due > n.due {
					ordered = false
				}
				q.now = append(q.now, id)
			}
			id = following
		}
	}
	if !ordered {
		slices.SortStableFunc(q.now, func(a, b int32) int { return cmp.Compare(q.nodes[a].due, q.nodes[b].due) })
	}
	for _, id := range q.now {
		happen(id)
	}
}

// shift makes everything that is queued happen later.
func (q *eventQueue) shift(by float64) {
	var queued []int32
	for left := q.some; left != 0; left &= left - 1 {
		for id := q.take(bits.TrailingZeros64(left)); id != none; id = q.nodes[id].next {
			queued = append(queued, id)
		}
	}
	for _, id := range queued {
		n := &q.nodes[id]
		n.due = math.Float64bits(math.Float64frombits(n.due) + by)
		q.link(id)
	}
}
