package whatif

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"auspex/simulate/loggp"
	"auspex/trace"
)

// A process that has no core of its own all the time, because a quota or
// another program takes it, stands still anywhere: within computation, which is
// then longer than its CPU time, and within MPI, where schedulers stop processes
// most readily since MPI yields while it waits. Whoever waits for the process
// waits for both. What it lost within MPI is no computation of the trace, so it
// is spread over its computation, as far as the run's time asks for.

// Stops are how long each rank stood still within MPI, in seconds.
type Stops struct {
	Seconds []float64
	Run     float64 // how long the run took between starting and ending MPI
}

// leastStop is the share of the run from which on stops count: below, they are
// what any machine does.
const leastStop = 0.02

// Spread adds a rank's stops to its stretch, as far as the replay is shorter
// than the run without. It returns the stretches and what is to be said of them.
func (s Stops) Spread(ctx context.Context, t *trace.Trace, stretch []float64, network loggp.Network) ([]float64, []string, error) {
	if len(stretch) != t.NP() || len(s.Seconds) != t.NP() || len(stretch) < 2 || slices.Max(s.Seconds) < leastStop*s.Run {
		return stretch, nil, nil
	}
	profile, err := loggp.NewProfile(ctx, t)
	if err != nil || profile.Actions > maxFitted {
		return stretch, nil, err
	}
	computed := profile.Ranks()
	part := func(share float64) []float64 {
		out := slices.Clone(stretch)
		for rank := range out {
			if computed[rank] > 0 && s.Seconds[rank] >= leastStop*s.Run {
				out[rank] += share * s.Seconds[rank] / computed[rank]
			}
		}
		return out
	}
	late := func(share float64) (bool, error) {
		w := loggp.Work{Scale: make([][]float64, len(profile.Regions))}
		by := part(share)
		for r := range w.Scale {
			w.Scale[r] = by
		}
		r, err := loggp.Run(ctx, t, loggp.Options{Network: network, Work: w, Regions: profile.Table})
		return err == nil && r.Seconds > s.Run, err
	}
	share := 1.0
	over, err := late(share)
	for low, high := 0.0, 1.0; err == nil && high-low > 1.0/128; {
		if over {
			high = share
		} else {
			low = share
		}
		if low == 1 {
			break
		}
		share = (low + high) / 2
		over, err = late(share)
	}
	if err != nil || share*slices.Max(s.Seconds) < leastStop*s.Run {
		return stretch, nil, err
	}
	return part(share), []string{s.words(share)}, nil
}

func (s Stops) words(share float64) string {
	var ranks []string
	for rank, t := range s.Seconds {
		if t >= leastStop*s.Run {
			ranks = append(ranks, fmt.Sprintf("rank %s for %s", strconv.Itoa(rank), seconds(share*t)))
		}
	}
	if len(ranks) > 4 {
		ranks = append(ranks[:4], fmt.Sprintf("… (%d in all)", len(ranks)))
	}
	return "within MPI, which keeps the other ranks' cores busy, some stood still without their core: " + strings.Join(ranks, ", ") + "; that counts as their computation"
}
