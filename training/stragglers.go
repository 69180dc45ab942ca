package training

import (
	"cmp"
	"fmt"
	"slices"
)

// When a rank is a straggler. A rank is late by chance now and then, most of
// all where ranks share cores; what tells a cause is that the rank also spends
// more at one place than the others do. The bars were set on the jobs of one
// seed of scripts/training-jobs.py and tested on those of another
// (docs/training.md).
const (
	minLate      = 0.08 // of the run
	minExcess    = 0.06 // of the run, in one region
	minBoth      = 0.03 // product of the two
	lateWithWork = 0.10 // enough where the rank has visibly more work
	moreWork     = 1.3  // times the others' data and kernels
	slowLink     = 0.05 // of the run
	minShare     = 0.1  // of the run, lost beyond what any other rank costs: equal ranks differ by less
)

// Stragglers sets the ranks of a job against each other.
func Stragglers(ranks []*Rank) (*Result, error) {
	if len(ranks) == 0 {
		return nil, fmt.Errorf("no trace of a rank")
	}
	ranks = slices.Clone(ranks)
	slices.SortStableFunc(ranks, func(a, b *Rank) int { return cmp.Compare(a.Number, b.Number) })
	j := &job{ranks: ranks, steps: commonSteps(ranks)}
	for i := 1; i < len(ranks); i++ {
		if ranks[i].Number == ranks[i-1].Number {
			return nil, fmt.Errorf("%s and %s are both of rank %d: give the traces of one run", ranks[i-1].File, ranks[i].File, ranks[i].Number)
		}
	}
	j.keepCommon()
	var notes []string
	j.meetings, notes = match(ranks)
	j.notes = append(j.notes, notes...)
	j.shifts, j.residual = align(ranks, j.meetings)
	j.peers, j.chains = peersOf(ranks, j.meetings), chainsOf(ranks, j.meetings)
	j.late = howLate(ranks, j.meetings, j.shifts)
	for _, r := range ranks {
		j.totals = append(j.totals, totals(r))
	}
	j.run = j.runTime()
	result := &Result{
		Seconds: seconds(j.run), World: j.world(), Present: len(ranks),
		Stages: []StageSlowdown{}, Stragglers: []Straggler{}, Notes: []string{},
	}
	result.steps = len(j.steps)
	result.worldKnown = slices.ContainsFunc(ranks, func(r *Rank) bool { return r.World > 0 })
	if len(j.meetings) > 0 {
		s := seconds(j.residual)
		result.ClockResidual = &s
	}
	j.tellRanks(result)
	j.tellSteps(result)
	j.slowdowns(result)
	j.name(result)
	j.shareOut(result)
	if result.stage = j.unevenStage(); result.stage != nil && slices.ContainsFunc(result.Stragglers, func(s Straggler) bool { return slices.Contains(result.stage.ranks, s.Rank) }) {
		result.stage = nil
	}
	result.Holds = j.holds()
	if s := result.stage; s != nil && s.onHost && s.region == "" && slices.ContainsFunc(result.Holds, func(h Hold) bool { return h.Cause == heldLaunching }) {
		result.stage = nil // the hosts of all stages are late, those between others most
	}
	j.tellNotes(result)
	result.Pace = j.pace()
	result.Words = result.words()
	return result, nil
}

