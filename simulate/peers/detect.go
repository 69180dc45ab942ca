package peers

// The words and states of the library's detection: p2psap/runtime/detect.h
// describes them, and this follows its detect.c and freeze.c.
const (
	wordUp = iota
	wordFreeze
	wordVote
	wordGo
	wordStop
	wordReset
)

type state uint8

const (
	free state = iota
	freezing
	blocked // it waits for frozen messages
	frozen
	votedFor
	ended
)

// termination is a peer's part in it.
type termination struct {
	phase, frozenPhase uint64
	state              state
	here, told         bool
	vote               int8 // -1 not yet
	childUp            []bool
	childVote          []int8
	delivering         bool
	frozenCells        [cells]float64
	asked              []question
	freezeAt           int // iteration, where peers of a cluster must freeze together; 0 not known
	settlingPhase      uint64
	settlingSince      float64
}

func (t *termination) stopped() bool { return t.state == ended }

func (t *termination) begin(phase uint64) {
	t.phase, t.state, t.vote, t.here, t.told, t.freezeAt = phase, free, -1, false, false, 0
	clear(t.childUp)
	for i := range t.childVote {
		t.childVote[i] = -1
	}
}

func asVote(yes bool) int8 {
	if yes {
		return 1
	}
	return 0
}

// say sends a word along the tree.
func (r *replay) say(from, to int32, word uint8, yes bool) {
	way, err := r.net.way(r.peer[from].host, r.peer[to].host)
	if err != nil {
		return
	}
	came := event{kind: heard, peer: to, slot: from, word: word, phase: r.peer[from].phase, yes: yes}
	r.out(from, wordShare, func() {
		at, _ := r.net.send(way, r.now, wireBytes(0, true), true)
		came.at = at + r.o.Delay
		r.events.add(came)
	})
}

func (r *replay) down(i int32, word uint8) {
	for _, c := range r.child[i] {
		r.say(i, c, word, true)
	}
}

// converged is the library's P2P_Converged.
func (r *replay) converged(i int32, here bool) {
	me := &r.peer[i]
	me.here = here
	switch {
	case me.stopped():
		r.finish(i)
		return
	case r.voting():
		me.vote = asVote(here)
		me.waiting, me.held, me.since = true, true, r.now
		r.tally(i)
		return
	case me.delivering:
		me.delivering = false
		if me.state == frozen {
			me.vote = asVote(here)
			r.tally(i)
		} else {
			me.here = r.settled(me, here)
			r.consider(i)
		}
	case me.state == freezing && r.mayFreeze(i):
		r.freeze(i)
		return
	default:
		me.here = r.settled(me, here)
		r.consider(i)
	}
	if me.stopped() {
		r.finish(i)
	} else {
		r.begin(i)
	}
}

// settle is for how many seconds a peer waits for something new before it says
// that it has converged.
const settle = 1.0

// settled is the library's: whether a peer stayed converged while something new
// came from each of those of whom the newest wins.
func (r *replay) settled(me *peer, here bool) bool {
	if !here || me.settlingPhase != me.phase {
		for k := range me.in {
			me.in[k].settling = me.in[k].seen
		}
		me.settlingPhase, me.settlingSince = me.phase, r.now
	}
	fresh := true
	for k := range me.in {
		if c := &me.in[k]; !c.inOrder && c.seen == c.settling {
			fresh = false
		}
	}
	return here && (fresh || r.now-me.settlingSince > settle)
}

// mayFreeze tells whether a peer is at the iteration at which its cluster
// freezes. What the library learns by marks on messages is known here at once.
func (r *replay) mayFreeze(i int32) bool {
	first, size := r.clusterSpan(i)
	if !r.inOrder(i, i) || size == 1 {
		return true
	}
	me := &r.peer[i]
	if me.freezeAt == 0 {
		at := 0
		for k := first; k < first+size; k++ {
			at = max(at, r.peer[k].freezeAt, r.peer[k].iterations+1)
		}
		for k := first; k < first+size; k++ {
			r.peer[k].freezeAt = at
		}
	}
	return me.iterations >= me.freezeAt
}

func (r *replay) clusterSpan(i int32) (first, size int) {
	for _, n := range r.program.Clusters {
		if int(i) < first+n {
			return first, n
		}
		first += n
	}
	return first, 0
}

// question is a frozen message that was asked for before there was one.
type question struct {
	by, slot int32
	phase    uint64
}

// freeze has a peer ask for the frozen messages it needs, and answer those who
// asked for its own.
func (r *replay) freeze(i int32) {
	me := &r.peer[i]
	me.frozenPhase, me.frozenCells = me.phase, me.cells
	me.state = blocked
	me.waiting, me.held, me.since = true, true, r.now
	r.result.Votes += int(asVote(i == 0))
	for k := range me.in {
		if c := &me.in[k]; !c.inOrder {
			r.ask(i, c.from, int32(k))
		}
	}
	for _, q := range me.asked {
		r.answer(i, q)
	}
	me.asked = me.asked[:0]
	r.thaw(i)
}

