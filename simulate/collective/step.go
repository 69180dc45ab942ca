package collective

// StepKind is what a rank can be told to do. Every action of a trace is one or
// more steps; collectives are sequences of them.
type StepKind uint8

const (
	StepSend     StepKind = iota // blocking
	StepRecv                     // blocking
	StepIsend                    // starts a request of the rank's open list
	StepIrecv                    // likewise
	StepExchange                 // send and receive at once, and wait for both
	StepWait                     // wait for the request with number peer of the open list
	StepWaitAll                  // wait for the whole open list, and empty it
	StepExec                     // compute what the collective computes
)

// Step is one thing to do. Peers are ranks of the plan's communicator.
type Step struct {
	Kind   StepKind
	Peer   int32
	Source int32 // of an exchange
	Tag    int32
	Bytes  int64
	Room   int64 // to receive in an exchange
}

// Plan is what a rank does in a collective. Algorithms append to it phase by
// phase, so that a long one is never written out at once.
type Plan struct {
	Steps []Step
	Open  int32 // requests started since the last waitAll
	Tag   int32 // of the messages appended from now on; every phase says it anew
	via   []int // ranks that peers stand for, where a part of all takes part
}

func (p *Plan) peer(i int) int32 {
	if p.via != nil {
		i = p.via[i]
	}
	return int32(i)
}

func (p *Plan) send(to int, bytes int64) {
	p.Steps = append(p.Steps, Step{Kind: StepSend, Peer: p.peer(to), Bytes: bytes, Tag: p.Tag})
}

func (p *Plan) recv(from int, bytes int64) {
	p.Steps = append(p.Steps, Step{Kind: StepRecv, Peer: p.peer(from), Bytes: bytes, Tag: p.Tag})
}

// isend starts a send and returns its number for wait.
func (p *Plan) isend(to int, bytes int64) int32 {
	p.Steps = append(p.Steps, Step{Kind: StepIsend, Peer: p.peer(to), Bytes: bytes, Tag: p.Tag})
	p.Open++
	return p.Open - 1
}

// irecv starts a receive and returns its number for wait.
func (p *Plan) irecv(from int, bytes int64) int32 {
	p.Steps = append(p.Steps, Step{Kind: StepIrecv, Peer: p.peer(from), Bytes: bytes, Tag: p.Tag})
	p.Open++
	return p.Open - 1
}

func (p *Plan) exchange(to int, bytes int64, from int, room int64) {
	p.Steps = append(p.Steps, Step{Kind: StepExchange, Peer: p.peer(to), Bytes: bytes, Source: p.peer(from), Room: room, Tag: p.Tag})
}

func (p *Plan) wait(request int32) {
	p.Steps = append(p.Steps, Step{Kind: StepWait, Peer: request})
}

func (p *Plan) waitAll() {
	p.Steps = append(p.Steps, Step{Kind: StepWaitAll})
	p.Open = 0
}

func (p *Plan) Exec() { p.Steps = append(p.Steps, Step{Kind: StepExec}) }
