package predict

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"auspex/internal/figure"
	"auspex/simulate"
	"auspex/trace"
)

// replay predicts from the traces of one level and count on one platform: the
// middle of the runs.
func (w *workshop) replay(ctx context.Context, p *Platform, traces []*taken, opt string, np int) (Prediction, error) {
	w.say("simulating %s%s on %s", processes(np), atLevel(opt), p.Name)
	hosts := p.place(np)
	reference, doubt, err := w.reference(p, hosts)
	if err != nil {
		return Prediction{}, err
	}
	machine := p.Platform.Timed(reference)
	out := Prediction{NP: np, Opt: opt, Platform: p.Name, Method: Simple, Runs: len(traces)}
	var seconds []float64
	var results []*simulate.Result
	cut, sizes, inflated := 0.0, 0.0, 0.0
	for _, t := range traces {
		start := time.Now()
		result, used, err := simulate.Buffered(ctx, t.Trace, p.Platform, hosts, options(p, reference))
		if err != nil {
			return out, fmt.Errorf("%s: %w", p.Name, err)
		}
		if used.EagerBelow > p.Options.EagerBelow {
			w.note("On %s sends of %d bytes or more wait for their receive, and so ranks would wait for one another for ever. They did not here, so sends below %d bytes go on at once in the replay. MPI promises neither.",
				p.Name, p.Options.EagerBelow, used.EagerBelow)
			buffering := *p
			buffering.Options.EagerBelow = used.EagerBelow
			p = &buffering
		}
		out.Simulation += time.Since(start).Seconds() / float64(len(traces))
		out.Obtain += t.seconds / float64(len(traces))
		if result.Open > 0 {
			w.note("Receives for which no message comes are open at the program's end, or were cancelled (%d in one replay with %s). Like MPI_Finalize, the replay does not wait for them.", result.Open, processes(np))
		}
		seconds, results = append(seconds, result.Seconds), append(results, result)
		cut, inflated = max(cut, cutSpread(t, machine, hosts)), max(inflated, t.inflated)
		sizes = max(sizes, t.sizesOff*communicating(result))
		for _, c := range t.Cuts {
			if c.Skipped > 0 {
				out.Method = Threshold
			}
		}
	}
	w.noteOwn(p, traces[0].Trace, hosts)
	w.noteCores(p, traces[0].Trace, hosts)
	if out.Bounds, err = bounds(ctx, p, traces, hosts, reference); err != nil {
		return out, fmt.Errorf("%s: %w", p.Name, err)
	}
	middle := out.describe(seconds, results)
	w.noteScatter(seconds, np, opt, p.Name)
	scatter, err := w.scatter(ctx, p, traces[0], hosts, reference, seconds[0])
	if err != nil {
		return out, fmt.Errorf("%s: %w", p.Name, err)
	}
	least := atLeast(out.Bounds, results)
	out.Predicted, out.Low, out.High = interval(seconds, math.Hypot(math.Hypot(math.Hypot(cut, sizes), scatter), doubt*median(seconds)), least)
	out.Low = deflated(out.Low, least, inflated)
	w.noteInflated(inflated, out.Predicted)
	out.PerPrediction = perPrediction(out.Obtain, out.Simulation, len(w.Platforms))
	return out, w.watch(ctx, p, traces[middle], opt, np, reference)
}

// communicating is for how long the rank that computes and pauses most does neither.
func communicating(r *simulate.Result) float64 {
	most := 0.0
	for _, rank := range r.Ranks {
		most = max(most, rank.Compute+rank.Sleep)
	}
	return max(0, r.Seconds-most)
}

// noteInflated tells of an interval that begins lower because calls that count as long
// as they took may have waited for a core.
func (w *workshop) noteInflated(seconds, predicted float64) {
	if seconds > toldScatter*predicted {
		w.noteOnce("inflated", "Ranks waited for a core here, and calls that count as long as they took hold up to %s of that: the interval begins lower for it.", figure.Seconds(seconds, 3))
	}
}

// describe takes what the ranks did from the run in the middle, or the mean of the two
// there, and gives the number of that run.
func (p *Prediction) describe(seconds []float64, results []*simulate.Result) int {
	order := make([]int, len(seconds))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(seconds[a], seconds[b]) })
	n := len(order)
	middle, other := order[(n-1)/2], order[n/2]
	result := results[middle]
	p.Ranks, p.Actions, p.Busiest = slices.Clone(result.Ranks), result.Actions, busiest(result.Links)
	if other != middle {
		add(p.Ranks, results[other].Ranks)
		scale(p.Ranks, 0.5)
	}
	return middle
}

