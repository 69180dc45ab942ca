package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"auspex/analyze"
)

// Comparison writes two experiments side by side, at most top regions.
func (p *Page) Comparison(c *analyze.Comparison, top int) {
	p.Paragraph(ComparisonWords(c))
	for _, w := range c.Warnings {
		p.Paragraph("note: " + w)
	}
	write := quantities("s", []analyze.Real{c.Runtime.A, c.Runtime.B})
	rows := [][]string{
		{"run time", write(c.Runtime.A), write(c.Runtime.B), Ratio(c.Runtime.Ratio, 3)},
		efficiencyRow("load balance", c.Efficiency.A.LoadBalance, c.Efficiency.B.LoadBalance),
		efficiencyRow("communication", c.Efficiency.A.Communication, c.Efficiency.B.Communication),
		efficiencyRow("parallel efficiency", c.Efficiency.A.Parallel, c.Efficiency.B.Parallel),
	}
	for _, f := range c.Factors {
		rows = append(rows, []string{"factor " + f.Name, elide(factorText(f.A), 30), elide(factorText(f.B), 30), ""})
	}
	p.Heading("Whole program")
	p.table([]column{words(""), number(c.A), number(c.B), number("b/a")}, rows)

	p.Heading(fmt.Sprintf("%s by change (%s)", regionsTitle(c.By), metricTitle(c)))
	shown := c.Regions[:min(top, len(c.Regions))]
	write = quantities(c.Unit, pairValues(shown))
	rows = nil
	for _, r := range shown {
		rows = append(rows, []string{
			r.Region, write(r.A), write(r.B), signed(r.B-r.A, write), Ratio(r.Ratio, 2), significance(r.Significant),
		})
	}
	p.table([]column{region("region"), number(c.A), number(c.B), number("change"), number("b/a"), words("")}, rows)
	p.more(len(shown), len(c.Regions), "region")
	p.covers(sharesOf(shown, func(r analyze.RegionPair) analyze.Real { return r.Share }), "the run of "+c.A)
}

func pairValues(pairs []analyze.RegionPair) []analyze.Real {
	var values []analyze.Real
	for _, r := range pairs {
		values = append(values, r.A, r.B)
	}
	return values
}

func regionsTitle(by string) string {
	if by == analyze.Names {
		return "Functions"
	}
	return "Regions"
}

func metricTitle(c *analyze.Comparison) string {
	title := c.Metric
	if c.Metric == c.TimeMetric {
		title = "exclusive " + c.Metric
	}
	return title + ", " + overWords(c)
}

// overWords says how units make one value.
func overWords(c *analyze.Comparison) string {
	if c.AcrossUnits {
		return "over all units"
	}
	return string(c.Over) + " over units"
}

