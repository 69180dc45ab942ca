package instrument

import (
	"fmt"
	"strings"

	"auspex/internal/lazyregexp"
	"auspex/source"
)

// Fortran has no guard objects, so calls are put at the way in and before
// every way out. Each call gets a line of its own, and a line marker after it
// sets the line number right again; that needs no room on the user's lines,
// which may be full, and works alike in free and fixed form.

// fortran rewrites one file.
type fortran struct {
	file    *source.File
	name    string // for line markers
	regions []Region
	edits   *edits
	count   bool
	work    *loads
	counted map[int]bool // regions that have a counter
	declare bool         // what is called must be declared
}

// mustDeclare is how a file asks for declarations of all that it calls.
var mustDeclare = lazyregexp.New(`(?i)implicit[ \t]+none[ \t]*\([^()]*external`)

func rewriteFortran(f *source.File, opt Options, work *loads, chosen []*Candidate, regions []Region, e *edits) {
	w := &fortran{file: f, name: opt.File, regions: regions, edits: e, count: opt.Count, work: work, counted: map[int]bool{}, declare: mustDeclare.Match(f.Text)}
	var byUnit []*fortranUnit
	index := map[*source.Unit]*fortranUnit{}
	for _, c := range chosen {
		u := index[c.unit]
		if u == nil {
			u = &fortranUnit{unit: c.unit, fn: -1, loops: map[*source.Stmt]int{}}
			index[c.unit] = u
			byUnit = append(byUnit, u)
		}
		u.regions = append(u.regions, c)
		if c.Kind == FunctionRegion {
			u.fn = c.id
		} else {
			u.loops[c.site.stmt] = c.id
		}
	}
	e.insert(0, 0, w.marker(0, 0))
	for _, u := range byUnit {
		w.unit(u)
	}
}

// fortranUnit is a unit with the numbers of its regions.
type fortranUnit struct {
	unit  *source.Unit
	fn    int // -1 if the unit itself is not measured
	loops map[*source.Stmt]int
	// regions are the unit, if it is measured, and then its loops.
	regions []*Candidate
}

func (w *fortran) unit(u *fortranUnit) {
	if w.declare {
		at, inline := declarationPoint(w.file, u.unit)
		w.atPoint(at, inline, -2, w.wrap("external auspex_f_enter, auspex_f_leave, auspex_f_iterations"))
	}
	if w.count {
		w.counters(u)
	}
	if u.fn >= 0 {
		at, inline := entryPoint(w.file, u.unit)
		w.atPoint(at, inline, 0, w.enter(u.fn))
	}
	for _, c := range u.regions {
		if c.Kind == LoopRegion {
			w.loop(c)
		}
	}
	for _, x := range exits(u) {
		w.exit(x)
	}
	if u.fn >= 0 {
		w.before(u.unit.Close, w.leave(u.fn), 3)
	}
}

func (w *fortran) loop(c *Candidate) {
	enter := w.enter(c.id)
	if len(c.site.before) > 0 {
		at := siteStart(w.file, c.site)
		w.edits.insert(at, 1, enter+w.marker(at, 0))
	} else {
		w.before(c.site.stmt, enter, 2)
	}
	// Inner loops have higher numbers and end first.
	w.after(closing(c.site).End, w.leave(c.id), -c.id-2)
}

// before puts whole lines ahead of a statement: after its label, which then
// stands on a CONTINUE, so that a jump to it passes them too.
func (w *fortran) before(s *source.Stmt, lines string, rank int) {
	head := "\n"
	if s.Label != "" {
		head = "CONTINUE\n"
	}
	w.edits.insert(s.Start, rank, head+lines+w.marker(s.Start, 0)+w.pad(s.Start))
}

// exit puts the calls that leave regions ahead of a jump. An IF without THEN
// gets one.
func (w *fortran) exit(x exitPoint) {
	var lines strings.Builder
	for _, id := range x.regions {
		lines.WriteString(w.leave(id))
	}
	s := x.stmt
	if !s.Action {
		w.before(s, lines.String(), 3)
		return
	}
	then := "THEN\n"
	if column := s.Start - lineStart(w.file.Text, s.Start); w.file.LineLength > 0 && column+len("THEN") > w.file.LineLength {
		then = "\n     &THEN\n" // GO may fit where THEN does not
	}
	w.edits.insert(s.Start, 3, then+lines.String()+w.marker(s.Start, 0)+w.pad(s.Start))
	w.after(s.End, w.indent()+"END IF\n", -1<<30)
}

