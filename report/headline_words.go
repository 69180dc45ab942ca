package report

import (
	"fmt"
	"slices"
	"strings"

	"auspex/account"
	"auspex/analyze/diagnose"
	"auspex/events"
	"auspex/model"
	"auspex/waits"
)

// headlineWords says what costs most of the run, and the second where it is at
// least half as much. Uneven work that is trouble is told whatever costs more:
// it is mended in another way; and so are serial parts and blocked threads that cost a
// large part of the run.
func headlineWords(d *diagnose.Diagnosis) []string {
	out := lineWords(d, d.Headline)
	uneven := d.Headline.Kind == account.Imbalance
	if text := forWantOfCores(d); text != "" {
		out = []string{text}
	} else if d.Second != nil {
		out = append(out, lineWords(d, *d.Second)...)
		uneven = uneven || d.Second.Kind == account.Imbalance
	}
	for _, line := range d.Ledger {
		h := account.Headline{Kind: line.Kind, Region: line.Region, Share: line.Share}
		known := d.Serial != nil && line.Kind == account.Idle && !line.Joining ||
			line.Kind == account.Waiting && lastName(string(line.Region)) == model.Blocked
		if known && line.Share >= largePart && line.Kind != d.Headline.Kind && (d.Second == nil || line.Kind != d.Second.Kind) {
			out = append(out, lineWords(d, h)...)
		}
	}
	out = append(append(out, coreWaitWords(d)...), spinningWords(d)...)
	if !uneven && (d.Slower != nil || len(d.Causes) > 0 && float64(d.Causes[0].LostShare) >= account.Trouble) {
		return append(out, imbalanceWords(d, "Work is uneven, too, in")...)
	}
	if total, where := unevenness(d); !uneven && d.Headline.Kind != account.Useful && total >= account.Trouble {
		for _, line := range d.Ledger {
			if line.Words == account.Scattering && line.Share >= total/2 {
				where = ", most of it within the noise of the work"
			}
		}
		if isUnplaced(d, total) {
			where = fewSamples
		}
		out = append(out, fmt.Sprintf("Uneven work costs %s of the run%s.", percentOf(total), where))
	}
	return out
}

// largePart of the run is told whatever costs more.
const largePart = 0.1

func lineWords(d *diagnose.Diagnosis, h account.Headline) []string {
	share := percentOf(h.Share)
	most := mostIn(h)
	switch h.Kind {
	case account.Useful:
		return []string{usefulWords(d, h)}
	case account.Imbalance:
		return imbalanceWords(d, "The trouble is in")
	case account.Waiting:
		if text := traceWords(d, h); text != "" {
			return []string{share + " of the run is waiting that uneven work does not explain" + most + ", " + text}
		}
		if names := model.SplitPath(string(h.Region)); names[len(names)-1] == model.Blocked {
			in := nearestFunction(names)
			if in != "" {
				in = " in " + quoted(shortName(in))
			}
			return []string{share + " of the run is waiting that uneven work does not explain, most of it of threads that are blocked or asleep" + in + "."}
		}
		return []string{share + " of the run is waiting that uneven work does not explain" + most + traceTells(d, h, "for what") + "."}
	case account.Communication:
		if text := traceWords(d, h); text != "" {
			return []string{share + " of the run is communication" + most + ", " + text}
		}
		// A profile knows the least that any process spent in a call, not why.
		waiting := "waiting that all share"
		if slices.ContainsFunc(d.Ledger, func(l account.Line) bool { return l.Words == account.CostOrWaiting }) {
			waiting = "waiting that uneven work does not explain"
		}
		return []string{share + " of the run is the cost of communication itself, or " + waiting + most + traceTells(d, h, "which") + "."}
	case account.IO:
		return []string{share + " of the run is input and output" + most + "."}
	case account.StartEnd:
		return []string{share + " of the run is starting and ending: before the first region, after the last, and in setting up."}
	case account.Idle:
		how := "with nothing to do"
		for _, line := range d.Ledger {
			if line.Kind == account.Idle && !line.Joining {
				how = line.Words
			}
		}
		meanwhile := ""
		if d.Serial != nil {
			names := model.SplitPath(d.Serial.Region)
			where := quoted(shortName(names[len(names)-1]))
			if len(names) > 2 { // a name alone may be that of a function that all call elsewhere
				where += ", inside " + quoted(shortName(names[len(names)-2]))
			}
			meanwhile = ", most of it while the main threads are in " + where
			if d.Level == diagnose.Threads && d.UnitCount == d.Ledgered && len(processesOf(d)) == 1 {
				meanwhile = ", most of it while the main thread is in " + where
			}
		}
		return []string{share + " of the run is idle: " + ledgered(d) + " " + how + meanwhile + "."}
	}
	if d.Crowded {
		sharing := counted(d.UnitCount, d.Level)
		if d.Ledgered > d.UnitCount {
			sharing = plural(d.Ledgered, "thread")
		}
		return []string{fmt.Sprintf("%s share %s, which costs %s of the run: they wait for a core.",
			sharing, plural(d.Cores, "core"), share)}
	}
	for _, line := range d.Ledger {
		switch line.Words {
		case account.WithoutCore:
			return []string{share + " of the run is waiting for a core" + coreless(d) + "."}
		case account.OffBlocked:
			return []string{share + " of the run is time off the cores, blocked or asleep."}
		}
	}
	return []string{share + " of the run is wall time without CPU time outside communication: blocked, asleep or waiting for a core."}
}