// atLeast is what the runs take at least: LogGP's bound, or what the rank that computes
// and pauses most does in the run with least of it.
func atLeast(b *simulate.Bounds, results []*simulate.Result) float64 {
	if b != nil {
		return b.Lower
	}
	lowest := math.Inf(1)
	for _, r := range results {
		most := 0.0
		for _, rank := range r.Ranks {
			most = max(most, rank.Compute+rank.Sleep)
		}
		lowest = min(lowest, most)
	}
	return lowest
}

// noteOwn tells of messages that ranks send to themselves where the platform has
// nothing for them but its network.
func (w *workshop) noteOwn(p *Platform, t *trace.Trace, hosts []int) {
	for rank := range t.NP() {
		bytes := toItself(t, rank)
		if bytes == 0 || !p.crosses(hosts[rank]) {
			continue
		}
		w.note("%s says nothing of messages within a host: those that ranks send to themselves (%d bytes of rank %d) cross its network in the replay.", p.Name, bytes, rank)
		return
	}
}

// noteCores tells of teams of threads that have more work than their host has cores.
func (w *workshop) noteCores(p *Platform, t *trace.Trace, hosts []int) {
	for rank := range t.NP() {
		cores := max(p.Hosts[hosts[rank]].Cores, 1)
		switch most := busyCores(t, rank); {
		case most > 1.05 && p.Options.OwnCores:
			w.note("How many cores the hosts of %s have was not measured: parallel regions are as long as with a core for each thread (\"auspex/threads\" in it). Rank %d has work for %.3g.", p.Name, rank, most)
			return
		case most > 1.05*float64(cores):
			w.note("Parallel regions of rank %d have work for %.3g cores, and its host on %s has %d: they take longer there than with a core for each thread.", rank, most, p.Name, cores)
			return
		}
	}
}

// busyCores is for how many cores a rank has work, the most of any stretch.
func busyCores(t *trace.Trace, rank int) (most float64) {
	c := t.Cursor(rank)
	for a := (trace.Action{}); c.Next(&a); {
		if a.Kind == trace.Compute {
			most = max(most, a.Cores)
		}
	}
	return most
}

// toItself is how much a rank sends to itself, in bytes. An MPI_Sendrecv with itself is
// a copy in the replay, as in SimGrid's, and crosses nothing.
func toItself(t *trace.Trace, rank int) (sum int64) {
	c := t.Cursor(rank)
	var a trace.Action
	for c.Next(&a) {
		if (a.Kind == trace.Send || a.Kind == trace.Isend || a.Kind == trace.SendRecv && int(a.Peer2) != rank) && a.Comm == 0 && int(a.Peer) == rank {
			sum += volume(&a)
		}
	}
	return sum
}

// crosses tells whether a host reaches itself over the link by which it reaches
// another.
func (p *Platform) crosses(host int) bool {
	own, err := p.Route(host, host, nil)
	if err != nil || len(own.Links) == 0 || len(p.Hosts) < 2 {
		return false
	}
	first := own.Links[0]
	other, err := p.Route(host, (host+1)%len(p.Hosts), nil)
	return err == nil && slices.Contains(other.Links, first)
}

// toldScatter is the share of a prediction from which on a note tells that small
// messages do not always take the same.
const toldScatter = 0.05

// scatter is how much longer the replay of a trace, which took so many seconds, takes
// where small messages are slower than usual by as much as they were seen to be while
// the platform was calibrated.
func (w *workshop) scatter(ctx context.Context, p *Platform, t *taken, hosts []int, reference, seconds float64) (float64, error) {
	o := options(p, reference)
	if o.Scatter == 0 {
		return 0, nil
	}
	result, err := simulate.Run(ctx, t.Trace, p.Platform, hosts, o.Slower(o.Scatter), simulate.Hooks{})
	if err != nil {
		return 0, err
	}
	more := math.Abs(result.Seconds - seconds)
	if more > toldScatter*seconds {
		w.note("Small messages took %.0f %% more or less from second to second while %s was calibrated, and this program waits for many: by that alone its run may take %.0f %% more or less. The interval allows for it.",
			100*o.Scatter, p.Name, 100*more/seconds)
	}
	return more, nil
}

// apart is how many times as long the longest of several runs may be as the
// shortest before a note says so.
const apart = 1.5

