package whatif

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// A run whose replay between ranks of one machine is much shorter than it was
// spent the rest on a slower network. Of that network nothing is known but the
// time it took, so one number is fitted to it: how many times as slow it is, in
// latency and bandwidth alike. Messages of one size need no more, and programs
// mostly send small or large ones.
const (
	unexplained = 0.2   // share of the run that must be missing
	maxFitted   = 2e6   // actions of a trace that is replayed for it
	slowest     = 1e6   // times
	closeEnough = 0.005 // share of the run
)

// fit slows the network down until the replay takes as long as the run, less
// what was spent outside of what the trace holds.
func (c *Case) fit(ctx context.Context) error {
	target := c.measured - c.outside
	if c.measured == 0 || c.platform != nil || c.ranks < 2 || target-c.base.seconds <= unexplained*c.measured {
		return nil
	}
	if len(c.stretch) > 0 && target <= slices.Max(c.stretch)*c.base.seconds {
		return nil // ranks that wait for a core communicate as slowly as they compute
	}
	if c.profile.Actions > maxFitted {
		return nil
	}
	own, short := c.network, target-c.base.seconds
	slower := func(times float64) (*outcome, error) {
		c.network = own
		c.network.Latency *= times
		c.network.Bandwidth /= times
		return c.replay(ctx, nil)
	}
	low, high := 1.0, slowest
	best := c.base
	last, err := slower(high)
	if err != nil {
		return err
	}
	if last.seconds < target { // it sends next to nothing
		c.network = own
		return nil
	}
	times := high
	for math.Abs(best.seconds-target) > closeEnough*target && high/low > 1.001 {
		times = math.Sqrt(low * high)
		if best, err = slower(times); err != nil {
			return err
		}
		if best.seconds < target {
			low = times
		} else {
			high = times
		}
	}
	c.base = best
	c.notes = append(c.notes, fmt.Sprintf("the run took %s longer than its replay between ranks of one machine: its network is taken to be as slow as that, %s and %.3g MB/s a message; with --platform it is known better", seconds(short), seconds(c.network.Latency), c.network.Bandwidth/1e6))
	return nil
}
