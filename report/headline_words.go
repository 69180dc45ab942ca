package report

import (
	"fmt"
	"slices"
	"strings"

	"auspex/account"
	"auspex/analyze"
	"auspex/analyze/diagnose"
	"auspex/model"
	"auspex/waits"
)

// headlineWords says what costs most of the run, and the second where it is at
// least half as much. Uneven work that is trouble is told whatever costs more:
// it is mended in another way.
func headlineWords(d *diagnose.Diagnosis) []string {
	out := lineWords(d, d.Headline)
	uneven := d.Headline.Kind == account.Imbalance
	if d.Second != nil {
		out = append(out, lineWords(d, *d.Second)...)
		uneven = uneven || d.Second.Kind == account.Imbalance
	}
	if !uneven && (d.Slower != nil || len(d.Causes) > 0 && float64(d.Causes[0].LostShare) >= account.Trouble) {
		out = append(out, imbalanceWords(d, "Work is uneven, too, in")...)
	}
	return out
}

func lineWords(d *diagnose.Diagnosis, h account.Headline) []string {
	share := percentOf(h.Share)
	most := ""
	if h.Region != "" {
		most = ", most of it in " + quoted(shortName(lastName(string(h.Region))))
	}
	switch h.Kind {
	case account.Useful:
		return []string{usefulWords(d, h)}
	case account.Imbalance:
		return imbalanceWords(d, "The trouble is in")
	case account.Waiting:
		if lastName(string(h.Region)) == model.Blocked {
			return []string{share + " of the run is waiting that uneven work does not explain, most of it of threads that are blocked or asleep."}
		}
		return []string{share + " of the run is waiting that uneven work does not explain" + most + "."}
	case account.Communication:
		if text := waitsWords(d, h); text != "" {
			return []string{share + " of the run is communication" + most + ", " + text}
		}
		// A profile knows the least that any process spent in a call, not why.
		waiting := "waiting that all share"
		if slices.ContainsFunc(d.Ledger, func(l account.Line) bool { return l.Words == account.CostOrWaiting }) {
			waiting = "waiting that uneven work does not explain"
		}
		return []string{share + " of the run is the cost of communication itself, or " + waiting + most + "."}
	case account.IO:
		return []string{share + " of the run is input and output" + most + "."}
	case account.StartEnd:
		return []string{share + " of the run is starting and ending: before the first region, after the last, and in setting up."}
	case account.Idle:
		how := "with nothing to do"
		for _, line := range d.Ledger {
			if line.Kind == account.Idle {
				how = line.Words
			}
		}
		meanwhile := ""
		if d.Serial != nil {
			meanwhile = ", most of it while the main threads are in " + quoted(shortName(lastName(d.Serial.Region)))
			if d.Level == diagnose.Threads && d.UnitCount == d.Ledgered && len(processesOf(d)) == 1 {
				meanwhile = ", most of it while the main thread is in " + quoted(shortName(lastName(d.Serial.Region)))
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
			return []string{fmt.Sprintf("%s of the run is waiting for a core: %s could have run and had none.", share, ledgered(d))}
		case account.OffBlocked:
			return []string{share + " of the run is time off the cores, blocked or asleep."}
		}
	}
	return []string{share + " of the run is wall time without CPU time outside communication: blocked, asleep or waiting for a core."}
}

// waitsWords says that most of the communication of a line is waiting, where a trace
// shows it: what ranks wait beyond what the ledger has as waiting is in that line.
func waitsWords(d *diagnose.Diagnosis, h account.Headline) string {
	if d.Waits == nil {
		return ""
	}
	rest := d.Waits.Share
	for _, line := range d.Ledger {
		if line.Kind == account.Imbalance || line.Kind == account.Waiting {
			rest -= line.Share
		}
	}
	if rest < h.Share/2 {
		return ""
	}
	text := "and most of that is waiting: its trace shows that ranks wait " + percentOf(d.Waits.Share) + " of the run for one another"
	if d.Waits.Region != "" {
		text += ", mostly for " + quoted(shortName(lastName(d.Waits.Region))) + " on " + waits.NamedRanks(d.Waits.Ranks)
	}
	return text + "."
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

// usefulWords is said where nothing costs enough to be trouble.
func usefulWords(d *diagnose.Diagnosis, h account.Headline) string {
	imbalance, where := unevenness(d)
	text := percentOf(h.Share) + " of the run is useful work, and nothing else costs " + percentOf(account.Trouble) + "."
	if imbalance >= account.Trouble {
		text = percentOf(h.Share) + " of the run is useful work; no single loss costs " + percentOf(account.Trouble) + "."
	}
	if d.WithMPI {
		text = "With communication counted as work nothing costs " + percentOf(account.Trouble) + ": who waits is taken to be working."
	}
	if isBalanced(d) {
		return text + fmt.Sprintf(" The work is balanced: what is uneven costs %s%s.", percentOf(imbalance), where)
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
	for _, line := range d.Ledger {
		if line.Kind == account.Imbalance {
			total += line.Share
		}
	}
	if worst := worstLine(d); worst.Region != "" && worst.Share >= total/2 {
		where = ", most of it in " + quoted(shortName(lastName(string(worst.Region))))
	}
	return total, where
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
		if worst.Region != "" && worst.Share >= smallPart {
			return []string{fmt.Sprintf("Uneven work costs %s of the run, in several regions; the largest part, %s, is in %s.",
				percentOf(total), percentOf(worst.Share), quoted(shortName(lastName(string(worst.Region)))))}
		}
		return []string{fmt.Sprintf("Uneven work costs %s of the run, in small parts: no region costs %s.", percentOf(total), percentOf(smallPart))}
	}
	causes := byFunction(d.Causes)
	c := causes[0]
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
	return fmt.Sprintf("Uneven work costs %s of the run: %s %s %s × as long as the others %s%s.",
		percentOf(total), who, agree("take", s.Units, d.Level), factor, where, how)
}

// whereWords names a cause's region and where it is.
func whereWords(d *diagnose.Diagnosis, c told) string {
	words := measuredWords(d, c.Cause)
	if c.paths > 1 {
		words = fmt.Sprintf("%s, on %d call paths", quoted(shortName(lastName(c.Region))), c.paths)
	}
	if c.Within == "" {
		return words
	}
	names := model.SplitPath(c.Within)
	words += ", most of it in " + quoted(shortName(names[len(names)-1]))
	if above := model.JoinPath(names[:len(names)-1]...); above != c.Region {
		words += ", inside " + quoted(shortName(names[len(names)-2]))
	}
	return words
}

// measuredWords names the region that was measured.
func measuredWords(d *diagnose.Diagnosis, c diagnose.Cause) string {
	words := quoted(shortName(lastName(c.Region)))
	i := slices.IndexFunc(d.CCR, func(r diagnose.CriticalRegion) bool { return r.Region == c.Region })
	if i < 0 {
		return words
	}
	r := d.CCR[i]
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
		if e.Why == diagnose.WhyWeaker {
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

// because says what is behind a region's difference.
func because(d *diagnose.Diagnosis, c diagnose.Cause) string {
	if len(c.Evidence) == 0 {
		verb, unit, of := "spend", comparedUnit(d), ""
		if d.Counts {
			verb, of = "count", " "+d.Metric
		}
		slowest := fmt.Sprintf(": %s %s %s%s there and the mean is %s; ", members([]diagnose.Name{c.Slowest}, d.Level), agree(verb, []diagnose.Name{c.Slowest}, d.Level),
			Quantity(c.Most, unit), of, Quantity(c.Mean, unit))
		if len(c.Slow) > 1 {
			slowest = fmt.Sprintf(": %s %s %s%s there in the mean and the others %s; ", members(c.Slow, d.Level), agree(verb, c.Slow, d.Level),
				Quantity(c.SlowMean, unit), of, Quantity(c.OthersMean, unit))
		}
		if c.Blocked > 0 {
			return slowest + fmt.Sprintf("%s is without CPU time for %s of it: blocked or asleep", members([]diagnose.Name{c.Slowest}, d.Level), Quantity(c.Blocked, metricUnit(d.Metric)))
		}
		if len(c.Excluded) == 0 {
			return slowest + noMetric(d)
		}
		return slowest + "none of the metrics collected explains it"
	}
	var parts, varying []string
	for _, e := range c.Evidence {
		if (e.Gradual || d.Continuum || d.Scattered) && e.Node == "" {
			varying = append(varying, fmt.Sprintf("%s (correlation %s)", attributeWords(e.Attribute), Ratio(e.Correlation, 2)))
		} else {
			parts = append(parts, contrastWords(e, d.Level))
		}
	}
	if len(parts) == 0 {
		return ", where time varies with " + upTo(varying, 5)
	}
	if e := c.Evidence[0]; len(c.Evidence) == 1 && e.Node == "" && len(c.Slow) < len(e.High) && within(c.Slow, e.High) {
		parts = append(parts, "of the former, "+members(c.Slow, d.Level)+" "+agree("take", c.Slow, d.Level)+" longest")
	}
	if len(varying) > 0 {
		parts = append(parts, "time varies with "+upTo(varying, 5))
	}
	return ": " + strings.Join(parts, "; ")
}

// within tells whether there are such units and all are among others.
func within(these, others []diagnose.Name) bool {
	return len(these) > 0 && !slices.ContainsFunc(these, func(n diagnose.Name) bool { return !slices.Contains(others, n) })
}

// agree is a verb as it is said of some units.
func agree(verb string, names []diagnose.Name, level diagnose.Level) string {
	switch {
	case !one(names, level):
		return verb
	case verb == "have":
		return "has"
	}
	return verb + "s"
}

// contrastWords sets those that have most of something against those with
// least.
func contrastWords(e diagnose.Contrast, level diagnose.Level) string {
	if e.Node != "" {
		where := "node " + e.Node
		if strings.HasPrefix(strings.ToLower(e.Node), "node") {
			where = e.Node // "node node3" says it twice
		}
		if len(e.Nodes) > 1 {
			where = "nodes " + upTo(slices.Sorted(slices.Values(e.Nodes)), 6)
		}
		return fmt.Sprintf("%s %s on %s, where it takes %s × as long as elsewhere; no metric collected explains it", members(e.High, level), agree("run", e.High, level), where, Ratio(e.Ratio, 1))
	}
	verb := " have "
	if one(e.High, level) {
		verb = " has "
	}
	if e.Metric == model.Instructions {
		verb = strings.NewReplacer("have", "execute", "has", "executes").Replace(verb)
	}
	low := members(e.Low, level)
	switch {
	case e.LowValue == 0 && e.Metric == model.Calls:
		return "it is called on " + members(e.High, level) + " and never on " + low
	case e.LowValue == 0:
		return members(e.High, level) + verb + attributeWords(e.Attribute) + " and " + low + " none"
	}
	return fmt.Sprintf("%s%s%s × the %s of %s", members(e.High, level), verb, Ratio(e.Ratio, 1), attributeWords(e.Attribute), low)
}

// percentOf writes a share with one digit where it is small.
func percentOf(share float64) string {
	switch {
	case share >= 0.1:
		return fmt.Sprintf("%.0f %%", 100*share)
	case share < 0.0005:
		return "less than 0.1 %"
	}
	return strings.Replace(Percent(analyze.Real(share)), ".0 %", " %", 1)
}

// savingWords says what balancing a cause would bring: what a replay says where
// there is a trace, else at most what the profile says.
func savingWords(d *diagnose.Diagnosis, c diagnose.Cause) string {
	switch {
	case !replayTells(d, c):
	case c.Association:
		return "Balancing it would gain nothing in a replay: it goes with the loss and is not its cause."
	case c.Replayed != nil && *c.Replayed < float64(c.LostShare)/2:
		// What is waited for one is not gained where the messages' order has the
		// next wait in its place.
		return fmt.Sprintf("%s of the run is waiting for it; balancing it would save %s, as a replay with the same messages shows.", percentOf(float64(c.LostShare)), percentOf(*c.Replayed))
	case c.Replayed != nil:
		return fmt.Sprintf("Balancing it would save %s of the run, as a replay shows.", percentOf(*c.Replayed))
	}
	if others, together := neededWith(d, c); others != "" {
		return fmt.Sprintf("Balancing it alone would save %s; together with %s, up to %s of the run.", upToShare(float64(c.Alone)), others, percentOf(together))
	}
	return fmt.Sprintf("Balancing it would save up to %s of the run.", percentOf(float64(c.LostShare)))
}

// neededWith names what has to be balanced with a cause for most of what it costs to
// be saved, and what all that saves; nothing where it does by itself.
func neededWith(d *diagnose.Diagnosis, c diagnose.Cause) (others string, together float64) {
	if float64(c.Alone) >= 0.75*float64(c.LostShare) {
		return "", 0
	}
	var names []string
	together = float64(c.LostShare)
	for _, o := range d.Causes {
		if slices.Contains(c.With, o.Region) && (float64(o.LostShare) >= smallPart || c.Alone < 0) {
			names = append(names, quoted(shortName(lastName(o.Region))))
			together += float64(o.LostShare)
		}
	}
	if len(names) == 0 {
		return "", 0
	}
	return upTo(names, 4), together
}

// upToShare says what is saved at most.
func upToShare(share float64) string {
	if share < 0.0005 {
		return "nothing"
	}
	return "up to " + percentOf(share)
}

// replayTells is false where units were off the cores for longer than the cause
// costs: a replay takes that for their work, in whatever region it was.
func replayTells(d *diagnose.Diagnosis, c diagnose.Cause) bool {
	off := 0.0
	for _, line := range d.Ledger {
		if line.Kind == account.SharedCores {
			off += line.Share
		}
	}
	return off < float64(c.LostShare)
}

// saving is the same in a few words.
func saving(d *diagnose.Diagnosis, c diagnose.Cause) string {
	switch {
	case !replayTells(d, c):
	case c.Association:
		return "though balancing it gains nothing in a replay"
	case c.Replayed != nil:
		return percentOf(*c.Replayed) + " by replay"
	}
	if others, _ := neededWith(d, c); others != "" {
		return percentOf(float64(c.LostShare)) + ", to be balanced together with " + others
	}
	return "up to " + percentOf(float64(c.LostShare))
}
