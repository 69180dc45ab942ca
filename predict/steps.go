package predict

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"auspex/trace"
)

// What the ranks of a role do is told as a list of steps: a call with partners that are
// found the same way on each of them in every run, or a loop of such calls that is gone
// through as often as the number of processes says. As all runs are gone through at
// once, what holds for the smaller ones has to foretell the largest.

// sample is a size that a call had, in bytes.
type sample struct {
	of       grid
	me, peer int // numbers in the communicator
	n        int // of its ranks
	d        int // counter of the loop the call is in
	value    float64
}

// step is a call or, with a body, a loop.
type step struct {
	action trace.Action // as one rank makes it
	call   string       // which it first is there
	peers  []partner
	tag    label
	sizes  [2][]sample // of Count and Count2

	body   []*step
	turns  *counter   // of the loop, or
	rounds []observed // how often it was gone through, whatever a counter says
}

// parser goes through the streams of a role.
type parser struct {
	book    *book
	streams []*stream // of the smallest run first
	many    bool      // there are three runs or more
	loops   bool      // look for loops
	known   map[string]*step
	key     []byte
	wrong   error // what stood in the way furthest on
	reached int
}

// option is a step that the streams may go on with, and how far.
type option struct {
	step *step
	by   []int
}

// mostBack is how often a parser may have been wrong.
const mostBack = 100

// parse finds the steps of a role.
func (p *parser) parse() ([]*step, error) {
	type fork struct {
		pos   []int
		steps int
		left  []option
	}
	var steps []*step
	var forks []fork
	pos, dead, back := make([]int, len(p.streams)), map[string]bool{}, 0
	for {
		if p.over(pos) {
			return steps, nil
		}
		var options []option
		if len(dead) == 0 || !dead[fmt.Sprint(pos)] {
			if options = p.options(pos); len(options) == 0 {
				dead[fmt.Sprint(pos)] = true
			}
		}
		for len(options) == 0 {
			if back++; len(forks) == 0 || back > mostBack {
				return nil, p.wrong
			}
			last := &forks[len(forks)-1]
			pos, steps, options = last.pos, steps[:last.steps], last.left
			forks = forks[:len(forks)-1]
		}
		if len(options) > 1 {
			forks = append(forks, fork{slices.Clone(pos), len(steps), options[1:]})
		}
		steps = append(steps, options[0].step)
		pos = slices.Clone(pos)
		for i, by := range options[0].by {
			pos[i] += by
		}
	}
}

func (p *parser) over(pos []int) bool {
	for i, s := range p.streams {
		if pos[i] < len(s.calls) {
			return false
		}
	}
	return true
}

// options are the steps that may come next, the likeliest first.
func (p *parser) options(pos []int) (list []option) {
	if p.loops {
		list = append(p.counting(pos), p.repeated(pos)...)
	}
	one, err := p.single(pos, 0)
	if err == nil {
		return append(list, option{one, slices.Repeat([]int{1}, len(pos))})
	}
	if sum := pos[len(pos)-1]; p.wrong == nil || sum > p.reached {
		p.wrong, p.reached = err, sum
	}
	return list
}

// action is a stream's call.
func (p *parser) action(s, call int) *trace.Action {
	return &p.book.actions[p.streams[s].calls[call]]
}

// single is the call that all streams make so many calls after a place.
func (p *parser) single(pos []int, after int) (*step, error) {
	p.key = p.key[:0]
	for i, s := range p.streams {
		if pos[i]+after >= len(s.calls) {
			return nil, p.unequal(pos, after)
		}
		p.key = binary.LittleEndian.AppendUint32(p.key, uint32(s.calls[pos[i]+after]))
	}
	if one, ok := p.known[string(p.key)]; ok {
		if one == nil {
			return nil, p.unlike(pos, after)
		}
		return one, nil
	}
	list := make([]occurrence, len(p.streams))
	for i, s := range p.streams {
		list[i] = occurrence{stream: s, action: p.action(i, pos[i]+after)}
	}
	one := p.common(list, false)
	if one != nil {
		one.call = p.number(pos, after)
	}
	p.known[string(p.key)] = one
	if one == nil {
		return nil, p.unlike(pos, after)
	}
	return one, nil
}

// number names a call of the last stream.
func (p *parser) number(pos []int, after int) string {
	s := p.streams[len(p.streams)-1]
	return fmt.Sprintf("call %d of rank %d of %d", pos[len(pos)-1]+after+1, s.rank, s.of.size())
}

