package events

// Matcher joins the halves of messages: the first sent is the first received of
// the same ranks, tag and communicator.
type Matcher struct {
	open    map[messageKey]*queue
	waiting int // halves in all queues
}

// maxHalves is how many halves may wait for their others. A trace in which more
// never find them is not whole, and further ones are left out.
const maxHalves = 1 << 22

type messageKey struct{ from, to, tag, comm int32 }

// queue holds halves of one side whose others have not come yet.
type queue struct {
	list []Endpoint
	sent bool // all of them are sends
}

// Endpoint is where and when a half happened.
type Endpoint struct {
	Loc        int32
	Begin, End int64 // of the call
	Posted     int64
}

// Half takes one half, and returns both sides when the other is there already.
func (m *Matcher) Half(rank int32, s *Span, h *Half) (send, receive Endpoint, ok bool) {
	if h.Side == SendDone {
		return send, receive, false
	}
	key := messageKey{rank, h.Peer, h.Tag, h.Comm}
	if h.Side == Received {
		key.from, key.to = h.Peer, rank
	}
	if m.open == nil {
		m.open = map[messageKey]*queue{}
	}
	q := m.open[key]
	if q == nil {
		q = &queue{}
		m.open[key] = q
	}
	mine := Endpoint{s.Loc, s.Begin, s.End, h.Posted}
	if len(q.list) == 0 || q.sent == (h.Side == Sent) {
		if m.waiting >= maxHalves {
			return send, receive, false
		}
		m.waiting++
		q.sent = h.Side == Sent
		q.list = append(q.list, mine)
		return send, receive, false
	}
	other := q.list[0]
	q.list = q.list[1:]
	m.waiting--
	if h.Side == Sent {
		return mine, other, true
	}
	return other, mine, true
}
