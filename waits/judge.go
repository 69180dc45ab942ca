package waits

import (
	"cmp"
	"slices"
)

// event is what is judged in the order of time, whatever the order in which the
// sides of messages come: a wait of one location for another, or a meeting. The
// causes of a wait are the causes of those before it.
type event struct {
	until   int64 // when the wait is over, or all have met
	pattern Pattern
	v, late visit
	tied    []visit // as late as that one
	step    int64   // number in the late one's log from which the two are in step
	from    int64   // the wait begins no earlier
	goesOn  bool    // the call waits for something else then
	whole   *meeting
}

// maxFound is how many events are kept before they are judged.
const maxFound = 1 << 18

// waited notes that v waited until a time for what the late visit did.
func (a *Analyzer) waited(p Pattern, v, late visit, step, until int64) {
	if until = min(until, v.end); until > v.begin {
		a.note(event{until: until, pattern: p, v: v, late: late, step: step})
	}
}

func (a *Analyzer) note(e event) {
	var kept *event
	if n := len(a.judged); n > 0 {
		kept, a.judged = a.judged[n-1], a.judged[:n-1]
	} else {
		kept = &event{}
	}
	*kept = e
	a.found = append(a.found, kept)
	if len(a.found) >= maxFound {
		a.judge(a.reached())
		if len(a.found) >= maxFound/2 { // somebody ended long ago
			a.judge(a.end)
		}
	}
}

// reached is the time up to which all locations have told what they did.
func (a *Analyzer) reached() int64 {
	time := a.end
	for i := range a.locs {
		time = min(time, a.locs[i].end)
	}
	return time
}

// judge judges what was found up to a time.
func (a *Analyzer) judge(upTo int64) {
	now, later := a.now[:0], a.found[:0]
	for _, e := range a.found {
		if e.until <= upTo {
			now = append(now, e)
		} else {
			later = append(later, e)
		}
	}
	a.found, a.now = later, now
	slices.SortFunc(now, func(x, y *event) int {
		if x.until != y.until {
			return cmp.Compare(x.until, y.until)
		}
		return cmp.Or(cmp.Compare(x.v.loc, y.v.loc), cmp.Compare(x.v.at, y.v.at), cmp.Compare(x.late.loc, y.late.loc), cmp.Compare(x.late.at, y.late.at))
	})
	for left := once(now); len(left) > 0; {
		same := 1
		for same < len(left) && left[same].until == left[0].until {
			same++
		}
		a.inOrder(left[:same])
		left = left[same:]
	}
	a.judged = append(a.judged, now...)
}

// place is where a call stands in a location's log.
type place struct {
	loc int32
	at  int64
}

// once has each moment of a call in one wait: it waits for the latest of its
// senders, and from then on for the latest of its receivers.
func once(list []*event) []*event {
	var latest map[place]int // of the receivers, by call
	for i := range list {
		if list[i].pattern == LateReceiver {
			if latest == nil {
				latest = map[place]int{}
			}
			latest[place{list[i].v.loc, list[i].v.at}] = i
		}
	}
	if len(latest) == 0 {
		return list
	}
	for i := range list {
		if e := list[i]; e.pattern == LateSender {
			if k, ok := latest[place{e.v.loc, e.v.at}]; ok {
				list[k].from = e.until
			}
		}
	}
	kept := make([]*event, 0, len(list))
	for i, e := range list {
		if e.pattern == LateReceiver && (latest[place{e.v.loc, e.v.at}] != i || e.until <= e.from) {
			continue
		}
		kept = append(kept, e)
	}
	return kept
}

// inOrder judges events of one moment, what each location did earlier first.
func (a *Analyzer) inOrder(list []*event) {
	if len(list) == 1 {
		a.settle(list[0])
		return
	}
	turns := a.turns[:0]
	for i := range list {
		e := list[i]
		if e.whole != nil {
			for k := range e.whole.visits {
				turns = append(turns, turn{e.whole.visits[k].loc, int32(i), e.whole.visits[k].at})
			}
			continue
		}
		turns = append(turns, turn{e.v.loc, int32(i), e.v.at}, turn{e.late.loc, int32(i), e.late.at})
	}
	slices.SortFunc(turns, func(x, y turn) int {
		return cmp.Or(cmp.Compare(x.loc, y.loc), cmp.Compare(x.at, y.at), cmp.Compare(x.event, y.event))
	})
	a.turns = turns
	for len(a.before) < len(list) {
		a.before, a.done = append(a.before, nil), append(a.done, false)
	}
	for i := range list {
		a.before[i], a.done[i] = a.before[i][:0], false
	}
	for i := 1; i < len(turns); i++ {
		if now, last := turns[i], turns[i-1]; now.loc == last.loc && now.event != last.event {
			a.before[now.event] = append(a.before[now.event], last.event)
		}
	}
	for i := range list {
		a.after(list, int32(i))
	}
}

// turn is an event in which a location takes part, with a call of a number.
type turn struct {
	loc, event int32
	at         int64
}

// after judges an event of one moment after those that come before it.
func (a *Analyzer) after(list []*event, i int32) {
	if a.done[i] {
		return
	}
	a.done[i] = true
	for _, k := range a.before[i] {
		a.after(list, k)
	}
	a.settle(list[i])
}

// settle judges one event.
func (a *Analyzer) settle(e *event) {
	if e.whole != nil {
		a.meet(e.whole)
		return
	}
	if a.share(e) {
		at := e.v.at + 1
		if e.goesOn {
			at--
		}
		a.met(e.v.loc, e.late.loc, at, e.step, e.until)
	}
}

// share books a wait and its causes; false where others hold all of it.
func (a *Analyzer) share(e *event) bool {
	v := &e.v
	l := &a.locs[v.loc].log
	begin := max(v.begin, e.from)
	if own := l.entry(v.at); own != nil {
		begin = max(begin, own.until())
	}
	if e.until <= begin {
		return false
	}
	pattern := e.pattern
	if pattern == LateSender && v.ordered && a.liesThere(v, e.until) {
		pattern = WrongOrder
	}
	w := float64(e.until-begin) / 1e9
	row := a.told(pattern, v, e.late.loc, e.until-begin)
	part := w / float64(1+len(e.tied))
	causes := a.attribute(row, part, *v, e.late)
	for _, late := range e.tied {
		causes = append(causes, a.attribute(row, part, *v, late)...)
	}
	causes = few(causes)
	if a.Each != nil && row != untoldRow {
		a.Each(Wait{pattern, v.loc, v.path, e.late.loc, begin, e.until, largest(causes)})
	}
	l.waited(v.at, w, e.until, causes)
	a.onPaths[v.path] -= w
	// The critical path goes through the late one up to its call, then takes
	// what was left of the wait.
	if e.late.node != nil && v.node != nil {
		v.node.before = e.late.before
		v.node.seconds = float64(max(v.end-max(e.until, e.late.begin), 0)) / 1e9
	}
	return true
}

// untoldRow stands for that of waits which the clocks do not tell.
const untoldRow = -1

// told books a wait of one location for another and returns its row: none where it is
// shorter than what the clocks of their ranks contradict each other by.
func (a *Analyzer) told(p Pattern, v *visit, late int32, ns int64) int {
	rank := a.header.Locations[v.loc].Rank
	if ns <= a.header.Doubt && rank != a.header.Locations[late].Rank {
		a.inDoubt += float64(ns) / 1e9
		return untoldRow
	}
	row := a.rows.row(p, v.path)
	a.rows.add(row, rank, float64(ns)/1e9)
	return row
}
