package diagnose

import (
	"context"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"auspex/model"
)

const (
	// mostElastic bounds how much faster than a count the time may grow that
	// it explains: time that is a cost for each and something beside grows at
	// most in proportion, and what scatters a little explains no large
	// difference. Sizes of problems may come in with a power.
	mostElastic      = 1.6
	mostElasticSizes = 3.4
	// leastElastic is asked for where there are too few units for a test: what
	// differs by far more than the time is likely to differ by itself.
	leastElastic = 0.1
	// textByte is the time in seconds that a byte of text takes at most to be read or
	// written as a number: some 20 ns by printf and scanf, a few times that at worst.
	textByte = 1e-7
	// faultTime is the time in seconds that page faults take at most: a few times that
	// of a page of 4 KiB on a virtual machine, 2 µs. Those of large pages take longer,
	// but a process that does more has more of all kinds, and longer for that.
	faultTime = 1e-5
	// ownFormat is that of experiments that auspex measured.
	ownFormat = "auspex"
	// together is the correlation from which two metrics cannot be told apart.
	together = 0.9
	// worthMore of the variance is what a further metric has to explain.
	worthMore = 0.04
	// fewUnits leave nothing to test.
	fewUnits = 4
)

// reasons chooses the metrics that explain the times in a region. Each has to
// grow with the time, more than by chance (over all metrics of the region that
// differ by enough), and by enough. The first is the one that explains most; another is added
// where it explains what is left. Those that vary as a chosen one does cannot
// be told from it and are named with it.
func (s *study) reasons(ctx context.Context, c *Cause, from []attribute, times []float64, groups [][]int, who participants) ([]attribute, error) {
	tested := 0
	for _, a := range from {
		if differsEnough(a, times) {
			tested++
		}
	}
	limit := significance / float64(max(1, tested))
	var able []attribute
	for _, a := range from {
		switch {
		case slices.ContainsFunc(a.values, math.IsNaN):
			c.Excluded = append(c.Excluded, Excluded{a.name, WhyMissing})
		case isConstant(a.values):
			c.Excluded = append(c.Excluded, Excluded{a.name, WhyConstant})
		case !explains(a, times, limit) && !standsOut(a, times, groups, limit):
			c.Excluded = append(c.Excluded, Excluded{a.name, WhyWeak})
		case tooQuick(a, from, times), s.d.Format == ownFormat && faultsTooQuick(a, times):
			c.Excluded = append(c.Excluded, Excluded{a.name, WhyTooQuick})
		case who.saysNothing(a, times):
			c.Excluded = append(c.Excluded, Excluded{a.name, WhyAbsent})
		default:
			a.weak = correlation(a.values, times) < weakCorrelation
			able = append(able, a)
		}
	}
	if err := s.classes(ctx, able); err != nil {
		return nil, err
	}
	able = slices.DeleteFunc(able, func(a attribute) bool {
		weak := s.hasKinds() && !tellsApart(a, groups, times)
		if weak {
			c.Excluded = append(c.Excluded, Excluded{a.name, WhyWeak})
		}
		return weak
	})
	chosen := forward(able, times, limit)
	var out []attribute
	for i, a := range able {
		switch {
		case slices.Contains(chosen, i) || confounded(able, chosen, i, times):
			out = append(out, a)
		default:
			c.Excluded = append(c.Excluded, Excluded{a.name, WhyWeaker})
		}
	}
	slices.SortStableFunc(out, func(a, b attribute) int {
		x, y := correlation(a.values, times), correlation(b.values, times)
		switch {
		case x > y+1e-9:
			return -1
		case y > x+1e-9:
			return 1
		}
		return 0
	})
	return out, nil
}

func isConstant(values []float64) bool {
	least, most := slices.Min(values), slices.Max(values)
	return most-least <= 1e-9*max(math.Abs(least), math.Abs(most))
}

// explains tells whether time grows with a metric, more than by chance and in
// a proportion that can be.
func explains(a attribute, times []float64, limit float64) bool {
	r := correlation(a.values, times)
	if r < weakCorrelation {
		return false
	}
	mx, my := average(a.values), average(times)
	if mx <= 0 || my <= 0 {
		return false
	}
	elastic := covariance(a.values, times) / covariance(a.values, a.values) * mx / my
	bound := a.mostElastic()
	if len(times) < fewUnits {
		// Nothing to test.
		return moreThanChance(a) && elastic <= bound && elastic >= leastElastic && a.metric != "peak_memory" // which takes no time by itself
	}
	if a.metric == model.PageFaults && !moreThanChance(a) {
		return false // unlike calls or bytes, they come as they like
	}
	return elastic <= bound && chanceOfCorrelation(r, len(times)) < limit
}

