package simulate

import "math"

// precision is the time within which SimGrid takes events as simultaneous
// (surf/precision as smpirun sets it).
const precision = 1e-9

// atOnce is the time within which events happen at once here. It is a little
// less than precision: events that are a whole nanosecond apart, as computations
// of whole flops at 1 Gf/s make them, are told apart however their dates were
// rounded, and so in one iteration of a loop as in another.
const atOnce = 0.999 * precision

// sameDate is the time within which two events share a place in the queue. It
// is a thousandth of precision, so it moves no result that precision would not.
const sameDate = 1e-12

const none = int32(-1)

// eventQueue orders things by the date they are due. Programs in step have
// many events at one date, so the heap holds dates and every date a list of
// its events; finding the date again is usually a look at the last few made.
type eventQueue struct {
	nodes  []eventNode // by event id
	dates  []dateList
	free   []int32
	heap   []ordered // a 4-ary heap, and after it four that come last
	size   int       // of the heap
	recent [4]dated  // the last dates made
	turn   int
}

type eventNode struct {
	due        float64 // when it happens; its place in the queue may be earlier
	list       int32   // the date it is queued at, or none
	next, prev int32
}

type dateList struct {
	at   float64
	head int32
	tail int32
}

// dated is a date with its index in dates.
type dated struct {
	at   float64
	list int32
}

// ordered is a date as the heap compares it. No date is negative, and the bits
// of such numbers are in the numbers' order; whole numbers can be compared
// without branches, which no processor could foretell here.
type ordered struct {
	bits int64
	list int32
}

// last comes after all dates.
var last = ordered{math.MaxInt64, none}

func newEventQueue(n int) *eventQueue {
	q := &eventQueue{nodes: make([]eventNode, 0, 5*n)}
	for i := range q.recent {
		q.recent[i] = dated{math.Inf(1), none}
	}
	q.heap = []ordered{last, last, last, last}
	q.grow(n)
	return q
}

// grow makes room for event ids below n.
func (q *eventQueue) grow(n int) {
	for len(q.nodes) < n {
		q.nodes = append(q.nodes, eventNode{list: none})
	}
}

// schedule sets when an event is due. Moving it to a later date leaves it
// where it is; it is moved when its old place comes up.
func (q *eventQueue) schedule(id int32, due float64) {
	n := &q.nodes[id]
	n.due = due
	if n.list != none {
		if at := q.dates[n.list].at; due >= at-sameDate {
			return
		}
		q.unlink(id)
	}
	q.link(id, due)
}

func (q *eventQueue) link(id int32, due float64) {
	for i := range q.recent {
		if diff := q.recent[i].at - due; diff < sameDate && diff > -sameDate {
			q.append(q.recent[i].list, id)
			return
		}
	}
	var d int32
	if k := len(q.free); k > 0 {
		d = q.free[k-1]
		q.free = q.free[:k-1]
	} else {
		d = int32(len(q.dates))
		q.dates = append(q.dates, dateList{})
	}
	q.dates[d] = dateList{at: due, head: none, tail: none}
	q.recent[q.turn&3] = dated{due, d}
	q.turn++
	q.append(d, id)
	q.heap = append(q.heap, last)
	q.size++
	q.up(q.size-1, ordered{int64(math.Float64bits(due)), d})
}

func (q *eventQueue) append(d, id int32) {
	l := &q.dates[d]
	n := &q.nodes[id]
	n.list, n.next, n.prev = d, none, l.tail
	if l.tail != none {
		q.nodes[l.tail].next = id
	} else {
		l.head = id
	}
	l.tail = id
}

func (q *eventQueue) unlink(id int32) {
	n := &q.nodes[id]
	l := &q.dates[n.list]
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
	n.list = none
}

// cancel removes an event that is queued.
func (q *eventQueue) cancel(id int32) {
	if q.nodes[id].list != none {
		q.unlink(id)
	}
}

// next returns the earliest date at which something is due.
func (q *eventQueue) next() (float64, bool) {
	for q.size > 0 {
		d := q.heap[0].list
		at := q.dates[d].at
		for id := q.dates[d].head; id != none; {
			n := &q.nodes[id]
			if n.due <= at+sameDate {
				return at, true
			}
			// It was put off meanwhile: queue it where it belongs now.
			following := n.next
			q.unlink(id)
			q.link(id, n.due)
			id = following
		}
		q.pop()
	}
	return 0, false
}

// each hands over all events that are due before now+atOnce. Nothing may be
// scheduled meanwhile.
func (q *eventQueue) each(now float64, happen func(id int32)) {
	for {
		at, ok := q.next()
		if !ok || at > now && at >= now+atOnce { // late in a long run that is nothing
			return
		}
		l := &q.dates[q.heap[0].list]
		id := l.head
		l.head, l.tail = none, none
		for id != none {
			n := &q.nodes[id]
			following := n.next
			n.list = none
			if n.due <= at+sameDate {
				happen(id)
			} else {
				q.link(id, n.due) // it was put off
			}
			id = following
		}
	}
}

// shift makes everything that is queued happen later.
func (q *eventQueue) shift(by float64) {
	for i := range q.recent {
		q.recent[i].at += by
	}
	for i := range q.heap[:q.size] {
		d := &q.dates[q.heap[i].list]
		d.at += by
		q.heap[i].bits = int64(math.Float64bits(d.at))
		for id := d.head; id != none; id = q.nodes[id].next {
			q.nodes[id].due += by
		}
	}
}

// pop removes the earliest date, which has no events.
func (q *eventQueue) pop() {
	d := q.heap[0].list
	for i := range q.recent {
		if q.recent[i].list == d {
			q.recent[i] = dated{math.Inf(1), none}
		}
	}
	q.free = append(q.free, d)
	q.size--
	moved := q.heap[q.size]
	q.heap[q.size] = last
	q.heap = q.heap[:q.size+4]
	if q.size > 0 {
		q.down(moved)
	}
}

// up puts a date into the free place i or, as it is early, above it.
func (q *eventQueue) up(i int, d ordered) {
	h := q.heap
	for i > 0 {
		p := (i - 1) / 4
		if h[p].bits <= d.bits {
			break
		}
		h[i] = h[p]
		i = p
	}
	h[i] = d
}

// down puts a date into the first place, which is free, or as far below as it
// must be.
func (q *eventQueue) down(d ordered) {
	h := q.heap
	i := 0
	for {
		first := 4*i + 1
		if first >= q.size {
			break
		}
		c := h[first : first+4 : first+4]
		a, b := earlier(c[0].bits, c[1].bits), 2+earlier(c[2].bits, c[3].bits)
		k := a + (b-a)*earlier(c[a&3].bits, c[b&3].bits)
		least := c[k&3]
		if least.bits >= d.bits {
			break
		}
		h[i] = least
		i = first + k
	}
	h[i] = d
}

// earlier is 1 if b comes before a, else 0.
func earlier(a, b int64) int { return int(uint64(b-a) >> 63) }
