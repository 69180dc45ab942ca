package source

import "strings"

// File is one parsed source file.
type File struct {
	Name     string   `json:"name"`
	Language Language `json:"language"`
	Form     Form     `json:"form"`
	// LineLength is the last column of fixed form, 0 if there is none.
	LineLength int       `json:"lineLength,omitempty"`
	Text       []byte    `json:"-"` // the original, untouched
	Units      []*Unit   `json:"units"`
	Problems   []Problem `json:"problems,omitempty"` // outside all units

	lines lines
	conds *conditions
}

// Place is a span with its line numbers, counted from 1.
type Place struct {
	Span
	Line    int `json:"line"`
	EndLine int `json:"endLine"`
}

// Lines counts the lines touched.
func (p Place) Lines() int { return p.EndLine - p.Line + 1 }

// Problem is a place the parser did not understand.
type Problem struct {
	Place
	Message string `json:"message"`
	// Local is set where the trouble is within a statement and the braces
	// around it are certain, so that the unit's beginning and end are known.
	Local bool `json:"local,omitempty"`
}

// UnitKind tells the sort of a program unit.
type UnitKind int

// The sorts of units.
const (
	Function UnitKind = iota
	Subroutine
	Program
	Lambda
)

func (k UnitKind) String() string {
	return [...]string{"function", "subroutine", "program", "lambda"}[k]
}

// MarshalText writes the name of the kind, for JSON.
func (k UnitKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Trait is a property of a unit that decides what may be put into it.
type Trait uint

// The traits.
const (
	Pure      Trait = 1 << iota // PURE, or ELEMENTAL without IMPURE
	Constexpr                   // constexpr or consteval
	Device                      // __device__, __global__, declare target, acc routine
	Naked                       // __attribute__((naked))
	Coroutine                   // co_await, co_yield or co_return inside
	Entry                       // has ENTRY statements
	Resolver                    // named by ifunc, or called by such a function
)

var traitNames = []string{"pure", "constexpr", "device", "naked", "coroutine", "entry", "resolver"}

func (t Trait) String() string {
	var names []string
	for i, n := range traitNames {
		if t&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return strings.Join(names, ",")
}

// MarshalText writes the names of the traits, for JSON.
func (t Trait) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Unit is a function, subroutine, program or lambda with a body.
type Unit struct {
	Kind  UnitKind `json:"kind"`
	Name  string   `json:"name"` // qualified: ns::Class::method, module::procedure
	Place          // the whole definition
	// Body is what lies between the braces, or between the header statement
	// of Fortran and its END or CONTAINS.
	Body     Span      `json:"body"`
	Traits   Trait     `json:"traits,omitempty"`
	Params   []string  `json:"params,omitempty"`
	Stmts    []*Stmt   `json:"stmts,omitempty"`
	Units    []*Unit   `json:"units,omitempty"`
	Problems []Problem `json:"problems,omitempty"`
	// Repair says what had to be blanked before the unit parsed, if anything.
	Repair string `json:"repair,omitempty"`
	// Blanked is the text that was not parsed on account of Repair.
	Blanked []Span `json:"blanked,omitempty"`
	// Close is the END statement or CONTAINS that closes a Fortran unit's body.
	Close *Stmt `json:"-"`
	Node  *Node `json:"-"`
}

// Sound tells whether the unit's extent is certain, even if not every
// statement in it was understood.
func (u *Unit) Sound() bool {
	for _, p := range u.Problems {
		if !p.Local {
			return false
		}
	}
	return true
}

// Has tells whether the unit has any of these traits.
func (u *Unit) Has(t Trait) bool { return u.Traits&t != 0 }

// Walk visits every statement of the unit in order, parents first, and not the
// units inside it. The visitor gets the enclosing statements, outermost first,
// and says whether to go on into the statement.
func (u *Unit) Walk(visit func(s *Stmt, outer []*Stmt) bool) {
	walk(u.Stmts, nil, visit)
}

func walk(list []*Stmt, outer []*Stmt, visit func(*Stmt, []*Stmt) bool) {
	for _, s := range list {
		if visit(s, outer) {
			inner := append(outer[:len(outer):len(outer)], s)
			walk(s.Body, inner, visit)
			walk(s.Else, inner, visit)
		}
	}
}

// All visits the units of the file, outer before inner.
func (f *File) All(visit func(*Unit)) {
	var each func([]*Unit)
	each = func(us []*Unit) {
		for _, u := range us {
			visit(u)
			each(u.Units)
		}
	}
	each(f.Units)
}

// Line gives the line number of a byte.
func (f *File) Line(off int) int { return f.lines.at(off) }

// SameBranch tells whether two places stand under the same branches of the
// same `#if`s, so that text put at both is compiled either twice or never.
func (f *File) SameBranch(a, b int) bool { return f.conds.same(a, b) }

// UnderBranch tells whether whatever compiles the byte at inner also compiles
// the byte at outer.
func (f *File) UnderBranch(inner, outer int) bool {
	x, y := f.conds.at(inner), f.conds.at(outer)
	for i := range y {
		if i >= len(x) || x[i] != y[i] {
			return false
		}
	}
	return true
}

// BeforeCondition moves an offset that stands under more `#if`s than the one
// at level does to the start of the outermost of those extra `#if` lines.
func (f *File) BeforeCondition(off, level int) int {
	x, y := f.conds.at(off), f.conds.at(level)
	for i := range x {
		if i >= len(y) || x[i] != y[i] {
			return f.conds.open[x[i].group]
		}
	}
	return off
}

func (f *File) place(s Span) Place {
	last := max(s.Start, s.End-1)
	return Place{s, f.lines.at(s.Start), f.lines.at(last)}
}
