package predict

import (
	"cmp"
	"fmt"
	"slices"

	"auspex/trace"
)

// Extrapolate makes the trace of np processes of traces of two or more other
// numbers, and says how.
func Extrapolate(measured []*trace.Trace, np int) (*trace.Trace, string, error) {
	sorted := slices.SortedStableFunc(slices.Values(measured), func(a, b *trace.Trace) int { return cmp.Compare(a.NP(), b.NP()) })
	g, err := newGrowth(sorted)
	if err != nil {
		return nil, "", fmt.Errorf("%d processes: %w", np, err)
	}
	t, err := g.to(np)
	if err != nil {
		return nil, "", err
	}
	return t, g.said(np), nil
}
