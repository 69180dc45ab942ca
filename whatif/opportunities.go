package whatif

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"auspex/internal/crew"
)

// Opportunity is a change that would pay.
type Opportunity struct {
	Change     string  `json:"change"`
	Words      string  `json:"words"`
	Region     string  `json:"region"`
	Gain       float64 `json:"gain"`
	NewSeconds float64 `json:"new_seconds"`
	// After is what it still gains once the first of the list is taken; nil for
	// the first.
	After *float64 `json:"gain_after_first"`

	change Change
}

// List is what could be changed, best first.
type List struct {
	Name          string        `json:"name"`
	BaseSeconds   float64       `json:"base_seconds"`
	Measured      bool          `json:"measured"`
	Opportunities []Opportunity `json:"opportunities"`
	// Shares are those of the causes of lost time among them, which add up to
	// LossSeconds: what taking them all would win.
	Shares      []Share  `json:"shares"`
	LossSeconds float64  `json:"loss_seconds"`
	Tried       int      `json:"tried"`
	Replays     int      `json:"replays"`
	Bound       bool     `json:"bound"`
	Notes       []string `json:"notes"`
	Words       string   `json:"words"`
	small       bool     // what the first gains is no more than runs vary
}

const (
	least        = 0.001 // gains below are none
	maxBalanced  = 12    // regions tried
	maxFaster    = 8
	maxStraggler = 3
	maxTogether  = 8 // slow ranks that are tried together
	maxShapley   = 4
	straggles    = 1.05 // times the median of the others
	otherWork    = 5    // times that: a rank with so much more has other work to do, as the only worker beside a master
	// budget is how many actions are replayed for a list: about ten seconds.
	budget = 200e6
	asMuch = 0.0005 // of the run: gains that differ by less are told alike
)

// Opportunities prices what could be changed.
func (c *Case) Opportunities(ctx context.Context) (*List, error) {
	l := &List{Name: c.trace.Name, BaseSeconds: c.Base(), Measured: c.measured > 0, Notes: append([]string{}, c.notes...), Opportunities: []Opportunity{}, Shares: []Share{}}
	candidates := c.candidates()
	most := int(budget / float64(max(c.profile.Actions, 1)))
	if most = max(most/2, 6); len(candidates) > most {
		l.Notes = append(l.Notes, fmt.Sprintf("the trace is large: of %d candidates the %d with the most time were tried", len(candidates), most))
		candidates = candidates[:most]
	}
	l.Tried = len(candidates)
	sets := make([][]Change, len(candidates))
	for i, ch := range candidates {
		sets[i] = []Change{ch}
	}
	times, err := c.replayAll(ctx, sets)
	if err != nil {
		return nil, err
	}
	l.Replays += len(sets)
	for i, ch := range candidates {
		o := Opportunity{Change: ch.String(), Words: ch.Spoken(), Region: ch.Region, NewSeconds: times[i], change: ch}
		if o.Gain = c.gain(times[i]); o.Gain >= least {
			l.Opportunities = append(l.Opportunities, o)
		}
	}
	l.Opportunities = moreThanOne(l.Opportunities)
	slices.SortStableFunc(l.Opportunities, func(a, b Opportunity) int { return cmp.Compare(b.Gain, a.Gain) })
	if err := c.second(ctx, l, most); err != nil {
		return nil, err
	}
	if err := c.shapley(ctx, l, most); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(l.Opportunities, func(o Opportunity) bool { return o.change.Kind == LikeMedian }) {
		l.Notes = append(l.Notes, likeOthers)
	}
	for _, o := range l.Opportunities {
		for _, note := range slices.Concat(c.stepNotes([]Change{o.change}), c.functionNotes([]Change{o.change})) {
			if !slices.Contains(l.Notes, note) {
				l.Notes = append(l.Notes, note)
			}
		}
	}
	if slices.ContainsFunc(l.Opportunities, func(o Opportunity) bool { return o.change.Kind == Ideal }) {
		held, err := c.idealWaits(ctx)
		if err != nil {
			return nil, err
		}
		l.Notes = append(l.Notes, held...)
	}
	if c.HandsOut() {
		l.Notes = append(l.Notes, c.dealt())
	}
	note, err := c.remains(ctx, l)
	if err != nil {
		return nil, err
	}
	l.Notes = append(l.Notes, note...)
	if len(l.Opportunities) > 0 {
		l.small = c.interval(l.Opportunities[0].NewSeconds)[1] >= l.BaseSeconds
	}
	l.Words = l.words(c.Explained())
	return l, nil
}

// moreThanOne leaves out slow ranks together where one of them alone brings nearly as
// much.
func moreThanOne(of []Opportunity) []Opportunity {
	alone := 0.0
	for _, o := range of {
		if o.change.Kind == LikeMedian && len(o.change.Also) == 0 {
			alone = max(alone, o.Gain)
		}
	}
	return slices.DeleteFunc(of, func(o Opportunity) bool {
		return len(o.change.Also) > 0 && o.Gain < alone+worthMore
	})
}