// traceTells says how to find out what a profile does not know, where that is much of the
// run and can be found out so.
func traceTells(d *diagnose.Diagnosis, h account.Headline, what string) string {
	if !d.Untraced || !ofMPI(h) || h.Share < largePart {
		return ""
	}
	return "; `auspex run --trace` tells " + what
}

// mostIn says where most of a line is.
func mostIn(h account.Headline) string {
	switch {
	case lastName(string(h.Region)) == model.Mutex:
		return ", most of it for a mutex" + callerOf(string(h.Region))
	case lastName(string(h.Region)) == model.ThreadBarrier:
		return ", most of it at a barrier of threads" + callerOf(string(h.Region))
	case h.Region != "":
		return ", most of it in " + quoted(shortName(lastName(string(h.Region)))) + callerOf(string(h.Region))
	case h.Under != "":
		return ", most of it inside " + quoted(shortName(lastName(string(h.Under))))
	}
	return ""
}

// callerOf names the function that calls MPI there, takes a mutex or comes to a barrier,
// where it is not the main one: a call of MPI is mended where it is made. So is one of a
// function's critical sections.
func callerOf(path string) string {
	names := model.SplitPath(path)
	last := names[len(names)-1]
	if len(names) > 2 && strings.HasPrefix(last, "OpenMP ") && strings.Contains(last, "@") {
		return ", inside " + quoted(shortName(names[len(names)-2]))
	}
	if !strings.HasPrefix(last, "MPI") && last != model.Mutex && last != model.ThreadBarrier {
		return ""
	}
	if caller := nearestFunction(names); caller != "" && caller != "main" && caller != "MAIN__" {
		return " in " + quoted(shortName(caller))
	}
	return ""
}

// nearestFunction is the innermost function around the last of a path's names that is not
// the C++ library's; nothing where there is none, since the program is no place to look at.
func nearestFunction(names []string) string {
	for i := len(names) - 2; i > 0; i-- {
		if name := names[i]; !strings.HasPrefix(name, "<") && !strings.HasPrefix(name, "std::") && !strings.HasPrefix(name, "__gthread_") {
			return name
		}
	}
	return ""
}

