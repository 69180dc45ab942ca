package kept

import (
	"context"
	"errors"

	"auspex/store"
)

// Communication is what a replay tells of POP's communication efficiency: its part
// serialization, and what ranks leave of the rest that stand within MPI without a
// core. 0 is for not known.
type Communication struct{ Serialization, Cores float64 }

// CommunicationOf is that of an experiment, nothing where it kept no trace; what stands
// in the way of its replay comes as a note.
func CommunicationOf(ctx context.Context, e *store.Experiment) (parts Communication, traced bool, notes []string, err error) {
	a := AnswersOf(e)
	parts, notes, err = a.Communication(ctx)
	if errors.Is(err, ErrNoTrace) {
		return parts, false, nil, nil
	}
	a.Prepare(ctx)
	return parts, err == nil, notes, err
}
