package simulate

import (
	"fmt"

	"auspex/trace"
)

// message is a communication, from the moment one side has asked for it.
type message struct {
	src, dst int32 // world ranks; src is trace.AnySource for a wildcard receive
	tag      int32
	context  int32 // communicator
	bytes    int64 // sent, or room to receive; negative room takes anything
	seq      uint32
	next     int32 // in its bucket or in the wildcard list
	state    messageState
	detached bool // the sender does not wait for it
	queued   bool // its sender is done when it has left, see buffers.go, answers.go
	held     int8 // sides that still hold a request for it
	// Who is to be told when it is done.
	tellSource, tellTarget bool
}

// before tells which of two messages was posted first; their numbers may have
// passed the largest.
func (m *message) before(other *message) bool { return int32(m.seq-other.seq) < 0 }

type messageState uint8

const (
	sendPosted messageState = iota
	recvPosted
	travelling // matched, or pushed before its receive
	arrived
	paused  // not both ranks are inside MPI, see hold.go
	crowded // no room in the system's buffers, see buffers.go
	unmoved // its answer is behind another message, see answers.go
)

// mailbox holds what a rank has been sent and has not received, and what it
// wants to receive and nobody has sent: never both for one source and tag, so
// one small hash table holds either.
type mailbox struct {
	few   [2]bucket // the table, as long as there were few
	wild  bucket    // receives with AnySource or AnyTag
	count int32
	table int32 // place in post.tables, or none
}

type bucket struct{ head, tail int32 }

// perBucket is how many messages there may be for each bucket of a mailbox.
const perBucket = 4

// post is the matching of sends and receives.
type post struct {
	messages []message
	free     int32 // the first message that is, or none; the others follow as next
	boxes    []mailbox
	tables   [][]bucket // of mailboxes in which there were many
	seq      uint32
}

func newPost(ranks int) *post {
	// As many as programs in which a rank has four neighbours have at a time, with
	// those of a collective: to grow takes both the old and the new room.
	p := &post{boxes: make([]mailbox, ranks), messages: make([]message, 0, 5*ranks), free: none}
	empty := bucket{none, none}
	for i := range p.boxes {
		p.boxes[i] = mailbox{few: [2]bucket{empty, empty}, wild: empty, table: none}
	}
	return p
}

func (p *post) alloc() int32 {
	if id := p.free; id != none {
		p.free = p.messages[id].next
		return id
	}
	p.messages = append(p.messages, message{})
	return int32(len(p.messages) - 1)
}

func mix(src, tag, context int32) uint32 {
	h := uint32(src)*0x9e3779b1 ^ uint32(tag)*0x85ebca6b ^ uint32(context)*0xc2b2ae35
	return h ^ h>>15
}

// buckets are the lists of a mailbox.
func (p *post) buckets(box *mailbox) []bucket {
	if box.table == none {
		return box.few[:]
	}
	return p.tables[box.table]
}

// bucketOf finds the list for a source and tag.
func (p *post) bucketOf(box *mailbox, src, tag, context int32) *bucket {
	buckets := p.buckets(box)
	return &buckets[mix(src, tag, context)&uint32(len(buckets)-1)]
}

// put appends a message to the list of its source and tag.
func (p *post) put(box *mailbox, id int32) {
	if int(box.count) >= perBucket*len(p.buckets(box)) {
		p.rehash(box)
	}
	m := &p.messages[id]
	p.append(p.bucketOf(box, m.src, m.tag, m.context), id)
	box.count++
}

func (p *post) append(l *bucket, id int32) {
	p.messages[id].next = none
	if l.tail == none {
		l.head = id
	} else {
		p.messages[l.tail].next = id
	}
	l.tail = id
}

// rehash makes room in a mailbox. Lists keep their order.
func (p *post) rehash(box *mailbox) {
	old := p.buckets(box)
	buckets := make([]bucket, 4*len(old))
	for i := range buckets {
		buckets[i] = bucket{none, none}
	}
	if box.table == none {
		box.table = int32(len(p.tables))
		p.tables = append(p.tables, nil)
	}
	p.tables[box.table] = buckets
	for _, l := range old {
		for id := l.head; id != none; {
			m := &p.messages[id]
			next := m.next
			p.append(p.bucketOf(box, m.src, m.tag, m.context), id)
			id = next
		}
	}
}

// drop removes a message from a list, given the one before it.
func (p *post) drop(l *bucket, before, id int32) {
	next := p.messages[id].next
	if before == none {
		l.head = next
	} else {
		p.messages[before].next = next
	}
	if l.tail == id {
		l.tail = before
	}
}

// find takes the first message of the given source and tag out of a mailbox.
// What is in there is of one kind only; see mailbox.
func (p *post) find(box *mailbox, src, tag, context int32, send bool) int32 {
	if box.count == 0 {
		return none
	}
	l := p.bucketOf(box, src, tag, context)
	before := none
	for id := l.head; id != none; id = p.messages[id].next {
		m := &p.messages[id]
		if m.src == src && m.tag == tag && m.context == context && (m.state != recvPosted) == send {
			p.drop(l, before, id)
			box.count--
			return id
		}
		before = id
	}
	return none
}

