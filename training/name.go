package training

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// regionExcess is what a rank spends more than the others in one region, doing
// one thing.
type regionExcess struct {
	region string
	doing  Doing
	more   int64
	places []excess
}

// byRegion adds up the excesses of a rank by region, the most first.
func byRegion(list []excess) []regionExcess {
	var sums []regionExcess
	for _, e := range list {
		i := slices.IndexFunc(sums, func(s regionExcess) bool { return s.region == e.Region && s.doing == e.Doing })
		if i < 0 {
			i = len(sums)
			sums = append(sums, regionExcess{region: e.Region, doing: e.Doing})
		}
		sums[i].more += e.more()
		sums[i].places = append(sums[i].places, e)
	}
	slices.SortStableFunc(sums, func(a, b regionExcess) int { return cmp.Compare(b.more, a.more) })
	return sums
}

// name finds the stragglers and tells why each is late.
func (j *job) name(result *Result) {
	if len(j.ranks) < 2 || j.run == 0 {
		return
	}
	for r := range j.ranks {
		late := float64(j.lateTotal(r)) / float64(j.run)
		regions := byRegion(excesses(j.totals, r))
		if late < minLate || len(regions) == 0 {
			continue
		}
		most := float64(regions[0].more) / float64(j.run)
		data, kernels := j.work(r)
		busier := data >= moreWork && kernels >= moreWork
		if most >= minExcess && late*most >= minBoth || busier && late >= lateWithWork {
			result.Stragglers = append(result.Stragglers, j.straggler(r, regions, busier))
		}
	}
	if link, ok := j.slowLink(); ok {
		at := slices.IndexFunc(result.Stragglers, func(s Straggler) bool { return s.Rank == link.Rank })
		if at < 0 || result.Stragglers[at].Side == Network {
			// Ranks that wait for the slow one in other groups come late too.
			result.Stragglers = slices.DeleteFunc(result.Stragglers, func(s Straggler) bool { return s.Side == Network })
			result.Stragglers = append(result.Stragglers, link)
		}
	}
	slices.SortStableFunc(result.Stragglers, func(a, b Straggler) int { return cmp.Compare(b.Late, a.Late) })
}

// work is how much more data a rank copies to its device and how much longer
// its kernels take than those of the median of the others; 0 where unknown.
func (j *job) work(r int) (data, kernels float64) {
	ratio := func(of func(*Step) int64) float64 {
		var own int64
		var others []int64
		for i, rank := range j.ranks {
			var sum int64
			for s := range rank.Steps {
				sum += of(&rank.Steps[s])
			}
			if i == r {
				own = sum
			} else {
				others = append(others, sum)
			}
		}
		if m := median(others); m > 0 {
			return float64(own) / float64(m)
		}
		return 0
	}
	return ratio(func(s *Step) int64 { return s.Copied }), ratio(func(s *Step) int64 { return s.Kernel })
}

// straggler tells why a rank is late.
func (j *job) straggler(r int, regions []regionExcess, busier bool) Straggler {
	top := regions[0]
	s := Straggler{Rank: j.ranks[r].Number, Region: top.region, Late: seconds(j.lateTotal(r)), Operators: []OperatorTime{}}
	var own, others, all int64
	for _, e := range top.places {
		if len(s.Operators) < 3 && e.more()*10 >= top.more {
			s.Operators = append(s.Operators, OperatorTime{e.Op, seconds(e.Own), seconds(e.Others)})
		}
	}
	own, others = j.regionTime(r, top)
	s.Seconds, s.Others = seconds(own), seconds(others)
	for _, region := range regions {
		all += region.more
	}
	typical := make([]int64, 0, len(j.ranks))
	for o := range j.ranks {
		if o != r {
			typical = append(typical, j.lateTotal(o))
		}
	}
	lost := min(j.lateTotal(r)-median(typical), all)
	s.Share = math.Min(float64(max(lost, 0))/float64(j.run), 1)
	s.Pattern = j.pattern(r, top)
	s.Side, s.Cause = j.cause(r, regions, busier)
	s.Fix = fix(&s)
	return s
}

// regionTime is a rank's time in a region, doing one thing, and the median of
// the others'.
func (j *job) regionTime(r int, region regionExcess) (own, others int64) {
	var list []int64
	for o, sums := range j.totals {
		var sum int64
		for key, time := range sums {
			if key.region == region.region && key.doing == region.doing {
				sum += time
			}
		}
		if o == r {
			own = sum
		} else {
			list = append(list, sum)
		}
	}
	return own, median(list)
}

