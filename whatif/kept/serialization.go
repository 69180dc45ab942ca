package kept

import (
	"context"
	"errors"

	"auspex/store"
)

// SerializationOf is that of an experiment, 0 where it kept no trace; what stands in
// the way of its replay comes as a note.
func SerializationOf(ctx context.Context, e *store.Experiment) (share float64, traced bool, notes []string, err error) {
	r, err := Open(ctx, e)
	if errors.Is(err, ErrNoTrace) {
		return 0, false, nil, nil
	}
	if err != nil {
		return 0, false, nil, err
	}
	s, err := r.Serialization(ctx)
	switch {
	case err == nil:
		return s, true, nil, nil
	case ctx.Err() != nil:
		return 0, false, nil, err
	}
	return 0, true, []string{"serialization and transfer are not known: " + err.Error()}, nil
}
