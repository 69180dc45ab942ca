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
//
// Where the times of calls were measured, what is neither computation nor waiting
// was the network's, however little it is, and the network may have been faster,
// too. Where each call's own time is known (trace.Joins), nothing need be fitted.
const (
	unexplained = 0.2 // share of the run that must be missing
	// unexplainedTimed is the same where times of calls were measured.
	unexplainedTimed = 0.01
	maxFitted        = 2e6   // actions of a trace that is replayed for it
	closeEnough      = 0.005 // share of the run
	closeTimed       = 1e-4  // likewise, where times of calls were measured
	leastLatency     = 1e-7  // seconds: less is no network's
	fastest          = 1e6   // times as fast as between ranks of one machine
	leastSpeed       = 1e6   // bytes/s: 8 Mbit/s
	longestRounds    = 0.1   // seconds that a message may take where nothing tells how large it is
)

// slowest is how many times as slow as between ranks of one machine a network may
// be.
func (c *Case) slowest() float64 {
	if c.timed && c.profile.Elements == 0 && c.network.Latency > 0 {
		return max(longestRounds/c.network.Latency, 1)
	}
	return max(c.network.Bandwidth/leastSpeed, 1)
}

// fit makes the network slower until the replay takes as long as the run, less
// what was spent outside of what the trace holds; or faster, where times of calls
// were measured.
func (c *Case) fit(ctx context.Context) error {
	target := c.measured - c.outside
	if c.measured == 0 || c.platform != nil || c.trace.Joins != nil || c.ranks < 2 || target <= 0 || !c.timed && target-c.base.seconds <= unexplained*c.measured {
		return nil
	}
	if len(c.stretch) > 0 && target <= slices.Max(c.stretch)*c.base.seconds {
		return nil // ranks that wait for a core communicate as slowly as they compute
	}
	if c.profile.Actions > maxFitted {
		return nil
	}
	own, short := c.network, target-c.base.seconds
	low, high := 1.0, c.slowest()
	if short < 0 {
		low, high = 1/fastest, 1.0
	}
	slower := func(times float64) (*outcome, error) {
		c.network = own
		c.network.Latency *= times
		c.network.Overhead *= min(times, 1)
		c.network.Bandwidth /= times
		return c.replay(ctx, nil)
	}
	best := c.base
	if short > 0 {
		last, err := slower(high)
		if err != nil {
			return err
		}
		if last.seconds < target {
			c.network = own
			if short > c.remarkable()*c.measured {
				lacked := c.lackedInCalls(target)
				c.unexplained, c.wanting = short, lacked >= wantsCores
				c.notes = append(c.notes, fmt.Sprintf("the run took %s longer than its replay between ranks of one machine, more than a slow network explains: %s", seconds(short), c.elsewhere(lacked)))
			}
			return nil
		}
	}
	for math.Abs(best.seconds-target) > c.closeEnough()*target && high/low > 1.001 {
		times := math.Sqrt(low * high)
		var err error
		if best, err = slower(times); err != nil {
			return err
		}
		if best.seconds < target {
			low = times
		} else {
			high = times
		}
	}
	if c.base = best; math.Abs(short) > unexplained*c.measured {
		c.notes = append(c.notes, c.fitted(short))
	}
	return nil
}

// remarkable is the share of the run from which on it is said that no network explains
// it: where times of calls were measured, efficiency has all of it as transfer.
func (c *Case) remarkable() float64 {
	if c.timed {
		return unexplainedTimed
	}
	return unexplained
}

// elsewhere says where the time went that no network explains, and what becomes of it.
// Lacked is for what share of their time in MPI ranks had no core.
func (c *Case) elsewhere(lacked float64) string {
	if c.wanting {
		return fmt.Sprintf("its ranks had no core for %.0f %% of their time in MPI, and who waits for a rank without a core gives up its own and gets it back late; that time is taken to be gone with a core for every rank, and else to stay", 100*lacked)
	}
	if c.timed {
		return "its calls took that longer than messages of their size do; that time is taken to stay, and efficiency has it as transfer"
	}
	return "ranks may have been blocked outside of MPI, or in calls of which the trace tells nothing; that time is taken to stay"
}

// closeEnough is how far the replay may be from the run, as a share.
func (c *Case) closeEnough() float64 {
	if c.timed {
		return closeTimed
	}
	return closeEnough
}

// fitted says what network the run is taken to have had.
func (c *Case) fitted(short float64) string {
	if short > 0 {
		return fmt.Sprintf("the run took %s longer than its replay between ranks of one machine: its network is taken to be as slow as that, %s; with --platform it is known better", seconds(short), c.speed())
	}
	return fmt.Sprintf("the run took %s less than its replay between ranks of one machine: its network is taken to be as fast as that, %s", seconds(-short), c.speed())
}

// speed says how fast the network is: the bandwidth only where messages have sizes,
// and the latency only where it is one that a network can have.
func (c *Case) speed() string {
	latency := seconds(c.network.Latency)
	if c.profile.Elements == 0 {
		return latency + " a message"
	}
	bandwidth := fmt.Sprintf("%.3g MB/s", c.network.Bandwidth/1e6)
	if c.network.Bandwidth >= 1e9 {
		bandwidth = fmt.Sprintf("%.3g GB/s", c.network.Bandwidth/1e9)
	}
	if c.network.Latency < leastLatency {
		return bandwidth
	}
	return latency + " and " + bandwidth + " a message"
}

// Pauses tells whether some rank is blocked or asleep for a hundredth of the run.
func (c *Case) Pauses() bool { return slices.Max(c.profile.Pauses) >= 0.01*c.Base() }

// Explained tells whether the trace and a network explain how long the run took:
// only then a replay can tell that a change gains nothing.
func (c *Case) Explained() bool {
	return !c.partial && c.unexplained == 0 && c.untold < least*c.Base()
}