// Comparisons writes several experiments beside the one they are compared with.
func (p *Page) Comparisons(all *analyze.Comparisons, top int) {
	first := all.Others[0]
	var sentences []string
	columns := []column{words(""), number(all.Baseline)}
	whole := [][]string{{"run time"}, {"load balance"}, {"communication"}, {"parallel efficiency"}}
	seconds := []analyze.Real{first.Runtime.A}
	repeated := slices.ContainsFunc(all.Others, judged)
	regionColumns := []column{region("region"), number(all.Baseline)}
	for _, c := range all.Others {
		columns = append(columns, number(c.B), number("/ "+all.Baseline))
		regionColumns = append(regionColumns, number(c.B), number("/ "+all.Baseline))
		if repeated {
			regionColumns = append(regionColumns, words(""))
		}
		sentences = append(sentences, runtimeWords(c))
		if judged(c) || c.Metric != c.TimeMetric {
			sentences = append(sentences, changeWords(c)...)
		}
		seconds = append(seconds, c.Runtime.B)
	}
	p.Paragraph(strings.Join(sentences, " "))
	for _, c := range all.Others {
		p.notes(c.Warnings)
	}
	write := quantities("s", seconds)
	whole[0] = append(whole[0], write(first.Runtime.A))
	e := first.Efficiency.A
	for i, v := range []analyze.Real{e.LoadBalance, e.Communication, e.Parallel} {
		whole[i+1] = append(whole[i+1], Ratio(v, 3))
	}
	for _, c := range all.Others {
		whole[0] = append(whole[0], write(c.Runtime.B), Ratio(c.Runtime.Ratio, 3))
		for i, row := range [][]string{efficiencyRow("", c.Efficiency.A.LoadBalance, c.Efficiency.B.LoadBalance),
			efficiencyRow("", c.Efficiency.A.Communication, c.Efficiency.B.Communication), efficiencyRow("", c.Efficiency.A.Parallel, c.Efficiency.B.Parallel)} {
			whole[i+1] = append(whole[i+1], row[2], row[3])
		}
	}
	p.Heading("Whole program")
	p.table(columns, whole)

	names, cells := comparedRegions(all)
	shown := names[:min(top, len(names))]
	var values []analyze.Real
	for _, name := range shown {
		for _, r := range cells[name] {
			values = append(values, r.A, r.B)
		}
	}
	write = quantities(first.Unit, values)
	var rows [][]string
	for _, name := range shown {
		row := []string{name, dash}
		for _, r := range cells[name] {
			if row[1] == dash {
				row[1] = write(r.A)
			}
			row = append(row, write(r.B), Ratio(r.Ratio, 2))
			if repeated {
				row = append(row, significance(r.Significant))
			}
		}
		rows = append(rows, row)
	}
	p.Heading(fmt.Sprintf("%s by their largest change (%s)", regionsTitle(first.By), metricTitle(first)))
	p.table(regionColumns, rows)
	p.more(len(shown), len(names), "region")
	p.covers(sharesOf(shown, func(name string) analyze.Real { return baselineShare(cells[name]) }), "the run of "+all.Baseline)
}

// baselineShare is a region's share of the baseline's run, which each comparison
// that has the region knows.
func baselineShare(pairs []analyze.RegionPair) analyze.Real {
	for _, r := range pairs {
		if !r.A.IsMissing() || !r.B.IsMissing() {
			return r.Share
		}
	}
	return analyze.Missing
}

// comparedRegions lists the regions of all comparisons, those that changed most in
// any first, with a pair for each.
func comparedRegions(all *analyze.Comparisons) ([]string, map[string][]analyze.RegionPair) {
	cells, most := map[string][]analyze.RegionPair{}, map[string]analyze.Real{}
	var names []string
	missing := analyze.RegionPair{Pair: analyze.Pair{A: analyze.Missing, B: analyze.Missing, Ratio: analyze.Missing}}
	for i, c := range all.Others {
		for _, r := range c.Regions {
			if cells[r.Region] == nil {
				names = append(names, r.Region)
				cells[r.Region] = slices.Repeat([]analyze.RegionPair{missing}, len(all.Others))
			}
			cells[r.Region][i] = r
			most[r.Region] = max(most[r.Region], r.B-r.A, r.A-r.B)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(most[b], most[a]) })
	return names, cells
}

func efficiencyRow(name string, a, b analyze.Real) []string {
	change := analyze.Missing
	if a > 0 {
		change = b / a
	}
	return []string{name, Ratio(a, 3), Ratio(b, 3), Ratio(change, 3)}
}

