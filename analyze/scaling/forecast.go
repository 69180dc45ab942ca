package scaling

import (
	"fmt"

	"auspex/analyze"
	"auspex/growth"
)

// Model is the growth of a region and what it says of sizes not run.
type Model struct {
	growth.Model
	Formula string `json:"formula"`
	Next    []Next `json:"next"`
}

// Whole is the growth of the run time: the sum of what its regions follow.
type Whole struct {
	C0      float64       `json:"c0"`
	Terms   []growth.Term `json:"terms"`
	Formula string        `json:"formula"`
	Next    []Next        `json:"next"`
}

// Next is what to expect at a size that was not run.
type Next struct {
	Ranks    int             `json:"ranks"`
	Seconds  analyze.Real    `json:"seconds"`
	Interval [2]analyze.Real `json:"interval"`
}

// erratic is the error of foretelling a size from the others above which a region
// follows no law of the family.
const erratic = 0.2

// rounded is the part of a run below which a difference is what rounding left.
const rounded = 1e-9

// model fits the regions with a share worth naming of some run, and all others
// with the time outside of regions as one. Work that not all runs have is among
// those others: under two names it follows no law. The run time is their sum, so
// that it says what the regions say.
func (s *Scaling) model() {
	sizes := map[int]bool{}
	for _, r := range s.Runs {
		sizes[r.Count] = true
	}
	if len(sizes) < growth.Fewest {
		s.Warnings = append(s.Warnings, fmt.Sprintf("a model of growth needs %d sizes; there are %d", growth.Fewest, len(sizes)))
		return
	}
	if len(s.Factors) > 0 {
		s.Warnings = append(s.Warnings, "there is no model of growth of runs that differ in more than their number of "+s.Of)
		return
	}
	large := map[string]float64{}
	rest := make([]float64, len(s.Runs))
	for i, r := range s.Runs {
		rest[i] = float64(r.RunSeconds)
		for name, seconds := range r.regions {
			if seconds >= worthNaming*float64(r.RunSeconds) && (s.everywhere(name) || !r.works(name)) {
				large[name] = seconds
			}
		}
	}
	models := map[string]growth.Model{}
	var sum growth.Sum
	for _, name := range sorted(large) {
		values := make([]float64, len(s.Runs))
		for i, r := range s.Runs {
			values[i] = r.regions[name]
		}
		m, err := s.fit(values)
		if err != nil {
			s.Warnings = append(s.Warnings, err.Error())
			return
		}
		if m.SMAPE > erratic {
			continue
		}
		models[name] = m
		sum = append(sum, m)
		for i := range rest {
			rest[i] -= values[i]
		}
	}
	for i := range rest {
		if rest[i] < rounded*float64(s.Runs[i].RunSeconds) { // also below zero: means of units can be above the run time
			rest[i] = 0
		}
	}
	m, err := s.fit(rest)
	if err != nil {
		s.Warnings = append(s.Warnings, err.Error())
		return
	}
	sum = append(sum, m)
	for i := range s.Regions {
		if m, ok := models[s.Regions[i].name]; ok {
			s.Regions[i].Model = &Model{m, m.String(), s.next(m.At)}
		}
	}
	c0, terms := sum.Terms()
	s.Model = &Whole{c0, terms, sum.String(), s.next(sum.At)}
}

func (s *Scaling) fit(values []float64) (growth.Model, error) {
	var points []growth.Point
	for i, r := range s.Runs {
		points = append(points, growth.Point{P: float64(r.Count), Value: values[i]})
	}
	return growth.Fit(points)
}

// next is what is to be expected at two and four times the largest size.
func (s *Scaling) next(at func(p float64) (value, low, high float64)) []Next {
	list := []Next{}
	for _, more := range []int{2, 4} {
		ranks := more * s.Runs[len(s.Runs)-1].Count
		value, low, high := at(float64(ranks))
		list = append(list, Next{ranks, analyze.Real(value), [2]analyze.Real{analyze.Real(low), analyze.Real(high)}})
	}
	return list
}
