package jobs

import (
	"fmt"
	"math"
	"slices"

	"auspex/training"
)

// Claim is one thing that is told of a job.
type Claim struct {
	Kinds []Trouble // that it may stand for
	Rank  int       // -1 for all
	Share float64   // promised; -1 for none
}

// byCause is what the causes of holds stand for. What is read of a network beside which
// nothing runs may be both.
var byCause = map[string][]Trouble{
	"loading data":                   {SlowLoading},
	"launching":                      {SmallKernels},
	"waiting for the device":         {Waits},
	"copies between host and device": {Copying},
	"slow network":                   {SlowNetwork},
	"communication beside nothing":   {NoOverlap, SlowNetwork},
	"bubbles of the pipeline":        {Bubbles},
	"heavy layer":                    {HeavyLayer},
	"saving":                         {Periodic},
	"collecting garbage":             {Periodic},
	"host code":                      {Periodic},
	"compiling":                      {WarmUp},
}

// Told lists what a result tells, in its order.
func Told(r *training.Result) []Claim {
	var list []Claim
	for _, s := range r.Stragglers {
		c := Claim{[]Trouble{SlowDevice}, s.Rank, s.Share}
		if s.Side == training.Host {
			c.Kinds = []Trouble{OneLoader}
		}
		list = append(list, c)
	}
	if r.Turns() > 0 && len(r.Stragglers) == 0 {
		list = append(list, Claim{[]Trouble{Uneven, ByTurns}, -1, r.Turns()})
	}
	for _, h := range r.Holds {
		list = append(list, Claim{byCause[h.Cause], -1, h.Share})
	}
	return list
}

// Tally counts what was right.
type Tally struct {
	Planted, First, AtAll int
	Healthy, Alarms       int
	Claims, Untrue        int
	Promises              []float64 // how far each is from what a cure brings, as a share of the run
	Wrong                 int       // promises of the wrong sign
	Misses                []string
	ByKind                map[Trouble][3]int // planted, first, told
}

// worth is the share of the run from which on a trouble must be told.
const worth = 0.12

// Add scores what is told of a job.
func (t *Tally) Add(g *Job, r *training.Result) {
	if t.ByKind == nil {
		t.ByKind = map[Trouble][3]int{}
	}
	told := Told(r)
	miss := func(format string, args ...any) {
		t.Misses = append(t.Misses, fmt.Sprintf("seed %d, %s (%s/%d, %d ranks, %d steps, %.2f): %s: %s", g.Seed, g.Kind, g.Scheme, g.recipe.across, g.Ranks, g.recipe.steps, g.Lost, fmt.Sprintf(format, args...), r.Words))
	}
	untrue := false
	for _, c := range told {
		t.Claims++
		gain := math.Inf(-1)
		for _, kind := range c.Kinds {
			if c.Rank < 0 || c.Rank == g.Rank {
				gain = max(gain, g.Gain(kind))
			}
		}
		if gain < c.Share/2-0.02 {
			t.Untrue++
			untrue = true
			miss("untrue %v rank %d %.2f, gain %.2f", c.Kinds, c.Rank, c.Share, gain)
		} else if slices.Contains(c.Kinds, g.Kind) {
			t.Promises = append(t.Promises, math.Abs(c.Share-g.Lost))
			if c.Share*g.Lost < 0 {
				t.Wrong++
			}
			if math.Abs(c.Share-g.Lost) > 0.1 {
				miss("promised %.2f", c.Share)
			}
		}
	}
	if g.Kind == None {
		t.Healthy++
		if untrue {
			t.Alarms++
		}
		return
	}
	if g.Lost < worth {
		return
	}
	is := func(c Claim) bool { return slices.Contains(c.Kinds, g.Kind) && (c.Rank < 0 || c.Rank == g.Rank) }
	counts := t.ByKind[g.Kind]
	t.Planted++
	counts[0]++
	if len(told) > 0 && is(told[0]) {
		t.First++
		counts[1]++
	}
	if slices.ContainsFunc(told, is) {
		t.AtAll++
		counts[2]++
	}
	if len(told) == 0 || !is(told[0]) {
		miss("not first of %v", told)
	}
	t.ByKind[g.Kind] = counts
}

// Off is how far promises are from what cures bring, in the mean.
func (t *Tally) Off() float64 {
	sum := 0.0
	for _, p := range t.Promises {
		sum += p
	}
	return sum / float64(max(1, len(t.Promises)))
}

func (t *Tally) String() string {
	return fmt.Sprintf("%d planted: first %d, told %d; %d healthy: %d alarms; %d claims: %d untrue; %d promises: %.1f %% of the run off in the mean, %d of the wrong sign",
		t.Planted, t.First, t.AtAll, t.Healthy, t.Alarms, t.Claims, t.Untrue, len(t.Promises), 100*t.Off(), t.Wrong)
}
