package training

import (
	"cmp"
	"fmt"
	"math"
	"slices"
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
	var turns []int
	started := false // a rank is late at the start only
	behind := 0.0    // how late a rank is whose host is only behind
	candidates := j.candidates()
	j.test(candidates)
	for _, c := range candidates {
		if c.tested && c.beyond < 1 {
			continue
		}
		certain := c.tested && c.beyond >= wayBeyond
		enough := c.share >= minExcess && (c.late*c.share >= minBoth || certain) || certain && c.total >= lateWithWork
		if !enough && !(c.late >= lateWithWork && (c.busier || c.slow)) {
			continue
		}
		if j.onlyAtStart(c) {
			j.notes = append(j.notes, fmt.Sprintf("rank %d is late in the first step only, as it or its profiler starts: that is no alarm", j.ranks[c.rank].Number))
			started = true
			continue
		}
		if !c.busier && j.inTurn(c.rank) {
			turns = append(turns, c.rank)
			continue
		}
		s := j.straggler(c.rank, c.regions, c.busier)
		if s.Side == Network && !j.meetWithout(c.rank) {
			continue // in one group, who waits longer in it has come earlier
		}
		if !j.hostBearsOut(&s, c, candidates) {
			behind = max(behind, s.Late)
			continue
		}
		if s.Share < minShare && !c.busier || s.Pattern == NowAndThen && s.Share < onceAtMost {
			continue
		}
		result.Stragglers = append(result.Stragglers, s)
	}
	if round, mostly := j.goesRound(); mostly == nil {
		result.round = round
	} else if !started {
		result.round, result.mostly = round, mostly
	}
	// Who waits for a late rank in one group comes late to the others.
	isNetwork := func(s Straggler) bool { return s.Side == Network }
	if slices.ContainsFunc(result.Stragglers, func(s Straggler) bool { return !isNetwork(s) }) {
		result.Stragglers = slices.DeleteFunc(result.Stragglers, isNetwork)
	}
	result.Stragglers = slices.DeleteFunc(result.Stragglers, func(s Straggler) bool { return isNetwork(s) && s.Late < behind })
	if slow := j.slowGroup(); len(slow) > 0 && !slices.ContainsFunc(result.Stragglers, func(s Straggler) bool { return !isNetwork(s) }) {
		result.Stragglers = slow
	} else if link, ok := j.slowLink(); ok && (len(result.Stragglers) == 0 || link.Late >= minLate*seconds(j.run)) {
		if !slices.ContainsFunc(result.Stragglers, func(s Straggler) bool { return s.Rank == link.Rank && !isNetwork(s) }) {
			result.Stragglers = append(slices.DeleteFunc(result.Stragglers, isNetwork), link)
		}
	}
	slices.SortStableFunc(result.Stragglers, func(a, b Straggler) int { return cmp.Compare(b.Late, a.Late) })
	j.tellTurns(result, len(turns) > 0)
}

// candidates lists the ranks that are late and spend more than the others.
func (j *job) candidates() []candidate {
	var list []candidate
	for r := range j.ranks {
		c := candidate{rank: r, regions: byRegion(j.excesses(r)), late: float64(j.lateTotal(r)) / float64(j.run)}
		if c.late < minLate || len(c.regions) == 0 {
			continue
		}
		most := max(c.regions[0].more, j.more(r, OnTheDevice)) // a slow device is slow in all regions
		if j.slowerEverywhere(r) {
			// And so is a slow processor; but each operator's chance adds up too.
			most = max(most, j.more(r, Working)/2)
		}
		if c.regions[0].doing != InCollective {
			// What is more in one region and less in another is no more.
			most = min(most, j.more(r, Working, OnTheDevice))
		}
		data, kernels := j.work(r)
		c.busier, c.slow = data >= moreWork && kernels >= moreWork, j.slowDevice(r)
		c.total = float64(j.more(r, Working, OnTheDevice)) / float64(j.run)
		if c.share = float64(most) / float64(j.run); max(c.share, c.total) >= minExcess || c.busier || c.slow {
			list = append(list, c)
		}
	}
	return list
}

// slowDevice tells whether a rank's kernels alone explain that it is late, even
// where they run beside transfers.
func (j *job) slowDevice(r int) bool {
	slower, added := j.kernelExcess(r)
	more := slower + added
	_, kernels := j.work(r)
	return kernels >= moreWork && float64(more) >= minExcess*float64(j.run) && 2*more >= j.lateTotal(r)
}

