package report

import (
	"fmt"
	"slices"
	"strings"

	"auspex/analyze"
	"auspex/predict"
)

// cutLoops tells which loops were cut short, how far each ran at every level and
// count, and, of the others together, why they were not.
func (p *Page) cutLoops(r *predict.Report) {
	if len(r.Loops) == 0 {
		return
	}
	p.Heading("Loops")
	var rows [][]string
	for _, l := range r.Loops {
		for i, c := range l.Cuts {
			if c.Why != "" {
				continue
			}
			name, why := "", ""
			if i == 0 || l.Cuts[i-1].Why != "" {
				name, why = fmt.Sprintf("%s:%d", l.File, l.Line), brief(l.Reason)
			}
			if c.Deviation > 0 {
				why = strings.TrimSpace(why + fmt.Sprintf(" Messages differed by up to %s.", Percent(analyze.Real(c.Deviation))))
			}
			rows = append(rows, []string{name, fmt.Sprint(c.NP), level(c.Opt), grouped(int(c.Ran)), grouped(int(c.Iterations)), seconds(c.Added), why})
		}
	}
	if len(rows) > 0 {
		p.table([]column{words("cut short"), number("processes"), words("level"), number("ran"), number("of"), number("estimated"), region("why it may be")}, rows)
	}
	p.wholeLoops(r)
}

// brief is the first sentence of a reason; what is assumed stands in the JSON.
func brief(reason string) string {
	first, rest, more := strings.Cut(reason, ". ")
	if !more {
		return reason
	}
	if n := strings.Count(rest, "Line "); strings.HasPrefix(rest, "Assumed: ") && n > 0 {
		return fmt.Sprintf("%s (%s).", first, plural(n, "assumption"))
	}
	return first + "."
}

// shownLoops is how many lines are named of loops of which the same is said.
const shownLoops = 8

// wholeLoops sums up the loops that ran whole: by reason, without the names in
// it, the most frequent first.
func (p *Page) wholeLoops(r *predict.Report) {
	type group struct {
		reason string
		places []string
	}
	var groups []*group
	at := map[string]*group{}
	for _, l := range r.Loops {
		reason := l.Reason
		if n := len(l.Cuts); n > 0 {
			if slices.ContainsFunc(l.Cuts, func(c predict.Cut) bool { return c.Why == "" }) {
				continue
			}
			reason = "Not cut short after all: " + l.Cuts[n-1].Why + "."
		}
		reason = kindOfReason(reason)
		g := at[reason]
		if g == nil {
			g = &group{reason: reason}
			at[reason] = g
			groups = append(groups, g)
		}
		g.places = append(g.places, fmt.Sprintf("%s:%d", l.File, l.Line))
	}
	slices.SortStableFunc(groups, func(a, b *group) int { return len(b.places) - len(a.places) })
	var rows [][]string
	for _, g := range groups {
		rows = append(rows, []string{fmt.Sprint(len(g.places)), g.reason, places(g.places)})
	}
	if len(rows) > 0 {
		p.table([]column{number("ran whole"), words("because"), region("where")}, rows)
	}
}

// kindOfReason leaves out of a reason what is of one loop alone.
func kindOfReason(reason string) string {
	for _, k := range []struct{ in, kind string }{
		{"is a subscript", "what it computes is a subscript later"},
		{"decides how often", "what it computes decides how often a later loop runs"},
		{"decides the branch", "what it computes decides a branch"},
		{"decides whether", "what it computes decides a branch"},
		{"is a parameter of", "what it computes is a parameter of communication"},
		{"number of iterations is not known", "the number of iterations is not known when it is entered"},
		{"without calls", "one loop without calls whose bound cannot be rewritten, or inside another"},
		{"not understood", "not all of it is understood"},
		{"of which nothing is known", "it calls what is not known: not in these sources, or by a pointer"},
		{"iterations are not alike", "its iterations are not alike"},
		{"that counts", "it is no loop that counts"},
		{"cannot be rewritten", "it cannot be rewritten"},
		{"ran only inside", "it ran only inside a loop that was watched, or never"},
		{"are not independent", "its iterations are not independent (--strict)"},
	} {
		if strings.Contains(reason, k.in) {
			return k.kind
		}
	}
	return strings.TrimSuffix(brief(reason), ".")
}

// places lists FILE:LINE with each file once.
func places(list []string) string {
	more := ""
	if len(list) > shownLoops {
		more = fmt.Sprintf(", and %d more", len(list)-shownLoops)
		list = list[:shownLoops]
	}
	var out []string
	file := ""
	for _, place := range list {
		name, line, _ := strings.Cut(place, ":")
		if name == file {
			out = append(out, line)
			continue
		}
		file = name
		out = append(out, place)
	}
	return strings.Join(out, ", ") + more
}

// settling draws how the mean iteration of the loop that was estimated most
// settled (dPerf, Figure 3).
func (p *Page) settling(r *predict.Report) {
	var loop *predict.LoopUse
	var most *predict.Cut
	for i := range r.Loops {
		for k := range r.Loops[i].Cuts {
			if c := &r.Loops[i].Cuts[k]; c.Why == "" && len(c.Curve) > 1 && (most == nil || c.Added > most.Added) {
				loop, most = &r.Loops[i], c
			}
		}
	}
	if most == nil {
		return
	}
	p.Heading(fmt.Sprintf("How the mean iteration of %s:%d settled, %s%s", loop.File, loop.Line, plural(most.NP, "process"), atLevel(most.Opt)))
	longest := 0.0
	for _, c := range most.Curve {
		longest = max(longest, c.Seconds)
	}
	const width = 40
	var rows [][]string
	for _, c := range most.Curve {
		within := ""
		for _, l := range most.Levels {
			if l.Iterations == c.Iterations {
				within = fmt.Sprintf("within %.0f %%", 100*l.Epsilon)
			}
		}
		rows = append(rows, []string{grouped(int(c.Iterations)), seconds(c.Seconds), strings.Repeat("█", int(width*c.Seconds/longest+0.5)), within})
	}
	p.table([]column{number("iterations"), number("mean"), words(""), words("of the end from here on")}, rows)
}
