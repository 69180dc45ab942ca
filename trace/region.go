package trace

import (
	"fmt"
	"path"
)

// Regions numbers the regions of a trace's computation: what the Location
// before a compute names, or, in a trace without locations, the action that the
// computation leads to. A Location that is a line of a file is that of the call which
// comes next: SMPI tells where it was called before it tells what was computed till then.
// Regions may be shared by the ranks of one trace, not by goroutines.
type Regions struct {
	Names []string
	ids   map[string]int32
	leads map[int32]int32 // of a line with a call: the computation before that
	// places says whether the trace tells places at all.
	places bool
}

// NewRegions starts to number the regions of a trace.
func NewRegions(t *Trace) *Regions {
	return &Regions{ids: map[string]int32{}, leads: map[int32]int32{}, places: t.placed()}
}

func (t *Trace) placed() bool {
	for i := range t.Programs {
		if len(t.Programs[i].refers().files) > 0 {
			return true
		}
	}
	return false
}

// NamedByCalls tells whether a trace's computation has no names but those of the calls
// after it.
func (t *Trace) NamedByCalls() bool { return !t.placed() }

// Of returns the number of a region by its name.
func (r *Regions) Of(name string) int32 {
	id, ok := r.ids[name]
	if !ok {
		id = int32(len(r.Names))
		r.ids[name] = id
		r.Names = append(r.Names, name)
	}
	return id
}

// placeName names a location: a region by its path, a source line by file and
// line.
func placeName(file string, line int32) string {
	if isLine(file, line) {
		return fmt.Sprintf("%s:%d", file, line)
	}
	return file
}

// Place is a cursor that also knows the region it is in.
type Place struct {
	cursor Cursor
	table  *Regions
	at     int32 // -1 before the first location
	line   bool  // at is a line of a file
	next   Action
	ahead  bool // next holds an action that was read already
	over   bool // there is nothing after it
	known  [8]knownPlace
	turn   int
}

type knownPlace struct {
	file string
	line int32
	id   int32
}

func isLine(file string, line int32) bool { return path.Ext(file) != "" && line > 0 }

// Walk returns the start of a rank's actions, with regions.
func (r *Regions) Walk(t *Trace, rank int) Place {
	return Place{cursor: t.Cursor(rank), table: r, at: -1}
}

// Next moves to the next action other than a Location. Region is that of a
// compute, and where known that of a call.
func (p *Place) Next(a *Action) (region int32, ok bool) {
	if p.ahead {
		p.ahead = false
		if p.over {
			return -1, false
		}
		*a = p.next
	} else if !p.cursor.Next(a) {
		return -1, false
	}
	located := false
	for a.Kind == Location {
		p.at, p.line, located = p.place(a.File, a.Tag), isLine(a.File, a.Tag), true
		if !p.cursor.Next(a) {
			return -1, false
		}
	}
	if a.Kind == Compute && !p.table.places {
		p.over = !p.cursor.Next(&p.next)
		p.ahead = true
		if p.over {
			return p.table.Of("at the end"), true
		}
		return p.table.before(p.next.Kind), true
	}
	switch {
	case a.Kind != Compute:
	case p.at < 0:
		return p.table.Of("program"), true
	case located && p.line:
		return p.table.leadingTo(p.at), true
	}
	return p.at, true
}

func (p *Place) place(file string, line int32) int32 {
	for i := range p.known {
		if k := &p.known[i]; k.line == line && k.file == file && k.file != "" {
			return k.id
		}
	}
	id := p.table.Of(placeName(file, line))
	p.known[p.turn%len(p.known)] = knownPlace{file, line, id}
	p.turn++
	return id
}

// leadingTo is the region of computation that leads to the call of a line.
func (r *Regions) leadingTo(line int32) int32 {
	id, ok := r.leads[line]
	if !ok {
		id = r.Of("before " + r.Names[line])
		r.leads[line] = id
	}
	return id
}

// before is the region of computation that leads to an action.
func (r *Regions) before(k Kind) int32 {
	return r.Of(leadingTo[k])
}

var leadingTo = func() (names [numKinds]string) {
	for k := range numKinds {
		names[k] = "before " + k.String()
	}
	return names
}()
