package symbols

import (
	"cmp"
	"debug/dwarf"
	"math"
	"slices"
	"sort"
	"strings"
)

// scope is a function, or one inlined into it, with the addresses it covers.
type scope struct {
	ranges [][2]uint64
	of     dwarf.Offset // where its name is
	inside []*scope
}

// part is a unit, namespace, type or function, by the entries that it consists of. What
// is in functions, nine tenths of all entries, is read when somebody asks for it.
type part struct {
	from, to dwarf.Offset
	tag      dwarf.Tag
	name     string
	code     *scope // of a function that has any
	read     bool
	inside   []*part // in order of offset
}

// tree is what a unit tells of its functions.
type tree struct {
	unit      *part
	functions []*scope
	whole     bool // all is read
}

func (o *Object) treeOf(unit *dwarf.Entry) *tree {
	t, ok := o.trees[unit.Offset]
	if !ok {
		t = &tree{unit: &part{from: unit.Offset, to: math.MaxUint32, tag: unit.Tag}}
		o.trees[unit.Offset] = t
		o.read(t, t.unit)
	}
	return t
}

// read reads the entries below a part, but for those in functions below it.
func (o *Object) read(t *tree, p *part) {
	if p.read {
		return
	}
	p.read = true
	in := o.skim(t.unit.from, p.from)
	if e, ok := in.next(); !ok || e.shape == nil || !e.children {
		return
	}
	type level struct {
		in    *part
		code  *scope // that what is inlined is inlined in
		begun bool   // is where the part begins
	}
	open := []level{{in: p, code: p.code}}
	var ended []*part // before the next entry
	for len(open) > 0 {
		e, ok := in.next()
		if !ok {
			break
		}
		at := open[len(open)-1]
		if e.shape == nil {
			if at.begun {
				ended = append(ended, at.in)
			}
			open = open[:len(open)-1]
			continue
		}
		for _, p := range ended {
			p.to = e.offset
		}
		ended, at.begun = ended[:0], false
		switch e.tag {
		case dwarf.TagSubprogram:
			f := o.function(t, e)
			at.in.inside = append(at.in.inside, f)
			in.over(e)
			ended = append(ended, f)
			continue
		case dwarf.TagInlinedSubroutine:
			if ranges := o.ranges(e); len(ranges) > 0 && at.code != nil {
				s := &scope{ranges: ranges, of: e.offset}
				at.code.inside = append(at.code.inside, s)
				at.code = s
			}
		case dwarf.TagNamespace, dwarf.TagClassType, dwarf.TagStructType, dwarf.TagUnionType:
			if e.children {
				new := &part{from: e.offset, to: math.MaxUint32, tag: e.tag, name: o.nameAt(e.offset), read: true}
				at.in.inside = append(at.in.inside, new)
				at.in, at.begun = new, true
			}
		}
		if e.children {
			open = append(open, at)
		}
	}
}

// function is a function whose entries are still to be read.
func (o *Object) function(t *tree, e skimmed) *part {
	p := &part{from: e.offset, to: math.MaxUint32, tag: e.tag, read: !e.children}
	if ranges := o.ranges(e); len(ranges) > 0 {
		p.code = &scope{ranges: ranges, of: e.offset}
		t.functions = append(t.functions, p.code)
	}
	return p
}

// ranges are the addresses of an entry.
func (o *Object) ranges(e skimmed) [][2]uint64 {
	if !e.code {
		return nil
	}
	if e.bounds {
		return [][2]uint64{{e.low, e.high}}
	}
	list, err := o.data.Ranges(o.entry(e.offset))
	if err != nil {
		return nil
	}
	return list
}

// entry is one with its values, nothing where they cannot be read.
func (o *Object) entry(at dwarf.Offset) *dwarf.Entry {
	r := o.data.Reader()
	r.Seek(at)
	if e, err := r.Next(); err == nil && e != nil {
		return e
	}
	return &dwarf.Entry{Offset: at}
}

// nameAt is the name that an entry has by itself.
func (o *Object) nameAt(at dwarf.Offset) string {
	name, _ := o.entry(at).Val(dwarf.AttrName).(string)
	return name
}

// scopes are the functions at an address, outermost first.
func (o *Object) scopes(unit *dwarf.Entry, address uint64) []*scope {
	t := o.treeOf(unit)
	outer := innermost(t.functions, address)
	if outer == nil && !t.whole {
		t.whole = true
		o.readNested(t, t.unit) // a method of a class in a function, say
		outer = innermost(t.functions, address)
	}
	if outer == nil {
		return nil
	}
	o.around(t, outer.of+1) // reads what is in it
	var list []*scope
	for s := outer; s != nil; s = innermost(s.inside, address) {
		list = append(list, s)
	}
	return list
}

// readNested reads the functions that others with code are in. Those are rare, and code
// of which debug information says nothing is not: gcc has one copy of functions that do
// the same.
func (o *Object) readNested(t *tree, p *part) {
	if !p.read && !o.nests(t, p) {
		return
	}
	o.read(t, p)
	for _, in := range p.inside {
		o.readNested(t, in)
	}
}

// nests tells whether another function with code is in one.
func (o *Object) nests(t *tree, p *part) bool {
	in := o.skim(t.unit.from, p.from)
	if e, ok := in.next(); !ok || e.shape == nil || !e.children {
		return false
	}
	for depth := 1; depth > 0; {
		e, ok := in.next()
		switch {
		case !ok:
			return false
		case e.shape == nil:
			depth--
		case e.tag == dwarf.TagSubprogram && e.code:
			return true
		case e.children:
			depth++
		}
	}
	return false
}

// innermost is the one of several functions that covers an address.
func innermost(list []*scope, address uint64) *scope {
	i := slices.IndexFunc(list, func(s *scope) bool {
		return slices.ContainsFunc(s.ranges, func(a [2]uint64) bool { return a[0] <= address && address < a[1] })
	})
	if i < 0 {
		return nil
	}
	return list[i]
}

// around are the parts that an entry is in, outermost first, the unit left out.
func (o *Object) around(t *tree, at dwarf.Offset) []*part {
	var list []*part
	for p := t.unit; ; {
		i := sort.Search(len(p.inside), func(i int) bool { return p.inside[i].from >= at })
		if i == 0 || p.inside[i-1].to <= at {
			return list
		}
		p = p.inside[i-1]
		o.read(t, p)
		list = append(list, p)
	}
}

// qualified is a name with the namespaces and types around the entry that gives it,
// which is how C++ has it. A type in a function goes by that function.
func (o *Object) qualified(name string, at dwarf.Offset) string {
	unit := o.unitOf(at)
	if unit == nil {
		return name
	}
	names := []string{name}
	path := o.around(o.treeOf(unit), at)
	for i := len(path) - 1; i >= 0; i-- {
		p := path[i]
		if p.tag == dwarf.TagSubprogram {
			if within := o.origin(p.from, 0); within.isLambda() {
				names = append(names, o.nameOf(within))
			} else if len(names) > 1 || strings.HasPrefix(name, "{lambda") {
				names = append(names, within.plain())
			}
			break
		}
		unnamed := "{unnamed}" // as demanglers have it
		if p.tag == dwarf.TagNamespace {
			unnamed = "(anonymous namespace)"
		}
		names = append(names, cmp.Or(p.name, unnamed))
	}
	slices.Reverse(names)
	if full := strings.Join(names, "::"); len(full) <= longName {
		return full
	}
	for i, n := range names {
		if at := strings.IndexByte(n, '<'); at > 0 && !strings.HasPrefix(n, "operator") {
			names[i] = n[:at]
		}
	}
	return strings.Join(names, "::")
}
