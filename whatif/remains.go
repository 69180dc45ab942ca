package whatif

import (
	"context"
	"fmt"
	"slices"

	"auspex/trace"
)

// longWait is the share of the ranks' time from which on it is said that they wait
// and that nothing in the list ends it.
const longWait = 0.1

// remains says how long ranks wait for one another on an ideal network where the
// changes of a list bring less than half of that: a loss that no region and no rank is
// to blame for in all.
func (c *Case) remains(ctx context.Context, l *List) ([]string, error) {
	if c.ranks < 2 || c.HandsOut() || !c.Explained() {
		return nil, nil
	}
	o, err := c.replay(ctx, []Change{{Kind: Ideal}})
	if err != nil || o.seconds <= 0 {
		return nil, err
	}
	idle := 1 - (sum(o.compute)+sum(o.paused))/o.seconds/float64(c.ranks)
	if idle < longWait || l.LossSeconds > idle*o.seconds/2 {
		return nil, nil
	}
	text := fmt.Sprintf("even on an ideal network ranks would wait %.0f %% of their time for one another, and no change of this list ends that", 100*idle)
	if c.byTurns() > idle*o.seconds/2 {
		text += ": they have as much to do in all, and by turns more than the others between the same two collectives"
	}
	return []string{text}, nil
}

// byTurns is how much longer a run of phases takes than its busiest rank computes,
// since in each of them another may have most to do.
func (c *Case) byTurns() float64 {
	ranks := c.profile.Ranks()
	if !c.phased || len(ranks) == 0 {
		return 0
	}
	var most []float64 // of a rank, by phase
	for rank := range c.ranks {
		var own []float64
		c.walk(rank, func(a *trace.Action, _, phase int) {
			if a.Kind != trace.Compute || phase >= maxPhases/c.ranks {
				return
			}
			for len(own) <= phase {
				own = append(own, 0)
			}
			own[phase] += a.Value / 1e9
		})
		for phase, t := range own {
			if phase == len(most) {
				most = append(most, 0)
			}
			most[phase] = max(most[phase], t)
		}
	}
	return max(sum(most)-slices.Max(ranks), 0)
}
