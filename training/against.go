package training

import (
	"cmp"
	"fmt"
	"slices"
)

// Uniform is how a job compares with an earlier run of it. A slowdown that all
// ranks share makes nobody wait, so that S is blind to it.
type Uniform struct {
	Step    float64       `json:"step_seconds"` // the median step of the median rank
	Before  float64       `json:"before_step_seconds"`
	Ratio   float64       `json:"ratio"`
	Regions []UniformTime `json:"regions"` // a step's time in each, the largest change first
	// Pace is how much longer the same kernels, or kinds of operation, take;
	// Compared is which share of their time both runs have. Null without any.
	Pace     *float64 `json:"pace"`
	Compared *float64 `json:"compared"`
}

// UniformTime is the time of a region, of the median rank, a step.
type UniformTime struct {
	Region  string  `json:"region"`
	Seconds float64 `json:"seconds"`
	Before  float64 `json:"before_seconds"`
}

// uniformly is from what change on a job is called slower as a whole.
const uniformly = 1.1

// Against compares a job with an earlier run and adds to the result's words.
func (r *Result) Against(before *Result) {
	u := &Uniform{Regions: []UniformTime{}}
	u.Step, u.Before = medianStep(r), medianStep(before)
	u.comparePace(r.Pace, before.Pace)
	if u.Before == 0 && u.Pace == nil {
		r.Notes = append(r.Notes, "the earlier run has no steps and no kernels to compare with")
		return
	}
	r.Uniform = u
	defer func() { r.Words += u.paceWords() }()
	if u.Before == 0 {
		return
	}
	u.Ratio = u.Step / u.Before
	now, then := regionSteps(r), regionSteps(before)
	for region, seconds := range now {
		u.Regions = append(u.Regions, UniformTime{region, seconds, then[region]})
	}
	slices.SortFunc(u.Regions, func(a, b UniformTime) int {
		return cmp.Or(cmp.Compare(b.Seconds-b.Before, a.Seconds-a.Before), cmp.Compare(a.Region, b.Region))
	})
	switch {
	case u.Ratio >= uniformly:
		r.Words += fmt.Sprintf(" A step takes %s, %.2f times as long as in the earlier run (%s).", milli(u.Step), u.Ratio, milli(u.Before))
		if len(u.Regions) > 0 && 2*(u.Regions[0].Seconds-u.Regions[0].Before) > u.Step-u.Before {
			r.Words += fmt.Sprintf(" On the median rank most of it is in %s: %s instead of %s a step.", u.Regions[0].Region, milli(u.Regions[0].Seconds), milli(u.Regions[0].Before))
		}
	case u.Ratio <= 1/uniformly:
		r.Words += fmt.Sprintf(" A step takes %s, less than in the earlier run (%s).", milli(u.Step), milli(u.Before))
	default:
		r.Words += fmt.Sprintf(" A step takes as long as in the earlier run (%s, then %s).", milli(u.Step), milli(u.Before))
	}
}

// comparePace holds the same kernels against each other, each as often as now.
func (u *Uniform) comparePace(now, before []Pace) {
	type key struct{ what, operator string }
	then := map[key]float64{}
	for _, p := range before {
		then[key{p.What, p.Operator}] = p.Mean
	}
	var all, common, was float64
	for _, p := range now {
		time := float64(p.Count) * p.Mean
		all += time
		if mean := then[key{p.What, p.Operator}]; mean > 0 {
			common += time
			was += float64(p.Count) * mean
		}
	}
	if was > 0 && all > 0 {
		ratio, share := common/was, common/all
		u.Pace, u.Compared = &ratio, &share
	}
}

// paceWords says whether it is the devices that are slow. Kernels that make up
// less than half of the time do not tell.
func (u *Uniform) paceWords() string {
	switch {
	case u.Pace == nil || *u.Compared < 0.5:
		return ""
	case *u.Pace >= uniformly:
		return fmt.Sprintf(" The same computation takes %.2f times as long as there on the median rank: look at the devices' clocks, power limits and temperature.", *u.Pace)
	case *u.Pace <= 1/uniformly:
		return fmt.Sprintf(" The same computation takes %.2f of the time it took there.", *u.Pace)
	}
	return " The same computation takes as long as there."
}

func medianStep(r *Result) float64 {
	var steps []float64
	for _, s := range r.Steps {
		steps = append(steps, s.Seconds)
	}
	return middleOf(steps)
}

func middleOf(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}

func regionSteps(r *Result) map[string]float64 {
	by := map[string][]float64{}
	for _, rank := range r.Ranks {
		for _, region := range rank.Regions {
			by[region.Region] = append(by[region.Region], region.Seconds)
		}
	}
	sums := map[string]float64{}
	for region, values := range by {
		for len(values) < len(r.Ranks) {
			values = append(values, 0)
		}
		sums[region] = middleOf(values) / float64(max(len(r.Steps), 1))
	}
	return sums
}