// tooQuick tells whether what a unit reads and writes is known to take too little time
// to explain what it has more of that. Bytes may also stand for the work of reading or
// writing them as text, but for no more than that takes.
func tooQuick(a attribute, from []attribute, times []float64) bool {
	if a.metric != model.IORead && a.metric != model.IOWritten && a.metric != model.IOTime {
		return false
	}
	k := slices.IndexFunc(from, func(x attribute) bool { return x.metric == model.IOTime && !slices.ContainsFunc(x.values, math.IsNaN) })
	if k < 0 {
		return false
	}
	own := covariance(a.values, a.values)
	each, known := covariance(a.values, times)/own, covariance(a.values, from[k].values)/own
	return known < leastElastic*each && (a.metric == model.IOTime || each > textByte)
}

// faultsTooQuick tells whether page faults, as auspex itself counts them, would have to
// take longer than they do.
func faultsTooQuick(a attribute, times []float64) bool {
	return a.metric == model.PageFaults && covariance(a.values, times) > faultTime*covariance(a.values, a.values)
}

// moreThanChance tells whether so many events would not differ so by chance.
func moreThanChance(a attribute) bool {
	least, most := slices.Min(a.values), slices.Max(a.values)
	return strings.Contains(a.name, "/") || most-least > 3*math.Sqrt(most+least)
}

func (a *attribute) mostElastic() float64 {
	if !model.IsCanonical(a.metric) && !perInstruction(a.metric) {
		return mostElasticSizes
	}
	return mostElastic
}

// differsEnough tells whether a metric could explain the times, were it
// perfectly correlated with them.
func differsEnough(a attribute, times []float64) bool {
	if slices.ContainsFunc(a.values, math.IsNaN) {
		return false
	}
	mx, my := average(a.values), average(times)
	return math.Sqrt(covariance(times, times))*mx <= a.mostElastic()*math.Sqrt(covariance(a.values, a.values))*my
}

func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// forward takes the metric that explains most, and others as long as they
// explain more of the rest than chance does.
func forward(able []attribute, times []float64, limit float64) []int {
	const most = 4
	var chosen []int
	left := 1.0
	for len(chosen) < min(most, len(able), len(times)-2) || len(chosen) == 0 && len(able) > 0 {
		best, least := -1, left
		for i := range able {
			if slices.Contains(chosen, i) {
				continue
			}
			if u := unexplained(able, append(slices.Clone(chosen), i), times); u < least-1e-12 {
				best, least = i, u
			}
		}
		if best < 0 {
			break
		}
		if len(chosen) > 0 {
			free := float64(len(times) - len(chosen) - 2)
			if free < 1 || left-least < worthMore {
				break
			}
			f := (left - least) / (least / free)
			if (distuv.F{D1: 1, D2: free}).Survival(f) >= limit {
				break
			}
		}
		chosen, left = append(chosen, best), least
	}
	return chosen
}

// unexplained is the share of the times' variance that a linear combination of
// some metrics leaves.
func unexplained(able []attribute, which []int, times []float64) float64 {
	n, k := len(times), len(which)
	x := mat.NewDense(n, k, nil)
	y := mat.NewVecDense(n, nil)
	my := average(times)
	for i := range n {
		y.SetVec(i, times[i]-my)
	}
	for j, a := range which {
		values := able[a].values
		m, scale := average(values), math.Sqrt(covariance(values, values))
		for i, v := range values {
			x.Set(i, j, (v-m)/scale)
		}
	}
	var b mat.VecDense
	if err := b.SolveVec(x, y); err != nil {
		if _, ill := err.(mat.Condition); !ill {
			return 1
		}
	}
	var fit mat.VecDense
	fit.MulVec(x, &b)
	rest, all := 0.0, 0.0
	for i := range n {
		rest += (y.AtVec(i) - fit.AtVec(i)) * (y.AtVec(i) - fit.AtVec(i))
		all += y.AtVec(i) * y.AtVec(i)
	}
	if all == 0 {
		return 1
	}
	return rest / all
}

// confounded tells whether a metric cannot be told from one that was chosen.
func confounded(able []attribute, chosen []int, i int, times []float64) bool {
	r := correlation(able[i].values, times)
	return slices.ContainsFunc(chosen, func(k int) bool {
		return correlation(able[i].values, able[k].values) >= together && r >= correlation(able[k].values, times)-nearlyBest
	})
}
