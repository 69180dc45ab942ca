package report

import (
	"fmt"
	"strings"

	"auspex/analyze"
)

// Comparison writes two experiments side by side, at most top regions.
func (p *Page) Comparison(c *analyze.Comparison, top int) {
	p.Paragraph(ComparisonWords(c))
	for _, w := range c.Warnings {
		p.Paragraph("note: " + w)
	}
	rows := [][]string{
		{"run time", Seconds(c.Runtime.A), Seconds(c.Runtime.B), Ratio(c.Runtime.Ratio, 3)},
		efficiencyRow("load balance", c.Efficiency.A.LoadBalance, c.Efficiency.B.LoadBalance),
		efficiencyRow("communication", c.Efficiency.A.Communication, c.Efficiency.B.Communication),
		efficiencyRow("parallel efficiency", c.Efficiency.A.Parallel, c.Efficiency.B.Parallel),
	}
	for _, f := range c.Factors {
		rows = append(rows, []string{"factor " + f.Name, elide(factorText(f.A), 30), elide(factorText(f.B), 30), ""})
	}
	p.Heading("Whole program")
	p.table([]column{words(""), number(c.A), number(c.B), number("b/a")}, rows)

	p.Heading(fmt.Sprintf("Regions by change (exclusive %s, %s over units)", c.TimeMetric, c.Over))
	rows = nil
	for i, r := range c.Regions {
		if i == top {
			break
		}
		rows = append(rows, []string{
			r.Region, Seconds(r.A), Seconds(r.B), signedSeconds(r.B - r.A), Ratio(r.Ratio, 2), significance(r.Significant),
		})
	}
	p.table([]column{region("region"), number(c.A), number(c.B), number("change"), number("b/a"), words("")}, rows)
	if len(c.Regions) > top {
		p.Line("… and %s more; --top shows them", plural(len(c.Regions)-top, "region"))
	}
}

func efficiencyRow(name string, a, b analyze.Real) []string {
	change := analyze.Missing
	if a > 0 {
		change = b / a
	}
	return []string{name, Ratio(a, 3), Ratio(b, 3), Ratio(change, 3)}
}

func signedSeconds(r analyze.Real) string {
	if r > 0 {
		return "+" + Seconds(r)
	}
	return strings.Replace(Seconds(r), "-", "−", 1)
}

func significance(s *bool) string {
	switch {
	case s == nil:
		return ""
	case *s:
		return "significant"
	default:
		return "noise"
	}
}

// ComparisonWords says in a sentence or two what changed.
func ComparisonWords(c *analyze.Comparison) string {
	var b strings.Builder
	switch r := float64(c.Runtime.Ratio); {
	case c.Runtime.Ratio.IsMissing():
		fmt.Fprintf(&b, "%s took no time to compare with.", c.A)
	case r < 0.99:
		fmt.Fprintf(&b, "%s is %.2f times faster than %s: %s instead of %s.", c.B, 1/r, c.A, Seconds(c.Runtime.B), Seconds(c.Runtime.A))
	case r > 1.01:
		fmt.Fprintf(&b, "%s is %.2f times slower than %s: %s instead of %s.", c.B, r, c.A, Seconds(c.Runtime.B), Seconds(c.Runtime.A))
	default:
		fmt.Fprintf(&b, "%s and %s take the same time: %s and %s.", c.A, c.B, Seconds(c.Runtime.A), Seconds(c.Runtime.B))
	}
	before, after := c.Efficiency.A, c.Efficiency.B
	verb := "stays at"
	switch {
	case after.Parallel < before.Parallel-0.005:
		verb = "falls from " + Ratio(before.Parallel, 3) + " to"
	case after.Parallel > before.Parallel+0.005:
		verb = "rises from " + Ratio(before.Parallel, 3) + " to"
	}
	fmt.Fprintf(&b, " Parallel efficiency %s %s", verb, Ratio(after.Parallel, 3))
	if balance, communication := before.LoadBalance-after.LoadBalance, before.Communication-after.Communication; verb != "stays at" {
		if max(balance, -balance) >= max(communication, -communication) {
			fmt.Fprintf(&b, ", mostly through load balance (%s to %s)", Ratio(before.LoadBalance, 3), Ratio(after.LoadBalance, 3))
		} else {
			fmt.Fprintf(&b, ", mostly through communication (%s to %s)", Ratio(before.Communication, 3), Ratio(after.Communication, 3))
		}
	}
	b.WriteString(".")
	b.WriteString(mostChanged(c, "got slower most", func(r analyze.RegionPair) bool { return r.B > r.A }))
	b.WriteString(mostChanged(c, "gained most", func(r analyze.RegionPair) bool { return r.B < r.A }))
	return b.String()
}

// worthSaying is the least change of a region, as a share of the run time,
// that a sentence is spent on.
const worthSaying = 0.01

// mostChanged names the region that changed most in one direction; regions
// come with the largest change first.
func mostChanged(c *analyze.Comparison, verb string, fits func(analyze.RegionPair) bool) string {
	for _, r := range c.Regions {
		if !fits(r) || (r.Significant != nil && !*r.Significant) {
			continue
		}
		if change := max(r.B-r.A, r.A-r.B); c.Over != analyze.OverTotal && change < worthSaying*c.Runtime.A {
			return ""
		}
		return fmt.Sprintf(" What %s is %s: %s instead of %s (%s over units).", verb, r.Region, Seconds(r.B), Seconds(r.A), c.Over)
	}
	return ""
}
