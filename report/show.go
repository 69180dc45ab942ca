package report

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"auspex/account"
	"auspex/analyze"
	"auspex/events"
	"auspex/model"
	"auspex/pop"
)

// Summary writes what `auspex show` tells.
func (p *Page) Summary(s *analyze.Summary) {
	p.Line("%s", p.Strong(s.Name)+programText(s))
	p.Paragraph(SummaryWords(s))
	p.fields([][2]string{
		{"units", unitsText(s)},
		{"regions", grouped(s.Regions)},
		{"metrics", strings.Join(s.Metrics, ", ")},
		{"factors", factorsText(s.Factors)},
		{"from", fromText(s)},
	})
	for _, w := range s.Warnings {
		p.Paragraph("note: " + w)
	}
	if s.TimeMetric == "" {
		p.heaviest(s, "", "all "+s.Metric)
		return
	}
	p.Heading("Efficiency")
	if s.InTurns {
		p.Paragraph("The threads and devices of a training job's rank wait for one another in turns, which is no loss: how much ranks lost is told by auspex stragglers for the experiment, and by auspex efficiency for the folder of its traces.")
		p.ledgers(s)
		return
	}
	for _, e := range []struct {
		name  string
		value analyze.Real
		means string
	}{
		{"load balance", s.Efficiency.LoadBalance, "mean / max useful time"},
		{"communication", s.Efficiency.Communication, "max useful time / run time"},
		{"parallel", s.Efficiency.Parallel, "their product"},
	} {
		p.part(e.name, e.value, e.means)
	}
	if e := s.Efficiency; e.Serialization != nil {
		p.part("serialization", *e.Serialization, "max useful time / run time, on an ideal network")
		p.part("transfer", *e.Transfer, "communication / serialization: what messages cost beyond waiting for one another")
	}
	if e := s.Efficiency; e.StartEnd != nil && *e.StartEnd < tellStart {
		p.part("start and end", *e.StartEnd, "what starting and ending leave of the run; part of communication and transfer")
	}
	if e := s.Efficiency; e.Cores != nil && *e.Cores < tellStart {
		p.part("cores", *e.Cores, "what standing within MPI without a core leaves of the rest; part of communication and transfer")
	}
	if !s.CPU.IsMissing() {
		p.part("CPU use", s.CPU, cpuText(s))
	}
	if low := lookAt(s.Efficiency, s.Processes, s.Ledgered-s.Sleepers); low != "" {
		p.Line("")
		p.Paragraph("Below 0.8, so look at " + low + ".")
	}
	p.ledgers(s)
}

// part writes a factor of efficiency and what it is.
func (p *Page) part(name string, share analyze.Real, means string) {
	front := fmt.Sprintf("  %-14s %5s  %-20s  ", name, Ratio(share, 3), bar(float64(share), 20))
	if means = p.hung(cellWidth(front), means); strings.HasPrefix(means, "\n") {
		front = strings.TrimRight(front, " ")
	}
	p.Line("%s%s", front, means)
}

// cpuText says what CPU use is of, and what of it is not known.
func cpuText(s *analyze.Summary) string {
	const use = "CPU time / (units × run time)"
	if s.AtEnds < 0.01 {
		return use
	}
	return use + "; up to " + Ratio(min(1, s.CPU+s.AtEnds), 3) + " with what threads spin at the ends of parallel regions"
}

// ledgers writes where the time went, and the heaviest regions.
func (p *Page) ledgers(s *analyze.Summary) {
	p.ledger(s.Ledgered, s.RunSeconds, s.Ledger)
	for _, other := range s.Others {
		p.Line("")
		p.Line("%s", plural(other.Units, other.Type)+":")
		p.ledger(other.Units, analyze.Real(other.RunSeconds), other.Lines)
	}
	p.heaviest(s, "s", "the run")
}

// heaviest lists the regions that take most of a metric.
func (p *Page) heaviest(s *analyze.Summary, unit, whole string) {
	if len(s.Heaviest) == 0 {
		return
	}
	title := "Heaviest regions (exclusive " + s.Metric + ")"
	if s.By == analyze.Names {
		title = "Heaviest functions (exclusive " + s.Metric + ", all call paths of a name together)"
	}
	p.Heading(title)
	p.regionTimes(s.Heaviest, unit)
	var shares []analyze.Real
	for _, r := range s.Heaviest {
		shares = append(shares, r.Share)
	}
	p.covers(shares, whole)
}

// tellStart is the share of the run left by starting and ending from which on
// nothing is said of them.
const tellStart = 0.95