// ask sends the question for a frozen message.
func (r *replay) ask(by, of, slot int32) {
	way, err := r.net.way(r.peer[by].host, r.peer[of].host)
	if err != nil {
		return
	}
	came := event{kind: asked, peer: of, slot: slot, by: by, phase: r.peer[by].phase}
	r.out(by, wordShare, func() {
		at, _ := r.net.send(way, r.now, wireBytes(0, true), true)
		came.at = at + r.o.Delay
		r.events.add(came)
	})
}

// answer sends a peer's frozen message, or keeps the question until it has one.
func (r *replay) answer(i int32, q question) {
	me := &r.peer[i]
	if me.frozenPhase < q.phase {
		me.asked = append(me.asked, q)
		return
	}
	for k := range me.out {
		if o := &me.out[k]; o.to == q.by && o.slot == q.slot && me.frozenPhase == q.phase {
			came := event{kind: thawed, peer: q.by, slot: q.slot, error: me.frozenCells[o.cell], phase: q.phase}
			r.out(i, 1, func() {
				at, _ := r.pass(o, true)
				came.at = at + r.o.Delay
				r.events.add(came)
			})
			return
		}
	}
}

// still tells whether a peer is between freezing and the outcome of the vote:
// messages of which the newest wins wait then.
func (t *termination) still() bool {
	return t.state == blocked || t.state == frozen || t.state == votedFor
}

// thaw has a peer go on once it has what it needs.
func (r *replay) thaw(i int32) {
	me := &r.peer[i]
	if me.state != blocked || me.down {
		return
	}
	for k := range me.in {
		if c := &me.in[k]; !c.inOrder && c.frozenAt != me.phase {
			return
		}
	}
	me.state, me.delivering = frozen, true
	r.goOn(i)
}

// goOn ends a wait of the detection.
func (r *replay) goOn(i int32) {
	me := &r.peer[i]
	me.held = false
	if me.waiting {
		me.waiting = false
		r.waited += r.now - me.since
	}
	if !me.down {
		r.begin(i)
	}
}

func (r *replay) consider(i int32) {
	me := &r.peer[i]
	all := me.here
	for _, up := range me.childUp {
		all = all && up
	}
	if me.state != free || r.voting() || all == me.told {
		return
	}
	me.told = all
	if p := r.parent[i]; p >= 0 {
		r.say(i, p, wordUp, all)
	} else if all {
		me.state = freezing
		r.down(i, wordFreeze)
	}
}

// tally counts the votes of a peer and those below it.
func (r *replay) tally(i int32) {
	me := &r.peer[i]
	all := me.vote == 1
	if me.vote < 0 || me.stopped() {
		return
	}
	for _, v := range me.childVote {
		if v < 0 {
			return
		}
		all = all && v == 1
	}
	switch p := r.parent[i]; {
	case p >= 0:
		if me.state != votedFor {
			me.state = votedFor
			r.say(i, p, wordVote, all)
		}
	case all:
		r.stop(i)
	default:
		r.next(i, me.phase+1)
	}
}

func (r *replay) stop(i int32) {
	me := &r.peer[i]
	me.state = ended
	r.down(i, wordStop)
	if me.held && !me.down {
		r.waited += r.now - me.since
		r.finish(i)
	} else if me.waiting && !me.down {
		r.begin(i) // what it waits for will not come
	}
}

// next begins a phase, and in the synchronous scheme the next iteration.
func (r *replay) next(i int32, phase uint64) {
	me := &r.peer[i]
	held := me.state == blocked || r.voting()
	me.begin(phase)
	me.delivering = false
	r.down(i, wordGo)
	r.consider(i)
	if held {
		r.goOn(i)
	}
}

func (r *replay) hear(i, from int32, word uint8, phase uint64, yes bool) {
	me := &r.peer[i]
	if me.stopped() {
		return
	}
	if from == r.parent[i] {
		switch {
		case word == wordGo && phase > me.phase:
			r.next(i, phase)
		case word == wordFreeze && phase == me.phase && me.state == free:
			me.state = freezing
			r.down(i, wordFreeze)
		case word == wordStop:
			r.stop(i)
		}
		return
	}
	for k, c := range r.child[i] {
		if c != from {
			continue
		}
		switch {
		case word == wordReset:
			if p := r.parent[i]; p >= 0 {
				r.say(i, p, wordReset, true)
			} else {
				r.next(i, me.phase+1)
			}
		case phase != me.phase:
		case word == wordUp:
			me.childUp[k] = yes
			r.consider(i)
		case word == wordVote:
			me.childVote[k] = asVote(yes)
			r.tally(i)
		}
	}
}

// replaced voids what was said in this phase: a peer has lost its state.
func (r *replay) replaced(i int32) {
	if r.peer[i].stopped() {
		return
	}
	r.peer[i].here = false
	if p := r.parent[i]; p >= 0 {
		r.say(i, p, wordReset, true)
	} else {
		r.next(i, r.peer[i].phase+1)
	}
}
