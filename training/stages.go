package training

import (
	"cmp"
	"fmt"
	"slices"
)

// stage is the ranks that hold the same part of a pipeline, and what is said of it
// where the pipeline goes at its pace.
type stage struct {
	members       []int // indexes
	ranks         []int // their numbers
	region        string
	onHost        bool
	least, others int64   // what its least busy rank spends, and the median of the other stages
	gain          float64 // share of the run that would be saved at most
}

// stageAlarm is how much longer than the other stages one must work to be named.
const stageAlarm = 0.15

// unevenStage is the stage of a pipeline that works longest, where each of its ranks
// works much longer than those of the others: the pipeline goes at its pace, though
// none of its ranks is slower than the rest of its stage, or nobody else holds it.
func (j *job) unevenStage() *stage {
	stages := j.stages()
	if len(stages) < 2 {
		return nil
	}
	// What takes long on a device that waits for its host, or while the others are still
	// at work, sets no pace: the stage must be the one that works longest in all.
	all := j.longest(stages, j.ownTime)
	if all == nil {
		return nil
	}
	if s := j.longest(stages, j.kernelTime); s != nil && slices.Equal(s.ranks, all.ranks) {
		// Cut evenly, what it computes longer is not gone, but spread over all stages.
		s.gain = float64(s.least-s.others) / float64(j.run) * float64(len(stages)-1) / float64(len(stages))
		return s
	}
	var best *stage
	for _, region := range j.regions() {
		s := j.longest(stages, func(r int) int64 { return j.workedIn(r, region) })
		if s == nil || !slices.Equal(s.ranks, all.ranks) {
			continue
		}
		s.region, s.onHost = region, true
		more := min(s.least-s.others, all.least-all.others, j.stoodFor(s))
		if region != "" {
			// A device may wait for its host in another range than made that late.
			lasts := j.longest(stages, func(r int) int64 { return j.lasts(r, region) })
			if lasts == nil || !slices.Equal(lasts.ranks, s.ranks) {
				continue
			}
			more = min(more, lasts.least-lasts.others)
		}
		s.gain = float64(more) / float64(j.run)
		if s.gain >= minExcess && (best == nil || s.gain > best.gain) {
			best = s
		}
	}
	return best
}

// stages lists the stages of the pipelines.
func (j *job) stages() []stage {
	var list []stage
	seen := make([]bool, len(j.ranks))
	for r := range j.ranks {
		if len(j.chains[r]) < 2 || seen[r] {
			continue
		}
		var s stage
		for _, o := range append([]int{r}, j.peers[r]...) {
			if o != r && slices.Contains(j.chains[r], o) {
				continue
			}
			seen[o] = true
			s.members, s.ranks = append(s.members, o), append(s.ranks, j.ranks[o].Number)
		}
		list = append(list, s)
	}
	return list
}

// longest is the stage of which even the least busy rank spends most, by some
// measure; nil where that is not much more than on the others.
func (j *job) longest(stages []stage, time func(rank int) int64) *stage {
	list := slices.Clone(stages)
	for i := range list {
		s := &list[i]
		s.least = time(s.members[0])
		for _, r := range s.members[1:] {
			s.least = min(s.least, time(r))
		}
	}
	most := slices.MaxFunc(list, func(a, b stage) int { return cmp.Compare(a.least, b.least) })
	var others []int64
	for _, s := range list {
		if s.ranks[0] != most.ranks[0] {
			others = append(others, s.least)
		}
	}
	most.others = median(others)
	if more := float64(most.least - most.others); more < stageAlarm*float64(most.others) || more < minExcess*float64(j.run) {
		return nil
	}
	return &most
}

func (j *job) kernelTime(r int) (sum int64) {
	for i := range j.ranks[r].Steps {
		sum += j.ranks[r].Steps[i].Kernel
	}
	return sum
}

// ownTime is what a rank spends outside collectives and messages.
func (j *job) ownTime(r int) (sum int64) {
	for key, time := range j.totals[r] {
		if key.doing != InCollective {
			sum += time
		}
	}
	return sum
}

// workedIn is what a rank's host works in a region; what it launches too slowly, outside
// any, is of all stages.
func (j *job) workedIn(r int, region string) (sum int64) {
	if region == "" {
		for _, step := range j.steps {
			sum -= j.launching(r, step)
		}
	}
	for key, time := range j.totals[r] {
		if key.region == region && key.doing == Working {
			sum += time
		}
	}
	return sum
}

// lasts is how long a rank is in a range.
func (j *job) lasts(r int, region string) (sum int64) {
	for i := range j.ranks[r].Steps {
		sum += j.ranks[r].Steps[i].Regions[region]
	}
	return sum
}

// regions lists the regions of all ranks.
func (j *job) regions() []string {
	var list []string
	for _, totals := range j.totals {
		for key := range totals {
			list = append(list, key.region)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// stoodFor is how long those that exchange messages with a stage stood still until
// it came, of the rank that did so longest.
func (j *job) stoodFor(s *stage) int64 {
	by := make([][]stretch, len(j.ranks))
	for i := range j.meetings {
		m := &j.meetings[i]
		if !m.pair {
			continue
		}
		for _, r := range s.members {
			for o, c := range m.calls {
				if m.calls[r] != nil && c != nil && o != r {
					by[o] = append(by[o], stretch{max(c.Still, c.Arrived) - j.shifts[o], m.calls[r].Arrived - j.shifts[r]})
				}
			}
		}
	}
	var most int64
	for _, list := range by {
		most = max(most, covered(list))
	}
	return most
}

func (s *stage) words(steps int) string {
	who := rankList(s.ranks)
	if s.onHost {
		where, spends := cmp.Or(s.region, "code outside any range"), "it spends"
		if len(s.ranks) > 1 {
			spends = "they spend"
		}
		cause := Straggler{Side: Host, Region: s.region, Cause: hostCause(regionExcess{region: s.region})}
		return fmt.Sprintf("The pipeline waits for %s: %s %s over %s in %s, the other stages %s. Without that the job would take up to %.0f %% less time. Fix: %s; if the stage needs it, cut the pipeline otherwise.",
			who, spends, milli(seconds(s.least)), count(steps, "step"), where, milli(seconds(s.others)), 100*s.gain, fix(&cause))
	}
	return fmt.Sprintf("The pipeline goes at the pace of the stage on %s: its kernels take %s over %s, those of the other stages %s. Evenly cut, the job would take up to %.0f %% less time. Fix: cut the model evenly over the stages; if it is, look at the devices of that stage.",
		who, milli(seconds(s.least)), count(steps, "step"), milli(seconds(s.others)), 100*s.gain)
}
