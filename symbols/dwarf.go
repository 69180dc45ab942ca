package symbols

import (
	"cmp"
	"debug/dwarf"
	"slices"
	"sort"
	"strings"
)

type unitRange struct {
	start, end uint64
	unit       *dwarf.Entry
}

type line struct {
	address uint64
	file    *dwarf.LineFile
	number  int32
	end     bool // of a sequence: no code here
}

type origin struct {
	name, symbol, file string
	at                 dwarf.Offset // where the name is given
	line               int
	artificial         bool
}

// readUnits notes which compilation unit covers which addresses. Everything
// else is read when it is asked for: a reader that skips a unit's children reads
// them all, so units are found by their headers.
func (o *Object) readUnits() {
	r := o.data.Reader()
	for _, h := range headsOf(o.info, o.order) {
		o.heads[h.first] = h
		r.Seek(h.first)
		e, err := r.Next()
		if err != nil || e == nil {
			continue
		}
		o.all = append(o.all, e)
		if e.Tag == dwarf.TagCompileUnit || e.Tag == dwarf.TagSkeletonUnit {
			ranges, _ := o.data.Ranges(e)
			for _, a := range ranges {
				if a[0] < a[1] {
					o.units = append(o.units, unitRange{a[0], a[1], e})
				}
			}
		}
	}
	sort.SliceStable(o.units, func(i, j int) bool { return o.units[i].start < o.units[j].start })
}

func (o *Object) unitAt(address uint64) *dwarf.Entry {
	i := sort.Search(len(o.units), func(i int) bool { return o.units[i].start > address })
	for i--; i >= 0; i-- {
		if u := o.units[i]; address < u.end {
			return u.unit
		}
		if i > 0 && o.units[i-1].end <= address {
			break
		}
	}
	return nil
}

// linesAround are the lines of the unit that an address is in, by address.
func (o *Object) linesAround(address uint64) []line {
	unit := o.unitAt(address)
	if unit == nil {
		return nil
	}
	list, ok := o.lines[unit.Offset]
	if !ok {
		list = o.readLines(unit)
		o.lines[unit.Offset] = list
	}
	return list
}

// firstLine is the line that the code of a function begins at: of several at its start,
// the first is its own, and others may be of what is inlined there. Few functions are
// asked for, so the unit's lines are not kept for it: they are megabytes.
func (o *Object) firstLine(start uint64) (file string, number int) {
	unit := o.unitAt(start)
	if unit == nil {
		return "", 0
	}
	in, err := o.data.LineReader(unit)
	if err != nil || in == nil {
		return "", 0
	}
	var e dwarf.LineEntry
	for in.Next(&e) == nil {
		if e.Address == start && !e.EndSequence && e.File != nil {
			return e.File.Name, e.Line
		}
	}
	return "", 0
}

// Line is the source line at an address, 0 where it is not known.
func (o *Object) Line(address uint64) (file string, number int) {
	list := o.linesAround(address)
	i := sort.Search(len(list), func(i int) bool { return list[i].address > address })
	if i == 0 || list[i-1].end {
		return "", 0
	}
	return list[i-1].file.Name, int(list[i-1].number)
}

func (o *Object) readLines(unit *dwarf.Entry) []line {
	in, err := o.data.LineReader(unit)
	if err != nil || in == nil {
		return nil
	}
	var list []line
	var e dwarf.LineEntry
	for in.Next(&e) == nil {
		if e.File != nil {
			list = append(list, line{e.Address, e.File, int32(e.Line), e.EndSequence})
		}
	}
	byAddress := func(a, b line) int { return cmp.Compare(a.address, b.address) }
	if !slices.IsSortedFunc(list, byAddress) {
		slices.SortStableFunc(list, byAddress)
	}
	return list
}