// lookAt names the factors below 0.8 with what they mean.
func lookAt(e analyze.Efficiency, processes, units int) string {
	f := pop.Factors{Ranks: processes, Units: units, LoadBalance: known(&e.LoadBalance), Communication: known(&e.Communication), Serialization: known(e.Serialization), Transfer: known(e.Transfer), StartEnd: known(e.StartEnd), Cores: known(e.Cores)}
	return f.LookAt()
}

func known(r *analyze.Real) *float64 {
	if r == nil || r.IsMissing() {
		return nil
	}
	v := float64(*r)
	return &v
}

// Told is a summary with its first sentence, as programs read it.
type Told struct {
	*analyze.Summary
	Words  string `json:"words"`
	Traced bool   `json:"traced"`   // it kept a trace
	Job    bool   `json:"training"` // it kept what the traces of a training job tell
}

// Tell puts a summary into words.
func Tell(s *analyze.Summary, traced, job bool) Told {
	return Told{s, SummaryWords(s), traced, job}
}

// SummaryWords is the answer in a sentence or two.
func SummaryWords(s *analyze.Summary) string {
	if s.TimeMetric == "" || s.Runtime.IsMissing() {
		words := fmt.Sprintf("%s, %s, no time measured.", plural(s.Units, "unit"), plural(s.Regions, "region"))
		return words + heaviestText(s, "all "+s.Metric)
	}
	who := plural(s.Processes, "process") + threadsText(s)
	over, averaged := s.Factors[model.AveragedOver]
	if averaged {
		who = fmt.Sprintf("The mean of %v processes", over)
		if over == "ranks" {
			who = "The mean of all processes"
		}
	}
	if s.Runtime == 0 {
		return fmt.Sprintf("%s took no time.", who)
	}
	words := fmt.Sprintf("%s ran %s; %s.", who, Seconds(s.Runtime), usefulText(s))
	if s.InTurns || s.Units == 1 && !averaged && s.Efficiency.Parallel == 1 { // nothing that could have been lost was measured
		words = fmt.Sprintf("%s ran %s.", who, Seconds(s.Runtime))
	}
	words += heaviestText(s, "the run")
	if s.Incomplete != "" {
		words += " Incomplete: " + s.Incomplete + "."
	}
	return words
}

// heaviestText names the region that takes most.
func heaviestText(s *analyze.Summary, whole string) string {
	if len(s.Heaviest) == 0 {
		return ""
	}
	before := ""
	if first := s.Heaviest[0]; first.Region == model.Outside { // what took most is nobody's
		before = fmt.Sprintf(" %s of %s is outside the regions that were marked.", Percent(first.Share), whole)
	} else if name := lastName(first.Region); name == model.Blocked {
		before = fmt.Sprintf(" For %s of %s %s.", Percent(shareOf(s, name)), whole, blockedText(s))
	} else if name == events.NoCore {
		before = fmt.Sprintf(" For %s of %s processes could have gone on within MPI and had no core.", Percent(shareOf(s, name)), whole)
	}
	at := slices.IndexFunc(s.Heaviest, isSomebodys)
	if at < 0 {
		return before
	}
	h := s.Heaviest[at]
	what := "region"
	if s.By == analyze.Names {
		what = "function"
	}
	if h.Share < 0.0005 {
		return before + fmt.Sprintf(" No %s takes 0.1 %% of %s.", what, whole)
	}
	var names []string
	for _, r := range s.Heaviest {
		if isSomebodys(r) && Percent(r.Share) == Percent(h.Share) { // as it is written
			names = append(names, pathText(r.Region))
		}
	}
	if len(names) > 1 {
		return before + fmt.Sprintf(" The heaviest %ss are %s with %s of %s each.", what, upTo(names, 4), Percent(h.Share), whole)
	}
	text := before + fmt.Sprintf(" The heaviest %s is %s with %s of %s", what, pathText(h.Region), Percent(h.Share), whole)
	if h.Imbalance > 1.2 {
		text += fmt.Sprintf(", on the slowest unit %s times the mean", Ratio(h.Imbalance, 2))
	}
	return text + "."
}

// isSomebodys tells whether a time is a region's own: what a program does there.
func isSomebodys(r analyze.RegionTime) bool {
	name := lastName(r.Region)
	return r.Region != model.Outside && name != model.Blocked && name != events.NoCore
}

// shareOf is how much of the run all the regions of a name take that are listed.
func shareOf(s *analyze.Summary, name string) (share analyze.Real) {
	for _, r := range s.Heaviest {
		if lastName(r.Region) == name {
			share += r.Share
		}
	}
	return share
}

