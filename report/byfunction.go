package report

import (
	"cmp"
	"slices"

	"auspex/analyze/diagnose"
)

// told is a cause as it is told of.
type told struct {
	diagnose.Cause
	paths int // on which it is called
}

// byFunction takes causes together that are one function on several call paths, with
// the same units late for the same reason: it is the function that is to be mended.
func byFunction(causes []diagnose.Cause) []told {
	var out []told
	for _, c := range causes {
		i := slices.IndexFunc(out, func(o told) bool {
			return lastName(o.Region) == lastName(c.Region) && len(c.Slow) > 0 && slices.Equal(o.Slow, c.Slow) && slices.Equal(o.Attributes, c.Attributes)
		})
		if i < 0 {
			out = append(out, told{c, 1})
			continue
		}
		o := &out[i]
		o.paths++
		o.Replayed, o.Association = nil, o.Association && c.Association // each was replayed by itself
		o.LostShare, o.Alone, o.Lost = o.LostShare+c.LostShare, o.Alone+c.Alone, o.Lost+c.Lost
		o.Most, o.Mean, o.SlowMean, o.OthersMean = o.Most+c.Most, o.Mean+c.Mean, o.SlowMean+c.SlowMean, o.OthersMean+c.OthersMean
	}
	slices.SortStableFunc(out, func(a, b told) int { return cmp.Compare(b.LostShare, a.LostShare) })
	return out
}