// coreless says who had the cores, as far as it is known; how many could have run is not
// where several threads lived in a record.
func coreless(d *diagnose.Diagnosis) string {
	if d.OwnCores > 0 {
		return fmt.Sprintf(" that another program had, or that a limit or a binding withheld: %s took %s of the time of the %s",
			ledgeredHere(d), percentOf(d.OwnCores), plural(d.Cores, "core"))
	}
	if d.Cores > 0 && apart(d) > 0 {
		return ": " + ledgered(d) + " could have run and had none of the " + plural(d.Cores, "core")
	}
	busy := d.Ledgered
	if d.Ledgered == d.UnitCount {
		busy -= len(d.Idle)
	}
	who := plural(busy, strings.NewReplacer("threads", "thread", "processes", "process", "the ", "").Replace(ledgered(d)))
	switch {
	case d.Cores == 0:
		return ": " + ledgered(d) + " could have run and had none"
	case busy > d.Cores:
		return ": " + who + " shared " + plural(d.Cores, "core")
	}
	return ": " + who + " could have run and had none of the " + plural(d.Cores, "core")
}

// withoutCores is what a trace tells of ranks that stood within MPI, in all lines of the
// ledger: that may be more than is in those of which it is said.
func withoutCores(w *diagnose.Waits, lines ...account.Headline) string {
	said, all := 0.0, ""
	for _, h := range lines {
		said += h.Share
	}
	if w.NoCore > said {
		all = ", other waiting included,"
	}
	return fmt.Sprintf("is for want of cores: its trace shows that for %s of the run%s ranks could have gone on within MPI and had no core, or waited for such.", percentOf(w.NoCore), all)
}

// coreWaitWords says that ranks stood within MPI without a core, where that is most of
// what is told of MPI. A profile does not know what it costs: who waits for another
// rank anyway loses nothing by it.
func coreWaitWords(d *diagnose.Diagnosis) []string {
	told := 0.0
	for _, h := range []*account.Headline{&d.Headline, d.Second} {
		if h != nil && ofMPI(*h) && (h.Kind == account.Communication || h.Kind == account.Waiting) {
			told += h.Share
		}
	}
	if d.Waits != nil || told == 0 || d.CoreWait < max(account.Trouble, told/2) {
		return nil
	}
	who := sharing(d)
	if who == "" && d.Cores > 1 {
		who = fmt.Sprintf(", though there are %d cores for them: another program had them, or a limit or a binding withheld them", d.Cores)
	}
	return []string{fmt.Sprintf("For %s of the run the processes could have gone on within MPI and had no core%s; `auspex run --trace` tells what that costs.", percentOf(d.CoreWait), who)}
}

// spinningWords says that those who wait keep the cores that those who work lack.
func spinningWords(d *diagnose.Diagnosis) []string {
	spin := d.Spinning
	if spin == nil {
		return nil
	}
	instead := ""
	for _, h := range []*account.Headline{&d.Headline, d.Second} {
		if h != nil && strings.HasPrefix(lastName(string(h.Region)), "OpenMP ") {
			instead = fmt.Sprintf("; start no more than %d, or set `OMP_WAIT_POLICY=passive`", d.Cores)
		}
	}
	return []string{fmt.Sprintf("%s of the CPU time is spinning: threads keep a core while they wait for each other%s%s.", percentOf(spin.Share), sharing(d), instead)}
}

// sharing says how many share the cores, where they are more than these.
func sharing(d *diagnose.Diagnosis) string {
	if busy := d.Ledgered - len(d.Idle); d.Cores > 0 && busy > d.Cores {
		return fmt.Sprintf(" (%d share %s)", busy, plural(d.Cores, "core"))
	}
	return ""
}

// mostlyWithoutCores tells whether most of some lines is for want of cores, even if all
// the rest of the time within MPI is.
func mostlyWithoutCores(d *diagnose.Diagnosis, lines ...account.Headline) bool {
	said, rest := 0.0, 0.0
	for _, h := range lines {
		said += h.Share
	}
	for _, line := range d.Ledger {
		switch line.Kind {
		case account.Communication, account.Waiting, account.Imbalance:
			rest += line.Share
		}
	}
	return d.Waits.NoCore-max(0, rest-said) >= said/2
}

