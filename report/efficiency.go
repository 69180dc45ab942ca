package report

import (
	"fmt"
	"strings"

	"auspex/analyze"
	"auspex/internal/lazyregexp"
	"auspex/pop"
	"auspex/waits"
	"auspex/whatif"
)

// Efficiencies writes POP's factors, a column a run.
func (p *Page) Efficiencies(runs []pop.Factors, words string) {
	p.Paragraph(words)
	columns := []column{{title: ""}}
	for _, r := range runs {
		who := plural(r.Ranks, "rank")
		if r.Units > r.Ranks {
			who += ", " + plural(r.Units, "thread")
		}
		columns = append(columns, number(who))
	}
	var rows [][]string
	add := func(name string, of func(*pop.Factors) *float64, write func(float64) string) {
		row, any := []string{name}, false
		for i := range runs {
			cell := dash
			if v := of(&runs[i]); v != nil {
				cell, any = write(*v), true
			}
			row = append(row, cell)
		}
		if any {
			rows = append(rows, row)
		}
	}
	share := func(v float64) string { return fmt.Sprintf("%.4f", v) }
	secs := secondsOf(runs, func(f pop.Factors) []float64 { return measuredOf(f.RunSeconds, f.Ideal) })
	add("run time", func(f *pop.Factors) *float64 { return f.RunSeconds }, secs)
	add("run time, ideal network", func(f *pop.Factors) *float64 { return f.Ideal }, secs)
	add("speedup", func(f *pop.Factors) *float64 { return f.Speedup }, func(v float64) string { return fmt.Sprintf("%.3f", v) })
	add("global efficiency", func(f *pop.Factors) *float64 { return f.Global }, share)
	add("parallel efficiency", func(f *pop.Factors) *float64 { return f.Parallel }, share)
	add("· load balance", func(f *pop.Factors) *float64 { return f.LoadBalance }, share)
	add("· communication", func(f *pop.Factors) *float64 { return f.Communication }, share)
	add("· · serialization", func(f *pop.Factors) *float64 { return f.Serialization }, share)
	add("· · transfer", func(f *pop.Factors) *float64 { return f.Transfer }, share)
	add("· · · start and end", func(f *pop.Factors) *float64 {
		if f.StartEnd != nil && *f.StartEnd >= tellStart {
			return nil
		}
		return f.StartEnd
	}, share)
	add("· · · cores", func(f *pop.Factors) *float64 {
		if f.Cores != nil && *f.Cores >= tellStart {
			return nil
		}
		return f.Cores
	}, share)
	add("· MPI", func(f *pop.Factors) *float64 { return f.MPI }, share)
	add("· · load balance", func(f *pop.Factors) *float64 { return f.MPILoadBalance }, share)
	add("· · communication", func(f *pop.Factors) *float64 { return f.MPICommunication }, share)
	add("· OpenMP", func(f *pop.Factors) *float64 { return f.OpenMP }, share)
	add("· · load balance", func(f *pop.Factors) *float64 { return f.OpenMPLoadBalance }, share)
	add("· · communication", func(f *pop.Factors) *float64 { return f.OpenMPCommunication }, share)
	add("computation scalability", func(f *pop.Factors) *float64 { return f.Computation }, share)
	add("· IPC", func(f *pop.Factors) *float64 { return f.IPC }, share)
	add("· instructions", func(f *pop.Factors) *float64 { return f.Instruction }, share)
	add("· frequency", func(f *pop.Factors) *float64 { return f.Frequency }, share)
	p.table(columns, rows)
	for i := range runs {
		p.notes(runs[i].Notes)
	}
}

// measuredOf are the values that are there.
func measuredOf(of ...*float64) []float64 {
	var out []float64
	for _, v := range of {
		if v != nil {
			out = append(out, *v)
		}
	}
	return out
}

// Waits writes where ranks wait and for what.
func (p *Page) Waits(r *waits.Report, top int) {
	p.Paragraph(r.Words)
	short := withoutDirectory(r)
	if len(r.Rows) > 0 {
		p.waitRows(r, top, short)
	}
	p.Heading("Critical path")
	var rows [][]string
	write := secondsOf(r.CriticalPath, func(o waits.OnPath) []float64 { return []float64{o.Seconds, o.Imbalance} })
	for i, o := range r.CriticalPath {
		if i >= top {
			break
		}
		rows = append(rows, []string{short(o.Region), write(o.Seconds), Percent(analyze.Real(o.Share)), write(o.Imbalance)})
	}
	p.table([]column{{title: "region", flexible: true}, number("on the path"), number("share"), number("beyond the mean")}, rows)
	p.more(len(rows), len(r.CriticalPath), "region")
	p.notes(r.Notes)
}