// occurrence is a call that a stream makes, in a loop perhaps.
type occurrence struct {
	stream   *stream
	action   *trace.Action
	d, round int
}

// common is what occurrences have in common, nil where they are not the same call.
func (p *parser) common(list []occurrence, loop bool) *step {
	first := list[len(list)-1].action
	one := &step{action: *first}
	for _, o := range list {
		a := o.action
		if a.Kind != first.Kind || a.Comm != first.Comm || int(a.Comm) >= len(o.stream.seats) || listed(a) && loop {
			return nil
		}
	}
	if first.Kind == trace.CommSplit {
		return one
	}
	for i := range partners(first) {
		who, ok := p.partner(list, i, loop)
		if !ok {
			return nil
		}
		one.peers = append(one.peers, who)
	}
	var ok bool
	if one.tag, ok = one.labelled(list); !ok {
		return nil
	}
	if listed(first) {
		return one
	}
	for _, o := range list {
		s := o.stream.seats[o.action.Comm]
		peer := 0
		if len(one.peers) > 0 {
			peer = int(one.peers[0].of(s, o.d))
		}
		bytes := [2]int64{o.action.Count * o.action.Type.Size(), o.action.Count2 * o.action.Type2.Size()}
		for i, v := range bytes {
			one.sizes[i] = append(one.sizes[i], sample{o.stream.of, s.me, peer, s.part.size(), o.d, float64(v)})
		}
	}
	return one
}

// partner finds how all occurrences find their partner.
func (p *parser) partner(list []occurrence, i int, loop bool) (partner, bool) {
	holds := func(who partner) bool {
		for _, o := range list {
			if who.of(o.stream.seats[o.action.Comm], o.d) != *partners(o.action)[i] {
				return false
			}
		}
		return true
	}
	var tried []partner
	if loop {
		tried = append(tried, inLoop...)
	}
	for k := len(list) - 1; k >= 0; k-- { // of the largest run first, of one that has a partner
		o := list[k]
		if peer := *partners(o.action)[i]; peer >= 0 || k == 0 {
			tried = append(candidates(o.action, peer, o.stream.seats[o.action.Comm]), tried...)
			break
		}
	}
	for _, who := range tried {
		if (who.by != opposite || p.many) && holds(who) {
			return who, true
		}
	}
	return partner{}, false
}

// labelled finds how all occurrences' tags come about.
func (s *step) labelled(list []occurrence) (label, bool) {
	for by := range tagKinds {
		base := func(o occurrence) int32 {
			seat, peer := o.stream.seats[o.action.Comm], int32(0)
			if len(s.peers) > 0 {
				peer = s.peers[0].of(seat, o.d)
			}
			return by.base(seat, peer, o.d, o.round)
		}
		n := list[0].action.Tag - base(list[0])
		if !slices.ContainsFunc(list, func(o occurrence) bool { return o.action.Tag-base(o) != n }) {
			return label{by, n}, true
		}
	}
	return label{}, false
}

// unequal and unlike say why there is no step.
func (p *parser) unequal(pos []int, after int) error {
	ended := func(i int) bool { return pos[i]+after >= len(p.streams[i].calls) }
	for i, s := range p.streams {
		for k, t := range p.streams {
			if ended(i) && !ended(k) {
				return fmt.Errorf("rank %d of %d and rank %d of %d do not make as many calls", s.rank, s.of.size(), t.rank, t.of.size())
			}
		}
	}
	return errors.New("the ranks do not make as many calls")
}

func (p *parser) unlike(pos []int, after int) error {
	last := len(p.streams) - 1
	k := last
	for i := range p.streams { // the first that the last does not agree with
		pair := []occurrence{{stream: p.streams[i], action: p.action(i, pos[i]+after)}, {stream: p.streams[last], action: p.action(last, pos[last]+after)}}
		if i != last && p.common(pair, false) == nil {
			k = i
			break
		}
	}
	if k == last {
		k = 0
	}
	s, t := p.streams[k], p.streams[last]
	return fmt.Errorf("call %d is %s on rank %d of %d, and %s on rank %d of %d", pos[last]+after+1,
		called(p.action(k, pos[k]+after), s.seats), s.rank, s.of.size(), called(p.action(last, pos[last]+after), t.seats), t.rank, t.of.size())
}
