package whatif

import (
	"context"
	"slices"

	"auspex/trace"
)

// rewrite makes a trace with other computation and pauses, and the stops that belong
// to its actions. How fast the hosts are is left to the replay.
func (c *Case) rewrite(ctx context.Context, s setting) (*trace.Trace, trace.Stops, error) {
	// Without Launches: what is moved between ranks is moved with the waiting for hosts.
	out := &trace.Trace{Name: c.trace.Name, Nanoseconds: c.trace.Nanoseconds, Joins: c.trace.Joins}
	stops := slices.Clone(c.stops)
	s.work.Speed = 0
	steps := c.stepping(&s)
	for rank := range c.ranks {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		var old []trace.Stop
		if len(stops) > 0 {
			old = stops[rank]
		}
		p, anew := c.rewriteRank(&s, steps, rank, old)
		out.Programs = append(out.Programs, p)
		if len(stops) > 0 {
			stops[rank] = anew
		}
	}
	return out, stops, nil
}

// valuer tells how long one stretch of a rank's computation after the other takes.
func (c *Case) valuer(s *setting, rank int) func(a *trace.Action, region int) float64 {
	var levels []float64
	if s.even {
		levels = c.levels(rank)
	}
	computed := -1
	return func(a *trace.Action, region int) float64 {
		if computed++; levels != nil {
			return s.work.Seconds(int32(region), rank, levels[computed])
		}
		return s.work.Seconds(int32(region), rank, a.Value)
	}
}

// rewriteRank writes one rank's actions anew, with its stops.
func (c *Case) rewriteRank(s *setting, steps *stepping, rank int, old []trace.Stop) (trace.Program, []trace.Stop) {
	number := int64(-1)
	more := steps.more(rank, c.givenTo(s, rank))
	var own []float64 // computation in each phase in which there is to be more
	if more != nil {
		own = make([]float64, len(more))
		value := c.valuer(s, rank)
		c.walk(rank, func(a *trace.Action, region, phase int) {
			if a.Kind == trace.Compute {
				if t := value(a, region); phase < len(own) {
					own[phase] += t
				}
			}
		})
	}
	value, stops := c.valuer(s, rank), slices.Clone(old)
	var inserted []int64 // numbers of the old actions before which there is a new one
	next := 0            // of the stops
	b := trace.NewBuilder(rank)
	begun, at := -1, -1
	c.walk(rank, func(a *trace.Action, region, phase int) {
		number++
		if region != at && region >= 0 {
			at = region
			b.Add(&trace.Action{Kind: trace.Location, File: c.profile.Regions[region]})
		}
		switch a.Kind {
		case trace.Sleep:
			a.Value = s.work.Pause(int32(region), rank, a.Value)
		case trace.Compute:
			t := value(a, region)
			if phase < len(own) && own[phase] > 0 {
				t *= 1 + more[phase]/own[phase]
			}
			if s.steps != nil && s.steps[region] {
				times := steps.times(rank, phase)
				t *= times
				for ; next < len(stops) && stops[next].Action <= number; next++ {
					if stops[next].Action == number && !stops[next].Within {
						stops[next].Seconds *= times
					}
				}
			}
			a.Value, a.Variance = 1e9*t, 0
		}
		if phase > begun && a.Kind != trace.Init {
			if begun = phase; phase < len(own) && own[phase] <= 0 && more[phase] > 0 {
				b.Add(&trace.Action{Kind: trace.Compute, Value: 1e9 * more[phase]})
				inserted = append(inserted, number)
			}
		}
		b.Add(a)
	})
	keepSum(stops, old)
	return b.Program(), shift(stops, inserted)
}

// shift numbers stops anew where actions were inserted.
func shift(stops []trace.Stop, inserted []int64) []trace.Stop {
	n := 0
	for i := range stops {
		for n < len(inserted) && inserted[n] <= stops[i].Action {
			n++
		}
		stops[i].Action += int64(n)
	}
	return stops
}
