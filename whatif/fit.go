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
// mostly send small or large ones. Where even the slowest of networks would not
// take that long, the time went elsewhere: into what blocks a rank outside of MPI,
// or into calls that the trace does not know.
const (
	unexplained   = 0.2   // share of the run that must be missing
	maxFitted     = 2e6   // actions of a trace that is replayed for it
	closeEnough   = 0.005 // share of the run
	leastSpeed    = 1e6   // bytes/s: 8 Mbit/s
	longestRounds = 0.1   // seconds that a message may take where nothing tells how large it is
)

// slowest is how many times as slow as between ranks of one machine a network may
// be.
func (c *Case) slowest() float64 {
	if c.timed && c.profile.Elements == 0 && c.network.Latency > 0 {
		return max(longestRounds/c.network.Latency, 1)
	}
	return max(c.network.Bandwidth/leastSpeed, 1)
}

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
	low, high := 1.0, c.slowest()
	best := c.base
	last, err := slower(high)
	if err != nil {
		return err
	}
	if last.seconds < target {
		c.network, c.unexplained = own, short
		c.notes = append(c.notes, fmt.Sprintf("the run took %s longer than its replay between ranks of one machine, more than a slow network explains: ranks may have been blocked outside of MPI, or in calls of which the trace tells nothing; that time is taken to stay", seconds(short)))
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
	c.notes = append(c.notes, fmt.Sprintf("the run took %s longer than its replay between ranks of one machine: its network is taken to be as slow as that, %s a message; with --platform it is known better", seconds(short), c.speed()))
	return nil
}

// speed says how slow the network is: the bandwidth only where messages have sizes.
func (c *Case) speed() string {
	text := seconds(c.network.Latency)
	if c.profile.Elements == 0 {
		return text
	}
	if mega := c.network.Bandwidth / 1e6; mega < 1000 {
		return fmt.Sprintf("%s and %.3g MB/s", text, mega)
	}
	return fmt.Sprintf("%s and %.3g GB/s", text, c.network.Bandwidth/1e9)
}

// Pauses tells whether some rank is blocked or asleep for a hundredth of the run.
func (c *Case) Pauses() bool { return slices.Max(c.profile.Pauses) >= 0.01*c.Base() }

// Explained tells whether the trace and a network explain how long the run took:
// only then a replay can tell that a change gains nothing.
func (c *Case) Explained() bool {
	return !c.partial && c.unexplained == 0 && c.untold < least*c.Base()
}
