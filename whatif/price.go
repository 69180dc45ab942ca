package whatif

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"auspex/events"
	"auspex/internal/figure"
	"auspex/simulate"
)

// Answer is what changes would bring.
type Answer struct {
	Name        string     `json:"name"`
	BaseSeconds float64    `json:"base_seconds"`
	NewSeconds  float64    `json:"new_seconds"`
	Gain        float64    `json:"gain"`     // share of the base
	Interval    [2]float64 `json:"interval"` // of the new time, 90 %
	Changes     []string   `json:"changes"`
	Limit       Limit      `json:"limit"`
	Measured    bool       `json:"measured"` // the base was measured, not replayed
	Replayed    float64    `json:"replayed_base_seconds"`
	Bound       bool       `json:"bound"` // the gain is at most this: there was no trace, or it does not tell who waits for whom
	Notes       []string   `json:"notes"`
	Words       string     `json:"words"`
}

// Limit is what a program's time consists of: what would have to change next.
type Limit struct {
	By            string   `json:"by"`     // computation, imbalance, waiting, cores or blocked
	Rank          int      `json:"rank"`   // one that computes longest
	Ranks         []int    `json:"ranks"`  // all that do, but for a hundredth
	Region        string   `json:"region"` // the largest of those ranks
	LoadBalance   float64  `json:"load_balance"`
	Communication float64  `json:"communication"`
	stopped       float64  // share of the time in which that rank had no core
	paused        float64  // likewise, in which it was blocked or asleep
	all           bool     // all ranks compute as long
	regions       []string // all in which those ranks compute as long as in that
	part          float64  // share of one in what they compute
}

// Price replays with changes.
func (c *Case) Price(ctx context.Context, changes []Change) (*Answer, error) {
	s, err := c.setting(changes)
	if err != nil {
		return nil, err
	}
	o, err := c.replaySetting(ctx, s, changes)
	if err != nil {
		return nil, err
	}
	a := &Answer{Name: c.trace.Name, BaseSeconds: c.Base(), NewSeconds: c.predicted(o), Measured: c.measured > 0, Replayed: c.base.seconds, Changes: []string{}, Notes: append([]string{}, c.notes...)}
	if a.BaseSeconds > 0 {
		a.Gain = 1 - a.NewSeconds/a.BaseSeconds
	}
	for _, ch := range changes {
		a.Changes = append(a.Changes, ch.String())
	}
	a.Interval = c.interval(a.NewSeconds)
	if o.freed > 0 { // it may as well stay
		stays := *o
		stays.freed = 0
		a.Interval[1] = c.interval(c.predicted(&stays))[1]
	}
	a.Limit = c.limit(o, s)
	if c.measured > 0 && c.unexplained == 0 && math.Abs(c.measured-c.base.seconds) > 0.2*c.measured {
		a.Notes = append(a.Notes, fmt.Sprintf("the replay of the run as it is takes %s and the run took %s; the difference is taken to stay", seconds(c.base.seconds), seconds(c.measured)))
	}
	held, err := c.stillWaits(ctx, changes, o)
	if err != nil {
		return nil, err
	}
	a.Notes = append(append(a.Notes, held...), slices.Concat(c.stepNotes(changes), c.besideNote(changes), c.functionNotes(changes))...)
	if slices.ContainsFunc(changes, func(ch Change) bool { return !c.judged(ch.Kind) }) {
		a.Notes = append(a.Notes, c.dealt())
	}
	on := ""
	if c.platform != nil && !a.Measured {
		on = c.platform.Name
	}
	if c.onlyBounds(changes) {
		return a, c.untoldBound(ctx, a, s, changes)
	}
	a.Words = a.words(changes, on, c.Explained())
	return a, nil
}

// The interval is that of runs to come: how far they vary (as measured, or what
// a quiet machine does), and a tenth of what changes, since a replay knows
// nothing of caches and memory that are shared.
const (
	quietSpread = 0.02
	ninety      = 1.645 // standard deviations, for 90 %
	unknownPart = 0.1
)

