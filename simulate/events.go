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

// eventQueue orders things by the date they are due: a two-level radix heap (Ahuja,
// Mehlhorn, Orlin and Tarjan, 1990). No event is due before the clock, and no
// date is negative, so that dates are in the order of their bits, and those of their
// digits, of four bits each. An event is in the list of the highest digit in which its
// date differs from the clock's, and of what that digit is. Events of one date stay
// together, and in the order they were scheduled.
type eventQueue struct {
	nodes  []eventNode // by event id
	lists  [levels << digit]eventList
	some   [levels]uint64 // lists of each level that are not empty, a bit each
	levels uint           // those with any, likewise
	clock  uint64
	now    []int32 // events that happen at once
}

const (
	digit  = 4 // bits
	levels = (64 + digit - 1) / digit
)

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
func (q *eventQueue) place(due uint64) uint {
	level := uint(bits.Len64((due^q.clock)|1)-1) / digit
	return level<<digit | uint(due>>(level*digit&63))&(1<<digit-1)
}

// earliest is the first date of a list.
func (q *eventQueue) earliest(level, is uint) uint64 {
	low := level * digit
	return q.clock>>(low&63)>>digit<<digit<<(low&63) | uint64(is)<<(low&63)
}

func (q *eventQueue) link(id int32) {
	n := &q.nodes[id]
	i := q.place(n.due)
	l := &q.lists[i]
	n.next, n.prev = none, l.tail
	if l.tail != none {
		q.nodes[l.tail].next = id
	} else {
		l.head = id
		q.some[i>>digit] |= 1 << (i & (1<<digit - 1))
		q.levels |= 1 << (i >> digit & 63)
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
		q.emptied(i)
	}
	n.prev = out
}

// emptied notes that nothing is left in a list.
func (q *eventQueue) emptied(i uint) {
	level := i >> digit
	if q.some[level] &^= 1 << (i & (1<<digit - 1)); q.some[level] == 0 {
		q.levels &^= 1 << (level & 63)
	}
}

// cancel removes an event if it is queued.
func (q *eventQueue) cancel(id int32) {
	if q.nodes[id].prev != out {
		q.unlink(id)
	}
}

// next returns the earliest date at which something is due.
func (q *eventQueue) next() (float64, bool) {
	if q.levels == 0 {
		return 0, false
	}
	least := uint64(math.MaxUint64)
	level := uint(bits.TrailingZeros(q.levels))
	for id := q.lists[level<<digit|uint(bits.TrailingZeros64(q.some[level]))].head; id != none; {
		n := &q.nodes[id]
		least = min(least, n.due)
		id = n.next
	}
	return math.Float64frombits(least), true
}

// take empties a list and returns its first event.
func (q *eventQueue) take(i uint) int32 {
	id := q.lists[i].head
	q.lists[i] = eventList{none, none}
	q.emptied(i)
	return id
}

// each moves the clock on to now, before which nothing is due, and hands over all
// events that are due before now+atOnce, the earliest first. Nothing may be scheduled
// meanwhile.
func (q *eventQueue) each(now float64, happen func(id int32)) {
	date, end := max(math.Float64bits(now), q.clock), math.Float64bits(now+atOnce)
	end = max(end, date+1) // late in a long run now+atOnce is now
	i := q.place(date)
	q.clock = date
	// The dates of this list only are in another order to the new clock than to the old one.
	for id := q.take(i); id != none; {
		n := &q.nodes[id]
		following := n.next
		if n.due < end {
			n.prev = out
			q.now = longer(q.now, id, len(q.nodes))
		} else {
			q.link(id)
		}
		id = following
	}
	q.soon(end)
	if !slices.IsSortedFunc(q.now, q.byDate) {
		slices.SortStableFunc(q.now, q.byDate)
	}
	for _, id := range q.now {
		happen(id)
	}
	q.now = emptied(q.now)
}

func (q *eventQueue) byDate(a, b int32) int { return cmp.Compare(q.nodes[a].due, q.nodes[b].due) }

// soon takes the events out that are due before end.
func (q *eventQueue) soon(end uint64) {
	for left := q.levels; left != 0; left &= left - 1 {
		level := uint(bits.TrailingZeros(left))
		for lists := q.some[level]; lists != 0; lists &= lists - 1 {
			is := uint(bits.TrailingZeros64(lists))
			if q.earliest(level, is) >= end {
				return
			}
			for id := q.lists[level<<digit|is].head; id != none; {
				n := &q.nodes[id]
				following := n.next
				if n.due < end {
					q.unlink(id)
					q.now = longer(q.now, id, len(q.nodes))
				}
				id = following
			}
		}
	}
}

// shift makes everything that is queued happen later.
func (q *eventQueue) shift(by float64) {
	var queued []int32
	for q.levels != 0 {
		level := uint(bits.TrailingZeros(q.levels))
		for id := q.take(level<<digit | uint(bits.TrailingZeros64(q.some[level]))); id != none; id = q.nodes[id].next {
			queued = append(queued, id)
		}
	}
	for _, id := range queued {
		n := &q.nodes[id]
		n.due = math.Float64bits(math.Float64frombits(n.due) + by)
		q.link(id)
	}
}
