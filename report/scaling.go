package report

import (
	"fmt"
	"slices"
	"strings"

	"auspex/analyze"
	"auspex/analyze/scaling"
)

// leastOfCommunication is what of communication loses most: one of its parts, or
// itself where none of them is below 0.9.
func leastOfCommunication(r *scaling.Run) (analyze.Real, string) {
	least, name, cores := analyze.Real(0.9), "", analyze.Real(1)
	if r.Cores != nil {
		cores = *r.Cores
	}
	for _, part := range []struct {
		value analyze.Real // missing ones are no less than anything
		name  string
	}{
		{r.StartEnd, "starting and ending"},
		{r.Serialization, "serialization: processes wait for one another even on a perfect network"},
		{cores, "want of cores within MPI"},
		{r.Transfer / r.StartEnd / cores, "transfer: what messages cost beyond waiting for one another"},
	} {
		if part.value < least {
			least, name = part.value, part.name
		}
	}
	if rest := r.Communication / r.StartEnd / cores; name == "" || r.Transfer.IsMissing() && rest < least {
		return r.Communication, "communication"
	}
	return least, name
}

// mostTerms is how long a formula is read.
const mostTerms = 3

// ScalingWords is the answer in a few sentences.
func ScalingWords(s *scaling.Scaling) string {
	first, last := s.Smallest(), s.Largest()
	more := float64(last.Count) / float64(first.Count)
	fixed := "the problem size is fixed"
	if s.Uncertain {
		fixed = "the problem size is taken to be fixed"
	}
	what := fmt.Sprintf("%s: %s × as many %s make it %s × as fast", fixed, times(more), s.Of, Ratio(last.Speedup, 1))
	if last.Speedup < 1 {
		what = fmt.Sprintf("%s: %s × as many %s make it slower, %s × as fast", fixed, times(more), s.Of, Ratio(last.Speedup, 2))
	}
	if s.Kind == scaling.Weak {
		what = fmt.Sprintf("the work grows with the %s: with %s × as many the run takes %s × as long", s.Of, times(more), Ratio(analyze.Ratio(float64(last.RunSeconds), float64(first.RunSeconds)), 2))
	}
	out := []string{fmt.Sprintf("%s scaling over %s, %d to %d %s; %s (efficiency %s).",
		capital(string(s.Kind)), plural(len(s.Runs), "run"), first.Count, last.Count, s.Of, what, Percent(last.Efficiency))}
	if len(s.Factors) > 0 {
		out = append(out, fmt.Sprintf("The runs also differ in %s, so what follows need not be a matter of scaling.", differingFactors(s)))
	}
	weakest, name := last.LoadBalance, "load balance"
	if last.Communication < weakest {
		weakest, name = leastOfCommunication(&last)
	}
	if last.ComputationScalability < weakest {
		weakest, name = last.ComputationScalability, "the computation itself"
		if rest := last.ComputationScalability / last.OnCores; last.OnCores < 0.9 && last.OnCores < rest {
			name = "time off the cores: blocked, asleep or waiting for a core"
		}
	}
	if weakest < 0.9 {
		out = append(out, fmt.Sprintf("On %d, most is lost to %s (%s).", last.Count, name, Ratio(weakest, 2)))
	}
	if len(s.Regions) > 0 {
		var parts []string
		for _, r := range s.Regions[:min(3, len(s.Regions))] {
			parts = append(parts, fmt.Sprintf("%s (%s)", quoted(shortName(lastName(r.Region))), Percent(r.Excess)))
		}
		out = append(out, fmt.Sprintf("What does not scale, by how much longer it takes than it should, as a share of the run on %d: %s.", last.Count, listed(parts)))
	}
	if len(s.Kept) > 0 {
		k := s.Kept[0]
		stays := fmt.Sprintf("%s is not shared: on %d the one that has most of it takes %s, on %d %s.", quoted(shortName(lastName(k.Region))),
			last.Count, Seconds(k.Seconds[len(k.Seconds)-1]), first.Count, Seconds(k.Seconds[0]))
		if len(s.Kept) > 1 {
			stays = strings.TrimSuffix(stays, ".") + fmt.Sprintf("; nor is other work (%s).", plural(len(s.Kept)-1, "region"))
		}
		out = append(out, stays)
	}
	if s.Model != nil {
		next := s.Model.Next[0]
		what := "By the growth of its regions"
		if len(s.Model.Terms) <= mostTerms {
			what = fmt.Sprintf("The run time in seconds follows %s on p %s, the sum of its regions;", s.Model.Formula, s.Of)
		}
		expected := fmt.Sprintf("%s on %d expect %s (%s to %s)", what, next.Ranks, Seconds(next.Seconds), Seconds(next.Interval[0]), Seconds(next.Interval[1]))
		if s.Kind == scaling.Strong && next.Seconds > last.RunSeconds {
			expected += fmt.Sprintf(", longer than on %d", last.Count)
		}
		out = append(out, expected+".")
	}
	return strings.Join(out, " ")
}