// noteScatter tells of a program that takes very different times from run to run:
// then the middle is not what every run takes.
func (w *workshop) noteScatter(seconds []float64, np int, opt, name string) {
	if least, most := slices.Min(seconds), slices.Max(seconds); most > apart*least {
		w.note("Runs of this program differ: from the %d measured with %s%s follow times from %s to %s on %s. The prediction is the middle of them; a run may take any of them.",
			len(seconds), processes(np), atLevel(opt), figure.Seconds(least, 3), figure.Seconds(most, 3), name)
	}
}

// bounds are what the runs of all traces take at least and at most; nil where the
// platform changes while the program runs.
func bounds(ctx context.Context, p *Platform, traces []*taken, hosts []int, reference float64) (*simulate.Bounds, error) {
	if len(p.Changes) > 0 {
		return nil, nil
	}
	var all *simulate.Bounds
	for _, t := range traces {
		b, err := simulate.Estimate(ctx, t.Trace, p.Platform, hosts, options(p, reference))
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = b
		}
		all.Lower, all.Upper = min(all.Lower, b.Lower), max(all.Upper, b.Upper)
	}
	return all, nil
}

// options are a platform's, and the speed that the traces were taken at.
func options(p *Platform, reference float64) simulate.Options {
	o := p.Options
	o.ReferenceSpeed = reference
	return o
}

// computed adds a rank's computation up.
func computed(t *trace.Trace, rank int) (sum float64) {
	c := t.Cursor(rank)
	var a trace.Action
	for c.Next(&a) {
		if a.Kind == trace.Compute {
			sum += a.Value
		}
	}
	return sum
}

// paused adds up the time in which a rank was blocked outside of MPI, in
// seconds.
func paused(t *trace.Trace, rank int) (sum float64) {
	c := t.Cursor(rank)
	var a trace.Action
	for c.Next(&a) {
		if a.Kind == trace.Sleep {
			sum += a.Value
		}
	}
	return sum
}

func add(to, from []simulate.RankTime) {
	for i := range to {
		a, b := &to[i], from[i]
		a.Finish += b.Finish
		a.Compute += b.Compute
		a.Sleep += b.Sleep
		a.Send += b.Send
		a.Recv += b.Recv
		a.Wait += b.Wait
		a.Collective += b.Collective
	}
}

func scale(list []simulate.RankTime, by float64) {
	for i := range list {
		a := &list[i]
		for _, v := range []*float64{&a.Finish, &a.Compute, &a.Sleep, &a.Send, &a.Recv, &a.Wait, &a.Collective} {
			*v *= by
		}
	}
}

// waits tells whether both calls wait, for whatever they do first.
func waits(p, q trace.Action) bool { return p.Kind == trace.Wait && q.Kind == trace.Wait }

// cameFirst tells whether two calls of runs differ only in which of several messages
// came first.
func cameFirst(p, q trace.Action) bool {
	if p.Kind == trace.Recv || p.Kind == trace.Irecv {
		p.Peer = q.Peer
		return equal(&p, &q)
	}
	return waits(p, q)
}

// differ says where two traces do not do the same, or "". Computation may differ,
// pauses, and calls that count as alike.
func differ(a, b *trace.Trace, alike func(p, q trace.Action) bool) string {
	if a.NP() != b.NP() {
		return fmt.Sprintf("%d ranks, then %d", a.NP(), b.NP())
	}
	for rank := range a.NP() {
		x, y := a.Cursor(rank), b.Cursor(rank)
		var p, q trace.Action
		for n := 1; ; n++ {
			more, same := advance(&x, &p), advance(&y, &q)
			if more != same {
				return fmt.Sprintf("rank %d makes more calls in one run than in another", rank)
			}
			if !more {
				break
			}
			if !equal(&p, &q) && !alike(p, q) {
				return fmt.Sprintf("call %d of rank %d is %s", n, rank, unlike(&p, &q))
			}
		}
	}
	return ""
}

// advance moves on to the next action that is a call: neither computation, nor a
// pause, nor a place in the source.
func advance(c *trace.Cursor, a *trace.Action) bool {
	for {
		*a = trace.Action{}
		if !c.Next(a) {
			return false
		}
		if a.Kind != trace.Compute && a.Kind != trace.Sleep && a.Kind != trace.Location {
			return true
		}
	}
}

// busiest is the link that was used most; nil where there is none.
func busiest(links []simulate.LinkUse) *simulate.LinkUse {
	var most *simulate.LinkUse
	for i := range links {
		if most == nil || links[i].Utilisation > most.Utilisation {
			most = &links[i]
		}
	}
	return most
}