// blockedText says who was blocked.
func blockedText(s *analyze.Summary) string {
	switch {
	case s.Threads > 1:
		return "threads were blocked or asleep"
	case s.Units > 1:
		return "processes were blocked or asleep"
	}
	return "the process was blocked or asleep"
}

// longPath is how many letters of a path a sentence bears.
const longPath = 60

// pathText is a region's path within a sentence: of a long one the last name.
func pathText(path string) string {
	if len([]rune(path)) <= longPath {
		return strings.Join(model.SplitPath(path), "/")
	}
	return quoted(shortName(lastName(path)))
}

// usefulText says how much of the run was work, by its ledger. Parallel
// efficiency counts all time outside communication, input and output and waiting
// for a core included, and says so where that makes a difference.
func usefulText(s *analyze.Summary) string {
	useful := analyze.Real(0)
	for _, line := range s.Ledger {
		if line.Kind == account.Useful {
			useful += analyze.Real(line.Share)
		}
	}
	if s.Efficiency.Parallel.IsMissing() || s.Efficiency.Parallel == 0 {
		return "none of it outside communication"
	}
	parallel := Ratio(s.Efficiency.Parallel, 3)
	if s.Sleepers > 0 {
		return fmt.Sprintf("%s of that was useful work (parallel efficiency is %s; it counts all time outside communication, and leaves out %s that slept nearly all the time)", Percent(useful), parallel, plural(s.Sleepers, "thread"))
	}
	if len(s.Ledger) == 0 || max(useful-s.Efficiency.Parallel, s.Efficiency.Parallel-useful) < 0.001 {
		return fmt.Sprintf("%s of that was useful work (parallel efficiency %s)", Percent(s.Efficiency.Parallel), parallel)
	}
	return fmt.Sprintf("%s of that was useful work (parallel efficiency, which counts all time outside communication, is %s)", Percent(useful), parallel)
}

func threadsText(s *analyze.Summary) string {
	if s.Threads <= 1 {
		return ""
	}
	return fmt.Sprintf(" with up to %d threads", s.Threads)
}

func programText(s *analyze.Summary) string {
	if s.Command != "" {
		return "  " + s.Command
	}
	if s.Program != "" {
		return "  " + s.Program
	}
	return ""
}

func unitsText(s *analyze.Summary) string {
	text := grouped(s.Units)
	if s.Threads > 1 || s.Nodes > 1 {
		text += " (" + plural(s.Processes, "process")
		if s.Threads > 1 {
			text += fmt.Sprintf(", up to %d threads", s.Threads)
		}
		if s.Nodes > 0 {
			text += ", " + plural(s.Nodes, "node")
		}
		text += ")"
	}
	if s.Runs > 1 {
		text += fmt.Sprintf(", mean of %d runs", s.Runs)
	}
	return text
}

func factorsText(factors map[string]any) string {
	var names []string
	for name := range factors {
		names = append(names, name)
	}
	sort.Strings(names)
	const shown = 12
	var parts []string
	for i, name := range names {
		if i == shown {
			parts = append(parts, fmt.Sprintf("… (%d more)", len(names)-shown))
			break
		}
		parts = append(parts, name+"="+elide(factorText(factors[name]), 40))
	}
	return strings.Join(parts, ", ")
}

func fromText(s *analyze.Summary) string {
	text := s.Format
	if len(s.Sources) > 0 {
		text += ", " + s.Sources[0]
	}
	if len(s.Sources) > 1 {
		text += fmt.Sprintf(" and %d more", len(s.Sources)-1)
	}
	return text + ", " + s.Created
}

// fields writes names with their values, empty ones left out.
func (p *Page) fields(fields [][2]string) {
	for _, f := range fields {
		if f[1] == "" {
			continue
		}
		value := f[1]
		if p.Width > 0 {
			value = elide(value, max(20, p.Width-11))
		}
		p.Line("  %-8s %s", f[0], value)
	}
}

func (p *Page) regionTimes(regions []analyze.RegionTime, unit string) {
	var rows [][]string
	var values []analyze.Real
	for _, r := range regions {
		values = append(values, r.Max)
	}
	write := quantities(unit, values)
	for _, r := range regions {
		rows = append(rows, []string{
			r.Region, kindText(r.Kind), write(r.Mean), write(r.Max), Ratio(r.Imbalance, 2), Percent(r.Share), bar(float64(r.Share), 10),
		})
	}
	p.table([]column{region("region"), words("kind"), number("mean"), number("max"), number("max/mean"), number("share"), words("")}, rows)
}

func kindText(k model.Kind) string {
	if k == model.Function {
		return ""
	}
	return string(k)
}