// differingFactors lists them with their values.
func differingFactors(s *scaling.Scaling) string {
	var parts []string
	for _, f := range s.Factors {
		var values []string
		for _, v := range f.Values {
			if text := factorText(v); !slices.Contains(values, text) {
				values = append(values, text)
			}
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", f.Name, someOf(values, 4)))
	}
	return listed(parts)
}

func times(x float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0") }

// Scaling writes what `auspex scaling` found.
func (p *Page) Scaling(s *scaling.Scaling) {
	p.Paragraph(s.Words)
	for _, w := range s.Warnings {
		p.Paragraph("note: " + w)
	}
	p.Heading("Runs")
	write := secondsOf(s.Runs, func(r scaling.Run) []float64 { return []float64{float64(r.RunSeconds)} })
	var rows [][]string
	for _, r := range s.Runs {
		rows = append(rows, []string{r.Name, grouped(r.Count), write(float64(r.RunSeconds)), Ratio(r.Speedup, 2), Ratio(r.Efficiency, 3), bar(float64(r.Efficiency), 20)})
	}
	p.table([]column{words("run"), number(s.Of), number("run time"), number("speedup"), number("efficiency"), words("")}, rows)
	p.Heading("Efficiencies (POP; the smallest run is the reference)")
	rows = nil
	for _, r := range s.Runs {
		rows = append(rows, []string{grouped(r.Count), Ratio(r.Global, 3), Ratio(r.Parallel, 3), Ratio(r.LoadBalance, 3), Ratio(r.Communication, 3),
			Ratio(r.ComputationScalability, 3), Ratio(r.InstructionScalability, 3), Ratio(r.IPCScalability, 3), Ratio(r.FrequencyScalability, 3)})
	}
	p.table([]column{number(s.Of), number("global"), number("parallel"), number("balance"), number("communication"), number("computation"), number("instructions"), number("ipc"), number("frequency")}, rows)
	rows = nil
	for _, r := range s.Runs {
		if !r.Serialization.IsMissing() {
			rows = append(rows, []string{grouped(r.Count), Ratio(r.Communication, 3), Ratio(r.Serialization, 3), Ratio(r.Transfer, 3)})
		}
	}
	if len(rows) > 0 {
		p.Heading("Communication, from replays of the kept traces on an ideal network")
		p.table([]column{number(s.Of), number("communication"), number("serialization"), number("transfer")}, rows)
	}
	if len(s.Regions) == 0 {
		return
	}
	last := s.Runs[len(s.Runs)-1]
	p.Heading(fmt.Sprintf("Regions that do not scale (by name; exclusive, mean over units; shares of the run on %s %s)", grouped(last.Count), s.Of))
	write = secondsOf(s.Regions, func(r scaling.Region) []float64 {
		return []float64{float64(r.First), float64(r.Last), float64(r.Ideal)}
	})
	excess := analyze.Real(0)
	rows = nil
	for _, r := range s.Regions {
		formula := dash
		if r.Model != nil {
			formula = r.Model.Formula
		}
		excess += r.Excess
		rows = append(rows, []string{r.Region, write(float64(r.First)), write(float64(r.Last)), write(float64(r.Ideal)), Percent(r.Excess), bar(float64(r.Excess), 10), formula})
	}
	p.table([]column{region("region"), number("on " + grouped(s.Runs[0].Count)), number("on " + grouped(last.Count)), number("ideal"), number("excess"), words(""), words("seconds over p")}, rows)
	if len(rows) > 1 {
		p.Line("Together they take %s of that run more than they should.", Percent(excess))
	}
}