// job is a job being looked at.
type job struct {
	ranks    []*Rank
	steps    []int // numbers of the steps that all ranks have
	meetings []meeting
	shifts   []int64
	residual int64   // of the clocks
	peers    [][]int // by rank, with whom it is compared
	chains   [][]int // by rank, those of its pipeline
	late     *lateness
	totals   []map[placeKey]int64
	run      int64
	notes    []string
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

// commonSteps lists the steps that all ranks have.
func commonSteps(ranks []*Rank) []int {
	count := map[int]int{}
	for _, r := range ranks {
		for _, s := range r.Steps {
			count[s.Number]++
		}
	}
	var steps []int
	for step, n := range count {
		if n == len(ranks) {
			steps = append(steps, step)
		}
	}
	slices.Sort(steps)
	return steps
}

// runTime is the time of all steps: of the median rank, but the last is as long as
// it is on the rank that ends last, as nobody waits for that any more.
func (j *job) runTime() int64 {
	var times []int64
	var last int64
	for _, r := range j.ranks {
		var sum int64
		for i, s := range r.Steps {
			if i == len(r.Steps)-1 {
				last = max(last, s.End-s.Start)
				break
			}
			sum += s.End - s.Start
		}
		times = append(times, sum)
	}
	return median(times) + last
}

// keepCommon leaves out steps that some ranks lack, where others are left: what
// ranks did in them cannot be compared. A note says whose traces are short.
func (j *job) keepCommon() {
	if len(j.steps) == 0 {
		return
	}
	least, short, whole := 0, 0, 0
	for _, r := range j.ranks {
		whole = max(whole, len(r.Steps))
		if least == 0 || len(r.Steps) < least {
			least, short = len(r.Steps), r.Number
		}
	}
	if whole == len(j.steps) {
		return
	}
	j.leaveOutMerged()
	for i, rank := range j.ranks {
		r := *rank
		has := func(number int) bool { _, ok := slices.BinarySearch(j.steps, number); return ok }
		r.Steps = slices.DeleteFunc(slices.Clone(r.Steps), func(s Step) bool { return !has(s.Number) })
		r.Calls = slices.DeleteFunc(slices.Clone(r.Calls), func(c Call) bool { return !has(c.Step) })
		j.ranks[i] = &r
	}
	if least < whole {
		j.notes = append(j.notes, fmt.Sprintf("rank %d has %d of %d steps: only the %d that all ranks have are compared", short, least, whole, len(j.steps)))
	} else {
		j.notes = append(j.notes, fmt.Sprintf("only the %d steps that all ranks have are compared", len(j.steps)))
	}
}

// leaveOutMerged drops steps that hold another one on some rank, whose beginning was
// lost with it: they are much longer there than on the others.
func (j *job) leaveOutMerged() {
	lengths := map[int][]int64{} // by step and rank
	for _, r := range j.ranks {
		for _, s := range r.Steps {
			lengths[s.Number] = append(lengths[s.Number], s.End-s.Start)
		}
	}
	merged := map[int]bool{}
	for _, r := range j.ranks {
		has := map[int]bool{}
		for _, s := range r.Steps {
			has[s.Number] = true
		}
		for i, s := range r.Steps {
			holds := lengths[s.Number+1] != nil && !has[s.Number+1] || i == 0 && lengths[s.Number-1] != nil
			if holds && 2*(s.End-s.Start) >= 3*median(lengths[s.Number]) {
				merged[s.Number] = true
			}
		}
	}
	if len(merged) < len(j.steps) {
		j.steps = slices.DeleteFunc(j.steps, func(step int) bool { return merged[step] })
	}
}

func (j *job) world() int {
	world := len(j.ranks)
	for _, r := range j.ranks {
		world = max(world, r.World)
	}
	return world
}

// lateTotal is how late a rank's pipeline is: that of the latest in it.
func (j *job) lateTotal(r int) int64 {
	var most int64
	for _, o := range j.chains[r] {
		most = max(most, j.ownLate(o))
	}
	return most
}

func (j *job) ownLate(r int) int64 {
	var sum int64
	for _, late := range j.late.late {
		sum += late[r]
	}
	return sum
}

func (j *job) tellRanks(result *Result) {
	for i, r := range j.ranks {
		var step, kernel, collective, copied int64
		regions := map[string]int64{}
		for _, s := range r.Steps {
			step += s.End - s.Start
			kernel += s.Kernel
			collective += s.Collective
			copied += s.Copied
			for region, time := range s.Regions {
				regions[region] += time
			}
		}
		rr := RankResult{Rank: r.Number, Regions: []RegionTime{}, Copied: &copied}
		for _, v := range []struct {
			to *(*float64)
			ns int64
		}{{&rr.Late, j.ownLate(i)}, {&rr.Seconds, step}, {&rr.Kernels, kernel}, {&rr.Collective, collective}} {
			s := seconds(v.ns)
			*v.to = &s
		}
		for region, time := range regions {
			rr.Regions = append(rr.Regions, RegionTime{region, seconds(time)})
		}
		slices.SortFunc(rr.Regions, func(a, b RegionTime) int {
			return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Region, b.Region))
		})
		result.Ranks = append(result.Ranks, rr)
	}
}

func (j *job) tellSteps(result *Result) {
	result.Steps = []StepWait{}
	for i, step := range j.late.steps {
		var times []int64
		for _, r := range j.ranks {
			for _, s := range r.Steps {
				if s.Number == step {
					times = append(times, s.End-s.Start)
				}
			}
		}
		w := StepWait{Step: step, Seconds: seconds(median(times)), Waited: seconds(j.late.waited[i])}
		if j.late.waited[i] > 0 {
			number := j.ranks[j.late.last[i]].Number
			w.LastRank = &number
		}
		result.Steps = append(result.Steps, w)
	}
}

func (j *job) tellNotes(result *Result) {
	if result.Present < result.World {
		result.Notes = append(result.Notes, fmt.Sprintf("%d of %d ranks are here: a rank that is not may be the last to arrive", result.Present, result.World))
	}
	for r, shift := range j.shifts {
		if shift != 0 {
			result.Notes = append(result.Notes, fmt.Sprintf("the clock of rank %d was moved by %.3f ms, so that collectives end together", j.ranks[r].Number, -float64(shift)/1e6))
		}
	}
	if len(j.meetings) == 0 && len(j.ranks) > 1 {
		result.Notes = append(result.Notes, "no collective was found that two of the ranks took part in: who is late cannot be determined")
	}
	result.Notes = append(result.Notes, j.notes...)
	result.Notes = append(result.Notes, notesOf(j.ranks)...)
}

// notesOf are what was noted of the traces as they were read, each once.
func notesOf(ranks []*Rank) []string {
	of := map[string][]int{}
	var order []string
	for _, r := range ranks {
		for _, note := range r.Notes {
			if of[note] == nil {
				order = append(order, note)
			}
			of[note] = append(of[note], r.Number)
		}
	}
	for i, note := range order {
		order[i] = rankList(of[note]) + ": " + note
	}
	return order
}