// forWantOfCores puts communication and waiting into one sentence where they have the
// same cause.
func forWantOfCores(d *diagnose.Diagnosis) string {
	if d.Second == nil || d.Waits == nil {
		return ""
	}
	parts := make([]string, 2)
	for i, h := range []account.Headline{d.Headline, *d.Second} {
		switch {
		case !ofMPI(h):
			return ""
		case h.Kind == account.Communication:
			parts[i] = "communication" + mostIn(h)
		case h.Kind == account.Waiting:
			parts[i] = "waiting that uneven work does not explain" + mostIn(h)
		default:
			return ""
		}
	}
	if !mostlyWithoutCores(d, d.Headline, *d.Second) {
		return ""
	}
	return fmt.Sprintf("%s of the run is %s, and %s is %s. Most of both %s",
		percentOf(d.Headline.Share), parts[0], percentOf(d.Second.Share), parts[1], withoutCores(d.Waits, d.Headline, *d.Second))
}

// ofMPI tells whether a line is of calls of MPI; threads wait for each other elsewhere.
func ofMPI(h account.Headline) bool {
	return h.Region == "" || strings.HasPrefix(lastName(string(h.Region)), "MPI")
}

// traceWords says what most of a line of communication or waiting is, where a trace
// shows it and it was not said of the line before. What ranks wait beyond what the
// ledger has as waiting is in the line of communication.
func traceWords(d *diagnose.Diagnosis, h account.Headline) string {
	w := d.Waits
	if w == nil || !ofMPI(h) {
		return ""
	}
	if d.Second != nil && h == *d.Second && traceWords(d, d.Headline) != "" {
		return ""
	}
	if mostlyWithoutCores(d, h) {
		return "and most of that " + withoutCores(w, h)
	}
	rest := w.Share
	for _, line := range d.Ledger {
		if line.Kind == account.Imbalance || line.Kind == account.Waiting && h.Kind == account.Communication {
			rest -= line.Share
		}
	}
	switch {
	case rest < h.Share/2:
		return ""
	case h.Kind == account.Waiting && w.Region == "":
		return "" // nothing beyond what was said
	case h.Kind == account.Waiting:
		return "and its trace shows for what: ranks wait " + percentOf(w.Share) + " of the run for one another" + waitedFor(w) + "."
	}
	return "and most of that is waiting: its trace shows that ranks wait " + percentOf(w.Share) + " of the run for one another" + waitedFor(w) + "."
}

// waitedFor names what most of the waiting was for.
func waitedFor(w *diagnose.Waits) string {
	if w.Region == "" {
		return ""
	}
	names := model.SplitPath(w.Region)
	what := quoted(shortName(names[len(names)-1]))
	if pause := events.CallName(events.Pause); names[len(names)-1] == pause && len(names) > 1 { // of no function: its place is that of the call that follows
		what = quoted(pause) + " before " + names[len(names)-2]
	}
	return ", mostly for " + what + " on " + waits.NamedRanks(w.Ranks)
}

// orderWords says that ranks wait for messages in another order than they come in.
func orderWords(d *diagnose.Diagnosis) []string {
	if d.Waits == nil || d.Waits.WrongOrder < account.Trouble {
		return nil
	}
	return []string{"For " + percentOf(d.Waits.WrongOrder) + " of the run ranks wait for a message while one that was sent earlier is there."}
}

// balancedWords is said where units have as much work as each other, over the whole run.
func balancedWords(d *diagnose.Diagnosis) string {
	imbalance, where := unevenness(d)
	cost := fmt.Sprintf("what is uneven costs %s%s", percentOf(imbalance), where)
	if w := d.Waits; w != nil && w.Region != "" && len(w.Ranks) > 1 && w.Share >= account.Trouble {
		return "Over the whole run the work is balanced (" + cost + "), but the ranks do not do it at the same time."
	}
	return "The work is balanced: " + cost + "."
}

