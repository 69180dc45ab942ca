package waits

import (
	"math/bits"

	"auspex/events"
)

// mail is messages of which one side has been seen, and the latest with both. Those
// with the same ends, tag and communicator wait in a queue, whose first is found in a
// table of chains; all to one rank are in a list in the order in which they came.
type mail struct {
	boxes  []mailbox // by the rank that receives
	pool   []message
	free   int32   // the first that may be used again, counted from 1; 0 for none
	chains []int32 // the first message of each, counted from 1; a power of two
}

// mailbox is that of one rank.
type mailbox struct {
	first, last int32 // of its messages with one side, counted from 1; 0 for none
	open        int32 // how many those are
	lost        int32 // how many were given up
	done        doneRing
	taken
}

// address is what the two sides of a message agree on.
type address struct {
	ends uint64 // who sends, and who receives
	label
}

// label is what a receive from anyone may still ask for: tag and communicator.
type label uint64

func labelOf(h *events.Half) label { return label(joint(h.Tag, h.Comm)) }

// to is who receives.
func (a *address) to() int32 { return int32(uint32(a.ends)) }

func addressOf(from, to int32, l label) address { return address{joint(from, to), l} }

// message is one whose sides come one after the other. Places of others count from 1; 0
// stands for none.
type message struct {
	address
	chain        int32 // the next with another address
	next, last   int32 // the next with the same; of the first, the last one
	older, newer int32 // of those to the same rank
	sent         bool  // its send was seen, else its receive
	blocking     bool  // the send is of a call that could wait
	awaited      bool  // a later call waits for the send
	in           int32 // the call that completes the receive
	posted       int64 // the receive
	begun        int64 // the send, where both sides were seen
	side         visit // the send; where both sides were seen, the call of the receive
	waiter       visit // the later call
}

// maxOpen is how many messages to one rank wait for their other side; older ones
// are given up.
const maxOpen = 4096

// find is the place where the oldest open message of an address stands, or would. There
// is room for another message then, so that the place holds until it is used.
func (l *mail) find(of address) *int32 {
	if l.free == 0 {
		l.grow()
	}
	at := l.chain(of)
	for *at > 0 {
		m := &l.pool[*at-1]
		if m.ends == of.ends && m.label == of.label {
			break
		}
		at = &m.chain
	}
	return at
}

// chain is where the messages of an address are.
func (l *mail) chain(of address) *int32 {
	h := (of.ends*golden ^ uint64(of.label)) * golden
	return &l.chains[h>>32&uint64(len(l.chains)-1)]
}

// grow makes room for more messages, and as many chains.
func (l *mail) grow() {
	n := len(l.pool)
	l.pool = append(l.pool, make([]message, max(leastSlots, n))...)
	for i := range l.pool[n:] {
		l.release(int32(n + i + 1))
	}
	old := l.chains
	l.chains = make([]int32, 2*len(l.pool))
	for _, n := range old {
		for n > 0 {
			m := &l.pool[n-1]
			at := l.chain(m.address)
			n, m.chain, *at = m.chain, *at, n
		}
	}
}

// release gives a message's room back.
func (l *mail) release(n int32) { l.pool[n-1].next, l.free = l.free, n }

// add makes an open message with one side at a place that was found for it.
func (l *mail) add(at *int32, of address, sent bool) (*message, *mailbox) {
	n := l.free
	m := &l.pool[n-1]
	l.free = m.next
	b := &l.boxes[of.to()]
	m.address, m.sent, m.awaited = of, sent, false
	m.chain, m.next, m.last = 0, 0, n
	if m.older, m.newer = b.last, 0; b.last > 0 {
		l.pool[b.last-1].newer = n
	} else {
		b.first = n
	}
	b.last = n
	b.open++
	if *at == 0 {
		*at = n
	} else {
		first := &l.pool[*at-1]
		l.pool[first.last-1].next, first.last = n, n
	}
	return m, b
}

// remove takes the first message of a queue out of it and out of its mailbox.
func (l *mail) remove(at *int32, m *message) *mailbox {
	if *at = m.chain; m.next > 0 {
		*at = m.next
		next := &l.pool[m.next-1]
		next.chain, next.last = m.chain, m.last
	}
	b := &l.boxes[m.to()]
	b.open--
	if m.older > 0 {
		l.pool[m.older-1].newer = m.newer
	} else {
		b.first = m.newer
	}
	if m.newer > 0 {
		l.pool[m.newer-1].older = m.older
	} else {
		b.last = m.older
	}
	return b
}

// doneRing are the latest messages with both sides, for sends whose completion is yet
// to be seen.
type doneRing struct {
	messages [maxDone]int32
	used     uint32 // by bits, which places are
	turn     uint32 // where the next goes
}

const maxDone = 32

// put keeps a message and returns the one that has to go; 0 for none.
func (d *doneRing) put(n int32) int32 {
	i, out := d.turn%maxDone, int32(0)
	if bit := uint32(1) << i; d.used&bit != 0 {
		out = d.messages[i]
	} else {
		d.used |= bit
	}
	d.messages[i] = n
	d.turn++
	return out
}

// all are the messages with their places, the oldest first.
func (d *doneRing) all(yield func(place int, message int32) bool) {
	for left := bits.RotateLeft32(d.used, -int(d.turn%maxDone)); left != 0; left &= left - 1 {
		i := (d.turn + uint32(bits.TrailingZeros32(left))) % maxDone
		if !yield(int(i), d.messages[i]) {
			return
		}
	}
}

// drop gives a place up.
func (d *doneRing) drop(place int) { d.used &^= 1 << place }