func (c *Case) interval(predicted float64) [2]float64 {
	spread := max(c.spread, quietSpread)
	if c.spread == 0 { // the base itself is a single run, and varies as much
		spread *= math.Sqrt2
	}
	if c.platform != nil {
		spread = math.Hypot(spread, simulate.PlatformSpread)
	}
	wide := ninety*spread*predicted + unknownPart*math.Abs(c.Base()-predicted)
	low, high := predicted-wide, predicted+wide
	if c.platform != nil && c.measured > 0 {
		// What the platform's replay does not tell of the run is taken to stay; it may
		// as well go with what is changed.
		if more := c.measured - c.outside - c.base.seconds; more > 0 {
			low -= more
		} else {
			high -= more
		}
	}
	return [2]float64{max(low, 0), high}
}

// limit says what the time of a replay consists of.
func (c *Case) limit(o *outcome, s setting) Limit {
	if l := blocked(o); l.By != "" && c.untold < least*c.Base() { // else it may wait in MPI
		return l
	}
	l := Limit{Rank: -1, Ranks: []int{}}
	if o.seconds <= 0 {
		l.By = "nothing"
		return l
	}
	if len(o.compute) == 0 || slices.Max(o.compute) <= 0 {
		l.By = "waiting"
		return l
	}
	most := slices.Max(o.compute)
	for rank, t := range o.compute {
		if t >= (1-asLong)*most {
			l.Ranks = append(l.Ranks, rank)
		}
	}
	l.Rank, l.all = slices.Index(o.compute, most), len(l.Ranks) == len(o.compute)
	l.LoadBalance = sum(o.compute) / float64(len(o.compute)) / most
	l.Communication = most / o.seconds
	if l.regions, l.part = c.largestOf(l.Ranks, s); len(l.regions) > 0 {
		l.Region = l.regions[0]
	}
	if lacksCores(o, l) {
		l.By, l.stopped = "cores", o.stopped[l.Rank]/o.seconds
		return l
	}
	switch {
	case l.LoadBalance < 0.95 && l.LoadBalance <= l.Communication:
		l.By = "imbalance"
	case l.Communication < 0.9:
		l.By = "waiting"
	default:
		l.By = "computation"
	}
	return l
}

// asLong is by how much less of the time ranks may compute than the longest and be told
// with it.
const asLong = 0.01

// largestOf are the regions in which some ranks compute longest together, as long as
// each other, and the share of one.
func (c *Case) largestOf(ranks []int, s setting) (regions []string, share float64) {
	spent := make([]float64, len(c.profile.Seconds))
	largest := 0.0
	for r, row := range c.profile.Seconds {
		for _, rank := range ranks {
			t := row[rank]
			if s.work.Scale != nil && s.work.Scale[r] != nil {
				t *= s.work.Scale[r][rank] / c.stretched(rank)
			}
			spent[r] += t
		}
		if !c.noOnes(c.profile.Regions[r]) {
			largest = max(largest, spent[r])
		}
	}
	if largest <= 0 {
		return nil, 0
	}
	for r, t := range spent {
		if name := c.profile.Regions[r]; t >= (1-asLong)*largest && !c.noOnes(name) {
			regions = append(regions, c.mostlyIn(r, ranks, &s))
		}
	}
	return regions, largest / sum(spent)
}

// blocked is the limit where the rank that is blocked or asleep longest is so for a
// tenth of the time at least, and for most of the time that it does not compute in.
func blocked(o *outcome) Limit {
	if len(o.paused) == 0 || o.seconds <= 0 {
		return Limit{}
	}
	longest := slices.Max(o.paused)
	rank := slices.Index(o.paused, longest)
	if longest < 0.1*o.seconds || longest < (o.seconds-o.compute[rank])/2 {
		return Limit{}
	}
	l := Limit{By: "blocked", Rank: rank, Ranks: []int{rank}, Communication: slices.Max(o.compute) / o.seconds, paused: longest / o.seconds}
	if most := slices.Max(o.compute); most > 0 {
		l.LoadBalance = sum(o.compute) / float64(len(o.compute)) / most
	}
	return l
}

// lacksCores tells whether the rank that computes longest loses more without a core
// than by uneven work or by waiting, and a tenth of the time at least.
func lacksCores(o *outcome, l Limit) bool {
	if o.stopped == nil {
		return false
	}
	most, all := 0.0, 0.0
	for rank, t := range o.compute {
		work := t - o.stopped[rank]
		most, all = max(most, work), all+work
	}
	uneven := most - all/float64(len(o.compute))
	return o.stopped[l.Rank] > max(0.1*o.seconds, uneven, (1-l.Communication)*o.seconds)
}

