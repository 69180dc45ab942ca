package report

import (
	"fmt"
	"strings"

	"auspex/analyze"
	"auspex/analyze/scaling"
)

// ScalingWords is the answer in a few sentences.
func ScalingWords(s *scaling.Scaling) string {
	first, last := s.Runs[0], s.Runs[len(s.Runs)-1]
	more := float64(last.Ranks) / float64(first.Ranks)
	what := fmt.Sprintf("the problem stays: %s × as many processes make it %s × as fast", times(more), Ratio(last.Speedup, 1))
	if s.Kind == scaling.Weak {
		what = fmt.Sprintf("the work grows with the processes: on %s × as many the run takes %s × as long", times(more), Ratio(analyze.Ratio(float64(last.RunSeconds), float64(first.RunSeconds)), 2))
	}
	out := []string{fmt.Sprintf("%s scaling over %s, %d to %d processes; %s (efficiency %s).",
		capital(string(s.Kind)), plural(len(s.Runs), "run"), first.Ranks, last.Ranks, what, Percent(last.Efficiency))}
	weakest, name := last.LoadBalance, "load balance"
	if last.Communication < weakest {
		weakest, name = last.Communication, "communication"
		if last.Serialization < 0.9 && last.Serialization <= last.Transfer {
			weakest, name = last.Serialization, "serialization: processes wait for one another even on a perfect network"
		} else if last.Transfer < 0.9 {
			weakest, name = last.Transfer, "transfer: what messages cost beyond waiting for one another"
		}
	}
	if last.ComputationScalability < weakest {
		weakest, name = last.ComputationScalability, "the computation itself"
	}
	if weakest < 0.9 {
		out = append(out, fmt.Sprintf("What is lost most on %d is in %s (%s).", last.Ranks, name, Ratio(weakest, 2)))
	}
	if len(s.Regions) > 0 {
		var parts []string
		for _, r := range s.Regions[:min(3, len(s.Regions))] {
			parts = append(parts, fmt.Sprintf("%s (%s of the run on %d more than it should)", quoted(shortName(lastName(r.Region))), Percent(r.Excess), last.Ranks))
		}
		out = append(out, "What does not scale: "+strings.Join(parts, ", ")+".")
	}
	if s.Model != nil {
		next := s.Model.Next[0]
		out = append(out, fmt.Sprintf("The run time follows %s; on %d processes expect %s (%s to %s).", s.Model.Formula, next.Ranks,
			Seconds(next.Seconds), Seconds(next.Interval[0]), Seconds(next.Interval[1])))
	}
	return strings.Join(out, " ")
}

func times(x float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0") }

// Scaling writes what `auspex scaling` found.
func (p *Page) Scaling(s *scaling.Scaling) {
	p.Paragraph(s.Words)
	for _, w := range s.Warnings {
		p.Paragraph("note: " + w)
	}
	p.Heading("Runs")
	var rows [][]string
	for _, r := range s.Runs {
		rows = append(rows, []string{r.Name, grouped(r.Ranks), Seconds(r.RunSeconds), Ratio(r.Speedup, 2), Ratio(r.Efficiency, 3), bar(float64(r.Efficiency), 20)})
	}
	p.table([]column{words("run"), number("processes"), number("run time"), number("speedup"), number("efficiency"), words("")}, rows)
	p.Heading("Efficiencies (POP; the smallest run is the reference)")
	rows = nil
	for _, r := range s.Runs {
		rows = append(rows, []string{grouped(r.Ranks), Ratio(r.Global, 3), Ratio(r.Parallel, 3), Ratio(r.LoadBalance, 3), Ratio(r.Communication, 3),
			Ratio(r.ComputationScalability, 3), Ratio(r.InstructionScalability, 3), Ratio(r.IPCScalability, 3), Ratio(r.FrequencyScalability, 3)})
	}
	p.table([]column{number("processes"), number("global"), number("parallel"), number("balance"), number("communication"), number("computation"), number("instructions"), number("ipc"), number("frequency")}, rows)
	rows = nil
	for _, r := range s.Runs {
		if !r.Serialization.IsMissing() {
			rows = append(rows, []string{grouped(r.Ranks), Ratio(r.Communication, 3), Ratio(r.Serialization, 3), Ratio(r.Transfer, 3)})
		}
	}
	if len(rows) > 0 {
		p.Heading("Communication, from replays of the kept traces on an ideal network")
		p.table([]column{number("processes"), number("communication"), number("serialization"), number("transfer")}, rows)
	}
	if len(s.Regions) == 0 {
		return
	}
	p.Heading("Regions that do not scale (exclusive, mean over units)")
	rows = nil
	for _, r := range s.Regions {
		formula := dash
		if r.Model != nil {
			formula = r.Model.Formula
		}
		rows = append(rows, []string{r.Region, Seconds(r.Seconds[0]), Seconds(r.Seconds[len(r.Seconds)-1]), Seconds(r.Ideal), Percent(r.Excess), bar(float64(r.Excess), 10), formula})
	}
	p.table([]column{region("region"), number("smallest"), number("largest"), number("should be"), number("too much"), words(""), words("seconds over p")}, rows)
}
