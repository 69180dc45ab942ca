package scaling

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"auspex/account"
	"auspex/analyze"
	"auspex/model"
)

const (
	// worthNaming of a run is what a region costs that is told of.
	worthNaming = 0.01
	mostNamed   = 12
)

// search finds the regions that take more than they should in the largest run.
// Work that the smallest run has not under that name cannot be judged by it.
func (s *Scaling) search() {
	first, last := s.Smallest(), s.Largest()
	ideal := 1.0
	if s.Kind == Strong {
		ideal = float64(first.Count) / float64(last.Count)
	}
	for _, name := range sorted(last.regions) {
		excess := (last.regions[name] - ideal*first.regions[name]) / float64(last.RunSeconds)
		if excess < worthNaming || first.regions[name] == 0 && last.works(name) {
			continue
		}
		x := Region{Region: model.EscapeName(name), Ideal: analyze.Real(ideal * first.regions[name]), Excess: analyze.Real(excess), name: name,
			First: analyze.Real(first.regions[name]), Last: analyze.Real(last.regions[name])}
		for _, r := range s.Runs {
			x.Seconds = append(x.Seconds, analyze.Real(r.regions[name]))
		}
		s.Regions = append(s.Regions, x)
	}
	slices.SortStableFunc(s.Regions, func(a, b Region) int { return cmp.Compare(b.Excess, a.Excess) })
	if len(s.Regions) > mostNamed {
		s.Regions = s.Regions[:mostNamed]
	}
	s.searchKept(first, last, ideal)
	s.noteMissing()
}

const (
	// worthKeeping of the largest run is what work of few units costs that is told of.
	worthKeeping = 0.05
	// unshared work takes the busiest unit this many times the mean, and no less than
	// this part of what it took in the smallest run.
	unshared = 2
	asLong   = 0.8
)

// searchKept finds work that does not scale because few units do it: the mean falls
// with more units, while the one that does it takes as long as before.
func (s *Scaling) searchKept(first, last Run, ideal float64) {
	if s.Kind == Weak {
		return // then that is as it should be
	}
	for _, name := range sorted(last.busiest) {
		excess := (last.busiest[name] - ideal*first.busiest[name]) / float64(last.RunSeconds)
		if !last.works(name) || !(excess >= worthKeeping) || first.busiest[name] == 0 ||
			last.busiest[name] < asLong*first.busiest[name] || last.busiest[name] < unshared*last.regions[name] {
			continue
		}
		k := Kept{Region: model.EscapeName(name), Excess: analyze.Real(excess)}
		for _, r := range s.Runs {
			k.Seconds = append(k.Seconds, analyze.Real(r.busiest[name]))
		}
		s.Kept = append(s.Kept, k)
	}
	slices.SortStableFunc(s.Kept, func(a, b Kept) int { return cmp.Compare(b.Excess, a.Excess) })
	if len(s.Kept) > mostNamed {
		s.Kept = s.Kept[:mostNamed]
	}
}

// works tells whether a region is neither communication nor waiting, which a
// program may well have on many processes only.
func (r Run) works(name string) bool {
	return r.kinds[name] == account.Work
}

// noteMissing tells of work that only some of the runs have.
func (s *Scaling) noteMissing() {
	costs := map[string]float64{} // the largest share of a run
	for _, r := range s.Runs {
		for name, seconds := range r.regions {
			if r.works(name) && !s.everywhere(name) {
				costs[name] = max(costs[name], seconds/float64(r.RunSeconds))
			}
		}
	}
	var told []string
	for _, name := range sorted(costs) {
		if costs[name] < worthNaming {
			continue
		}
		var in []string
		for _, r := range s.Runs {
			if r.regions[name] > 0 {
				in = append(in, fmt.Sprint(r.Count))
			}
		}
		told = append(told, fmt.Sprintf("`%s` (in those on %s)", model.EscapeName(name), strings.Join(in, ", ")))
	}
	if len(told) == 0 {
		return
	}
	if len(told) > mostNamed {
		told = append(told[:mostNamed], fmt.Sprintf("%d more", len(told)-mostNamed))
	}
	s.Warnings = append(s.Warnings, fmt.Sprintf("not all runs have these regions: %s. What was renamed, added or left out between runs changes speedups and efficiencies, and cannot be told from scaling", strings.Join(told, ", ")))
}

// everywhere tells whether all runs spend time in a region.
func (s *Scaling) everywhere(name string) bool {
	return !slices.ContainsFunc(s.Runs, func(r Run) bool { return !(r.regions[name] > 0) })
}

func sorted(of map[string]float64) []string {
	var names []string
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