// muchMore is from how much more time on, as a share of the run, words say how many times
// as long it is.
const muchMore = 9

// words says what changes would bring, where the run was or on a platform; explained
// tells whether the trace explains how long the run took.
func (a *Answer) words(changes []Change, platform string, explained bool) string {
	what := "as it is"
	for i, ch := range changes {
		if i == 0 {
			what = "with " + ch.Spoken()
		} else {
			what += " and " + ch.Spoken()
		}
	}
	run := "The run takes " + seconds(a.BaseSeconds)
	if platform != "" {
		run = fmt.Sprintf("On %s the run would take %s", platform, seconds(a.BaseSeconds))
	}
	text := fmt.Sprintf("%s; %s it would take %s (%s to %s)", run, what, seconds(a.NewSeconds), seconds(a.Interval[0]), seconds(a.Interval[1]))
	switch {
	case a.Gain >= 0.0005:
		text += fmt.Sprintf(", %.1f %% less", 100*a.Gain)
	case a.Gain <= -muchMore:
		text += fmt.Sprintf(", %.0f times as long", 1-a.Gain)
	case a.Gain <= -0.0005:
		text += fmt.Sprintf(", %.1f %% more", -100*a.Gain)
	default:
		text += ": no gain"
		if !explained {
			text += ", as far as the trace tells"
		}
		return text + ". " + a.Limit.words()
	}
	if !explained {
		text += ", as far as the trace tells"
	}
	if a.BaseSeconds >= a.Interval[0] && a.BaseSeconds <= a.Interval[1] {
		text += ", no more than runs vary"
	}
	return text + ". " + a.Limit.words()
}

func (l Limit) words() string {
	switch l.By {
	case "nothing":
		return "Then nothing is left of what the trace tells."
	case "imbalance":
		part := "most of it"
		switch {
		case len(l.regions) == 0:
			return fmt.Sprintf("Then imbalance limits it: %s longest (load balance %.2f).", l.compute(), l.LoadBalance)
		case len(l.regions) > 1:
			part = "as much of it each"
		case l.part <= 0.5:
			part = "the largest part of it"
		}
		return fmt.Sprintf("Then imbalance limits it: %s longest, %s in %s (load balance %.2f).", l.compute(), part, l.where(), l.LoadBalance)
	case "cores":
		return fmt.Sprintf("Then a want of cores limits it: rank %d computes longest, and could not for %.0f %% of the time because it had none.", l.Rank, 100*l.stopped)
	case "blocked":
		return fmt.Sprintf("Then rank %d limits it, which is blocked or asleep for %.0f %% of the time.", l.Rank, 100*l.paused)
	case "computation":
		if len(l.regions) == 0 {
			return "Then computation limits it."
		}
		return fmt.Sprintf("Then computation limits it, most of all %s.", l.where())
	}
	if l.Communication == 0 {
		return "Then communication limits it."
	}
	if l.all {
		return fmt.Sprintf("Then waiting and communication limit it: all ranks compute as long, %.0f %% of the time.", 100*l.Communication)
	}
	return fmt.Sprintf("Then waiting and communication limit it: %s longest, %.0f %% of the time.", l.compute(), 100*l.Communication)
}

// where names the regions in which they compute longest.
func (l Limit) where() string {
	var names []string
	for _, region := range l.regions {
		names = append(names, events.Quoted(region))
	}
	return named(names, "and")
}

// compute names the ranks that do so longest.
func (l Limit) compute() string {
	if len(l.Ranks) == 1 {
		return fmt.Sprintf("rank %d computes", l.Rank)
	}
	return "ranks " + named(texts(l.Ranks), "and") + " compute"
}

func texts(ranks []int) []string {
	var out []string
	for _, rank := range ranks {
		out = append(out, strconv.Itoa(rank))
	}
	return out
}

// named lists a few names, and how many there are more.
func named(names []string, last string) string {
	const most = 4
	if len(names) > most {
		names = append(slices.Clone(names[:most-1]), fmt.Sprintf("%d more", len(names)-most+1))
	}
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + last + " " + names[len(names)-1]
}

func seconds(s float64) string { return figure.Seconds(s, 4) }