// placed is a call named by the file it is in, with the whole path.
var placed = lazyregexp.New(`^(/.*/)[^/]+:\d+/`)

// withoutDirectory leaves the directory that all sources have in common off the names of
// calls.
func withoutDirectory(r *waits.Report) func(region string) string {
	common, first := "", true
	look := func(region string) {
		m := placed.FindStringSubmatch(region)
		switch {
		case m == nil:
		case first:
			common, first = m[1], false
		default:
			for !strings.HasPrefix(m[1], common) {
				common = common[:strings.LastIndexByte(common[:len(common)-1], '/')+1]
			}
		}
	}
	for _, row := range r.Rows {
		look(row.Region)
		for _, c := range row.Causes {
			look(c.Region)
		}
	}
	for _, o := range r.CriticalPath {
		look(o.Region)
	}
	return func(region string) string { return strings.TrimPrefix(region, common) }
}

// waitRows writes the ways to wait.
func (p *Page) waitRows(r *waits.Report, top int, short func(string) string) {
	p.Heading("Waits")
	write := secondsOf(r.Rows, func(row waits.Row) []float64 { return []float64{row.Seconds} })
	var rows [][]string
	for i, row := range r.Rows {
		if i >= top {
			break
		}
		cause := dash
		if len(row.Causes) > 0 {
			c := row.Causes[0]
			name := short(c.Region)
			if c.Mostly != "" {
				name = c.Mostly + " in " + name
			}
			cause = fmt.Sprintf("%s on %s, %s", name, rankList(c.Late()), write(c.Seconds))
		}
		rows = append(rows, []string{string(row.Pattern), short(row.Region), write(row.Seconds), Percent(analyze.Real(row.Share)), cause})
	}
	p.table([]column{{title: "pattern"}, {title: "at", flexible: true}, number("waits"), number("share"), {title: "largest cause", flexible: true}}, rows)
	p.more(len(rows), len(r.Rows), "row")
}

func rankList(ranks []int) string {
	if len(ranks) == 1 {
		return fmt.Sprintf("rank %d", ranks[0])
	}
	if len(ranks) > 3 {
		return fmt.Sprintf("ranks %d, %d, %d …", ranks[0], ranks[1], ranks[2])
	}
	text := "ranks"
	for i, r := range ranks {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %d", r)
	}
	return text
}

// Priced writes what changes would bring.
func (p *Page) Priced(a *whatif.Answer) {
	p.Paragraph(a.Words)
	p.notes(a.Notes)
}

// Opportunities writes what could be changed, best first.
func (p *Page) Opportunities(l *whatif.List, top int) {
	p.Paragraph(l.Words)
	if len(l.Opportunities) > 0 {
		p.Heading("Opportunities")
		write := secondsOf(l.Opportunities, func(o whatif.Opportunity) []float64 { return []float64{o.NewSeconds} })
		var rows [][]string
		for i, o := range l.Opportunities {
			if i >= top {
				break
			}
			after := dash
			if o.After != nil {
				after = Percent(analyze.Real(*o.After))
			}
			rows = append(rows, []string{o.Change, write(o.NewSeconds), Percent(analyze.Real(o.Gain)), after})
		}
		p.table([]column{{title: "change", flexible: true}, number("new time"), number("gain"), number("after the first")}, rows)
		p.more(len(rows), len(l.Opportunities), "change")
	}
	if len(l.Shares) > 0 {
		p.Heading("What the lost time is due to")
		write := secondsOf(l.Shares, func(s whatif.Share) []float64 { return []float64{s.Seconds} })
		var rows [][]string
		for _, s := range l.Shares {
			rows = append(rows, []string{s.Change, write(s.Seconds), Percent(analyze.Real(s.Share))})
		}
		p.table([]column{{title: "taken away by", flexible: true}, number("costs"), number("share")}, rows)
		p.Line("together %s; these shares add up", write(l.LossSeconds))
	}
	p.notes(l.Notes)
}
