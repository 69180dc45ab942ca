package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"auspex/analyze"
	"auspex/analyze/diagnose"
	"auspex/model"
)

// How much of a long result is printed.
const (
	kindsShown   = 24
	membersShown = 64 // of a kind
	unitsShown   = 16
	causesShown  = 12
)

// Diagnosis writes what `auspex diagnose` found: the answer, then figure 4 of
// "Debugging SPMD programs", then what it rests on.
func (p *Page) Diagnosis(d *diagnose.Diagnosis) {
	p.Paragraph(d.Words)
	for _, w := range d.Warnings {
		p.Paragraph("note: " + w)
	}
	p.wentTo(d)
	if d.UnitCount > 1 {
		p.Heading("Kinds")
		p.kinds(d)
	}
	if len(d.Causes) > 0 {
		what := "time"
		if d.Counts {
			what = d.Metric
		}
		p.Heading(fmt.Sprintf("Causes, costliest first (%s lost, mean over units)", what))
		p.causes(d)
	}
	for _, c := range d.Causes {
		if c.Table != nil {
			p.decisionTable(c, d.Level)
		}
	}
	if d.Joint != nil && d.Joint.Rows != nil {
		p.jointTable(d.Joint, d.Level)
	}
	if len(d.Causes) > 0 && len(d.Causes[0].Balance) > 0 && len(d.Causes[0].Balance) <= unitsShown {
		p.balance(d.Causes[0], d.Level)
	}
	if len(d.Internal.Regions) > 0 {
		p.Heading("Costly in all units (inclusive, by " + d.Internal.By + ")")
		p.internal(d.Internal)
	}
}

// wentTo writes the ledger of what units are compared by: of the time, be it that
// of all processes of a node, or of another metric that was asked for.
func (p *Page) wentTo(d *diagnose.Diagnosis) {
	unit, what := comparedUnit(d), "time"
	if d.Counts {
		what = d.Metric
	}
	all := fmt.Sprintf("%s × %s", grouped(d.Ledgered), Quantity(cmp.Or(d.Profiled, d.Runtime), unit))
	if d.Level == diagnose.Nodes {
		all = fmt.Sprintf("%s × %s, of all processes of a node together", plural(d.Ledgered, "node"), Quantity(cmp.Or(d.Profiled, d.Runtime), unit))
	}
	p.ledgerOf(what, unit, all, d.Ledger)
}

func (p *Page) kinds(d *diagnose.Diagnosis) {
	p.Line("there %s of %s", are(len(d.Kinds)), d.Level)
	for k, members := range d.Kinds {
		if k == kindsShown {
			p.Line("… and %s more", plural(len(d.Kinds)-k, "kind"))
			break
		}
		p.Line("kind %d: %s", k, numbers(members))
	}
	p.Line("dissimilarity severity: %.6f", float64(d.Severity))
	if len(d.CCR) > 0 {
		p.Paragraph(fmt.Sprintf("CCCR: %s", strings.Join(coreNames(d.CCCR), ", ")))
		p.Line("CCR tree:")
		for _, line := range criticalTree(d.CCR) {
			p.Line("%s", line)
		}
	}
	below := "the whole program"
	if d.Below != "" {
		below = d.Below
	}
	cut := Quantity(analyze.Real(d.Parameters.Radius), comparedUnit(d))
	if d.Parameters.Scale > 0 {
		cut += fmt.Sprintf(", %.1f %% of the longest vector", 100*d.Parameters.Radius/d.Parameters.Scale)
	}
	compared := d.Metric
	if d.BeyondCPU {
		compared += ", time of input and output and time blocked"
	}
	p.Paragraph(fmt.Sprintf("(%s%s in %s of %s; OPTICS with MinPts %d cut at %s)",
		compared, outside(d), plural(d.Level1, "level-1 region"), below, d.Parameters.MinPts, cut))
}

