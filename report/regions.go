package report

import (
	"fmt"
	"strings"

	"auspex/instrument"
	"auspex/source"
)

// RegionTree writes what could be measured, a line a region: x before what is
// chosen, and the reason after what is not.
func (p *Page) RegionTree(files []*instrument.Outline) {
	chosen, all := 0, 0
	var show func(c *instrument.Candidate, depth int)
	show = func(c *instrument.Candidate, depth int) {
		all++
		mark, name := "-", c.Name
		if _, line := c.Function(); line != "" {
			name = "loop@" + line
		}
		if c.Chosen {
			mark = "x"
			chosen++
		}
		indent := strings.Repeat("  ", depth)
		p.Line("%s", strings.TrimRight(fmt.Sprintf("%s%s %-*s %-9s %s", indent, mark, max(0, 44-len(indent)), name, lineRange(c.Line, c.EndLine), c.Why), " "))
		for _, in := range c.Inside {
			show(in, depth+1)
		}
	}
	for _, f := range files {
		if len(f.Regions) == 0 {
			continue
		}
		p.Line("%s", p.Strong(f.File))
		for _, c := range f.Regions {
			show(c, 1)
		}
	}
	p.Line("")
	p.Line("%d of %s chosen", chosen, plural(all, "region"))
}

// Regions writes how many functions are chosen, by language.
func (p *Page) Regions(counts []instrument.Tally, minLines int) {
	columns := []column{words("language"), number("files"), number("MB"), number(fmt.Sprintf("functions ≥ %d lines", minLines)), number("chosen"), number("share"), number("barred"), number("impossible"), number("left out"), number("loops"), number("chosen loops")}
	var rows [][]string
	for _, t := range counts {
		language := t.Language.String()
		if t.Language == source.Fortran {
			language += ", " + t.Form.String() + " form"
		}
		share := "–"
		if t.Functions > 0 {
			share = fmt.Sprintf("%.1f %%", 100*float64(t.Chosen)/float64(t.Functions))
		}
		rows = append(rows, []string{language, fmt.Sprint(t.Files), fmt.Sprintf("%.1f", float64(t.Bytes)/1e6), fmt.Sprint(t.Functions), fmt.Sprint(t.Chosen),
			share, fmt.Sprint(t.Barred), fmt.Sprint(t.Impossible), fmt.Sprint(t.Functions - t.Chosen - t.Barred - t.Impossible), fmt.Sprint(t.Loops), fmt.Sprint(t.ChosenLoops)})
	}
	p.table(columns, rows)
	p.Line("")
	p.Paragraph("barred: PURE or ELEMENTAL, constexpr, device code, naked, coroutine, run for ifunc. impossible: did not parse, or has no safe place for a probe. left out: list without --summary says why.")
}
