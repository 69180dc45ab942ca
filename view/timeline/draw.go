package timeline

import (
	"fmt"
	"sort"
)

// Window chooses a part of a timeline and how finely it is shown.
type Window struct {
	From, To float64 // seconds since the begin; To of 0: to the end
	FromLane int
	ToLane   int // past the last; 0: all
	Rows     int // at most this many rows; 0: 1000
	Cols     int // steps of time that can be told apart; 0: 1000
	Messages int // messages are given where there are no more than these; 0: 500
}

// Lane is a location: a thread of a rank.
type Lane struct {
	Rank   int32 `json:"rank"`
	Thread int32 `json:"thread"`
}

// Row is one lane, or some that follow each other.
type Row struct {
	From Lane `json:"from"`
	To   Lane `json:"to"` // the last, not past it
}

// Picture is a part of a timeline. Bars are parallel lists; where there are more
// lanes or stretches than can be told apart, a bar is of the part that took most
// of its time, and Share says how much of it.
type Picture struct {
	Name       string   `json:"name"`
	RunSeconds float64  `json:"run_seconds"` // the whole trace's
	From       float64  `json:"from"`
	To         float64  `json:"to"`
	Ranks      int      `json:"ranks"`
	Lanes      int      `json:"lanes"` // of the whole trace
	Rows       []Row    `json:"rows"`
	Parts      []string `json:"parts"`
	Calls      int      `json:"calls"` // so many parts, the first, are calls and pauses; the others are regions
	Bars       Bars     `json:"bars"`  // Part is an index into Parts
	Causes     []string `json:"causes"`
	Waits      Bars     `json:"waits"` // Part is an index into Causes
	Path       Path     `json:"critical_path"`
	Messages   Messages `json:"messages"`
	Notes      []string `json:"notes"`
}

// Bars are stretches of rows.
type Bars struct {
	Row   []int32   `json:"row"`
	Part  []int32   `json:"part"`
	Begin []float64 `json:"begin"` // seconds
	End   []float64 `json:"end"`
	Share []float32 `json:"share"`
}

// Path is the critical path in the window: stretches in order of time. Row is -1
// where it runs through lanes that are not shown.
type Path struct {
	Row   []int32   `json:"row"`
	Begin []float64 `json:"begin"`
	End   []float64 `json:"end"`
}

// Messages are those under way in the window, where they are few; Count tells
// how many there are anyway.
type Messages struct {
	Count   int       `json:"count"`
	FromRow []int32   `json:"from_row"`
	ToRow   []int32   `json:"to_row"` // -1: not shown
	Sent    []float64 `json:"sent"`
	Arrived []float64 `json:"arrived"`
	Bytes   []int64   `json:"bytes"`
}

// The largest picture that is given, whatever was asked for.
const (
	maxRows = 1000
	maxCols = 4000
)

// Draw gives a part of the timeline.
func (t *Timeline) Draw(w Window) (*Picture, error) {
	run := float64(t.end-t.begin) / 1e9
	if w.To == 0 {
		w.To = run
	}
	if w.ToLane == 0 {
		w.ToLane = len(t.locations)
	}
	if w.FromLane < 0 || w.FromLane >= w.ToLane || w.ToLane > len(t.locations) {
		return nil, fmt.Errorf("there are lanes 0 to %d, not %d to %d", len(t.locations)-1, w.FromLane, w.ToLane-1)
	}
	if !(w.From >= 0 && w.From < w.To && w.From <= run) {
		return nil, fmt.Errorf("the trace lasts %g s, and no window of it begins at %g s and ends at %g s", run, w.From, w.To)
	}
	w.To = min(w.To, run)
	shown := w.ToLane - w.FromLane
	rows := min(bounded(w.Rows, maxRows, maxRows), shown)
	d := &drawing{t: t, from: t.begin + nanos(w.From), to: t.begin + nanos(w.To), cols: bounded(w.Cols, 1000, maxCols), row: make([]int32, len(t.locations))}
	d.to = max(d.to, d.from+1)
	d.step = max((d.to-d.from)/int64(d.cols), 1)
	for i := range d.row {
		d.row[i] = -1
	}
	p := &Picture{Name: t.name, RunSeconds: run, From: w.From, To: w.To, Ranks: t.ranks, Lanes: len(t.locations), Rows: []Row{},
		Parts: t.parts, Calls: t.calls, Causes: t.causes, Bars: newBars(), Waits: newBars(), Notes: t.notes}
	for g := range rows {
		first, past := w.FromLane+g*shown/rows, w.FromLane+(g+1)*shown/rows
		a, z := t.locations[first], t.locations[past-1]
		p.Rows = append(p.Rows, Row{Lane{a.Rank, a.Thread}, Lane{z.Rank, z.Thread}})
		for i := first; i < past; i++ {
			d.row[i] = int32(g)
		}
		d.bars(&p.Bars, t.states, int32(g), first, past, len(t.parts))
		d.bars(&p.Waits, t.waits, int32(g), first, past, len(t.causes))
	}
	p.Path = d.path()
	p.Messages = d.messages(bounded(w.Messages, 500, 5000))
	return p, nil
}

func nanos(seconds float64) int64 { return int64(seconds * 1e9) }