// after puts whole lines behind the byte at off: behind the line it is on, or,
// where another statement follows on that line, behind the semicolon.
func (w *fortran) after(off int, lines string, rank int) {
	text := w.file.Text
	for off < len(text) && (text[off] == ' ' || text[off] == '\t' || text[off] == '\r') && !w.beyond(off) {
		off++
	}
	if off < len(text) && text[off] == ';' && !w.beyond(off) {
		off++
		w.edits.insert(off, rank, "\n"+lines+w.marker(off, 0)+w.pad(off))
		return
	}
	for off < len(text) && text[off] != '\n' {
		off++
	}
	if off == len(text) {
		w.edits.insert(off, rank, "\n"+lines)
		return
	}
	w.edits.insert(off+1, rank, lines+w.marker(off, 1))
}

// beyond tells whether a byte of a fixed-form line is past the last column.
func (w *fortran) beyond(off int) bool {
	return w.file.LineLength > 0 && off-lineStart(w.file.Text, off) >= w.file.LineLength
}

// pad repeats the place of a byte on its line in blanks, so that what follows
// an insertion stands in the columns where it stood.
func (w *fortran) pad(off int) string {
	line := w.file.Text[lineStart(w.file.Text, off):off]
	blanks := make([]byte, len(line))
	for i, c := range line {
		blanks[i] = ' '
		if c == '\t' {
			blanks[i] = '\t'
		}
	}
	return string(blanks)
}

func (w *fortran) marker(off, further int) string {
	return fmt.Sprintf("# %d %s\n", w.file.Line(off)+further, quoteC(originOf(w.file, off, w.name)))
}

func (w *fortran) indent() string {
	if w.file.Form == source.Fixed {
		return "      "
	}
	return ""
}

// call writes `call auspex_f_WHAT('name|file|line|kind')` as whole lines.
func (w *fortran) call(what string, id int) string {
	return w.wrap("call auspex_f_" + what + "('" + w.spec(id) + "')")
}

// enter and leave are the lines at a region's way in and at each way out.
func (w *fortran) enter(id int) string {
	lines := w.call("enter", id)
	if w.counted[id] {
		n, inner := counterNames(id)
		lines += w.wrap(n+" = 0") + w.wrap(inner+" = 0")
	}
	return lines
}

func (w *fortran) leave(id int) string {
	lines := ""
	if w.counted[id] {
		n, inner := counterNames(id)
		lines = w.wrap(n+" = "+n+" + "+inner) + w.wrap("call auspex_f_iterations('"+w.spec(id)+"',"+n+")")
	}
	return lines + w.call("leave", id)
}

// atPoint puts whole lines at the start of a line, or inline into one.
func (w *fortran) atPoint(at int, inline bool, rank int, lines string) {
	lines += w.marker(at, 0)
	if inline {
		lines = "\n" + lines + w.pad(at)
	}
	w.edits.insert(at, rank, lines)
}

// spec is the string that stands for a region.
func (w *fortran) spec(id int) string {
	r := w.regions[id]
	s := fmt.Sprintf("%s|%s|%d|%d", r.Name, r.File, r.Line, r.Kind)
	return strings.NewReplacer("'", "''", "\n", " ", "\r", " ").Replace(s)
}

// wrap breaks a statement over lines where the form's line is too short for
// it, inside character constants too.
func (w *fortran) wrap(stmt string) string {
	first, mark, room := "", "&\n&", 100
	if w.file.Form == source.Fixed {
		first, mark, room = "      ", "\n     &", 66
	}
	var b strings.Builder
	b.WriteString(first)
	for len(stmt) > room {
		cut := room
		for stmt[cut-1] == '\'' || stmt[cut] == '\'' { // not between doubled quotes
			cut--
		}
		b.WriteString(stmt[:cut] + mark)
		stmt = stmt[cut:]
	}
	b.WriteString(stmt + "\n")
	return b.String()
}
