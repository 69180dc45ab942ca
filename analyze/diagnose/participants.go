package diagnose

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/combin"

	"auspex/analyze"
	"auspex/model"
)

// slowByte is the time in seconds that a byte takes to be read or written at most: that
// of a disk that many share.
const slowByte = 1e-6

// participants are the units that spend time in a region, and those that spend none,
// such as a master where its workers work.
type participants struct {
	there, absent []int
	// apart: that some are absent is most of what is lost. beside: it is not, and the
	// absent say nothing of why those that are there differ.
	apart, beside bool
	partly        bool // that some are absent is a quarter at least of what is lost
}

// takePart tells who takes part in a region, and whether what is lost is lost among them.
func takePart(spent []float64, peers []int, slowest int) participants {
	var p participants
	for i, v := range spent {
		if v > 0 {
			p.there = append(p.there, i)
		} else {
			p.absent = append(p.absent, i)
		}
	}
	if len(p.absent) == 0 {
		return p
	}
	among := pick(spent, slices.DeleteFunc(slices.Clone(peers), func(i int) bool { return spent[i] <= 0 }))
	lost, there := spent[slowest]-analyze.Mean(pick(spent, peers)), 0.0
	if len(among) > 1 {
		there = spent[slowest] - analyze.Mean(among)
	}
	p.beside = there > lost/2
	p.apart, p.partly = !p.beside, there < 0.75*lost
	return p
}

// middling gives the absent the median of those that are there, so that they tell
// nothing.
func (p participants) middling(values []float64) []float64 {
	out := slices.Clone(values)
	centre := middle(pick(values, p.there))
	for _, i := range p.absent {
		out[i] = centre
	}
	return out
}

// asMiddle gives the absent the label of one that takes as long as the median.
func (p participants) asMiddle(labels []int, times []float64) []int {
	out := slices.Clone(labels)
	for _, i := range p.absent {
		for _, k := range p.there {
			if times[k] == times[i] {
				out[i] = labels[k]
				break
			}
		}
	}
	return out
}

// present leaves the absent out of some units.
func (p participants) present(of []int) []int {
	return slices.DeleteFunc(slices.Clone(of), func(i int) bool { return slices.Contains(p.absent, i) })
}

// saysNothing tells metrics that the absent have none of because they are absent, which
// is no reason to be so. Calls say it best; bytes read or written tell what the others
// do, if these can take as long.
func (p participants) saysNothing(a attribute, times []float64) bool {
	if !p.apart || a.metric == model.Calls || slices.Max(pick(a.seen, p.absent)) > 0 {
		return false
	}
	bytes := a.metric == model.IORead || a.metric == model.IOWritten
	return !bytes || covariance(a.values, times) > slowByte*covariance(a.values, a.values)
}

// standsOut tells whether a metric explains units so few that they have little of the
// variance however far out they are: those that take longest have more of it than all
// others, by more than these scatter, which chance does not do, and in a proportion
// that can be. That the unit with most of something is the slowest is no wonder of few
// units, nor of many metrics.
func standsOut(a attribute, times []float64, groups [][]int, limit float64) bool {
	if len(groups) < 2 || len(times) < fewUnits {
		return false
	}
	slow := slices.MaxFunc(groups, byMean(times))
	var others []int
	for i := range times {
		if !slices.Contains(slow, i) {
			others = append(others, i)
		}
	}
	if slices.Min(pick(a.values, slow)) <= slices.Max(pick(a.values, others)) ||
		combin.LogGeneralizedBinomial(float64(len(times)), float64(len(slow))) < -math.Log(significance) ||
		chanceOfDifference(pick(a.values, slow), pick(a.values, others)) >= limit {
		return false
	}
	if a.metric == model.PageFaults && !moreThanChance(a) {
		return false
	}
	more := analyze.Mean(pick(a.values, slow)) - analyze.Mean(pick(a.values, others))
	longer := analyze.Mean(pick(times, slow)) - analyze.Mean(pick(times, others))
	return longer*average(a.values) <= a.mostElastic()*more*average(times)
}