// accepts tells whether a receive takes a message from src with a tag.
// AnyTag takes no tag of a collective; those are negative.
func (m *message) accepts(src, tag, context int32) bool {
	return m.context == context && (m.src == src || m.src == trace.AnySource) &&
		(m.tag == tag || m.tag == trace.AnyTag && tag >= 0)
}

// findReceive takes the earliest receive that a send matches.
func (p *post) findReceive(src, dst, tag, context int32) int32 {
	box := &p.boxes[dst]
	if box.wild.head == none {
		return p.find(box, src, tag, context, false)
	}
	// A specific receive may have been posted before or after a wildcard one.
	before := none
	for id := box.wild.head; id != none; id = p.messages[id].next {
		if p.messages[id].accepts(src, tag, context) {
			specific := p.peek(box, src, tag, context)
			if specific != none && p.messages[specific].before(&p.messages[id]) {
				return p.find(box, src, tag, context, false)
			}
			p.drop(&box.wild, before, id)
			return id
		}
		before = id
	}
	return p.find(box, src, tag, context, false)
}

// peek looks for a posted receive without taking it.
func (p *post) peek(box *mailbox, src, tag, context int32) int32 {
	if box.count == 0 {
		return none
	}
	for id := p.bucketOf(box, src, tag, context).head; id != none; id = p.messages[id].next {
		if m := &p.messages[id]; m.state == recvPosted && m.src == src && m.tag == tag && m.context == context {
			return id
		}
	}
	return none
}

// findSend takes the earliest send that a receive matches; take false only
// looks.
func (p *post) findSend(src, dst, tag, context int32, take bool) int32 {
	box := &p.boxes[dst]
	if take && src != trace.AnySource && tag != trace.AnyTag {
		return p.find(box, src, tag, context, true)
	}
	if box.count == 0 {
		return none
	}
	want := message{src: src, tag: tag, context: context}
	best, bestBefore, bestList := none, none, -1
	buckets := p.buckets(box)
	for i := range buckets {
		before := none
		for id := buckets[i].head; id != none; id = p.messages[id].next {
			m := &p.messages[id]
			if m.state != recvPosted && want.accepts(m.src, m.tag, m.context) &&
				(best == none || m.before(&p.messages[best])) {
				best, bestBefore, bestList = id, before, i
			}
			before = id
		}
	}
	if best != none && take {
		p.drop(&buckets[bestList], bestBefore, best)
		box.count--
	}
	return best
}

// send posts a send and returns its message, and whether a receive was there.
func (p *post) send(src, dst, tag, context int32, bytes int64) (id int32, matched bool, err error) {
	if id = p.findReceive(src, dst, tag, context); id != none {
		m := &p.messages[id]
		m.src, m.tag = src, tag // a wildcard knows now
		room := m.bytes
		m.bytes = bytes
		return id, true, m.fits(room)
	}
	id = p.alloc()
	p.seq++
	p.messages[id] = message{
		src: src, dst: dst, tag: tag, context: context, bytes: bytes,
		seq: p.seq, state: sendPosted,
	}
	p.put(&p.boxes[dst], id)
	return id, false, nil
}

// oneSided makes a message that needs no receive.
func (p *post) oneSided(src, dst, context int32, bytes int64) int32 {
	id := p.alloc()
	p.seq++
	p.messages[id] = message{src: src, dst: dst, tag: -1, context: context, bytes: bytes, seq: p.seq, state: travelling, held: 1}
	return id
}

// receive posts a receive and returns its message, and whether a send was there.
func (p *post) receive(src, dst, tag, context int32, room int64) (id int32, matched bool, err error) {
	if id = p.findSend(src, dst, tag, context, true); id != none {
		return id, true, p.messages[id].fits(room)
	}
	id = p.alloc()
	p.seq++
	p.messages[id] = message{
		src: src, dst: dst, tag: tag, context: context, bytes: room,
		seq: p.seq, state: recvPosted,
	}
	box := &p.boxes[dst]
	if src == trace.AnySource || tag == trace.AnyTag {
		p.append(&box.wild, id)
	} else {
		p.put(box, id)
	}
	return id, false, nil
}

// release gives up one side's hold of a message.
func (p *post) release(id int32) {
	m := &p.messages[id]
	if m.held--; m.held == 0 {
		m.next, p.free = p.free, id
	}
}

// fits refuses a message that is larger than its receive.
func (m *message) fits(room int64) error {
	if room >= 0 && m.bytes > room {
		if m.tag < 0 { // a collective's
			return fmt.Errorf("a message of %d bytes from rank %d meets a receive of %d bytes", m.bytes, m.src, room)
		}
		return fmt.Errorf("a message of %d bytes from rank %d with tag %d meets a receive of %d bytes", m.bytes, m.src, m.tag, room)
	}
	return nil
}

// unreceived counts the messages of programs that were sent and that nobody received.
func (p *post) unreceived() (count int) {
	for b := range p.boxes {
		for _, l := range p.buckets(&p.boxes[b]) {
			for id := l.head; id != none; id = p.messages[id].next {
				if m := &p.messages[id]; m.state != recvPosted && m.tag >= 0 {
					count++
				}
			}
		}
	}
	return count
}