func signed(r analyze.Real, write func(analyze.Real) string) string {
	if r > 0 {
		return "+" + write(r)
	}
	return strings.Replace(write(r), "-", "−", 1)
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

// ComparisonWords says in a few sentences what changed.
func ComparisonWords(c *analyze.Comparison) string {
	said := []string{runtimeWords(c)}
	if e := efficiencyWords(c); e != "" {
		said = append(said, e)
	}
	return strings.Join(append(said, changeWords(c)...), " ")
}

// efficiencyWords says how the parallel efficiency moved; whether it did is not
// known where the run times differ by scatter.
func efficiencyWords(c *analyze.Comparison) string {
	before, after := c.Efficiency.A, c.Efficiency.B
	if before.Parallel.IsMissing() || after.Parallel.IsMissing() {
		return ""
	}
	verb := ""
	switch {
	case after.Parallel < before.Parallel-0.005:
		verb = "falls"
	case after.Parallel > before.Parallel+0.005:
		verb = "rises"
	default:
		return fmt.Sprintf("Parallel efficiency stays at %s.", Ratio(after.Parallel, 3))
	}
	if !beyondScatter(c.Runtime.Significant) || mayScatter(c) {
		return fmt.Sprintf("Parallel efficiency is %s and %s.", Ratio(before.Parallel, 3), Ratio(after.Parallel, 3))
	}
	return fmt.Sprintf("Parallel efficiency %s from %s to %s%s.", verb, Ratio(before.Parallel, 3), Ratio(after.Parallel, 3), throughWords(before, after))
}

// changeWords name the regions that changed most, and of repeated runs how many did
// beyond scatter.
func changeWords(c *analyze.Comparison) []string {
	if c.Metric != c.TimeMetric {
		return []string{metricWords(c)}
	}
	var said []string
	for _, s := range []string{
		mostChanged(c, "slowdown", func(r analyze.RegionPair) bool { return r.B > r.A }),
		mostChanged(c, "gain", func(r analyze.RegionPair) bool { return r.B < r.A }),
	} {
		if s != "" {
			said = append(said, s)
		}
	}
	if !judged(c) {
		return said
	}
	switch n := significantRegions(c); {
	case n == 0:
		said = append(said, "No region differs by more than the runs scatter.")
	case n == 1:
		said = append(said, fmt.Sprintf("Only %s differs by more than the runs scatter.", only(c)))
	default:
		said = append(said, fmt.Sprintf("%s differ by more than the runs scatter.", plural(n, "region")))
	}
	return said
}

// metricWords says where a metric other than time changed most.
func metricWords(c *analyze.Comparison) string {
	missing := 0
	for _, r := range c.Regions {
		if r.A.IsMissing() || r.B.IsMissing() {
			missing++
			continue
		}
		if r.Significant != nil && !*r.Significant || r.A == r.B {
			continue
		}
		write := quantities(c.Unit, []analyze.Real{r.A, r.B})
		return fmt.Sprintf("%s changes most in %s: %s instead of %s (%s).", c.Metric, r.Region, write(r.B), write(r.A), overWords(c))
	}
	switch {
	case len(c.Regions) == 0:
		return fmt.Sprintf("%s is zero or missing in all regions of both.", c.Metric)
	case missing == len(c.Regions):
		return fmt.Sprintf("No region has %s in both.", c.Metric)
	case judged(c):
		return fmt.Sprintf("No region differs in %s by more than the runs scatter.", c.Metric)
	}
	return fmt.Sprintf("No region that has %s in both differs.", c.Metric)
}

// judged tells whether repeated runs say how much scatters.
func judged(c *analyze.Comparison) bool {
	return c.Runtime.Significant != nil && (len(c.Regions) == 0 || slices.ContainsFunc(c.Regions, func(r analyze.RegionPair) bool { return r.Significant != nil }))
}

func beyondScatter(significant *bool) bool { return significant == nil || *significant }

// only is the first region that differs beyond scatter.
func only(c *analyze.Comparison) string {
	at := slices.IndexFunc(c.Regions, func(r analyze.RegionPair) bool { return r.Significant != nil && *r.Significant })
	return c.Regions[at].Region
}

func significantRegions(c *analyze.Comparison) int {
	n := 0
	for _, r := range c.Regions {
		if r.Significant != nil && *r.Significant {
			n++
		}
	}
	return n
}

// throughWords says which of its factors moved the parallel efficiency, their
// product, most the way that it went.
func throughWords(before, after analyze.Efficiency) string {
	if before.LoadBalance.IsMissing() || after.LoadBalance.IsMissing() || before.Communication.IsMissing() || after.Communication.IsMissing() {
		return ""
	}
	grown := func(from, to analyze.Real) float64 {
		return math.Log(max(float64(to), 1e-9) / max(float64(from), 1e-9))
	}
	balance, communication := grown(before.LoadBalance, after.LoadBalance), grown(before.Communication, after.Communication)
	if grown(before.Parallel, after.Parallel) < 0 {
		balance, communication = -balance, -communication
	}
	if balance >= communication {
		return fmt.Sprintf(", mostly through load balance (%s to %s)", Ratio(before.LoadBalance, 3), Ratio(after.LoadBalance, 3))
	}
	return fmt.Sprintf(", mostly through communication (%s to %s)", Ratio(before.Communication, 3), Ratio(after.Communication, 3))
}

// runtimeWords says which of two is faster.
func runtimeWords(c *analyze.Comparison) string {
	switch r := float64(c.Runtime.Ratio); {
	case c.Runtime.Ratio.IsMissing():
		return fmt.Sprintf("%s took no time to compare with.", c.A)
	case r == 0:
		return fmt.Sprintf("%s took no time to compare with.", c.B)
	case !beyondScatter(c.Runtime.Significant):
		return fmt.Sprintf("The run times of %s and %s, %s and %s, differ by no more than repeated runs may scatter.", c.A, c.B, Seconds(c.Runtime.A), Seconds(c.Runtime.B))
	case lackedCores(c):
		return fmt.Sprintf("%s took %s and %s %s, with a unit without a core for up to %s: which is faster cannot be told.", c.A, Seconds(c.Runtime.A), c.B, Seconds(c.Runtime.B), Seconds(c.WithoutCore))
	case r < 0.99:
		return fmt.Sprintf("%s is %.2f times faster than %s: %s instead of %s%s.", c.B, 1/r, c.A, Seconds(c.Runtime.B), Seconds(c.Runtime.A), scatterWords(c))
	case r > 1.01:
		return fmt.Sprintf("%s is %.2f times slower than %s: %s instead of %s%s.", c.B, r, c.A, Seconds(c.Runtime.B), Seconds(c.Runtime.A), scatterWords(c))
	}
	return fmt.Sprintf("%s and %s take the same time: %s and %s.", c.A, c.B, Seconds(c.Runtime.A), Seconds(c.Runtime.B))
}

// quietRuns is by how much single runs differ on a machine with nothing else to do,
// nine times in ten: the interval of whatif, which has 2 % for one run.
const quietRuns = 0.0465

// mayScatter tells whether runs that were not repeated differ by so little that they may
// as well do so when nothing is changed.
func mayScatter(c *analyze.Comparison) bool {
	r := float64(c.Runtime.Ratio)
	return c.Runtime.Significant == nil && max(r, 1/r) < 1+quietRuns || lackedCores(c)
}

// lackedCores tells whether single runs differ by no more than what else ran there may
// have made them.
func lackedCores(c *analyze.Comparison) bool {
	r, apart := float64(c.Runtime.Ratio), math.Abs(float64(c.Runtime.A-c.Runtime.B))
	return c.Runtime.Significant == nil && max(r, 1/r) > 1.01 && float64(c.WithoutCore) >= leastWithout*min(float64(c.Runtime.A), float64(c.Runtime.B)) &&
		apart <= float64(c.WithoutCore)+quietRuns*float64(c.Runtime.A)
}

// leastWithout of the run is time without a core that is worth a word.
const leastWithout = 0.02

// scatter is by how many seconds a region of single runs may differ by chance: where
// samples fell, what else ran there, and what runs differ by on a quiet machine, which may
// all be in one region.
func scatter(c *analyze.Comparison, r analyze.RegionPair) analyze.Real {
	return 2*r.Counting + c.WithoutCore + quietRuns*min(c.Runtime.A, c.Runtime.B)
}

// scatterWords says so.
func scatterWords(c *analyze.Comparison) string {
	if !mayScatter(c) {
		return ""
	}
	return ", by single runs, which may differ as much by chance"
}

// mostChanged names the region that changed most in one direction; regions
// come with the largest change first.
func mostChanged(c *analyze.Comparison, what string, fits func(analyze.RegionPair) bool) string {
	for _, r := range c.Regions {
		if !fits(r) || !beyondScatter(r.Significant) {
			continue
		}
		if change := max(r.B-r.A, r.A-r.B); r.Significant == nil && c.Over != analyze.OverTotal && change < scatter(c, r) {
			continue
		}
		if r.Only != "" {
			return fmt.Sprintf("The largest %s is in %s, which only %s has: %s (%s over units).", what, r.Region, r.Only, Seconds(max(r.A, r.B)), c.Over)
		}
		return fmt.Sprintf("The largest %s is in %s: %s instead of %s (%s over units).", what, r.Region, Seconds(r.B), Seconds(r.A), c.Over)
	}
	return ""
}
