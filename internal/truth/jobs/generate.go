package jobs

import (
	"math"
	"math/rand/v2"
	"slices"

	"auspex/training"
)

// Trouble is what was planted.
type Trouble string

// The troubles.
const (
	None         Trouble = "none"
	SlowLoading  Trouble = "slow loading"
	OneLoader    Trouble = "one slow loader"
	SlowDevice   Trouble = "slow device"
	SlowNetwork  Trouble = "slow network"
	NoOverlap    Trouble = "no overlap"
	SmallKernels Trouble = "small kernels"
	Waits        Trouble = "waits for the device"
	Copying      Trouble = "pageable copies"
	Uneven       Trouble = "uneven batches"
	Periodic     Trouble = "periodic stall"
	HeavyLayer   Trouble = "heavy layer"
	Bubbles      Trouble = "bubbles"
	WarmUp       Trouble = "warm-up"
	ByTurns      Trouble = "work by turns"
)

// Troubles lists them.
var Troubles = []Trouble{None, None, SlowLoading, OneLoader, SlowDevice, SlowNetwork, NoOverlap, SmallKernels, Waits, Copying, Uneven, Periodic, HeavyLayer, Bubbles, WarmUp, ByTurns}

// Job is a generated job and what is true of it.
type Job struct {
	Seed   uint64
	Kind   Trouble
	Ranks  int
	Scheme Scheme
	Rank   int     // the one that has it; -1 for all
	Lost   float64 // the share of the time that a cure would bring
	Traces []*training.Trace

	recipe *recipe
	took   int64
	gains  map[Trouble]float64
}

// Generate makes the job of a seed; alien ones have other names and sizes.
func Generate(seed uint64, alien bool) *Job {
	d := &drawer{Rand: rand.New(rand.NewPCG(seed, 0x6b696e65)), alien: alien}
	out := &Job{Seed: seed, Kind: Troubles[d.IntN(len(Troubles))], Rank: -1}
	out.recipe = d.draw(seed, out.Kind)
	d.plant(out)
	out.Ranks, out.Scheme = out.recipe.ranks, out.recipe.scheme
	ran := out.recipe.run()
	out.Traces, out.took, out.gains = ran.traces, ran.length, map[Trouble]float64{}
	if out.Kind != None {
		out.Lost = out.Gain(out.Kind)
	}
	return out
}

// Gain is the share of its time that the job would not take without a trouble,
// planted or not: the same job is run without it.
func (g *Job) Gain(of Trouble) float64 {
	if gain, ok := g.gains[of]; ok {
		return gain
	}
	cured := *g.recipe
	cured.cure(of)
	g.gains[of] = 1 - float64(cured.run().length)/float64(g.took)
	return g.gains[of]
}

// cure takes a trouble out of a job.
func (j *recipe) cure(of Trouble) {
	switch of {
	case SlowLoading, OneLoader:
		j.load, j.slowLoader = 0, 0
		if of == OneLoader {
			j.load = 200 * us
		}
	case Uneven, ByTurns:
		j.lengths = level(j.lengths)
		if j.turns != nil {
			j.slowLoader /= int64(j.ranks / j.across)
			j.turns = nil
		}
	case SlowDevice:
		j.slower = 1
	case SlowNetwork:
		j.network = 0
	case NoOverlap:
		j.overlap = true
	case SmallKernels:
		j.host, j.logging, j.quick = 0, 0, true
	case Waits:
		j.items, j.item = false, false
	case Copying:
		j.upload, j.pageable = 0, false
	case Periodic:
		j.saveEvery = 0
	case HeavyLayer:
		j.heavy = -1
	case Bubbles:
		j.micro, j.host, j.quick, j.instant = 8*j.micro, 0, true, true
	case WarmUp:
		j.compileSteps = 0
	}
}

// level gives all the mean of each step.
func level(lengths map[int][]float64) map[int][]float64 {
	if lengths == nil {
		return nil
	}
	even := make([]float64, len(lengths[0]))
	for _, own := range lengths {
		for step, length := range own {
			even[step] += length / float64(len(lengths))
		}
	}
	out := map[int][]float64{}
	for r := range lengths {
		out[r] = even
	}
	return out
}

// drawer draws a job.
type drawer struct {
	*rand.Rand
	alien bool
}

func (d *drawer) between(low, high float64) float64 { return low + (high-low)*d.Float64() }

func (d *drawer) within(low, high int64) int64 {
	return int64(math.Exp(d.between(math.Log(float64(low)), math.Log(float64(high)))))
}

// fits are the schemes in which a trouble can be planted.
func fits(kind Trouble) []Scheme {
	switch kind {
	case Bubbles:
		return []Scheme{Pipelined}
	case NoOverlap:
		return []Scheme{DataParallel, DataParallel, Sharded}
	case SlowNetwork:
		return []Scheme{DataParallel, Sharded, TensorParallel}
	case HeavyLayer, SlowDevice, OneLoader, Uneven, ByTurns:
		return []Scheme{DataParallel, DataParallel, Sharded, TensorParallel}
	}
	return []Scheme{DataParallel, DataParallel, Sharded, TensorParallel, Pipelined}
}