// processesOf are the processes of all units.
func processesOf(d *diagnose.Diagnosis) map[int]bool {
	all := map[int]bool{}
	for _, kind := range d.Kinds {
		for _, n := range kind {
			all[n.Process] = true
		}
	}
	return all
}

// ledgered is what the ledger is of.
func ledgered(d *diagnose.Diagnosis) string {
	if d.Level == diagnose.Threads || d.Ledgered > d.UnitCount {
		return "threads"
	}
	if d.UnitCount == 1 {
		return "the process"
	}
	return "processes"
}

// ledgeredHere tells them from those of other programs.
func ledgeredHere(d *diagnose.Diagnosis) string {
	if own := ledgered(d); !strings.HasPrefix(own, "the ") {
		return "its own " + own
	}
	return "the process itself"
}

// usefulWords is said where nothing costs enough to be trouble.
func usefulWords(d *diagnose.Diagnosis, h account.Headline) string {
	imbalance, where := unevenness(d)
	useful := percentOf(h.Share) + " of the run is useful work"
	for _, line := range d.Ledger {
		if line.Joining {
			useful += " and " + percentOf(line.Share) + " that of " + line.Words
		}
	}
	text := useful + ", and nothing else costs " + percentOf(account.Trouble) + "."
	switch {
	case imbalance >= account.Trouble && isUnplaced(d, imbalance):
		text, where = useful+".", fewSamples
	case imbalance >= account.Trouble:
		text = useful + "; no single loss costs " + percentOf(account.Trouble) + "."
	}
	if d.WithMPI {
		text = "With communication counted as work nothing costs " + percentOf(account.Trouble) + ": who waits is taken to be working."
	}
	if isBalanced(d) {
		return text + " " + balancedWords(d)
	}
	if imbalance >= account.Trouble && where == "" {
		where = " in all regions together"
	}
	return text + fmt.Sprintf(" Uneven work costs %s%s.", percentOf(imbalance), where)
}

// isBalanced is so only if load balance, ledger and kinds agree.
func isBalanced(d *diagnose.Diagnosis) bool {
	imbalance, _ := unevenness(d)
	return len(d.Kinds) == 1 && !d.Continuum && d.LoadBalance >= 1-2*account.Trouble && imbalance < account.Trouble
}

// smallPart of the run is what a region has to cost to be named.
const smallPart = 0.01

// unevenness is what all imbalance costs, and the region that has most of it.
func unevenness(d *diagnose.Diagnosis) (total float64, where string) {
	total = lineTotal(d, account.Imbalance)
	if worst := worstLine(d); worst.Region != "" && worst.Share >= total/2 {
		where = ", most of it in " + quoted(shortName(lastName(string(worst.Region))))
	}
	return total, where
}

// fewSamples is said of uneven work that cannot be told from where samples fell.
const fewSamples = "; samples are too few to say where"

// isUnplaced tells whether that is so of half of the imbalance at least.
func isUnplaced(d *diagnose.Diagnosis, imbalance float64) bool {
	return slices.ContainsFunc(d.Ledger, func(l account.Line) bool { return l.Words == account.Unplaced && l.Share >= imbalance/2 })
}

// lineTotal is the share of all lines of a kind.
func lineTotal(d *diagnose.Diagnosis, kind account.Kind) float64 {
	total := 0.0
	for _, line := range d.Ledger {
		if line.Kind == kind {
			total += line.Share
		}
	}
	return total
}

// worstLine is the region with most imbalance.
func worstLine(d *diagnose.Diagnosis) account.Line {
	worst := account.Line{}
	for _, line := range d.Ledger {
		if line.Kind == account.Imbalance && line.Region != "" && line.Share > worst.Share {
			worst = line
		}
	}
	return worst
}

