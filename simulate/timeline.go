package simulate

import "auspex/trace"

// Timeline is told about every action when it ends. Actions of one rank come
// in order; those of different ranks in the order of their end.
type Timeline interface {
	Action(rank int, kind trace.Kind, begin, end float64)
}
