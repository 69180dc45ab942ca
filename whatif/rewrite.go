package whatif

import (
	"context"
	"slices"

	"auspex/trace"
)

// rewrite makes a trace with other computation and pauses, and the stops that belong
// to its actions. How fast the hosts are is left to the replay.
func (c *Case) rewrite(ctx context.Context, s setting) (*trace.Trace, trace.Stops, error) {
	out := &trace.Trace{Name: c.trace.Name, Nanoseconds: c.trace.Nanoseconds, Ready: c.trace.Ready}
	stops := slices.Clone(c.stops)
	s.work.Speed = 0
	for rank := range c.ranks {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		p, inserted := c.rewriteRank(&s, rank)
		out.Programs = append(out.Programs, p)
		if len(stops) > 0 {
			stops[rank] = shift(stops[rank], inserted)
		}
	}
	return out, stops, nil
}

// rewriteRank writes one rank's actions anew. Inserted are the numbers of the old
// ones before which there is a new one.
func (c *Case) rewriteRank(s *setting, rank int) (p trace.Program, inserted []int64) {
	var levels []float64
	if s.even {
		levels = c.levels(rank)
	}
	computed, number := -1, int64(-1)
	value := func(a *trace.Action, region int) float64 {
		if computed++; levels != nil {
			return s.work.Seconds(int32(region), rank, levels[computed])
		}
		return s.work.Seconds(int32(region), rank, a.Value)
	}
	more := c.givenTo(s, rank)
	var own []float64 // computation in each phase in which there is to be more
	if more != nil {
		own = make([]float64, len(more))
		c.walk(rank, func(a *trace.Action, region, phase int) {
			if a.Kind == trace.Compute && phase < len(own) {
				own[phase] += value(a, region)
			}
		})
		computed = -1
	}
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
			a.Value = s.work.Pause(rank, a.Value)
		case trace.Compute:
			t := value(a, region)
			if phase < len(own) && own[phase] > 0 {
				t *= 1 + more[phase]/own[phase]
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
	return b.Program(), inserted
}

// shift numbers stops anew where actions were inserted.
func shift(stops []trace.Stop, inserted []int64) []trace.Stop {
	if len(inserted) == 0 {
		return stops
	}
	stops = slices.Clone(stops)
	n := 0
	for i := range stops {
		for n < len(inserted) && inserted[n] <= stops[i].Action {
			n++
		}
		stops[i].Action += int64(n)
	}
	return stops
}
