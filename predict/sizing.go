package predict

import (
	"fmt"
	"math"
)

// sized is what a step's sizes are where the trace is to be made, and how often a loop
// is gone through there that has no counter.
type sized struct {
	sizes  [2]sizeLaw
	rounds int
}

// sizeLaw gives the size of a call of the rank with a number in the communicator, from
// what its like had.
type sizeLaw struct {
	value func(o sample, like int64) int64
	off   float64
}

// sizing finds the law of a call's sizes: of the number of processes alone, of a loop's
// counter as well, of the rank that has one block of many; where each rank has something
// else, of the mean.
func sizing(samples []sample, to grid) (sizeLaw, error) {
	plain := func(sample) float64 { return 1 }
	seen, ok := alikeBy(samples, plain)
	if ok {
		l, err := findLaw(seen, to)
		if err != nil {
			return sizeLaw{}, err
		}
		value := int64(l.value(to))
		return sizeLaw{func(sample, int64) int64 { return value }, l.off}, nil
	}
	for _, shape := range shapes {
		if seen, ok := alikeBy(samples, shape); ok {
			if l, err := findLaw(seen, to); err == nil && l.off == 0 {
				return sizeLaw{func(o sample, _ int64) int64 { return int64(math.Round(l.value(to) * shape(o))) }, 0}, nil
			}
		}
	}
	if value, ok := blockOfRank(samples, to); ok {
		return sizeLaw{func(o sample, _ int64) int64 { return int64(value(o)) }, 0}, nil
	}
	return scattered(samples)
}

// shapes are how sizes in a loop depend on its counter.
var shapes = []func(sample) float64{
	func(o sample) float64 { return float64(o.d) },
	func(o sample) float64 { return 1 / float64(o.d) },
	func(o sample) float64 { return float64(min(o.d, o.n-o.d)) },
}

// alikeBy are the sizes over a shape, if each run has one.
func alikeBy(samples []sample, shape func(sample) float64) (seen []observed, ok bool) {
	for _, o := range samples {
		by := shape(o)
		v, n := o.value/by, len(seen)
		switch {
		case by <= 0 || math.IsInf(by, 0): // in no loop
			return nil, false
		case n == 0 || seen[n-1].of.size() != o.of.size():
			seen = append(seen, observed{o.of, v})
		case math.Abs(seen[n-1].value-v) > 1e-9*math.Abs(v):
			return nil, false
		}
	}
	return seen, true
}

// dealt are the ways in which n elements are dealt to so many ranks: the first have one
// more, or each from where the one before ends.
var dealt = []func(n, ranks, rank int) int{
	func(n, ranks, rank int) int {
		if rank < n%ranks {
			return n/ranks + 1
		}
		return n / ranks
	},
	func(n, ranks, rank int) int { return (rank+1)*n/ranks - rank*n/ranks },
}

// mostLeft is how many elements may be left over for blocks to be looked for.
const mostLeft = 4096

// blockOfRank is the size that a rank's block has, or its partner's, of something that is
// dealt to all ranks of the communicator in elements of some size. Where it could be of
// more than one number of elements or dealt in both ways, all ranks must get the same.
func blockOfRank(samples []sample, to grid) (func(sample) float64, bool) {
	unit := 0
	for _, o := range samples {
		unit = divisor(unit, int(o.value))
	}
	if unit == 0 {
		return nil, false
	}
	last := samples[len(samples)-1]
	low := max(0, (int(last.value)/unit-1)*last.n)
	for _, whose := range []func(sample) int{func(o sample) int { return o.me }, func(o sample) int { return o.peer }} {
		var found func(sample) float64
		for _, deal := range dealt {
			for n := low; n <= low+min(2*last.n, mostLeft); n++ {
				value := func(o sample) float64 { return float64(unit * deal(n, o.n, whose(o))) }
				switch {
				case !holds(samples, value):
				case found == nil:
					found = value
				case !holds(everywhere(to, found), value):
					return nil, false
				}
			}
		}
		if found != nil {
			return found, true
		}
	}
	return nil, false
}

// everywhere are the sizes that all ranks have somewhere, as if each were its own partner.
func everywhere(to grid, value func(sample) float64) (list []sample) {
	for rank := range to.size() {
		o := sample{of: to, me: rank, peer: rank, n: to.size()}
		o.value = value(o)
		list = append(list, o)
	}
	return list
}

func holds(samples []sample, value func(sample) float64) bool {
	for _, o := range samples {
		if value(o) != o.value {
			return false
		}
	}
	return true
}

func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// scattered is the law of the mean, by which what each rank's like had grows. Nobody
// knows which rank has how much then.
func scattered(samples []sample) (sizeLaw, error) {
	var seen []observed
	var sums []float64
	for _, o := range samples {
		if o.value < 0 {
			return sizeLaw{}, fmt.Errorf("some of its receives tell a size and others do not")
		}
		if n := len(seen); n == 0 || seen[n-1].of.size() != o.of.size() {
			seen, sums = append(seen, observed{of: o.of}), append(sums, 0)
		}
		seen[len(seen)-1].value += o.value
		sums[len(sums)-1]++
	}
	for i := range seen {
		seen[i].value /= sums[i]
	}
	l, err := meanLaw(seen)
	if err != nil {
		return sizeLaw{}, err
	}
	last := seen[len(seen)-1]
	spread, n := 0.0, 0.0
	for _, o := range samples {
		if o.of.size() == last.of.size() {
			spread += (o.value - last.value) * (o.value - last.value)
			n++
		}
	}
	off := math.Hypot(l.off, math.Sqrt(spread/n)/last.value)
	if off > mostOff {
		return sizeLaw{}, fmt.Errorf("its sizes differ from rank to rank by %.0f %%, and by no law that is known", 100*off)
	}
	by := l.value
	return sizeLaw{func(o sample, like int64) int64 { return int64(math.Round(float64(like) * by(o.of) / by(last.of))) }, off}, nil
}
