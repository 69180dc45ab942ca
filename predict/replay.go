package predict

import (
	"context"
	"fmt"
	"math"
	"time"

	"auspex/platform"
	"auspex/simulate"
	"auspex/trace"
)

// replay predicts from the traces of one level and count on one platform: the
// mean over the runs.
func (w *workshop) replay(ctx context.Context, p *Platform, traces []*taken, opt string, np int) (Prediction, error) {
	w.say("simulating %d processes at -O%s on %s", np, opt, p.Name)
	hosts := p.place(np)
	machine := p.Platform.Timed(w.ReferenceSpeed)
	out := Prediction{NP: np, Opt: opt, Platform: p.Name, Method: Simple, Runs: len(traces)}
	var seconds []float64
	within := 0.0
	for _, t := range traces {
		start := time.Now()
		result, err := simulate.Run(ctx, t.Trace, p.Platform, hosts, w.options(p), simulate.Hooks{})
		if err != nil {
			return out, fmt.Errorf("%s: %w", p.Name, err)
		}
		out.Simulation += time.Since(start).Seconds() / float64(len(traces))
		out.Obtain += t.seconds / float64(len(traces))
		seconds = append(seconds, result.Seconds)
		within += spread(t, machine, hosts) / float64(len(traces))
		if out.Ranks == nil {
			out.Ranks, out.Actions = result.Ranks, result.Actions
		} else {
			add(out.Ranks, result.Ranks)
		}
		for _, c := range t.Cuts {
			if c.Skipped > 0 {
				out.Method = Threshold
			}
		}
	}
	scale(out.Ranks, 1/float64(len(traces)))
	mean, half := confidence(seconds)
	if len(seconds) == 1 {
		half = 1.96 * within
	}
	out.Predicted, out.Low, out.High = mean, max(mean-half, 0), mean+half
	out.PerPrediction = perPrediction(out.Obtain, out.Simulation, len(w.Platforms))
	return out, w.watch(ctx, p, traces[0], opt, np)
}

// options are a platform's, and the speed that the traces were taken at.
func (w *workshop) options(p *Platform) simulate.Options {
	o := p.Options
	o.ReferenceSpeed = w.ReferenceSpeed
	return o
}

// spread is the standard deviation, in seconds, of the computation of the rank
// where it is largest: that of blocks that were repeated, and of what was
// reckoned for loops cut short.
func spread(t *taken, p *platform.Platform, hosts []int) float64 {
	largest := 0.0
	for rank := range t.NP() {
		_, variance := computed(t.Trace, rank)
		variance += t.Variance[rank]
		for _, c := range t.Cuts {
			if c.Rank == rank {
				variance += c.Spread * c.Spread
			}
		}
		largest = max(largest, math.Sqrt(variance)/p.Hosts[hosts[rank]].Speed)
	}
	return largest
}

// computed adds a rank's computation up, and its variance as far as the trace
// holds means of blocks that were repeated.
func computed(t *trace.Trace, rank int) (sum, variance float64) {
	c := t.Cursor(rank)
	var a trace.Action
	for c.Next(&a) {
		if a.Kind == trace.Compute {
			sum += a.Value
			variance += a.Variance
		}
		a.Variance = 0
	}
	return sum, variance
}

// confidence is the mean and half the width of its 95 % interval, by Student's
// distribution.
func confidence(values []float64) (mean, half float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	if len(values) < 2 {
		return mean, 0
	}
	sum := 0.0
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return mean, student(len(values)-1) * math.Sqrt(sum/(n-1)/n)
}

// student is the 97.5 % quantile for so many degrees of freedom.
func student(freedom int) float64 {
	table := []float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131}
	if freedom <= len(table) {
		return table[freedom-1]
	}
	// Expansion around the normal quantile (Abramowitz and Stegun, 26.7.5).
	const z = 1.959964
	n := float64(freedom)
	return z + (z*z*z+z)/(4*n) + (5*z*z*z*z*z+16*z*z*z+3*z)/(96*n*n)
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

// differ says where two traces do not do the same, or "". Computation may
// differ.
func differ(a, b *trace.Trace) string {
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
			if !equal(&p, &q) {
				return fmt.Sprintf("call %d of rank %d is %s of %d bytes, then %s of %d", n, rank, p.Kind, volume(&p), q.Kind, volume(&q))
			}
		}
	}
	return ""
}

// advance moves on to the next action that is neither computation nor a place in
// the source.
func advance(c *trace.Cursor, a *trace.Action) bool {
	for {
		*a = trace.Action{}
		if !c.Next(a) {
			return false
		}
		if a.Kind != trace.Compute && a.Kind != trace.Location {
			return true
		}
	}
}