// worthMore of the run is what slow ranks have to bring together beyond one of them.
const worthMore = 0.01

// likeOthers is said where a slow rank is among what could be changed: times
// alone do not tell slowness from work.
const likeOthers = "a rank as fast as the others supposes that it is slower at the same work; where it has more to do, balancing is what can be won"

func (c *Case) gain(predicted float64) float64 {
	if c.Base() <= 0 {
		return 0
	}
	return 1 - predicted/c.Base()
}

// candidates are changes worth a replay, those with the most time first.
func (c *Case) candidates() []Change {
	type one struct {
		change Change
		weight float64
	}
	var list []one
	var uneven, heavy []one
	n := float64(c.ranks)
	turning := c.largest(maxFaster)
	c.lookForTurns(turning)
	for r, row := range c.profile.Seconds {
		total, most, name := sum(row), slices.Max(row), c.profile.Regions[r]
		if total <= 0 || c.noOnes(name) {
			continue
		}
		lost := most - total/n
		if turning[r] && c.byTurns([]int{r}).moves {
			lost = c.byTurns([]int{r}).lost
		}
		if lost > least*c.Base() {
			uneven = append(uneven, one{Change{Kind: Balance, Region: name}, lost})
		}
		functions := c.inFunctions(r)
		for _, p := range functions {
			t := c.inFunction(p, c.allRanks())
			if i := slices.IndexFunc(heavy, func(o one) bool { return o.change.Region == p.name }); i >= 0 {
				heavy[i].weight += t / n / 2
			} else if t/n > least*c.Base() {
				heavy = append(heavy, one{Change{Kind: Faster, Region: p.name, Factor: 2}, t / n / 2})
			}
		}
		if functions == nil && total/n > least*c.Base() {
			heavy = append(heavy, one{Change{Kind: Faster, Region: name, Factor: 2}, total / n / 2})
		}
	}
	byWeight := func(a, b one) int { return cmp.Compare(b.weight, a.weight) }
	slices.SortStableFunc(uneven, byWeight)
	slices.SortStableFunc(heavy, byWeight)
	if !c.judged(Balance) {
		uneven = nil
	}
	if len(uneven) > 1 {
		list = append(list, one{Change{Kind: Balance, Region: All}, uneven[0].weight + uneven[1].weight})
	}
	list = append(list, uneven[:min(len(uneven), maxBalanced)]...)
	list = append(list, heavy[:min(len(heavy), maxFaster)]...)
	ranks := c.profile.Ranks()
	other := c.otherWork()
	longest := 0.0 // that a rank had no core
	for rank, s := range c.stood {
		ranks[rank] += s.all()
		longest = max(longest, s.all())
	}
	if longest > least*c.Base() {
		list = append(list, one{Change{Kind: Cores}, longest})
	}
	for rank := range ranks {
		ranks[rank] += c.profile.Pauses[rank]
	}
	sorted := slices.Sorted(slices.Values(ranks))
	var slow []one
	for rank, t := range ranks {
		if usual := medianWithout(sorted, t); c.ranks > 1 && c.judged(LikeMedian) && t > straggles*usual && !other[rank] && t-usual > least*c.Base() {
			slow = append(slow, one{Change{Kind: LikeMedian, Rank: rank}, t - usual})
		}
	}
	slices.SortStableFunc(slow, byWeight)
	list = append(list, slow[:min(len(slow), maxStraggler)]...)
	if n := len(slow); n > 1 && n <= maxTogether && 2*n <= c.ranks { // one alone leaves the run to the next
		all := Change{Kind: LikeMedian, Rank: slow[0].change.Rank}
		for _, o := range slow[1:] {
			all.Also = append(all.Also, o.change.Rank)
		}
		slices.Sort(all.Also)
		list = append(list, one{all, slow[0].weight})
	}
	slices.SortStableFunc(list, byWeight)
	out := []Change{{Kind: Ideal}, {Kind: NoNoise}}
	if c.unexplained > 0 { // of the network nothing is known then
		out = out[1:]
	}
	for _, o := range list {
		out = append(out, o.change)
	}
	return out
}

// otherWork tells which ranks have work of their own, by what each computes: how long
// they had no core says nothing of it. Such a one computes many times as long as the
// others, or has most of what it computes longer in regions that they do not enter. Of
// pauses no regions are known, so that one that pauses for longer than that may be slow.
func (c *Case) otherWork() []bool {
	work, own := make([]float64, c.ranks), make([]float64, c.ranks)
	for _, row := range c.profile.Seconds {
		sorted := slices.Sorted(slices.Values(row))
		for rank, t := range row {
			t /= c.stretched(rank)
			if work[rank] += t; medianWithout(sorted, row[rank]) <= 0 {
				own[rank] += t
			}
		}
	}
	sorted, pauses := slices.Sorted(slices.Values(work)), slices.Sorted(slices.Values(c.profile.Pauses))
	other := make([]bool, len(work))
	for rank, t := range work {
		usual := medianWithout(sorted, t)
		longer, paused := t-usual, c.profile.Pauses[rank]
		paused -= medianWithout(pauses, paused)
		other[rank] = t >= otherWork*usual || longer > max(paused, 0) && own[rank] > longer/2
	}
	return other
}

