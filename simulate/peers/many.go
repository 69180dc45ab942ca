package peers

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Spread is what many replays with different chances gave.
type Spread struct {
	Replays   int     `json:"replays"`
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"`
	Low       float64 `json:"low"`  // a twentieth is below
	High      float64 `json:"high"` // a twentieth is above
	Failures  float64 `json:"failures"`
}

// Replays replays a program so many times, each with its own seed.
func Replays(ctx context.Context, p *Program, o Options, count int) (*Spread, error) {
	if count < 1 {
		return nil, errors.New("at least one replay is wanted")
	}
	seconds, failures := make([]float64, count), make([]float64, count)
	errs := make([]error, count)
	var taken atomic.Int64
	var group sync.WaitGroup
	for range min(count, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for {
				i := int(taken.Add(1)) - 1
				if i >= count {
					return
				}
				mine := o
				mine.Seed = o.Seed + uint64(i)
				result, err := Run(ctx, p, mine)
				if err != nil {
					errs[i] = err
					return
				}
				seconds[i], failures[i] = result.Seconds, float64(result.Failures)
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	s := &Spread{Replays: count}
	for i := range seconds {
		s.Mean += seconds[i] / float64(count)
		s.Failures += failures[i] / float64(count)
	}
	for _, v := range seconds {
		s.Deviation += (v - s.Mean) * (v - s.Mean)
	}
	s.Deviation = math.Sqrt(s.Deviation / float64(max(count-1, 1)))
	slices.Sort(seconds)
	s.Low, s.High = seconds[(count-1)/20], seconds[count-1-(count-1)/20]
	return s, nil
}
