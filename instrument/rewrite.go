package instrument

import (
	"bytes"

	"auspex/source"
)

// Region is one measured place.
type Region struct {
	Name    string `json:"name"`
	Kind    Kind   `json:"kind"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	EndLine int    `json:"end_line"`
}

// Result is a rewritten file.
type Result struct {
	Text    []byte
	Edits   []Edit   // in order of place
	Regions []Region // by number
	// Candidates are all functions and loops, with why some were left alone.
	Candidates []*Candidate
	// Hides tells that the compiler does not give a warning that it may give of the
	// original.
	Hides bool
}

// Rewrite inserts the probes opt asks for. A file in which nothing is chosen
// comes back unchanged, with no edits.
func Rewrite(f *source.File, opt Options) *Result {
	if opt.File == "" {
		opt.File = f.Name
	}
	list, work := candidates(f, opt)
	r := &Result{Candidates: list}
	chosen := number(f, opt, r)
	if len(chosen) == 0 {
		r.Text = bytes.Clone(f.Text)
		return r
	}
	var e edits
	if f.Language == source.Fortran {
		rewriteFortran(f, opt, work, chosen, r.Regions, &e)
	} else {
		rewriteC(f, opt, work, chosen, r.Regions, &e)
		r.Hides = misleads(f)
	}
	r.Text, r.Edits = e.apply(f.Text)
	return r
}

// number gives the chosen candidates of a result their regions.
func number(f *source.File, opt Options, r *Result) []*Candidate {
	var chosen []*Candidate
	each(r.Candidates, func(c *Candidate) {
		if c.Chosen {
			c.id = len(chosen)
			chosen = append(chosen, c)
			r.Regions = append(r.Regions, Region{c.Name, c.Kind, originOf(f, c.unit.Start, opt.File), c.Line, c.EndLine})
		}
	})
	return chosen
}

// originOf is the file that a byte came from, if a preprocessor's markers say
// so, and otherwise the name given.
func originOf(f *source.File, off int, name string) string {
	if o := f.Origin(off); o != f.Name {
		return o
	}
	return name
}

// each visits candidates and those inside them, in order.
func each(list []*Candidate, visit func(*Candidate)) {
	for _, c := range list {
		visit(c)
		each(c.Inside, visit)
	}
}
