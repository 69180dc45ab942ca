package diagnose

import (
	"slices"

	"auspex/analyze"
)

// Slower are units that take longer than the others in everything they do, by one
// factor: it is they that are slow, and no region.
type Slower struct {
	Units  []Name       `json:"units"`
	Factor analyze.Real `json:"factor"`
	Nodes  []string     `json:"nodes"` // where they run, if all there are slow and none elsewhere
}

const (
	// mostWork of the units is in regions that are looked at, each with leastWork.
	mostWork, leastWork = 0.9, 0.01
	// leastSlower is the factor from which on a unit is slower, and sameFactor how far
	// that of a region may be from it, as a part of what it is above 1.
	leastSlower, sameFactor = 1.04, 0.4
)

// slowerEverywhere finds them where there are two kinds, in at least three regions.
// Where a metric goes with the time they have more of that, and are not slower.
func (s *study) slowerEverywhere(causes []Cause) *Slower {
	if s.ledger == nil || s.units.mixed || !s.hasKinds() || len(s.kinds) != 2 || len(causes) == 0 {
		return nil
	}
	for _, c := range causes {
		if slices.ContainsFunc(c.Evidence, func(e Contrast) bool { return e.Node == "" }) {
			return nil
		}
	}
	slow, others := s.kinds[0], s.kinds[1]
	own := s.time.useful.Clone()
	own.ToExclusive(s.d.Regions)
	total := func(of []int, r int) float64 {
		sum := 0.0
		for _, i := range of {
			sum += own.At(s.active[i], r)
		}
		return sum / float64(len(of))
	}
	here, there := 0.0, 0.0
	for r := range s.d.Regions {
		here, there = here+total(slow, r), there+total(others, r)
	}
	if here < there {
		slow, others, here, there = others, slow, there, here
	}
	if there <= 0 || len(slow) > len(others) {
		return nil
	}
	factor, seen, regions := here/there, 0.0, 0
	for r := range s.d.Regions {
		usual := total(others, r)
		if usual < leastWork*there {
			continue
		}
		seen += usual
		regions++
		if more := total(slow, r)/usual - factor; more > sameFactor*(factor-1) || more < -sameFactor*(factor-1) {
			return nil
		}
	}
	if factor < leastSlower || seen < mostWork*there || regions < 3 {
		return nil
	}
	out := &Slower{Units: s.units.pick(pick(s.active, slow)), Factor: analyze.Real(factor), Nodes: []string{}}
	if e := causes[0].Evidence; len(e) > 0 && len(e[0].High) == len(slow) {
		out.Nodes = e[0].Nodes
	}
	return out
}
