package events

import (
	"context"

	"auspex/trace"
)

// Seconds is how long a measured run took: from the first begin to the last end.
func Seconds(ctx context.Context, src Source) (float64, error) {
	first, last, any := int64(0), int64(0), false
	err := src.Each(ctx, func(s *Span) error {
		if !any || s.Begin < first {
			first = s.Begin
		}
		if !any || s.End > last {
			last = s.End
		}
		any = true
		return nil
	})
	return float64(last-first) / 1e9, err
}

// NoCores is how long each rank could have gone on within calls and had no core, where a
// trace tells (NoCore).
func NoCores(ctx context.Context, src Source) ([]float64, error) {
	stood := make([]float64, src.Header().Ranks)
	err := src.Each(ctx, func(s *Span) error {
		if l := src.Header().Locations[s.Loc]; s.Kind == Other && l.Thread == 0 {
			if _, is := WithoutCore(src.Header().Paths[s.Path].Name); is {
				stood[l.Rank] += s.Seconds()
			}
		}
		return nil
	})
	return stood, err
}

// Outside is how long the mean rank of a measured run was in calls that a replay of
// it (Program) holds nothing of: starting, ending and what exchanges nothing.
func Outside(ctx context.Context, src Source) (float64, error) {
	total := 0.0
	err := src.Each(ctx, func(s *Span) error {
		if src.Header().Locations[s.Loc].Thread == 0 && (s.Kind == trace.Init || s.Kind == trace.Finalize || s.Kind == Other) {
			total += s.Seconds()
		}
		return nil
	})
	return total / float64(max(src.Header().Ranks, 1)), err
}
