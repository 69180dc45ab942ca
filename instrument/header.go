package instrument

import (
	"bytes"
	"fmt"

	"auspex/source"
)

// HeaderABI is what probes in headers need, to stand once before a C++ source
// and the headers that it includes, after ABI. A descriptor is a static variable
// of the function that it describes: the linker keeps one of it, as of the
// function, and every instance of a template has its own, with the same text.
// Nothing here differs from one translation unit to another, as the language
// demands of functions that several of them define.
const HeaderABI = "#line 1 \"auspex-headers.h\"\n" + rarely + tell + `struct auspex_header_guard { auspex_region *region;
__attribute__((always_inline)) explicit auspex_header_guard(auspex_region &of) : region(0) { auspex_region *r = &of; if (AUSPEX_RARELY(!r->off)) { region = r; AUSPEX_TELL(r, auspex_enter(r)); } }
__attribute__((always_inline)) ~auspex_header_guard() { if (AUSPEX_RARELY(region != 0)) AUSPEX_TELL(region, auspex_leave(region)); } };
#define AUSPEX_H(i, name, file, line, kind) static struct auspex_region auspex_h##i = {name, file, line, kind, -1, 0}; ::auspex_header_guard auspex_g##i(auspex_h##i)
`

// RewriteHeader inserts probes into a C++ header. The result depends on the
// header's text and opt alone, not on who includes it; named is what the
// compiler calls the file.
func RewriteHeader(f *source.File, opt Options, named string) *Result {
	if opt.File == "" {
		opt.File = f.Name
	}
	opt.header = true
	list, _ := candidates(f, opt)
	r := &Result{Candidates: list}
	chosen := number(f, opt, r)
	var e edits
	start := 0
	if bytes.HasPrefix(f.Text, []byte("\xef\xbb\xbf")) {
		start = 3
	}
	e.insert(start, 0, FirstLine(named))
	guardC(f, chosen, &e, func(c *Candidate) string {
		d := r.Regions[c.id]
		return fmt.Sprintf("AUSPEX_H(%d,%s,%s,%d,%d);", c.id, quoteC(d.Name), quoteC(d.File), d.Line, d.Kind)
	})
	r.Text, r.Edits = e.apply(f.Text)
	return r
}