// pattern tells how the excess runs over the steps.
func (j *job) pattern(r int, region regionExcess) Pattern {
	var more []int64
	for _, number := range j.steps {
		var own int64
		var others []int64
		for o, rank := range j.ranks {
			var sum int64
			for _, s := range rank.Steps {
				if s.Number != number {
					continue
				}
				for _, p := range s.Places {
					if p.Region == region.region && p.Doing == region.doing {
						sum += p.Time
					}
				}
			}
			if o == r {
				own = sum
			} else {
				others = append(others, sum)
			}
		}
		more = append(more, own-median(others))
	}
	if len(more) < 2 {
		return Persistent
	}
	high := slices.Max(more)
	often := 0
	rising := true
	for i, v := range more {
		if v*4 >= high {
			often++
		}
		if i > 0 && v <= more[i-1] {
			rising = false
		}
	}
	switch first, last := more[0], more[len(more)-1]; {
	case len(more) >= 3 && rising && last*2 >= first*3 && first*20 >= last:
		return Drifting
	case often*3 < len(more)*2:
		return NowAndThen
	}
	return Persistent
}

// Shares by which a cause is told.
const (
	slowerOps   = 1.3 // times the others' time makes an operator slower
	mostOps     = 0.6 // of the host's work is slower on a slow processor
	concentrate = 0.75
)

// cause names what is behind the excess.
func (j *job) cause(r int, regions []regionExcess, busier bool) (Side, string) {
	var by [3]int64
	var all int64
	for _, region := range regions {
		by[region.doing] += region.more
		all += region.more
	}
	top := regions[0]
	switch {
	case busier:
		return Accelerator, "more work"
	case by[InCollective] > by[Working] && by[InCollective] > by[OnTheDevice]:
		return Network, "slow transfers"
	case by[OnTheDevice] > by[Working]:
		return j.deviceCause(r, top)
	case float64(top.more) < concentrate*float64(all) && j.slowerEverywhere(r):
		return Host, "slow processor"
	case top.region == "" && len(top.places) > 0 && top.places[0].Op == "":
		return Host, "code that no range and no operator covers"
	}
	return Host, "host code"
}

// deviceCause names what a rank waits for its device for.
func (j *job) deviceCause(r int, top regionExcess) (Side, string) {
	op := ""
	if top.doing == OnTheDevice {
		op = top.places[0].Op
	}
	if copies(op) {
		return Accelerator, "copies between host and device"
	}
	_, kernels := j.work(r)
	switch {
	case j.sameKernels(r) >= moreWork:
		return Accelerator, "slow kernels"
	case kernels >= moreWork && op == "":
		return Accelerator, "more kernels"
	}
	return Host, "waiting for the device"
}

// sameKernels is how much longer a rank's kernels take than the same kernels of
// the median of the others; 0 where none is the same.
func (j *job) sameKernels(r int) float64 {
	type key struct{ name, operator string }
	means := make([]map[key]int64, len(j.ranks))
	for i, rank := range j.ranks {
		means[i] = map[key]int64{}
		for _, k := range rank.Kernels {
			means[i][key{k.Name, k.Operator}] = k.Time / int64(k.Count)
		}
	}
	var own, theirs float64
	for _, k := range j.ranks[r].Kernels {
		var others []int64
		for i := range j.ranks {
			if v, ok := means[i][key{k.Name, k.Operator}]; ok && i != r {
				others = append(others, v)
			}
		}
		if m := median(others); m > 0 {
			own += float64(k.Time)
			theirs += float64(m) * float64(k.Count)
		}
	}
	if theirs == 0 {
		return 0
	}
	return own / theirs
}

func copies(op string) bool {
	for _, name := range []string{"aten::to", "aten::copy_", "aten::_to_copy", "Memcpy"} {
		if strings.Contains(op, name) {
			return true
		}
	}
	return false
}

// slowerEverywhere tells whether most of what the host does takes the rank
// longer than the others.
func (j *job) slowerEverywhere(r int) bool {
	var slower, all int64
	for key, own := range j.totals[r] {
		if key.doing != Working || key.op == "" {
			continue
		}
		var others []int64
		for o, sums := range j.totals {
			if o != r {
				others = append(others, sums[key])
			}
		}
		m := median(others)
		all += m
		if float64(own) >= slowerOps*float64(m) {
			slower += m
		}
	}
	return all > 0 && float64(slower) >= mostOps*float64(all)
}
