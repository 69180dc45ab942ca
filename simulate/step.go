package simulate

import "math"

// stepKind is what a rank can be told to do. Every action of a trace is one or
// more steps; collectives are sequences of them.
type stepKind uint8

const (
	stepSend     stepKind = iota // blocking
	stepRecv                     // blocking
	stepIsend                    // starts a request of the rank's open list
	stepIrecv                    // likewise
	stepExchange                 // send and receive at once, and wait for both
	stepWait                     // wait for the request with number peer of the open list
	stepWaitAll                  // wait for the whole open list, and empty it
	stepExec                     // compute
)

// step is one thing to do. Peers are ranks of the plan's communicator.
type step struct {
	kind   stepKind
	peer   int32
	source int32 // of an exchange
	tag    int32
	bytes  int64
	room   int64 // to receive in an exchange; the bits of stepExec's flops
}

// plan is what a rank does in a collective. Algorithms append to it phase by
// phase, so that a long one is never written out at once.
type plan struct {
	steps []step
	open  int32 // requests started since the last waitAll
	tag   int32 // of the messages appended from now on
	via   []int // ranks that peers stand for, where a part of all takes part
}

func (p *plan) peer(i int) int32 {
	if p.via != nil {
		i = p.via[i]
	}
	return int32(i)
}

func (p *plan) send(to int, bytes int64) {
	p.steps = append(p.steps, step{kind: stepSend, peer: p.peer(to), bytes: bytes, tag: p.tag})
}

func (p *plan) recv(from int, bytes int64) {
	p.steps = append(p.steps, step{kind: stepRecv, peer: p.peer(from), bytes: bytes, tag: p.tag})
}

// isend starts a send and returns its number for wait.
func (p *plan) isend(to int, bytes int64) int32 {
	p.steps = append(p.steps, step{kind: stepIsend, peer: p.peer(to), bytes: bytes, tag: p.tag})
	p.open++
	return p.open - 1
}

// irecv starts a receive and returns its number for wait.
func (p *plan) irecv(from int, bytes int64) int32 {
	p.steps = append(p.steps, step{kind: stepIrecv, peer: p.peer(from), bytes: bytes, tag: p.tag})
	p.open++
	return p.open - 1
}

func (p *plan) exchange(to int, bytes int64, from int, room int64) {
	p.steps = append(p.steps, step{kind: stepExchange, peer: p.peer(to), bytes: bytes, source: p.peer(from), room: room, tag: p.tag})
}

func (p *plan) wait(request int32) {
	p.steps = append(p.steps, step{kind: stepWait, peer: request})
}

func (p *plan) waitAll() {
	p.steps = append(p.steps, step{kind: stepWaitAll})
	p.open = 0
}

func (p *plan) exec(flops float64) {
	if flops > 0 {
		p.steps = append(p.steps, step{kind: stepExec, room: int64(math.Float64bits(flops))})
	}
}
