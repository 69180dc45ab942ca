package whatif

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
)

// Share is a cause's part of all that could be won, by Shapley's value.
type Share struct {
	Change  string  `json:"change"`
	Region  string  `json:"region"`
	Seconds float64 `json:"seconds"`
	Share   float64 `json:"share"` // of the base
}

// shapley shares what the largest causes cost together: the mean, over all
// orders in which they could be taken away, of what each then brings (Shapley,
// "A value for n-person games", 1953).
func (c *Case) shapley(ctx context.Context, l *List, most int) error {
	var causes []Opportunity
	apart := slices.ContainsFunc(l.Opportunities, func(o Opportunity) bool { return o.change.Kind == Balance && o.Region != All })
	together := slices.ContainsFunc(l.Opportunities, func(o Opportunity) bool { return len(o.change.Also) > 0 })
	for _, o := range l.Opportunities {
		overlaps := apart && o.change.Kind == Balance && o.Region == All || together && o.change.Kind == LikeMedian && len(o.change.Also) == 0
		if restores(o.change.Kind) && !overlaps && len(causes) < maxShapley && 1<<(len(causes)+1) <= most {
			causes = append(causes, o)
		}
	}
	n := len(causes)
	if n == 0 {
		return nil
	}
	sets := make([][]Change, 1<<n)
	for m := range sets {
		for i := range causes {
			if m>>i&1 == 1 {
				sets[m] = append(sets[m], causes[i].change)
			}
		}
	}
	times, err := c.replayAll(ctx, sets)
	if err != nil {
		return err
	}
	l.Replays += len(sets)
	noise, moved := noiseAmong(causes)
	won := func(m int) float64 {
		w := times[0] - times[m]
		if m&noise != 0 && m&moved != 0 {
			w = min(w, 2*times[0]-times[m&^noise]-times[noise])
		}
		return w
	}
	among, values := shares(n, won, least*c.Base())
	for i := range causes {
		if among>>i&1 == 1 {
			l.Shares = append(l.Shares, Share{Change: causes[i].Change, Region: causes[i].Region, Seconds: values[i], Share: values[i] / c.Base()})
		}
	}
	l.LossSeconds = won(among)
	slices.SortStableFunc(l.Shares, func(a, b Share) int { return cmp.Compare(b.Seconds, a.Seconds) })
	return nil
}

// shares is Shapley's value of each of n causes, by its number, and which of them have
// one: what gains something alone and next to nothing, or less, beside the others is no
// cause of its own, and what it gains is theirs.
func shares(n int, won func(set int) float64, least float64) (among int, values []float64) {
	for among = 1<<n - 1; among != 0; {
		values = make([]float64, n)
		last := -1
		for i := range n {
			if among>>i&1 == 0 {
				continue
			}
			for m := range among {
				if m&^among == 0 && m>>i&1 == 0 {
					values[i] += weight(bits.OnesCount(uint(m)), bits.OnesCount(uint(among))) * (won(m|1<<i) - won(m))
				}
			}
			if last < 0 || values[i] < values[last] {
				last = i
			}
		}
		if values[last] >= least {
			break
		}
		among &^= 1 << last
	}
	return among, values
}

// noiseAmong finds the noise among causes, and the changes that move work from rank
// to rank. Evening out what such a change has moved takes away no noise of the run:
// half a worker's tasks, moved to where its master starts, would be noise.
func noiseAmong(causes []Opportunity) (noise, moved int) {
	for i := range causes {
		switch causes[i].change.Kind {
		case NoNoise:
			noise = 1 << i
		case Balance, LikeMedian:
			moved |= 1 << i
		}
	}
	return noise, moved
}

// weight is the share of orders in which exactly a set of size s comes before
// one of n: s! (n−s−1)! / n!.
func weight(s, n int) float64 {
	w := 1.0 / float64(n)
	for i := 1; i <= s; i++ {
		w *= float64(i) / float64(n-i)
	}
	return w
}
