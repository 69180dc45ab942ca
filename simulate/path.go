package simulate

// Stretch is a part of the critical path: a rank working, or a message on its
// way that somebody waited for.
type Stretch struct {
	Rank  int     `json:"rank"` // who worked, or who waited
	From  int     `json:"from"` // the sender of the message; -1 for work
	Bytes int64   `json:"bytes"`
	Begin float64 `json:"begin"`
	End   float64 `json:"end"`
}

// pathNode is the last stretch of the critical path up to some event.
type pathNode struct {
	stretch Stretch
	before  *pathNode
}

// pathEnd is the path up to what a rank has done so far.
type pathEnd struct {
	path      *pathNode
	busySince float64 // when the work or sleep under way began
}

// pathBusy notes that a rank begins to work or sleep.
func (e *engine) pathBusy(id int32) {
	if e.paths != nil {
		e.paths[id].busySince = e.now
	}
}

// pathStart remembers the path up to a message's start: that of the rank, of
// sender and receiver, that came last.
func (e *engine) pathStart(m, last int32) {
	if e.paths != nil {
		e.pathFrom(m, e.paths[last].path)
	}
}

// pathBehind remembers the path up to the start of a message that had to wait for
// another one to arrive, if it did.
func (e *engine) pathBehind(m, other int32) {
	if e.paths != nil && other != none {
		e.pathFrom(m, e.pathArrival(e.post.messages[other].dst, other))
	}
}

func (e *engine) pathFrom(m int32, path *pathNode) {
	for int(m) >= len(e.starts) {
		e.starts = append(e.starts, pathStart{})
	}
	e.starts[m] = pathStart{path, e.now}
}

// pathStart is the path up to a message's start, and when that was.
type pathStart struct {
	path *pathNode
	at   float64
}

// pathWork extends a rank's path by the work or sleep it has just done.
func (e *engine) pathWork(id int32) {
	if e.paths == nil {
		return
	}
	r := &e.paths[id]
	if p := r.path; p != nil && p.stretch.From < 0 && p.stretch.End == r.busySince && p.stretch.Rank == int(id) {
		// Nobody else can have seen the node's end change: who branched off
		// did so at its old end, and the rank has only worked since.
		r.path = &pathNode{Stretch{int(id), -1, 0, p.stretch.Begin, e.now}, p.before}
		return
	}
	r.path = &pathNode{Stretch{int(id), -1, 0, r.busySince, e.now}, r.path}
}

// pathMessage makes the message that woke a rank the end of its path.
func (e *engine) pathMessage(id, m int32) {
	if e.paths == nil {
		return
	}
	e.paths[id].path = e.pathArrival(id, m)
}

// pathArrival is the path up to the arrival of a message, for which a rank waits.
func (e *engine) pathArrival(id, m int32) *pathNode {
	msg := &e.post.messages[m]
	start := e.starts[m]
	return &pathNode{Stretch{int(id), int(msg.src), msg.bytes, start.at, e.now}, start.path}
}

// unroll lists a path from its start.
func unroll(p *pathNode) []Stretch {
	var out []Stretch
	for ; p != nil; p = p.before {
		out = append(out, p.stretch)
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}