// draw makes a job that nothing is wrong with.
func (d *drawer) draw(seed uint64, kind Trouble) *recipe {
	schemes := fits(kind)
	j := &recipe{
		seed: seed, scheme: schemes[d.IntN(len(schemes))], across: 1, slowRank: -1, heavy: -1, heavier: 1, slower: 1, micro: 1,
		steps: 3 + d.IntN(10), layers: 4 + d.IntN(7), kernels: 2 + 2*d.IntN(3),
		kernelTime: d.within(80*us, 400*us), host: d.within(4*us, 10*us), noise: d.between(0.005, 0.04),
		load: d.within(50*us, 400*us), overlap: true, item: d.IntN(3) == 0, names: usual,
	}
	if d.alien {
		j.names, j.kernelTime, j.noise, j.steps = other, d.within(60*us, 900*us), d.between(0.01, 0.06), 4+d.IntN(26)
	}
	j.ranks = []int{1, 2, 4, 4, 8, 8, 16, 32, 64}[d.IntN(9)]
	if kind == SlowNetwork || kind == NoOverlap || kind == Bubbles || j.scheme != DataParallel {
		j.ranks = max(j.ranks, 4)
	}
	if slices.Contains([]Trouble{OneLoader, SlowDevice, Uneven, ByTurns}, kind) {
		j.ranks = max(j.ranks, 4)
	}
	switch j.scheme {
	case TensorParallel:
		j.across = []int{2, 4}[d.IntN(2)]
	case Pipelined:
		j.across = []int{2, 4}[d.IntN(2)]
		j.micro = 6 * j.across
		j.kernelTime *= int64(j.micro) / 2
		j.layers = 2 + d.IntN(2)
		j.kernels = 2
	}
	for most := 12000; j.ranks*j.steps*j.layers*j.kernels*j.micro*3 > most; {
		if j.steps > 6 {
			j.steps--
		} else if j.ranks > 2*j.across && j.ranks > 4 {
			j.ranks /= 2
		} else {
			break
		}
	}
	step := j.computes()
	j.network = int64(d.between(0.1, 0.4) * float64(step))
	if j.scheme == TensorParallel {
		j.network /= 4
	}
	j.upload = int64(d.between(0.001, 0.006) * float64(step))
	j.clocks = []int64{0, 3 * us, 2_000 * us, 3_000_000 * us}[d.IntN(4)]
	return j
}

// computes is about how long a device computes in a step.
func (j *recipe) computes() int64 {
	return int64(3*j.layers*j.kernels)*j.kernelTime + 3*j.kernelTime
}

// plant puts the trouble in.
func (d *drawer) plant(out *Job) {
	j := out.recipe
	step := float64(j.computes())
	share := d.between(0.18, 0.5)
	if d.alien {
		share = d.between(0.15, 0.6)
	}
	extra := int64(share / (1 - share) * step)
	switch out.Kind {
	case SlowLoading:
		j.slowLoader, j.item = extra, true // else the hosts run ahead and hide it at first
	case OneLoader:
		out.Rank = d.IntN(j.ranks)
		j.slowLoader, j.loaders, j.item = extra, func(r int) bool { return r == out.Rank }, true
	case SlowDevice:
		out.Rank = d.IntN(j.ranks)
		j.slowRank, j.slower = out.Rank, 1/(1-share)
	case SlowNetwork:
		j.network = int64(d.between(1.2, 3) * step)
		if j.scheme == TensorParallel {
			j.network = extra
		}
	case NoOverlap:
		j.overlap, j.network = false, int64(d.between(0.35, 0.8)*step)
	case SmallKernels:
		j.kernelTime, j.host, j.layers = d.within(2*us, 6*us), d.within(10*us, 30*us), 2*j.layers
		j.network, j.upload, j.load = j.network/100, 10*us, 20*us
	case Waits:
		j.items, j.logging = true, extra/int64(2*j.layers*j.micro)
	case Copying:
		j.upload, j.pageable = extra/5, true
	case Uneven:
		j.lengths = map[int][]float64{}
		for r := range j.ranks / j.across {
			for range j.steps {
				j.lengths[r] = append(j.lengths[r], math.Exp(d.between(0.2, 0.35)*d.NormFloat64()))
			}
		}
	case ByTurns:
		d.turns(j, share)
	case Periodic:
		j.saveEvery = 2 + d.IntN(3)
		j.steps = max(j.steps, 3*j.saveEvery+1)
		j.save = extra * int64(j.saveEvery)
		j.saving, j.item = []string{"save_checkpoint", "gc.collect", "evaluate"}[d.IntN(3)], true
	case HeavyLayer:
		j.heavy = d.IntN(j.layers)
		j.heavier = 1 + share/(1-share)*float64(j.layers)
	case Bubbles:
		j.micro = j.across
	case WarmUp:
		j.steps = max(j.steps, 5)
		j.compileSteps = 1 + d.IntN(2)
		j.compile = extra * int64(j.steps) / int64(j.compileSteps)
	}
}

// turns has one data-parallel rank after the other do more, over a period of some
// steps: on its device, or in its loader.
func (d *drawer) turns(j *recipe, share float64) {
	models := j.ranks / j.across
	period := min(2+d.IntN(3), models)
	order := d.Perm(models)[:period]
	j.steps = max(j.steps, 2*period+1)
	j.turns = func(model, step int) bool { return order[step%period] == model }
	if d.IntN(2) == 0 {
		j.slowLoader, j.item = int64(share/(1-share)*float64(j.computes())), true
		return
	}
	j.lengths = map[int][]float64{}
	for model := range models {
		for step := range j.steps {
			length := 1.0
			if j.turns(model, step) {
				length = 1 / (1 - share)
			}
			j.lengths[model] = append(j.lengths[model], length)
		}
	}
	j.turns = nil
}