// tries keeps what replays with changes came to: lists try some of them several times.
type tries struct {
	sync.Mutex
	known map[string]*outcome
}

// tried replays with changes, or finds what that came to.
func (c *Case) tried(ctx context.Context, changes []Change) (*outcome, error) {
	key := fmt.Sprintf("%+v", changes)
	c.tries.Lock()
	o := c.tries.known[key]
	c.tries.Unlock()
	if o != nil {
		return o, nil
	}
	o, err := c.replay(ctx, changes)
	if err != nil {
		return nil, err
	}
	c.tries.Lock()
	defer c.tries.Unlock()
	if c.tries.known == nil {
		c.tries.known = map[string]*outcome{}
	}
	c.tries.known[key] = o
	return o, nil
}

// replayAll prices sets of changes, as many at a time as there are cores.
func (c *Case) replayAll(ctx context.Context, sets [][]Change) ([]float64, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	times, errs := make([]float64, len(sets)), make([]error, len(sets))
	var next atomic.Int64
	var workers crew.Crew
	for range min(runtime.GOMAXPROCS(0), len(sets)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(sets); i = int(next.Add(1)) - 1 {
				o, err := c.tried(ctx, sets[i])
				if err != nil {
					errs[i] = err
					stop()
					continue
				}
				times[i] = c.predicted(o)
			}
		})
	}
	workers.Wait()
	var failed error
	for _, err := range errs { // what stopped the others, rather than that they were stopped
		if err != nil && (failed == nil || errors.Is(failed, context.Canceled)) {
			failed = err
		}
	}
	return times, failed
}

// second prices the others after the first is taken.
func (c *Case) second(ctx context.Context, l *List, most int) error {
	if len(l.Opportunities) < 2 {
		return nil
	}
	first := l.Opportunities[0]
	others := l.Opportunities[1:]
	others = others[:min(len(others), most, 10)]
	var sets [][]Change
	for _, o := range others {
		sets = append(sets, []Change{first.change, o.change})
	}
	times, err := c.replayAll(ctx, sets)
	if err != nil {
		return err
	}
	l.Replays += len(sets)
	for i := range others {
		more := (first.NewSeconds - times[i]) / c.Base()
		others[i].After = &more
	}
	return nil
}

// restores tells whether a change takes away a loss, rather than work.
func restores(k Kind) bool {
	return k == Balance || k == LikeMedian || k == Ideal || k == NoNoise || k == Cores || k == Latency || k == Bandwidth
}

// words says what would gain most; explained tells whether the trace explains how
// long the run took.
func (l *List) words(explained bool) string {
	if len(l.Opportunities) == 0 {
		text := fmt.Sprintf("Of %d changes none would make the run of %s shorter by a thousandth or more", l.Tried, seconds(l.BaseSeconds))
		if !explained {
			text += ", as far as the trace tells"
		}
		return text + "."
	}
	first := l.Opportunities[0]
	var best []string // all that gain as much
	for _, o := range l.Opportunities {
		if first.NewSeconds+asMuch*l.BaseSeconds >= o.NewSeconds {
			best = append(best, o.Words)
		}
	}
	text := fmt.Sprintf("The run of %s would gain most with %s: %s, %.1f %% less", seconds(l.BaseSeconds), named(best, "or"), seconds(first.NewSeconds), 100*first.Gain)
	if !explained {
		text += ", as far as the trace tells"
	}
	if l.small {
		text += ", no more than runs vary"
	}
	text += "."
	if len(l.Opportunities) > 1 && l.Opportunities[1].After != nil {
		next := l.Opportunities[1]
		after := "it"
		if len(best) > 1 {
			after = first.Words
		}
		if math.Abs(next.Gain-*next.After) < least {
			return text + fmt.Sprintf(" After %s %s would bring another %.1f %%.", after, next.Words, 100*next.Gain)
		}
		left := "nothing"
		if *next.After >= 0.0005 { // what is not written as 0.0 %
			left = fmt.Sprintf("%.1f %%", 100**next.After)
		}
		text += fmt.Sprintf(" Gains do not add up: %s would bring %.1f %% alone and %s after the first.", next.Words, 100*next.Gain, left)
	}
	return text
}

// largest are the regions with the most time, as many as that.
func (c *Case) largest(most int) map[int]bool {
	regions := make([]int, len(c.profile.Seconds))
	for r := range regions {
		regions[r] = r
	}
	slices.SortStableFunc(regions, func(a, b int) int {
		return cmp.Compare(sum(c.profile.Seconds[b]), sum(c.profile.Seconds[a]))
	})
	out := map[int]bool{}
	for _, r := range regions[:min(most, len(regions))] {
		out[r] = true
	}
	return out
}
