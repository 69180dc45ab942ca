package kept

import (
	"errors"
	"fmt"

	"auspex/store"
	"auspex/trace"
)

// stopsOf is when each rank of a run had no core between starting and ending MPI,
// and for how many seconds while it started and ended; nil where the run did not
// tell.
func stopsOf(e *store.Experiment, ranks int) (trace.Stops, []float64, error) {
	data, err := e.Attachment(StopsName)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	all, err := trace.DecodeStops(data)
	if err != nil {
		return nil, nil, fmt.Errorf("the trace of %q: %w", e.Name, err)
	}
	if len(all) != ranks {
		return nil, nil, fmt.Errorf("the trace of %q has %d ranks, and the stops of %d are told", e.Name, ranks, len(all))
	}
	inside, late := splitStops(all)
	return inside, late, nil
}

// splitStops takes those that are of starting and ending MPI out, and sums them up
// by rank.
func splitStops(all trace.Stops) (inside trace.Stops, late []float64) {
	inside, late = make(trace.Stops, len(all)), make([]float64, len(all))
	for rank, list := range all {
		for _, s := range list {
			if s.Outside {
				late[rank] += s.Seconds
			} else {
				inside[rank] = append(inside[rank], s)
			}
		}
	}
	return inside, late
}