// imbalanceWords says where work is uneven, and why, the dearest first.
func imbalanceWords(d *diagnose.Diagnosis, opening string) []string {
	total, _ := unevenness(d)
	if d.Slower != nil {
		return []string{slowerWords(d, total)}
	}
	// Several regions may be of one cause, so that it has more than any line.
	if worst := worstLine(d); len(d.Causes) == 0 || float64(d.Causes[0].LostShare) < worst.Share && d.Causes[0].LostShare < account.Trouble {
		if isUnplaced(d, total) {
			return []string{fmt.Sprintf("Uneven work costs %s of the run%s.", percentOf(total), fewSamples)}
		}
		if _, where := unevenness(d); where != "" && worst.Share >= smallPart {
			return []string{fmt.Sprintf("Uneven work costs %s of the run%s.", percentOf(total), where)}
		}
		if worst.Region != "" && worst.Share >= smallPart {
			return []string{fmt.Sprintf("Uneven work costs %s of the run, in several regions; the largest part, %s, is in %s.",
				percentOf(total), percentOf(worst.Share), quoted(shortName(lastName(string(worst.Region)))))}
		}
		return []string{fmt.Sprintf("Uneven work costs %s of the run, in small parts: no region costs %s.", percentOf(total), percentOf(smallPart))}
	}
	causes := byFunction(d.Causes)
	c := causes[0]
	if strings.HasPrefix(lastName(c.Region), "MPI_") {
		opening = strings.Replace(opening, "Work is", "Calls are", 1)
	}
	first := opening + " " + whereWords(d, c)
	if whole := total - float64(c.LostShare); whole >= 0.2*total {
		first = fmt.Sprintf("Uneven work costs %s of the run, %s in %s", percentOf(total), percentOf(float64(c.LostShare)), whereWords(d, c))
	}
	out := []string{first + because(d, c.Cause) + "."}
	out = append(out, savingWords(d, c.Cause))
	const more = 3
	for i, other := range causes[1:] {
		if float64(other.LostShare) < account.Trouble || i == more {
			if rest := len(causes) - 1 - i; i == more && rest > 0 {
				out = append(out, fmt.Sprintf("%s more cost at least 1 %% each.", plural(rest, "region")))
			}
			break
		}
		out = append(out, fmt.Sprintf("Also in %s, %s%s.", whereWords(d, other), saving(d, other.Cause), because(d, other.Cause)))
	}
	if names := notTheCause(d); len(names) > 0 {
		out = append(out, "Not the cause: "+strings.Join(names, ", ")+".")
	}
	return out
}

// slowerWords is said of units that are slower in everything.
func slowerWords(d *diagnose.Diagnosis, total float64) string {
	s := d.Slower
	who := members(s.Units, d.Level)
	if len(s.Nodes) > 0 {
		noun := "node "
		if len(s.Nodes) > 1 {
			noun = "nodes "
		}
		who += ", on " + noun + upTo(slices.Sorted(slices.Values(s.Nodes)), 6) + ","
	}
	factor := Ratio(s.Factor, 2)
	if s.Most > 1.05*s.Least {
		factor = Ratio(s.Least, 2) + " to " + Ratio(s.Most, 2)
	}
	where := "in all regions alike"
	if len(s.Except) > 2 {
		where = "in regions with " + percentOf(float64(s.Share)) + " of the work"
	} else if len(s.Except) > 0 {
		var names []string
		for _, path := range s.Except {
			names = append(names, quoted(shortName(lastName(path))))
		}
		where = "in all regions but " + listed(names)
	}
	how := ", which no metric collected explains"
	switch {
	case s.Attribute != "":
		how = ", and " + agree("have", s.Units, d.Level) + " " + Ratio(s.Ratio, 2) + " × the " + attributeWords(s.Attribute)
	case !s.Counted:
		how = "; " + noMetric(d)
	}
	others := "the others"
	if d.UnitCount-len(d.Idle)-len(s.Units) == 1 {
		others = "the other"
	}
	return fmt.Sprintf("Uneven work costs %s of the run: %s %s %s × as long as %s %s%s.",
		percentOf(total), who, agree("take", s.Units, d.Level), factor, others, where, how)
}

