package trace

import (
	"fmt"
	"path"
)

// Regions numbers the regions of a trace's computation: what the Location
// before a compute names, or, in a trace without locations, the action that the
// computation leads to. It may be shared by the ranks of one trace, not by
// goroutines.
type Regions struct {
	Names []string
	ids   map[string]int32
	// places says whether the trace tells places at all.
	places bool
}

// NewRegions starts to number the regions of a trace.
func NewRegions(t *Trace) *Regions {
	r := &Regions{ids: map[string]int32{}}
	for i := range t.Programs {
		r.places = r.places || len(t.Programs[i].refers().files) > 0
	}
	return r
}

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
	if path.Ext(file) != "" && line > 0 {
		return fmt.Sprintf("%s:%d", file, line)
	}
	return file
}

// Place is a cursor that also knows the region it is in.
type Place struct {
	cursor Cursor
	table  *Regions
	at     int32 // -1 before the first location
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
	for a.Kind == Location {
		p.at = p.place(a.File, a.Tag)
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
	if a.Kind == Compute && p.at < 0 {
		return p.table.Of("program"), true
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