func (o *Object) debugFrames(address uint64) []Frame {
	unit := o.unitAt(address)
	if unit == nil {
		return nil
	}
	var frames []Frame
	for _, in := range o.scopes(unit, address) {
		if f, ok := o.frame(in, address, len(frames) == 0); ok {
			frames = append(frames, f)
		}
	}
	return frames
}

// frame names a scope. What is inlined and marked as made up, as the intrinsics in a
// compiler's own headers are, is no function to those who read the source: it is its
// caller's. The outermost has a symbol too, should the debug
// information hold no name (it may lie in a file shared with others).
func (o *Object) frame(s *scope, address uint64, outermost bool) (Frame, bool) {
	from := o.origin(s.of, 0)
	if from.artificial && !from.isLambda() && !outermost {
		return Frame{}, false
	}
	if from.isLambda() && from.line == 0 {
		from.file, from.line = o.lambdaLine(from)
	}
	f := Frame{Name: o.nameOf(from), File: from.file, Line: from.line}
	if outermost && (f.Name == "" || f.Line == 0) {
		begun := o.begun(address)
		f.Name = cmp.Or(f.Name, begun.Name)
		if f.Line == 0 {
			f.File, f.Line = begun.File, begun.Line
		}
	}
	return f, f.Name != ""
}

// nameOf is what the source calls a function. What is seen in one file only has no
// symbol in C++.
func (o *Object) nameOf(from origin) string {
	if from.hasSymbol() || from.name == "" {
		return from.plain()
	}
	if from.isLambda() {
		return o.lambda(from)
	}
	return o.qualified(from.plain(), from.at)
}

// hasSymbol tells whether the symbol says more than the name: Fortran's are names with
// underscores after them.
func (from origin) hasSymbol() bool {
	return from.symbol != "" && strings.Trim(strings.TrimPrefix(from.symbol, from.name), "_") != ""
}

// plain is the name without what is around it, where a symbol does not tell that.
func (from origin) plain() string {
	if from.hasSymbol() {
		return Name(from.symbol)
	}
	return Name(from.name)
}

// origin follows an entry to where its name and place are given.
func (o *Object) origin(at dwarf.Offset, depth int) origin {
	if found, ok := o.names[at]; ok {
		return found
	}
	var found origin
	r := o.data.Reader()
	r.Seek(at)
	e, err := r.Next()
	if err != nil || e == nil || depth > 8 {
		return found
	}
	for _, attribute := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification} {
		if to, ok := e.Val(attribute).(dwarf.Offset); ok {
			found = o.origin(to, depth+1)
		}
	}
	if name, ok := e.Val(dwarf.AttrName).(string); ok {
		found.name, found.at = name, at
	}
	if symbol, ok := e.Val(dwarf.AttrLinkageName).(string); ok {
		found.symbol = symbol
	}
	if made, ok := e.Val(dwarf.AttrArtificial).(bool); ok {
		found.artificial = made
	}
	if n, ok := e.Val(dwarf.AttrDeclLine).(int64); ok {
		found.line = int(n)
		if i, ok := e.Val(dwarf.AttrDeclFile).(int64); ok {
			found.file = o.fileOf(at, int(i))
		}
	}
	o.names[at] = found
	return found
}

// unitOf is the unit that an entry stands in; units stand in order.
func (o *Object) unitOf(at dwarf.Offset) *dwarf.Entry {
	i := sort.Search(len(o.all), func(i int) bool { return o.all[i].Offset > at })
	if i == 0 {
		return nil
	}
	return o.all[i-1]
}

// fileOf is a file of that unit.
func (o *Object) fileOf(at dwarf.Offset, index int) string {
	unit := o.unitOf(at)
	if unit == nil {
		return ""
	}
	files, ok := o.files[unit.Offset]
	if !ok {
		if in, err := o.data.LineReader(unit); err == nil && in != nil {
			files = in.Files()
		}
		o.files[unit.Offset] = files
	}
	if index < 0 || index >= len(files) || files[index] == nil {
		return ""
	}
	return files[index].Name
}
