package whatif

import (
	"context"
	"fmt"
	"slices"

	"auspex/simulate/loggp"
	"auspex/trace"
)

// Of some calls a trace tells how long they took and not who waited for whom: files. A
// replay takes them to stay, and a rank that has more to do and waited in them for one
// that has less is told to be later by both. So where they took much, what a change of
// work brings has a bound: the time in which nobody waits in them any more.

// muchUntold is the share of the run from which on that is so.
const muchUntold = 0.01

// onlyBounds tells whether changes alter when ranks come to calls of which the trace
// does not tell who waits for whom, and these take long.
func (c *Case) onlyBounds(changes []Change) bool {
	return c.untold >= muchUntold*c.Base() && slices.ContainsFunc(changes, func(ch Change) bool {
		switch ch.Kind {
		case Faster, Balance, Remove, LikeMedian, Hosts, Cores, NoNoise:
			return true
		}
		return false
	})
}

// untoldBound makes a bound of an answer.
func (c *Case) untoldBound(ctx context.Context, a *Answer, s setting, changes []Change) error {
	s.work.Unpaused = make([]bool, len(c.profile.Regions))
	for r, name := range c.profile.Regions {
		s.work.Unpaused[r] = trace.CallWithin(name) != ""
	}
	if c.timed { // what is told of such calls is told as the network's
		s.network = loggp.Ideal()
	}
	o, err := c.replaySetting(ctx, s, changes)
	if err != nil {
		return err
	}
	stays := a.NewSeconds
	a.Bound, a.NewSeconds = true, min(c.least(o), stays)
	a.Interval = [2]float64{a.NewSeconds, a.BaseSeconds}
	if slices.ContainsFunc(changes, func(ch Change) bool { return ch.Factor > 0 && ch.Factor < 1 }) {
		a.Interval[1] = max(a.BaseSeconds, stays) // something is slower
	}
	if a.BaseSeconds > 0 {
		a.Gain = 1 - a.NewSeconds/a.BaseSeconds
	}
	a.Limit = c.limit(o, s)
	a.Words = a.boundWords(fmt.Sprintf("since the trace does not tell who waits for whom in calls that took %s", seconds(c.untold)))
	return nil
}
