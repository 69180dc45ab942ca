package instrument

import (
	"bytes"
	"fmt"
	"strings"

	"auspex/source"
)

// LoopCut is a loop to be cut short by the threshold iteration rule (dPerf,
// section 3): the measurement runtime decides in every turn whether there have
// been enough.
type LoopCut struct {
	File string `json:"file"`
	Line int    `json:"line"`
	// Offset is the loop's first byte in the file.
	Offset int `json:"offset"`
	// Number names the loop to the runtime.
	Number int `json:"number"`
	// Communicates is 0 for a loop that does not, 1 for one that does, and 2
	// where the sizes of its messages may differ between iterations.
	Communicates int `json:"communicates"`
}

// ThresholdABI is what the text inserted into C and C++ and its stub share. A
// turn passes while left is not below 0; then the runtime is asked, unless it
// has answered that the rest is to be skipped.
const ThresholdABI = `#ifndef AUSPEX_TURNS_ABI
#define AUSPEX_TURNS_ABI 1
struct auspex_loop { int number, communicates; };
struct auspex_turns { struct auspex_loop *loop; long left, rest; int skip, watched; };
#endif
`

const turnMacros = `#define AUSPEX_TURNS(i) struct auspex_turns auspex_t##i; auspex_turns_begin(&auspex_t##i, &auspex_loops[i])
#define AUSPEX_SKIP(i) (__builtin_expect(--auspex_t##i.left < 0, 0) && (auspex_t##i.skip ? (++auspex_t##i.rest, 1) : auspex_turns_check(&auspex_t##i)))
#define AUSPEX_DONE(i) auspex_turns_end(&auspex_t##i)
`

// Cuttable tells of every loop of a file, by its first byte, why it cannot be
// rewritten for the threshold rule, or "" where it can.
func Cuttable(f *source.File) map[int]string {
	answers := map[int]string{}
	for offset, c := range loopsOf(f) {
		answers[offset] = neverCut(f, c)
	}
	return answers
}

func neverCut(f *source.File, c *Candidate) string {
	l := c.site.stmt.Loop
	switch {
	case !c.Possible:
		return c.Why
	case len(c.site.before) > 0:
		return "a directive belongs to it"
	case f.Language == source.Fortran && (l.Kind != source.Counted || len(c.site.stmt.Body) == 0):
		return "it is not a DO that counts"
	case f.Language == source.Fortran:
		return (&chooser{file: f}).neverFortranUnit(c.unit)
	case l.Kind != source.For || l.Body.End == l.Body.Start:
		return "it is not a for that counts"
	case !f.SameBranch(c.site.stmt.Start, l.Body.Start) || !f.SameBranch(l.Body.Start, l.Body.End-1):
		return "it begins and ends under different #if branches"
	}
	return ""
}

// loopsOf finds the candidates of all loops.
func loopsOf(f *source.File) map[int]*Candidate {
	found := map[int]*Candidate{}
	each(Candidates(f, Options{Regions: All, MinLines: 1}), func(c *Candidate) {
		if c.Kind == LoopRegion {
			found[c.site.stmt.Start] = c
		}
	})
	return found
}

// CutShort inserts what the threshold rule needs into the loops of a file that
// cuts name; those that Cuttable refuses are left alone. name is the file's in
// the compiler's messages.
func CutShort(f *source.File, name string, cuts []LoopCut) *Result {
	r := &Result{}
	var e edits
	var chosen []*Candidate
	var kept []LoopCut
	loops := loopsOf(f)
	for _, cut := range cuts {
		c := loops[cut.Offset]
		if c == nil || neverCut(f, c) != "" {
			continue
		}
		c.id = len(kept)
		chosen, kept = append(chosen, c), append(kept, cut)
		r.Regions = append(r.Regions, Region{c.Name, c.Kind, name, c.Line, c.EndLine})
	}
	if len(kept) == 0 {
		r.Text = bytes.Clone(f.Text)
		return r
	}
	if f.Language == source.Fortran {
		cutFortran(f, name, chosen, kept, &e)
	} else {
		cutC(f, name, chosen, kept, &e)
	}
	r.Text, r.Edits = e.apply(f.Text)
	return r
}

// cutC puts a block around each loop and a question at the head of its body:
//
//	{AUSPEX_TURNS(0);for (…) if (AUSPEX_SKIP(0)) continue; else { … }AUSPEX_DONE(0);}
func cutC(f *source.File, name string, chosen []*Candidate, cuts []LoopCut, e *edits) {
	start := 0
	if bytes.HasPrefix(f.Text, []byte("\xef\xbb\xbf")) {
		start = 3
	}
	var b strings.Builder
	fmt.Fprintf(&b, "#line 1 \"auspex-loops.h\"\nstatic struct auspex_loop auspex_loops[%d] = {", len(cuts))
	for _, cut := range cuts {
		fmt.Fprintf(&b, "{%d, %d}, ", cut.Number, cut.Communicates)
	}
	fmt.Fprintf(&b, "};\n%s#line 1 %s\n", turnMacros, quoteC(name))
	e.insert(start, 0, b.String())
	for _, c := range chosen {
		s := c.site.stmt
		e.insert(s.Start, 2, fmt.Sprintf("{AUSPEX_TURNS(%d);", c.id))
		e.insert(s.Loop.Body.Start, 1, fmt.Sprintf("if (AUSPEX_SKIP(%d)) continue; else ", c.id))
		e.insert(s.End, -c.id, fmt.Sprintf("AUSPEX_DONE(%d);}", c.id))
	}
}

// cutFortran declares a variable for each loop: 0 where nobody watches it, below
// 0 once its turns are to be skipped.
//
//	call auspex_f_turns('3|1', auspex_t3)
//	do …
//	  if (auspex_t3 .ne. 0) call auspex_f_skip(auspex_t3)
//	  if (auspex_t3 .lt. 0) cycle
//	…
//	end do
//	if (auspex_t3 .ne. 0) call auspex_f_done(auspex_t3)
func cutFortran(f *source.File, name string, chosen []*Candidate, cuts []LoopCut, e *edits) {
	w := &fortran{file: f, name: name, edits: e}
	e.insert(0, 0, w.marker(0, 0))
	declared := map[*source.Unit]string{}
	var order []*source.Unit
	for i, c := range chosen {
		v := fmt.Sprintf("auspex_t%d", cuts[i].Number)
		s := c.site.stmt
		w.before(s, w.wrap(fmt.Sprintf("call auspex_f_turns('%d|%d',%s)", cuts[i].Number, cuts[i].Communicates, v)), 2)
		w.ahead(s, w.wrap("if ("+v+".ne.0) call auspex_f_skip("+v+")")+w.wrap("if ("+v+".lt.0) cycle"))
		w.after(closing(c.site).End, w.wrap("if ("+v+".ne.0) call auspex_f_done("+v+")"), -c.id-2)
		if declared[c.unit] == "" {
			order = append(order, c.unit)
		}
		declared[c.unit] += w.wrap("integer(8) " + v)
	}
	for _, u := range order {
		at, inline := declarationPoint(f, u)
		w.atPoint(at, inline, -1, declared[u])
	}
}
