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
	var turns []int
	candidates := j.candidates()
	j.test(candidates)
	for _, c := range candidates {
		if c.tested && c.beyond < 1 {
			continue
		}
		enough := c.share >= minExcess && (c.late*c.share >= minBoth || c.tested && c.beyond >= wayBeyond)
		if !enough && !(c.late >= lateWithWork && (c.busier || c.slow)) {
			continue
		}
		if !c.busier && j.inTurn(c.rank) {
			turns = append(turns, c.rank)
			continue
		}
		s := j.straggler(c.rank, c.regions, c.busier)
		if s.Share < minShare && !c.busier || s.Pattern == NowAndThen && s.Share < onceAtMost {
			continue
		}
		result.Stragglers = append(result.Stragglers, s)
	}
	if len(turns) > 0 {
		j.notes = append(j.notes, j.turnsNote())
	}
	// Who waits for a late rank in one group comes late to the others.
	isNetwork := func(s Straggler) bool { return s.Side == Network }
	if slices.ContainsFunc(result.Stragglers, func(s Straggler) bool { return !isNetwork(s) }) {
		result.Stragglers = slices.DeleteFunc(result.Stragglers, isNetwork)
	}
	if link, ok := j.slowLink(); ok && (len(result.Stragglers) == 0 || link.Late >= minLate*seconds(j.run)) {
		if !slices.ContainsFunc(result.Stragglers, func(s Straggler) bool { return s.Rank == link.Rank && !isNetwork(s) }) {
			result.Stragglers = append(slices.DeleteFunc(result.Stragglers, isNetwork), link)
		}
	}
	slices.SortStableFunc(result.Stragglers, func(a, b Straggler) int { return cmp.Compare(b.Late, a.Late) })
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
		if c.share = float64(most) / float64(j.run); c.share >= minExcess || c.busier || c.slow {
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
	s.Pattern = j.pattern(r, top)
	s.Side, s.Cause = j.cause(r, regions, busier)
	s.Fix = fix(&s)
	return s
}

// regionTime is a rank's time in a region, doing one thing, and the median of
// the others'.
func (j *job) regionTime(r int, region regionExcess) (own, others int64) {
	sum := func(rank int) (sum int64) {
		for key, time := range j.totals[rank] {
			if key.region == region.region && key.doing == region.doing {
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

// pattern tells how the excess runs over the steps.
func (j *job) pattern(r int, region regionExcess) Pattern {
	var more []int64
	for _, number := range j.steps {
		sum := func(rank *Rank) (sum int64) {
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
			return sum
		}
		var others []int64
		for _, o := range j.peers[r] {
			others = append(others, sum(j.ranks[o]))
		}
		more = append(more, sum(j.ranks[r])-median(others))
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
		switch {
		case j.callsAlone(r, regions):
			return Host, "waiting for the device"
		case j.slowerEverywhere(r): // its device is in the collective while it still launches
			return Host, "slow processor"
		case float64(j.more(r, InCollective)) <= -minExcess*float64(j.run):
			// It waits less than the others: its host is late while its
			// device is in collectives, the others' wait elsewhere.
			return Host, hostCause(top)
		}
		return Network, "slow transfers"
	case by[OnTheDevice] > by[Working]:
		return j.deviceCause(r, regions)
	case float64(top.more) < concentrate*float64(all) && j.slowerEverywhere(r):
		return Host, "slow processor"
	case top.region == "" && top.places[0].Op == "":
		return Host, "code that no range and no operator covers"
	}
	return Host, hostCause(top)
}

// hostCause names what a rank's processor does longer, by the names that the
// program gave it.
func hostCause(top regionExcess) string {
	names := top.region
	for _, e := range top.places {
		if e.more()*10 >= top.more {
			names += " " + e.Op
		}
	}
	switch {
	case saves.MatchString(names):
		return "saving"
	case collects.MatchString(names):
		return "collecting garbage"
	case compiles.MatchString(names):
		return "compiling"
	case loads.MatchString(top.region):
		return "loading data"
	}
	return "host code"
}

// callsAlone tells whether a rank waits during collectives in operators that its
// peers do not call: it waits for its device where they go on.
func (j *job) callsAlone(r int, regions []regionExcess) bool {
	var alone, all int64
	for _, region := range regions {
		if region.doing != InCollective {
			continue
		}
		for _, e := range region.places {
			all += e.more()
			var others []int64
			for _, o := range j.peers[r] {
				var sum int64
				for doing := range Doing(3) {
					sum += j.totals[o][placeKey{e.Region, e.Op, doing}]
				}
				others = append(others, sum)
			}
			if e.Op != "" && median(others)*50 < e.Own {
				alone += e.more()
			}
		}
	}
	return alone*2 > all
}

// deviceCause names what a rank's device does longer, or what the rank waits for
// it for.
func (j *job) deviceCause(r int, regions []regionExcess) (Side, string) {
	var more int64
	op := ""
	for _, region := range regions {
		if region.doing == OnTheDevice {
			if more == 0 {
				op = region.places[0].Op
			}
			more += region.more
		}
	}
	if copies(op) {
		return Accelerator, "copies between host and device"
	}
	slower, added := j.kernelExcess(r)
	switch {
	case 2*max(slower, added) < more:
		return Host, "waiting for the device"
	case slower >= added:
		return Accelerator, "slow kernels"
	}
	return Accelerator, "more kernels"
}

// kernelExcess is how much longer a rank's kernels take than those of its peers:
// the same kernels, and those that the peers have not, or not as often.
func (j *job) kernelExcess(r int) (slower, added int64) {
	type key struct{ name, operator string }
	type sum struct{ count, time int64 }
	sums := func(rank *Rank) map[key]sum {
		all := map[key]sum{}
		for _, k := range rank.Kernels {
			all[key{k.Name, k.Operator}] = sum{int64(k.Count), k.Time}
		}
		return all
	}
	var peers []map[key]sum
	for _, o := range j.peers[r] {
		peers = append(peers, sums(j.ranks[o]))
	}
	for k, own := range sums(j.ranks[r]) {
		var counts, means []int64
		for _, p := range peers {
			counts = append(counts, p[k].count)
			if p[k].count > 0 {
				means = append(means, p[k].time/p[k].count)
			}
		}
		usual := min(own.count, median(counts))
		slower += usual * (own.time/own.count - median(means))
		added += (own.count - usual) * (own.time / own.count)
	}
	return slower, added
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
		for _, o := range j.peers[r] {
			others = append(others, j.totals[o][key])
		}
		m := median(others)
		all += m
		if float64(own) >= slowerOps*float64(m) {
			slower += m
		}
	}
	return all > 0 && float64(slower) >= mostOps*float64(all)
}
