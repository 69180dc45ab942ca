package report

import (
	"fmt"
	"strconv"

	"auspex/analyze"
	"auspex/training"
)

// Device writes what the accelerators of a rank did.
func (p *Page) Device(r *training.DeviceResult, top int) {
	p.Paragraph(r.Words)
	ms := func(s float64) string { return fmt.Sprintf("%.3f", s*1e3) }
	breakdown := func(b training.Breakdown) []string {
		overlap := "-"
		if b.Overlap != nil {
			overlap = Percent(analyze.Real(*b.Overlap))
		}
		return []string{ms(b.Computing), ms(b.Communicating), overlap, ms(b.Copying), ms(b.Idle)}
	}
	rows := [][]string{append([]string{"all", ms(r.Seconds)}, breakdown(r.All)...)}
	for _, s := range r.Steps[:min(top, len(r.Steps))] {
		rows = append(rows, append([]string{strconv.Itoa(s.Step), ms(s.Seconds)}, breakdown(s.Breakdown)...))
	}
	p.Heading("Steps (ms)")
	p.table([]column{words("step"), number("time"), number("computing"), number("communicating"), number("overlap"), number("copying"), number("idle")}, rows)
	rows = nil
	for _, s := range r.Idle[:min(top, len(r.Idle))] {
		rows = append(rows, []string{strconv.Itoa(s.Stream), grouped(s.Count), ms(s.Busy), ms(s.HostLate), ms(s.KernelGap), ms(s.Other), strconv.Itoa(s.QueueMax), fmt.Sprintf("%.1f", s.QueueMean)})
	}
	if len(rows) > 0 {
		p.Heading("Streams (ms)")
		p.table([]column{number("stream"), number("intervals"), number("busy"), number("host late"), number("kernel gap"), number("other idle"), number("longest queue"), number("mean queue")}, rows)
	}
	rows = nil
	for _, k := range r.Kernels[:min(top, len(r.Kernels))] {
		rows = append(rows, []string{shortKernel(k.Kernel), k.Kind, grouped(k.Count), ms(k.Seconds), Percent(analyze.Real(k.Share)), ms(k.Mean), ms(k.Most)})
	}
	if len(rows) > 0 {
		p.Heading("Kernels (ms)")
		p.table([]column{region("kernel"), words("kind"), number("count"), number("time"), number("share"), number("mean"), number("most")}, rows)
		p.more(len(rows), len(r.Kernels), "kernel")
	}
	p.operators("Operators", r.Operators, top)
	p.operators("Modules", r.Modules, top)
	rows = nil
	for _, c := range r.Copies {
		rows = append(rows, []string{c.Kind, grouped(c.Count), shortest(float64(c.Bytes) / 1e6), ms(c.Seconds), shortest(c.Bandwidth / 1e9), shortest(c.Most / 1e9)})
	}
	if len(rows) > 0 {
		p.Heading("Copies")
		p.table([]column{words("kind"), number("count"), number("MB"), number("ms"), number("GB/s"), number("most GB/s")}, rows)
	}
	rows = nil
	for _, c := range r.Counters[:min(top, len(r.Counters))] {
		rows = append(rows, []string{c.Counter, shortKernel(c.Kernel), c.Operator, grouped(c.Count), fmt.Sprintf("%.6g", c.Sum), fmt.Sprintf("%.4g", c.Mean)})
	}
	if len(rows) > 0 {
		p.Heading("Counters")
		p.table([]column{words("counter"), region("kernel"), region("operator"), number("runs"), number("sum"), number("mean")}, rows)
		p.more(len(rows), len(r.Counters), "row")
	}
	if l := r.Launches; l.Count > 0 {
		p.Line("")
		p.Paragraph(fmt.Sprintf("%d launches take the host %.1f µs each; kernels begin %.1f µs later (at most %.1f); %d kernels are shorter than their launch.",
			l.Count, l.MeanLaunch*1e6, l.MeanDelay*1e6, l.MostDelay*1e6, l.Short))
	}
}

// KernelsAcross prints how long kernels take on each rank.
func (p *Page) KernelsAcross(list []training.KernelAcross, top int) {
	var rows [][]string
	for _, k := range list[:min(top, len(list))] {
		least, most := k.Ranks[0], k.Ranks[0]
		for _, r := range k.Ranks {
			if r.Mean < least.Mean {
				least = r
			}
			if r.Mean > most.Mean {
				most = r
			}
		}
		rows = append(rows, []string{shortKernel(k.Kernel), k.Kind, strconv.Itoa(len(k.Ranks)), fmt.Sprintf("%.3f", least.Mean*1e3), strconv.Itoa(least.Rank), fmt.Sprintf("%.3f", most.Mean*1e3), strconv.Itoa(most.Rank)})
	}
	if len(rows) == 0 {
		return
	}
	p.Heading("Kernels across ranks (mean, ms)")
	p.table([]column{region("kernel"), words("kind"), number("ranks"), number("shortest"), number("on rank"), number("longest"), number("on rank")}, rows)
	p.more(len(rows), len(list), "kernel")
}

func (p *Page) operators(title string, list []training.OperatorStat, top int) {
	var rows [][]string
	for _, o := range list[:min(top, len(list))] {
		name := o.Name
		if name == "" {
			name = "(no operator)"
		}
		rows = append(rows, []string{name, grouped(o.Kernels), fmt.Sprintf("%.3f", o.Seconds*1e3)})
	}
	if len(rows) == 0 {
		return
	}
	p.Heading(title)
	p.table([]column{region("launched by"), number("kernels"), number("kernel ms")}, rows)
	p.more(len(rows), len(list), "row")
}

// TraceComparison writes how two traces differ by operator.
func (p *Page) TraceComparison(c *training.Comparison, top int) {
	p.Paragraph(c.Words)
	var rows [][]string
	for _, o := range c.Operators[:min(top, len(c.Operators))] {
		ratio := "-"
		if o.Ratio != nil {
			ratio = fmt.Sprintf("%.2f", *o.Ratio)
		}
		rows = append(rows, []string{o.Operator, o.State, fmt.Sprintf("%.3f", o.A*1e3), fmt.Sprintf("%.3f", o.B*1e3), ratio, strconv.Itoa(o.Kernels[0]), strconv.Itoa(o.Kernels[1])})
	}
	p.Heading("Operators (kernel ms)")
	p.table([]column{region("operator"), words("state"), number("a"), number("b"), number("b / a"), number("kernels a"), number("kernels b")}, rows)
	p.more(len(rows), len(c.Operators), "operator")
}

// shortKernel leaves out what stands behind the first 60 letters: a kernel's
// name lists the types of all its arguments.
func shortKernel(name string) string {
	const most = 60
	if letters := []rune(name); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return name
}
