package events

import "context"

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
