package whatif

import (
	"math"
	"slices"
	"sync"

	"auspex/trace"
)

// What a rank computes again and again at one place of the program, between the same
// two calls, differs by chance or because there is more to do. Only the former is
// noise, and is told by how the stretches differ: most of them are alike, and those
// that are not come without a pattern. Differences between ranks, between places,
// and between steps that alternate or change halfway are no noise.
const (
	alikeWithin = 1.5 // times the lower quartile, for the upper one
	pattern     = 0.7 // correlation with the stretches some steps before
	farthest    = 64  // steps
	looked      = 4096
)

// site is where a rank computes.
type site struct {
	region       int
	before, then trace.Kind
	peer         int32
}

// levelled are a rank's stretches as levels has them, once asked for.
type levelled struct {
	sync.Once
	values []float64
}

// keptLevels is up to how many actions of a trace these are kept for the next replay.
const keptLevels = 8 << 20

// levels are a rank's stretches of computation in order, those of a site all alike
// where they differ by chance. They are for reading only.
func (c *Case) levels(rank int) []float64 {
	if c.levelled == nil {
		return c.findLevels(rank)
	}
	l := &c.levelled[rank]
	l.Do(func() { l.values = c.findLevels(rank) })
	return l.values
}

func (c *Case) findLevels(rank int) []float64 {
	var values []float64
	var sites []site
	pending, before := 0, trace.Init
	c.walk(rank, func(a *trace.Action, region, _ int) {
		switch a.Kind {
		case trace.Compute:
			values = append(values, a.Value)
			sites = append(sites, site{region: region, before: before})
		case trace.Sleep:
		default:
			for ; pending < len(sites); pending++ {
				sites[pending].then, sites[pending].peer = a.Kind, a.Peer
			}
			before = a.Kind
		}
	})
	at := map[site][]int{}
	for i, s := range sites {
		at[s] = append(at[s], i)
	}
	for _, list := range at {
		of := make([]float64, len(list))
		for i, n := range list {
			of[i] = values[n]
		}
		if !byChance(of) {
			continue
		}
		mean := sum(of) / float64(len(of))
		for _, n := range list {
			values[n] = mean
		}
	}
	return values
}

// byChance tells whether stretches differ as equal work does.
func byChance(of []float64) bool {
	sorted := slices.Sorted(slices.Values(of))
	n := len(of)
	if n < 4 || sorted[n-1-n/4] > alikeWithin*sorted[n/4] {
		return false
	}
	of = of[:min(n, looked)]
	mean := sum(of) / float64(len(of))
	square := 0.0
	for _, v := range of {
		square += (v - mean) * (v - mean)
	}
	for lag := 1; lag <= min(len(of)/2, farthest) && square > 0; lag++ {
		product := 0.0
		for i := lag; i < len(of); i++ {
			product += (of[i] - mean) * (of[i-lag] - mean)
		}
		if math.Abs(product) >= pattern*square {
			return false
		}
	}
	return true
}