// more is what a rank spends more than its peers doing some things, wherever.
func (j *job) more(r int, doing ...Doing) int64 {
	sum := func(rank int) (sum int64) {
		for key, time := range j.totals[rank] {
			if slices.Contains(doing, key.doing) {
				sum += time
			}
		}
		return sum
	}
	var others []int64
	for _, o := range j.peers[r] {
		others = append(others, sum(o))
	}
	return sum(r) - median(others)
}

// work is how much more data a rank copies to its device and how much longer
// its kernels take than those of the median of the others; 0 where unknown.
func (j *job) work(r int) (data, kernels float64) {
	ratio := func(of func(*Step) int64) float64 {
		sum := func(rank *Rank) (sum int64) {
			for s := range rank.Steps {
				sum += of(&rank.Steps[s])
			}
			return sum
		}
		own := sum(j.ranks[r])
		var others []int64
		for _, o := range j.peers[r] {
			others = append(others, sum(j.ranks[o]))
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
	s.Pattern = patternOf(j.excessBySteps(r, top))
	s.Side, s.Cause = j.cause(r, regions, busier)
	j.elsewhere(&s, r, regions)
	s.Fix = fix(&s)
	return s
}

// regionTime is a rank's time in a region, doing one thing, and the median of
// the others'. A range in which a late host works longer counts with the calls
// in it that wait for the device, as the trace shows it, unless the rank waits
// much less in them than the others.
func (j *job) regionTime(r int, region regionExcess) (own, others int64) {
	own, others = j.timeIn(r, region.region, region.doing)
	if region.doing == Working && region.region != "" && !j.knowHosts() {
		if whole, usual := j.timeIn(r, region.region, Working, OnTheDevice); 10*(whole-usual) >= 9*(own-others) {
			return whole, usual
		}
	}
	return own, others
}

func (j *job) timeIn(r int, region string, doing ...Doing) (own, others int64) {
	sum := func(rank int) (sum int64) {
		for key, time := range j.totals[rank] {
			if key.region == region && slices.Contains(doing, key.doing) {
				sum += time
			}
		}
		return sum
	}
	var list []int64
	for _, o := range j.peers[r] {
		list = append(list, sum(o))
	}
	return sum(r), median(list)
}

// excessBySteps is what a rank spends more than its peers in a region, doing one
// thing, step by step.
func (j *job) excessBySteps(r int, region regionExcess) []int64 {
	var more []int64
	in := func(p PlaceSum) bool { return p.Region == region.region && p.Doing == region.doing }
	for _, number := range j.steps {
		var others []int64
		for _, o := range j.peers[r] {
			others = append(others, j.inStep(o, number, in))
		}
		more = append(more, j.inStep(r, number, in)-median(others))
	}
	return more
}

// patternOf tells how an excess runs over the steps.
func patternOf(more []int64) Pattern {
	if len(more) < 2 {
		return Persistent
	}
	high := slices.Max(more)
	often, some := 0, 0 // steps with much of it, and with any
	for _, v := range more {
		if v*4 >= high {
			often++
		}
		if v*20 >= high {
			some++
		}
	}
	switch {
	case drifts(more):
		return Drifting
	case often*3 < len(more)*2 && some*10 < len(more)*9:
		return NowAndThen
	}
	return Persistent
}

// drifts tells whether an excess grows over the steps: from one to the next, or,
// of five steps and more, along a line that most of its spread lies on. What comes
// all at once does not.
func drifts(more []int64) bool {
	n := len(more)
	if n < 3 {
		return false
	}
	rising := true
	for i := 1; i < n; i++ {
		rising = rising && more[i] > more[i-1]
	}
	first, last := more[0], more[n-1]
	if rising && last*2 >= first*3 && first*20 >= last {
		return true
	}
	third := n / 3
	return n >= 5 && 2*sumOf(more[n-third:]) >= 3*sumOf(more[:third]) && alongLine(more) >= 0.95
}

// alongLine is the correlation of values with their number.
func alongLine(values []int64) float64 {
	m, middle := mean(values), float64(len(values)-1)/2
	var both, own, numbers float64
	for i, v := range values {
		x, y := float64(i)-middle, float64(v)-m
		both, numbers, own = both+x*y, numbers+x*x, own+y*y
	}
	if own == 0 {
		return 0
	}
	return both / math.Sqrt(own*numbers)
}
