package report

// What is behind a difference between units, and what evening it out would save.

import (
	"fmt"
	"slices"
	"strings"

	"auspex/account"
	"auspex/analyze"
	"auspex/analyze/diagnose"
	"auspex/model"
)

// because says what is behind a region's difference.
func because(d *diagnose.Diagnosis, c diagnose.Cause) string {
	if len(c.Only) > 0 {
		return onlyWords(d, c)
	}
	if c.InThreads {
		return ": it is the threads of a process that differ there, more than processes do; `--units threads` compares them"
	}
	if len(c.Evidence) == 0 {
		verb, unit, of := "spend", comparedUnit(d), ""
		switch {
		case d.Counts:
			verb, of = "count", " "+d.Metric
		case d.Metric == model.CPUTime && !d.BeyondCPU && lineTotal(d, account.SharedCores) >= largePart:
			of = " of CPU time" // which takes longer, so that more is lost by it
		}
		if f := byFunctionOf(c); f != nil && f.Only {
			mean := ""
			if len(c.Slow) > 1 {
				mean = " in the mean"
			}
			return fmt.Sprintf(": only %s %s time there, %s%s%s by samples", members(c.Slow, d.Level), agree(verb, c.Slow, d.Level), Quantity(f.SlowMean, unit), of, mean)
		} else if f != nil {
			c.Most, c.Mean, c.SlowMean, c.OthersMean, of = f.Most, f.Mean, f.SlowMean, f.OthersMean, of+" (by samples)"
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
		parts = append(parts, "of the former, "+longestWords(d, c))
	}
	if len(varying) > 0 {
		parts = append(parts, "time varies with "+upTo(varying, 5))
	}
	return ": " + strings.Join(parts, "; ")
}

// onlyWords says which units do the work of a region at all.
func onlyWords(d *diagnose.Diagnosis, c diagnose.Cause) string {
	what := "time"
	if d.Counts {
		what = d.Metric
	}
	verb := agree("spend", c.Only, d.Level)
	if d.Counts {
		verb = agree("count", c.Only, d.Level)
	}
	words := fmt.Sprintf(": only %s %s %s there", members(c.Only, d.Level), verb, what)
	if len(c.Slow) < len(c.Only) && within(c.Slow, c.Only) {
		words += "; of these, " + longestWords(d, c)
	}
	return words
}

// longestWords names the units that take longest.
func longestWords(d *diagnose.Diagnosis, c diagnose.Cause) string {
	return members(c.Slow, d.Level) + " " + agree("take", c.Slow, d.Level) + " longest"
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
	if e.Ratio >= nextToNone {
		unit := ""
		switch e.Metric {
		case model.IORead, model.IOWritten, model.BytesSent, model.BytesReceived:
			unit = "B of"
		}
		mean := ""
		if len(e.High) > 1 || len(e.Low) > 1 {
			mean = " in the mean"
		}
		few := strings.TrimSuffix(Quantity(e.LowValue, "")+" "+unit, " of")
		return fmt.Sprintf("%s%s%s%s %s, %s %s %s%s", members(e.High, level), verb, Quantity(e.HighValue, ""), unit, attributeWords(e.Attribute), low, agree("have", e.Low, level), strings.TrimSpace(few), mean)
	}
	digits := 1
	if e.Ratio < 1.1 {
		digits = 3 // what is 1.04 times as much is not as much
	}
	return fmt.Sprintf("%s%s%s × the %s of %s", members(e.High, level), verb, Ratio(e.Ratio, digits), attributeWords(e.Attribute), low)
}

// nextToNone is the ratio from which on how many times as much it is says less than how
// much: of a count near zero it is any number.
const nextToNone = 1000

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
	return lineTotal(d, account.SharedCores) < float64(c.LostShare)
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
