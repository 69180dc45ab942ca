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
	v, late visit
	step    int64   // number in the late one's log from which the two are in step
	from    int64   // the wait begins no earlier
	tied    []visit // as late as that one
	whole   *meeting
	of      label // of the message, where the order of messages matters
	kind    kind
	ordered bool // it does: the call takes one message and no other
	goesOn  bool // the call waits for something else then
	aside   bool // the late one's moment has no place on the critical path
}

// found is what is to be judged.
type found struct {
	due    []due
	now    []due // of that, what is being judged
	spare  []due // room to sort it
	events []event
	free   []int32 // of these, those to be used again
}

// due is an event, and when.
type due struct {
	until int64
	event int32
}

// maxFound is how many events are kept before they are judged.
const maxFound = 1 << 18

// event makes room for one that ends at a time, where an older one may still stand. The
// place holds until the next is made.
func (a *Analyzer) event(until int64) *event {
	f := &a.found
	if len(f.due) >= maxFound {
		a.judge(a.reached())
		if len(f.due) >= maxFound/2 { // somebody ended long ago
			a.judge(a.end)
		}
	}
	if len(f.free) == 0 {
		f.events = append(f.events, event{})
		f.free = append(f.free, int32(len(f.events)-1))
	}
	n := f.free[len(f.free)-1]
	f.free = f.free[:len(f.free)-1]
	f.due = append(f.due, due{until, n})
	return &f.events[n]
}

// waited notes that v waited until a time for what the late visit did; nil where it did
// not.
func (a *Analyzer) waited(k kind, v, late *visit, step, until int64) *event {
	until = min(until, v.end)
	if until <= v.begin {
		return nil
	}
	e := a.event(until)
	*e = event{until: until, v: *v, late: *late, step: step, kind: k}
	return e
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
	f := &a.found
	now, later := f.now[:0], f.due[:0]
	for _, d := range f.due {
		if d.until <= upTo {
			now = append(now, d)
		} else {
			later = append(later, d)
		}
	}
	f.due, f.now = later, now
	f.sort()
	for left := a.once(f.now); len(left) > 0; {
		same := moment(left)
		a.inOrder(left[:same])
		left = left[same:]
	}
	for _, d := range f.now {
		f.free = append(f.free, d.event)
	}
}

// sort puts what is judged in order: by the time, digit by digit from the lowest (Knuth,
// The Art of Computer Programming 3, section 5.2.5), since there are many of one stretch of
// time; those of one moment by who waits.
func (f *found) sort() {
	if len(f.now) == 0 {
		return
	}
	first, last := f.now[0].until, f.now[0].until
	for _, d := range f.now {
		first, last = min(first, d.until), max(last, d.until)
	}
	f.spare = slices.Grow(f.spare[:0], len(f.now))
	for shift := 0; uint64(last-first)>>shift > 0; shift += 8 {
		var ends [256]int32
		for _, d := range f.now {
			ends[uint8(uint64(d.until-first)>>shift)]++
		}
		sum := int32(0)
		for digit, n := range ends {
			ends[digit], sum = sum, sum+n
		}
		to := f.spare[:len(f.now)]
		for _, d := range f.now {
			end := &ends[uint8(uint64(d.until-first)>>shift)]
			to[*end] = d
			*end++
		}
		f.now, f.spare = to, f.now
	}
	for list := f.now; len(list) > 0; {
		same := moment(list)
		if same > 1 {
			slices.SortFunc(list[:same], func(x, y due) int { return f.events[x.event].order(&f.events[y.event]) })
		}
		list = list[same:]
	}
}

// moment is how many of a list are of the time of the first.
func moment(list []due) int {
	n := 1
	for n < len(list) && list[n].until == list[0].until {
		n++
	}
	return n
}

// order is that of events of one moment.
func (e *event) order(f *event) int {
	return cmp.Or(cmp.Compare(e.v.loc, f.v.loc), cmp.Compare(e.v.at, f.v.at), cmp.Compare(e.late.loc, f.late.loc), cmp.Compare(e.late.at, f.late.at))
}

// placeBits is how many bits of a key number a location's entry; those beyond, of traces
// of 2^40 calls a location, would only be taken for others.
const placeBits = 40

// place is a key of where a call stands in its location's log.
func (v *visit) place() uint64 { return uint64(v.loc)<<placeBits ^ uint64(v.at) }

