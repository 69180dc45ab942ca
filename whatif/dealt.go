package whatif

import (
	"fmt"
	"slices"

	"auspex/trace"
)

// fewDealt is how many answers in an order of their own make a master.
const fewDealt = 8

// dealer is a rank that answers others in the order in which they come, as a master
// that hands out work does: who is given what depends on how fast everybody is. A
// replay keeps who got what.
type dealer struct {
	rank     int
	answered []int // whom it answers
}

// dealerOf finds the first such rank; nil where there is none.
func dealerOf(t *trace.Trace) *dealer {
	for rank := range t.NP() {
		if answered := answersOf(t, rank).dealt(t, rank); answered != nil {
			return &dealer{rank, answered}
		}
	}
	return nil
}

// answers are what a rank sends to others.
type answers struct {
	order   []int32       // whom it answers: what it sends next after having heard of someone goes there
	unasked map[int32]int // messages that answer nobody
	heard   int32         // whose message came last and is not answered
	last    int32         // whom the last message went to, since one came
	later   int32         // who is answered when the rank was answered itself, as a group's master asks for more
}

func answersOf(t *trace.Trace, rank int) *answers {
	s := &answers{unasked: map[int32]int{}, heard: trace.NullPeer, last: trace.NullPeer, later: trace.NullPeer}
	var a trace.Action
	for at := t.Cursor(rank); at.Next(&a); {
		switch a.Kind {
		case trace.Recv:
			s.hear(a.Peer)
		case trace.Wait:
			if int(a.Peer2) == rank && int(a.Peer) != rank { // for a message that comes
				s.hear(a.Peer)
			}
		case trace.Send, trace.Isend:
			s.tell(a.Peer, rank)
		case trace.SendRecv:
			s.tell(a.Peer, rank)
			s.hear(a.Peer2)
		}
	}
	return s
}

func (s *answers) hear(from int32) {
	if from == s.last && s.later != trace.NullPeer {
		from = s.later
	}
	s.heard, s.last, s.later = from, trace.NullPeer, trace.NullPeer
}

func (s *answers) tell(to int32, self int) {
	switch {
	case int(to) == self || to == s.last: // or more of the same answer
		return
	case s.heard != trace.NullPeer && (s.heard == to || s.heard == trace.AnySource):
		s.order, s.later = append(s.order, to), trace.NullPeer
	default:
		s.unasked[to]++
		s.later = s.heard
	}
	s.heard, s.last = trace.NullPeer, to
}

// dealt is whom the rank answers as they come, nobody where it does not. Neighbours that
// exchange borders answer each other, too: in an order that repeats, with as many messages
// that nobody asked for, or with neighbours that have others.
func (s *answers) dealt(t *trace.Trace, rank int) []int {
	var answered []int
	unasked, alone := 0, 0
	for _, p := range slices.Compact(slices.Sorted(slices.Values(s.order))) {
		answered = append(answered, int(p))
		unasked += s.unasked[p]
		if int(p) < t.NP() && meetsOnly(t, int(p), rank) {
			alone++
		}
	}
	first := 2 * len(answered) // what each is given before it asks, and that there is no more
	if len(answered) < 2 || len(s.order) < fewDealt || unasked > max(first, len(s.order)/4) || repeats(s.order) || 2*alone <= len(answered) {
		return nil
	}
	return answered
}

// repeats tells whether a row is one shorter row again and again, twice at least.
func repeats(row []int32) bool {
	for n := 1; 2*n <= len(row); n++ {
		if slices.Equal(row[n:], row[:len(row)-n]) {
			return true
		}
	}
	return false
}

// meetsOnly tells whether a rank has messages with one other only.
func meetsOnly(t *trace.Trace, rank, other int) bool {
	foreign := func(p int32) bool { return p >= 0 && int(p) != other && int(p) != rank }
	var a trace.Action
	for at := t.Cursor(rank); at.Next(&a); {
		switch a.Kind {
		case trace.Recv, trace.Irecv, trace.Send, trace.Isend:
			if foreign(a.Peer) {
				return false
			}
		case trace.SendRecv:
			if foreign(a.Peer) || foreign(a.Peer2) {
				return false
			}
		}
	}
	return true
}

// HandsOut tells whether a rank hands out work to whoever comes next. What balancing
// brings there, no replay of the run tells.
func (c *Case) HandsOut() bool { return c.dealer != nil }

// judged tells whether a replay that keeps who got what tells what a change brings.
func (c *Case) judged(k Kind) bool { return !c.HandsOut() || k != Balance && k != LikeMedian }

// dealt is what is to be said where work is handed out.
func (c *Case) dealt() string {
	whom := "the others"
	if d := c.dealer; len(d.answered) < c.ranks-1 {
		whom = "ranks " + named(texts(d.answered), "and")
	}
	return fmt.Sprintf("rank %d answers %s in the order in which they come, as who hands out work does: a replay keeps who got what, and does not tell what balancing or a faster rank would bring", c.dealer.rank, whom)
}