func bounded(n, usual, limit int) int {
	if n <= 0 {
		return usual
	}
	return min(n, limit)
}

func newBars() Bars {
	return Bars{Row: []int32{}, Part: []int32{}, Begin: []float64{}, End: []float64{}, Share: []float32{}}
}

// drawing is a picture under way.
type drawing struct {
	t        *Timeline
	from, to int64
	step     int64
	cols     int
	row      []int32 // by lane, -1 where it is not shown
	spent    []float64
}

func (d *drawing) seconds(ns int64) float64 { return float64(ns-d.t.begin) / 1e9 }

func (d *drawing) bar(b *Bars, row, part int32, begin, end int64, share float32) {
	b.Row, b.Part, b.Share = append(b.Row, row), append(b.Part, part), append(b.Share, share)
	b.Begin, b.End = append(b.Begin, d.seconds(max(begin, d.from))), append(b.End, d.seconds(min(end, d.to)))
}

// bars draws a row: as it is where few stretches are in the window, else the
// part that took most of each step of time.
func (d *drawing) bars(b *Bars, l *lanes, row int32, first, past, parts int) {
	if past == first+1 {
		if list := between(l.list[first].levels[0], d.from, d.to); len(list) <= d.cols/2 {
			for _, x := range list {
				d.bar(b, row, x.part, x.begin, x.end, x.share)
			}
			return
		}
	}
	d.spent = resized(d.spent, d.cols*parts)
	for i := first; i < past; i++ {
		for _, x := range l.window(i, d.from, d.to, d.step) {
			d.spend(x, parts)
		}
	}
	d.steps(b, row, parts, past-first)
}

// spend adds a stretch to the steps of time it lies in.
func (d *drawing) spend(x block, parts int) {
	begin, end := max(x.begin, d.from), min(x.end, d.to)
	width := float64(d.to-d.from) / float64(d.cols)
	c := min(int(float64(begin-d.from)/width), d.cols-1)
	for ; c < d.cols; c++ {
		left := float64(d.from) + float64(c)*width
		if left >= float64(end) {
			break
		}
		if took := min(left+width, float64(end)) - max(left, float64(begin)); took > 0 {
			d.spent[c*parts+int(x.part)] += took * float64(x.share)
		}
	}
}

// steps makes bars of what the steps were spent on; neighbours of one part are
// one bar. A step in which nothing has at least a hundredth has no bar.
func (d *drawing) steps(b *Bars, row int32, parts, lanes int) {
	width := float64(d.to-d.from) / float64(d.cols)
	at := func(c int) int64 { return d.from + int64(float64(c)*width) }
	open, share, n := int32(-1), 0.0, 0
	for c := 0; c <= d.cols; c++ {
		part, most := int32(-1), 0.01*width*float64(lanes)
		if c < d.cols {
			for k, v := range d.spent[c*parts : (c+1)*parts] {
				if v > most {
					part, most = int32(k), v
				}
			}
		}
		if part != open || c == d.cols {
			if open >= 0 {
				d.bar(b, row, open, at(c-n), at(c), float32(share/float64(n)))
			}
			open, share, n = part, 0, 0
		}
		share += min(1, most/(width*float64(lanes)))
		n++
	}
}

func resized(list []float64, n int) []float64 {
	if cap(list) < n {
		return make([]float64, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// path gives the critical path; stretches shorter than a step join the one
// before them.
func (d *drawing) path() Path {
	p := Path{Row: []int32{}, Begin: []float64{}, End: []float64{}}
	list := d.t.path
	first := sort.Search(len(list), func(i int) bool { return list[i].end > d.from })
	for _, s := range list[first:] {
		if s.begin >= d.to {
			break
		}
		begin, end := max(s.begin, d.from), min(s.end, d.to)
		if n := len(p.Row); n > 0 && (p.Row[n-1] == d.row[s.loc] || end-begin < d.step) {
			p.End[n-1] = d.seconds(end)
			continue
		}
		p.Row, p.Begin, p.End = append(p.Row, d.row[s.loc]), append(p.Begin, d.seconds(begin)), append(p.End, d.seconds(end))
	}
	return p
}

// messages gives those under way in the window between lanes of which one is
// shown.
func (d *drawing) messages(most int) Messages {
	m := Messages{FromRow: []int32{}, ToRow: []int32{}, Sent: []float64{}, Arrived: []float64{}, Bytes: []int64{}}
	for _, x := range d.t.messages {
		if x.sent >= d.to {
			break
		}
		if x.received <= d.from || d.row[x.from] < 0 && d.row[x.to] < 0 {
			continue
		}
		if m.Count++; m.Count <= most {
			m.FromRow, m.ToRow = append(m.FromRow, d.row[x.from]), append(m.ToRow, d.row[x.to])
			m.Sent, m.Arrived, m.Bytes = append(m.Sent, d.seconds(x.sent)), append(m.Arrived, d.seconds(x.received)), append(m.Bytes, x.bytes)
		}
	}
	if m.Count > most || d.t.dropped > 0 {
		return Messages{Count: m.Count, FromRow: []int32{}, ToRow: []int32{}, Sent: []float64{}, Arrived: []float64{}, Bytes: []int64{}}
	}
	return m
}