// once has each moment of a call in one wait: it waits for the latest of its
// senders, and from then on for the latest of its receivers.
func (a *Analyzer) once(list []due) []due {
	events := a.found.events
	a.calls.clear()
	latest := a.latest[:0] // of the receivers, by call
	for _, d := range list {
		if e := &events[d.event]; e.kind == lateReceiver {
			n := a.calls.of(e.v.place())
			if int(n) == len(latest) {
				latest = append(latest, 0)
			}
			latest[n] = d.event
		}
	}
	a.latest = latest
	if len(latest) == 0 {
		return list
	}
	for _, d := range list {
		if e := &events[d.event]; e.kind == lateSender {
			if n := a.calls.find(e.v.place()); n >= 0 {
				events[latest[n]].from = e.until
			}
		}
	}
	kept := a.kept[:0]
	for _, d := range list {
		e := &events[d.event]
		if e.kind == lateReceiver && (latest[a.calls.find(e.v.place())] != d.event || e.until <= e.from) {
			continue
		}
		kept = append(kept, d)
	}
	a.kept = kept
	return kept
}

// inOrder judges events of one moment, what each location did earlier first.
func (a *Analyzer) inOrder(list []due) {
	if len(list) == 1 || a.stand(list) {
		for _, d := range list {
			a.settle(d.event)
		}
		return
	}
	turns := a.turns[:0]
	for i := range list {
		e := &a.found.events[list[i].event]
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

// stand tells that events of one moment stand in order already: waits of so many locations
// for one, whose calls follow one another.
func (a *Analyzer) stand(list []due) bool {
	last := &a.found.events[list[0].event]
	for i, d := range list {
		e := &a.found.events[d.event]
		if e.whole != nil || e.late.loc != last.late.loc || e.late.at < last.late.at || e.v.loc == e.late.loc || i > 0 && e.v.loc <= last.v.loc {
			return false
		}
		last = e
	}
	return true
}

// turn is an event in which a location takes part, with a call of a number.
type turn struct {
	loc, event int32
	at         int64
}

// after judges an event of one moment after those that come before it.
func (a *Analyzer) after(list []due, i int32) {
	if a.done[i] {
		return
	}
	a.done[i] = true
	for _, k := range a.before[i] {
		a.after(list, k)
	}
	a.settle(list[i].event)
}

// settle judges one event.
func (a *Analyzer) settle(n int32) {
	e := &a.found.events[n]
	if e.whole != nil {
		a.meet(e.whole)
		return
	}
	a.late.loc = nobody
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
	v, late := &e.v, &e.late
	l := &a.locs[v.loc].log
	begin := max(v.begin, e.from)
	if w := l.last(v.at); w != nil {
		begin = max(begin, w.until)
	}
	wait := e.until - begin
	if wait <= 0 {
		return false
	}
	k := e.kind
	if k == lateSender && e.ordered && a.liesThere(e) {
		k = wrongOrder
	}
	row := a.told(k, v, late.loc, wait)
	a.blame(row, wait, v, late, e.tied)
	if a.Each != nil && row != untoldRow {
		a.Each(Wait{k.pattern(), v.loc, v.path, late.loc, begin, e.until, a.largest()})
	}
	a.spent[v.path] -= float64(wait)
	by := detour{loc: -1}
	if !e.aside && late.loc != v.loc { // up to the late one's call, and then what was left of the wait
		by = detour{late.at - 1, max(v.end-max(e.until, late.begin), 0), late.loc}
	}
	l.waited(v.at, wait, e.until, by, a.blamed)
	return true
}

// untoldRow stands for that of waits which the clocks do not tell.
const untoldRow = -1

// told books a wait of one location for another and returns its row: none where it is
// shorter than what the clocks of their ranks contradict each other by.
func (a *Analyzer) told(k kind, v *visit, late int32, ns int64) int32 {
	rank := a.locs[v.loc].rank
	if ns <= a.header.Doubt && rank != a.locs[late].rank {
		a.inDoubt += ns
		return untoldRow
	}
	r := &a.regions[v.path]
	if r.row == 0 || a.table.rows[r.row-1].kind != k {
		r.row = a.table.row(k, v.path) + 1
	}
	a.table.add(r.row-1, rank, ns)
	return r.row - 1
}
