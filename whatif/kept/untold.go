package kept

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"auspex/analyze"
	"auspex/events"
	"auspex/internal/figure"
	"auspex/model"
	"auspex/trace"
	"auspex/waits"
)

// recorded tells calls of which our own traces tell who waits for whom, unlike others'.
func recorded(call string) bool {
	return !strings.HasPrefix(call, "MPI_File_") && !events.Connects(call)
}

// untoldOf lists the calls of a run in which ranks wait for others and of which a
// trace holds only how long they took, those with the most time first: some always
// are, others where the trace has pauses within them.
func untoldOf(d *analyze.Dataset, t *trace.Trace) ([]waits.Untold, error) {
	if !d.Has(model.WallTime) {
		return nil, nil
	}
	wall, err := d.Matrix(model.WallTime + ".exc")
	if err != nil {
		return nil, err
	}
	ranks := 0
	seconds := t.InCalls()
	maps.DeleteFunc(seconds, func(call string, _ float64) bool { return events.WaitsUntold(call) && !recorded(call) })
	for u, unit := range d.Units {
		if unit.Thread != 0 {
			continue
		}
		ranks++
		for r, region := range d.Regions {
			if t := wall.At(u, r); t > 0 && events.WaitsUntold(region.Name) && !recorded(region.Name) {
				seconds[region.Name] += t
			}
		}
	}
	return waits.UntoldOf(seconds, ranks), nil
}

// untoldIn is the same of a trace whose calls were timed.
func untoldIn(ctx context.Context, src events.Source) ([]waits.Untold, error) {
	seconds := map[string]float64{}
	h := src.Header()
	err := src.Each(ctx, func(s *events.Span) error {
		if s.Kind == events.Other {
			if call := events.LastName(h.Paths[s.Path].Name); events.WaitsUntold(call) {
				seconds[call] += s.Seconds()
			}
		}
		return nil
	})
	return waits.UntoldOf(seconds, h.Ranks), err
}

// untold is what the mean rank spent in such calls, in seconds.
func (r *Run) untold() float64 {
	sum := 0.0
	for _, u := range r.Untold {
		sum += u.Seconds
	}
	return sum
}

// untoldNote says what a replay does not know of the run; nothing where that is
// less than a thousandth.
func (r *Run) untoldNote() []string {
	if r.untold() < 0.001*r.Seconds {
		return nil
	}
	return []string{fmt.Sprintf("of %s in %s the trace tells only how long they took, not who waited for whom: a replay takes them to stay", figure.Seconds(r.untold(), 3), waits.UntoldCalls(r.Untold))}
}
