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
	// Offset is the loop's first byte in the file. Where Nth is set the loop is
	// instead the so-manieth, from 1 on, that begins on the line: preprocessed
	// text has no offsets of the file's.
	Offset int `json:"offset"`
	Nth    int `json:"nth,omitempty"`
	// Number names the loop to the runtime.
	Number int `json:"number"`
	// Communicates is 0 for a loop that does not, 1 for one that does, and 2
	// where the sizes of its messages may differ between iterations.
	Communicates int `json:"communicates"`
	// Bound is set where the loop is cut by its bound, not by a question in each
	// iteration: one of a few instructions would be compiled otherwise.
	Bound bool `json:"bound,omitempty"`
	// Last is set where the last iteration is to be run, too, if the loop counts.
	Last bool `json:"last,omitempty"`
}

// ThresholdABI is what the text inserted into C and C++ and its stub share. A
// turn passes while left is not below 0; then the runtime is asked, unless it
// has answered that the rest is to be skipped.
const ThresholdABI = `#ifndef AUSPEX_TURNS_ABI
#define AUSPEX_TURNS_ABI 1
struct auspex_loop { int number, communicates, bound; };
struct auspex_turns { struct auspex_loop *loop; long left, rest, total; int skip, watched; };
#endif
`

const turnMacros = `#define AUSPEX_TURNS(i) struct auspex_turns auspex_t##i; auspex_turns_begin(&auspex_t##i, &auspex_loops[i])
#define AUSPEX_SKIP(i) (__builtin_expect(--auspex_t##i.left < 0, 0) && (auspex_t##i.skip ? (++auspex_t##i.rest, 1) : auspex_turns_check(&auspex_t##i)))
#define AUSPEX_LAST(i, more) ((more) || auspex_turns_last(&auspex_t##i))
#define AUSPEX_MORE(i, v, n) ((auspex_t##i.left = auspex_turns_chunk(&auspex_t##i, n)) > 0 ? (auspex_e##i = (v) + auspex_t##i.left, 1) : ((v) -= auspex_t##i.left, 0))
#define AUSPEX_UNTIL(i, v, ...) ((v) < auspex_e##i)
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
	nth := loopNumbers(f, loops)
	for _, cut := range cuts {
		c := loops[cut.Offset]
		if cut.Nth > 0 {
			c = nth[[2]int{cut.Line, cut.Nth}]
		}
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
		bound := 0
		if cut.Bound {
			bound = 1
		}
		fmt.Fprintf(&b, "{%d, %d, %d}, ", cut.Number, cut.Communicates, bound)
	}
	fmt.Fprintf(&b, "};\n%s#line 1 %s\n", turnMacros, quoteC(name))
	e.insert(start, 0, b.String())
	for i, c := range chosen {
		s := c.site.stmt
		h, counts := countingOf(f, c.unit, s)
		if cuts[i].Bound && boundable(f, c) {
			cutBound(f, c, h, e)
			continue
		}
		total, last := "", ""
		if counts && h.from != "" {
			total = fmt.Sprintf("auspex_t%d.total = %s;", c.id, h.left(h.from))
		}
		if counts && cuts[i].Last {
			last = fmt.Sprintf(" && AUSPEX_LAST(%d, (%s) + 1 %s (%s))", c.id, h.variable, h.op, h.to)
		}
		e.insert(s.Start, 2, fmt.Sprintf("{AUSPEX_TURNS(%d);%s", c.id, total))
		e.insert(s.Loop.Body.Start, 1, fmt.Sprintf("if (AUSPEX_SKIP(%d)%s) continue; else ", c.id, last))
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
			if mustDeclare.Match(f.Text) {
				declared[c.unit] = w.wrap("external auspex_f_turns, auspex_f_skip, auspex_f_done")
			}
		}
		declared[c.unit] += w.wrap("integer(8) " + v)
	}
	for _, u := range order {
		at, inline := declarationPoint(f, u)
		w.atPoint(at, inline, -1, declared[u])
	}
}
