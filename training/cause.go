package training

import "strings"

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
	case copies(top.places[0].Op) && 2*j.copying(r) >= top.more:
		return Accelerator, "copies between host and device"
	case float64(top.more) < concentrate*float64(all) && j.slowerEverywhere(r), j.sameButSlower(r, top):
		return Host, "slow processor"
	case top.region == "" && top.places[0].Op == "":
		return Host, "code that no range and no operator covers"
	}
	return Host, hostCause(top)
}

// copying is how much longer a rank's device copies than those of its peers: an
// operator that copies may wait for it without a call of the runtime.
func (j *job) copying(r int) int64 {
	time := func(rank int) (sum int64) {
		for _, s := range j.ranks[rank].Steps {
			sum += s.Copying
		}
		return sum
	}
	var others []int64
	for _, o := range j.peers[r] {
		others = append(others, time(o))
	}
	return time(r) - median(others)
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
	case waitsInside.MatchString(names):
		return "waiting for the device"
	case loads.MatchString(top.region):
		return "loading data"
	}
	return "host code"
}

// elsewhere corrects the region of a late host. A device that meets others waits
// for its host wherever the host is behind, which may be later than where it fell
// behind: where the ranges themselves tell that the rank takes no longer in the
// region than its peers, and much longer in another, it is the other.
func (j *job) elsewhere(s *Straggler, r int, regions []regionExcess) {
	if s.Side != Host || regions[0].doing != Working || !j.knowHosts() {
		return
	}
	times := make([]map[string]int64, len(j.ranks))
	for i, rank := range j.ranks {
		times[i] = map[string]int64{}
		for _, step := range rank.Steps {
			for region, time := range step.Regions {
				times[i][region] += time
			}
		}
	}
	usual := func(region string) int64 {
		var others []int64
		for _, o := range j.peers[r] {
			others = append(others, times[o][region])
		}
		return median(others)
	}
	if s.Region != "" && times[r][s.Region] > usual(s.Region) {
		return
	}
	best, most := "", int64(0)
	for region, time := range times[r] {
		more := time - usual(region)
		if more > most || more == most && region < best {
			best, most = region, more
		}
	}
	if 2*most < max(regions[0].more, sumOf(j.hostBySteps(r))) {
		return
	}
	top := regionExcess{region: best, doing: Working}
	for _, e := range regions {
		if e.region == best && e.doing == Working {
			top = e
		}
	}
	s.Region, s.Seconds, s.Others, s.Cause = best, seconds(times[r][best]), seconds(usual(best)), hostCause(top)
	s.Operators = []OperatorTime{}
	for _, e := range top.places[:min(len(top.places), 3)] {
		s.Operators = append(s.Operators, OperatorTime{e.Op, seconds(e.Own), seconds(e.Others)})
	}
	s.Fix = fix(s)
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
	case slower >= added && j.optimizerAsFast(r):
		return Accelerator, "longer kernels"
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

// optimizerAsFast tells whether a rank's kernels take longer, but for those of the
// optimizer, which depend on the model alone and wait for memory. A rank with more
// data looks like that, and so does a device that is throttled in what it computes.
func (j *job) optimizerAsFast(r int) bool {
	time := func(rank *Rank) (optimizer, rest int64) {
		for _, k := range rank.Kernels {
			if optimizes.MatchString(k.Name) || optimizes.MatchString(k.Operator) {
				optimizer += k.Time
			} else {
				rest += k.Time
			}
		}
		return optimizer, rest
	}
	own, ownRest := time(j.ranks[r])
	var others, othersRest []int64
	for _, o := range j.peers[r] {
		optimizer, rest := time(j.ranks[o])
		others, othersRest = append(others, optimizer), append(othersRest, rest)
	}
	as := float64(median(others))
	if as == 0 || float64(median(othersRest)) == 0 {
		return false
	}
	slower, restSlower := float64(own)/as, float64(ownRest)/float64(median(othersRest))
	return restSlower >= moreWork && slower-1 <= (restSlower-1)/4
}

// mayWait tells operators that return when the device is done.
func mayWait(op string) bool { return copies(op) || waitsInside.MatchString(op) }

func copies(op string) bool {
	for _, name := range []string{"aten::to", "aten::copy_", "aten::_to_copy", "Memcpy"} {
		if strings.Contains(op, name) {
			return true
		}
	}
	return false
}

// fewOps is how many operators must be slower for it to be the processor that is.
const fewOps = 3

// sameButSlower tells whether a rank calls the operators of a region as often as the
// others, and takes longer in each.
func (j *job) sameButSlower(r int, top regionExcess) bool {
	var same, all int64
	ops := 0
	for _, e := range top.places {
		all += e.more()
		var times, calls []int64
		for _, o := range j.peers[r] {
			times, calls = append(times, j.ranks[o].HostOps[e.Op]), append(calls, int64(j.ranks[o].HostCalls[e.Op]))
		}
		usual, own := median(calls), int64(j.ranks[r].HostCalls[e.Op])
		if usual > 0 && max(usual-own, own-usual)*20 <= usual && float64(j.ranks[r].HostOps[e.Op]) >= slowerOps*float64(median(times)) {
			same += e.more()
			ops++
		}
	}
	return ops >= fewOps && float64(same) >= concentrate*float64(all)
}

// slowerEverywhere tells whether most of what the host does takes the rank
// longer than the others. Where devices meet, it is what the host itself does
// that counts, not what its device had to wait for.
func (j *job) slowerEverywhere(r int) bool {
	var slower, all int64
	count := func(own int64, of func(rank int) int64) {
		var others []int64
		for _, o := range j.peers[r] {
			others = append(others, of(o))
		}
		m := median(others)
		all += m
		if float64(own) >= slowerOps*float64(m) {
			slower += m
		}
	}
	if j.knowHosts() {
		for op, own := range j.ranks[r].HostOps {
			count(own, func(rank int) int64 { return j.ranks[rank].HostOps[op] })
		}
	} else {
		for key, own := range j.totals[r] {
			if key.doing == Working && key.op != "" {
				count(own, func(rank int) int64 { return j.totals[rank][key] })
			}
		}
	}
	return all > 0 && float64(slower) >= mostOps*float64(all)
}