// coreNames calls regions by their names, and those of one name, such as what
// has no symbols, by the region around them, too.
func coreNames(paths []string) []string {
	count := map[string]int{}
	for _, path := range paths {
		count[lastName(path)]++
	}
	var out []string
	for _, path := range paths {
		parts := model.SplitPath(path)
		name := shortName(parts[len(parts)-1])
		if count[lastName(path)] > 1 && len(parts) > 1 {
			name = shortName(parts[len(parts)-2]) + "/" + name
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// numbers lists the members of a kind as figure 4 does, long lists cut.
func numbers(members []diagnose.Name) string {
	parts := ranges(members)
	rest := ""
	if len(parts) > membersShown {
		rest = fmt.Sprintf(" … (%s in all)", grouped(len(members)))
		parts = parts[:membersShown]
	}
	return strings.Join(parts, " ") + rest
}

// comparedUnit is that of what units are compared by.
func comparedUnit(d *diagnose.Diagnosis) string {
	if d.Counts {
		return ""
	}
	return "s"
}

func metricUnit(metric string) string {
	if strings.HasSuffix(metric, "time") {
		return "s"
	}
	return ""
}

func are(kinds int) string {
	if kinds == 1 {
		return "is 1 kind"
	}
	return "are " + plural(kinds, "kind")
}

// criticalTree writes a line for each way from level 1 to a core: region 14
// (1-CCR) ---> region 11 (2-CCR & CCCR).
func criticalTree(ccr []diagnose.CriticalRegion) []string {
	var way func(r diagnose.CriticalRegion) string
	way = func(r diagnose.CriticalRegion) string {
		line := fmt.Sprintf("%s (%d-CCR", shortName(r.Name), r.Level)
		if r.Core {
			line += " & CCCR"
		}
		line += ")"
		if i := slices.IndexFunc(ccr, func(o diagnose.CriticalRegion) bool { return r.Inside != "" && o.Region == r.Inside }); i >= 0 {
			line = way(ccr[i]) + " ---> " + line
		}
		return line
	}
	var lines []string
	for _, r := range ccr {
		if r.Core || len(r.With) == 0 && r.Level == 1 && !holdsMore(ccr, r.Region) {
			lines = append(lines, way(r))
		}
	}
	return lines
}

func holdsMore(ccr []diagnose.CriticalRegion, region string) bool {
	for _, r := range ccr {
		if r.Inside == region {
			return true
		}
	}
	return false
}

func (p *Page) causes(d *diagnose.Diagnosis) {
	write := quantitiesOf(comparedUnit(d), d.Causes, func(c diagnose.Cause) []float64 { return []float64{float64(c.Lost)} })
	var rows [][]string
	for i, c := range d.Causes {
		if i == causesShown {
			break
		}
		var why []string
		for _, a := range c.Attributes {
			why = append(why, attributeWords(a))
		}
		if len(c.Only) > 0 {
			why = []string{"not all take part"}
		}
		if len(why) == 0 {
			why = []string{dash}
		}
		rows = append(rows, []string{c.Region, write(float64(c.Lost)), Percent(c.LostShare), strings.Join(why, ", ")})
	}
	p.table([]column{region("region"), number("lost"), number("of the run"), words("because of")}, rows)
	if len(d.Causes) > causesShown {
		p.Line("… and %s more; --json lists them", plural(len(d.Causes)-causesShown, "region"))
	}
}

// jointTable is the decision table over the causes of all regions.
func (p *Page) jointTable(j *diagnose.Joint, level diagnose.Level) {
	p.Heading("Decision table of all causes")
	columns := []column{words(string(level))}
	for _, a := range j.Attributes {
		columns = append(columns, number(jointName(a)))
	}
	columns = append(columns, number("kind"))
	var rows [][]string
	for _, r := range j.Rows[:min(kindsShown, len(j.Rows))] {
		row := []string{upTo(ranges(r.Units), 8)}
		for _, v := range r.Values {
			row = append(row, fmt.Sprint(v))
		}
		rows = append(rows, append(row, fmt.Sprint(r.Decision)))
	}
	p.table(columns, rows)
	if len(j.Rows) > kindsShown {
		p.Line("… and %s more; --json lists them", plural(len(j.Rows)-kindsShown, "row"))
	}
	sets := func(of []diagnose.JointAttribute) string {
		var names []string
		for _, a := range of {
			names = append(names, jointName(a))
		}
		return "{" + strings.Join(names, ", ") + "}"
	}
	var reducts []string
	for _, r := range j.Reducts {
		reducts = append(reducts, sets(r))
	}
	p.Paragraph(fmt.Sprintf("core: %s; reducts: %s", sets(j.Core), upTo(reducts, 6)))
}

func jointName(a diagnose.JointAttribute) string {
	return a.Attribute + " in " + shortName(lastName(a.Region))
}

func (p *Page) decisionTable(c diagnose.Cause, level diagnose.Level) {
	p.Heading("Decision table of " + c.Region)
	columns := []column{words(string(level))}
	noise := false
	for i, a := range c.Table.Attributes {
		if !c.Table.Used[i] {
			a, noise = a+"*", true
		}
		columns = append(columns, number(a))
	}
	columns = append(columns, number("kind"))
	var rows [][]string
	for i, r := range c.Table.Rows {
		if i == kindsShown {
			break
		}
		row := []string{upTo(ranges(r.Units), 8)}
		for _, v := range r.Values {
			row = append(row, fmt.Sprint(v))
		}
		rows = append(rows, append(row, fmt.Sprint(r.Decision)))
	}
	p.table(columns, rows)
	if len(c.Table.Rows) > kindsShown {
		p.Line("… and %s more; --json lists them", plural(len(c.Table.Rows)-kindsShown, "row"))
	}
	if noise {
		p.Line("* left out: varies no more between kinds than within")
	}
	p.Paragraph(fmt.Sprintf("core: {%s}; reducts: %s", strings.Join(c.Core, ", "), reducts(c)))
	if c.Matrix == nil {
		return
	}
	p.Heading("Discernibility matrix of " + c.Region)
	columns = []column{words(string(level))}
	rows = nil
	for i, line := range c.Matrix.Entries {
		if i == kindsShown {
			p.Line("the first %d of %d rows; --json holds all", kindsShown, len(c.Matrix.Entries))
			break
		}
		name := upTo(ranges(c.Matrix.Units[i]), 3)
		columns = append(columns, words(name))
		row := []string{name}
		for j, entry := range line[:min(len(line), kindsShown)] {
			if j < i {
				entry = ""
			}
			row = append(row, entry)
		}
		rows = append(rows, row)
	}
	p.table(columns, rows)
}

func reducts(c diagnose.Cause) string {
	var out []string
	for _, r := range c.Reducts {
		out = append(out, "{"+strings.Join(r, ", ")+"}")
	}
	text := upTo(out, 8)
	if !c.Complete {
		text += " (there may be others)"
	}
	if !c.Exact {
		text += " (there may be a smaller one)"
	}
	return text
}

func (p *Page) balance(c diagnose.Cause, level diagnose.Level) {
	p.Heading(fmt.Sprintf("Work that would balance %s, by %s", c.Region, c.BalanceBy))
	var measured []analyze.Real
	for _, w := range c.Balance {
		measured = append(measured, w.Measured)
	}
	write := quantities(metricUnit(c.BalanceBy), measured)
	var rows [][]string
	for _, w := range c.Balance {
		rows = append(rows, []string{w.Unit.String(), write(w.Measured), Ratio(w.Factor, 2), Percent(w.Share)})
	}
	p.table([]column{words(singular(level)), number("measured"), number("times its work now"), number("share if all have equal shares now")}, rows)
}

func (p *Page) internal(in diagnose.Internal) {
	var rows [][]string
	for _, r := range in.Regions {
		if r.Core && len(rows) < causesShown {
			rows = append(rows, []string{r.Region, plainWord(r.Class), Percent(r.Share), Ratio(r.CPI, 2)})
		}
	}
	p.table([]column{region("region"), words("severity"), number("of the run"), number("cycles/instruction")}, rows)
	if len(in.Attributes) > 0 {
		var why []string
		for _, a := range in.Attributes {
			why = append(why, attributeWords(a))
		}
		p.Paragraph("What sets them apart from the other regions: " + strings.Join(why, ", ") + ".")
	}
}