// whereWords names a cause's region and where it is.
func whereWords(d *diagnose.Diagnosis, c told) string {
	if f := byFunctionOf(c.Cause); f != nil {
		names := model.SplitPath(c.Within)
		words := quoted(shortName(names[len(names)-1])) + at(f.File, f.Line)
		if len(names) > 2 {
			words += ", inside " + quoted(shortName(names[len(names)-2]))
		}
		return words
	}
	words := measuredWords(d, c.Cause)
	if c.paths > 1 {
		words = fmt.Sprintf("%s, on %d call paths", quoted(shortName(lastName(c.Region))), c.paths)
	}
	if c.Within == "" {
		return words
	}
	names := model.SplitPath(c.Within)
	inside := "most of it in " + quoted(shortName(names[len(names)-1]))
	if names[len(names)-1] == model.Blocked {
		inside = "most of it blocked or asleep"
	}
	words += ", " + inside
	if above := model.JoinPath(names[:len(names)-1]...); above != c.Region {
		words += ", inside " + quoted(shortName(names[len(names)-2]))
	}
	return words
}

// byFunctionOf is what samples tell of the function that most of a cause is in, where
// all that was measured is the program: it is no place to look at.
func byFunctionOf(c diagnose.Cause) *diagnose.Sampled {
	if c.Sampled == nil || c.Blocked > 0 || c.InThreads || len(c.Only) > 0 || len(model.SplitPath(c.Region)) > 1 || lastName(c.Within) == model.Blocked {
		return nil
	}
	return c.Sampled
}

// measuredWords names the region that was measured.
func measuredWords(d *diagnose.Diagnosis, c diagnose.Cause) string {
	words := quoted(shortName(lastName(c.Region)))
	i := slices.IndexFunc(d.CCR, func(r diagnose.CriticalRegion) bool { return r.Region == c.Region })
	var r diagnose.CriticalRegion
	if i >= 0 {
		r = d.CCR[i]
	}
	if names := model.SplitPath(c.Region); len(names) > 1 && names[len(names)-1] == model.Blocked {
		return quoted(shortName(names[len(names)-2])) + at(r.File, r.Line) + ", blocked or asleep"
	}
	if i < 0 {
		return words
	}
	words += at(r.File, r.Line)
	if r.Inside != "" {
		words += ", inside " + quoted(shortName(lastName(r.Inside)))
	}
	return words
}

// notTheCause lists what does not go with the time in the dearest region,
// where something else does, a thing once. What is a cause in another region,
// or of which another form is one, is not named, nor what some units do not tell.
func notTheCause(d *diagnose.Diagnosis) []string {
	first := d.Causes[0]
	if len(first.Attributes) == 0 {
		return nil
	}
	var names, causes []string
	for _, c := range d.Causes {
		for _, attribute := range c.Attributes {
			causes = append(causes, subject(attribute))
		}
	}
	for _, e := range first.Excluded {
		if e.Why == diagnose.WhyMissing {
			causes = append(causes, subject(e.Attribute)) // for all one knows
		}
	}
	for _, e := range first.Excluded {
		if e.Why == diagnose.WhyWeaker || e.Why == diagnose.WhyAbsent {
			continue
		}
		if name := subject(e.Attribute); !slices.Contains(names, name) && !slices.Contains(causes, name) {
			names = append(names, name)
		}
	}
	const most = 6
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("%d more", len(names)-most))
	}
	return names
}

// noMetric says that there is nothing to look for a cause in; times are none.
func noMetric(d *diagnose.Diagnosis) string {
	if d.Counts {
		return fmt.Sprintf("no metric but %s and times was collected, so the cause cannot be determined", d.Metric)
	}
	return "no other metric was collected, so the cause cannot be determined"
}
