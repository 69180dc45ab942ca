package whatif

import (
	"slices"

	"auspex/trace"
)

// Balancing moves work and takes none away. Ranks that have stretches of a region
// have longer or shorter ones. A rank that never enters it has no place for it: what
// it is given of the region it does between the same two synchronisations as the
// others, in what it computes there, or before it if it computes nothing.

// given is what ranks that never enter a region are given of it.
type given struct {
	to []bool
	// phases is what each of them does, in seconds, after so many collectives of all
	// ranks; a single one where ranks do not take part in as many.
	phases []float64
}

// maxPhases bounds how many phases are told apart, over all regions.
const maxPhases = 16 << 20

// balance gives every rank the mean of regions. Of all regions together all ranks are
// to have as much; of some, those that enter them have the mean, and others join only
// where that leaves the busiest rank with less to do: a model of the ocean is no
// partner in that of the air.
func (c *Case) balance(s *setting, regions []int, all bool) {
	if c.programs != nil {
		c.balanceWithin(s, regions)
		return
	}
	if c.byTurns(regions).moves {
		c.everyStep(s, regions)
		return
	}
	var moved []int
	for _, r := range regions {
		spent := c.spent(s, r)
		if sum(spent) <= 0 {
			continue
		}
		owners := make([]bool, c.ranks)
		for rank, t := range c.profile.Seconds[r] {
			owners[rank] = t > 0 || s.of(r).has(rank)
		}
		partners := c.partners(s, spent, owners, all)
		mean := sum(spent) / float64(count(partners))
		row := scaleRow(s, c, r)
		if !slices.Equal(owners, partners) {
			to := slices.Clone(partners)
			for rank := range to {
				to[rank] = to[rank] && !owners[rank]
			}
			if s.given == nil {
				s.given = make([]given, len(c.profile.Seconds))
			}
			s.given[r] = given{to, weights(row, mean/sum(spent))} // summed up by phase below
			for rank := range to {
				if to[rank] { // what it is given has been scaled where it was
					row[rank] = c.stretched(rank)
				}
			}
			moved = append(moved, r)
		}
		for rank := range row {
			if spent[rank] > 0 {
				row[rank] *= mean / spent[rank]
			}
		}
	}
	c.place(s, moved)
}

// weights is by rank what of a second of computation goes to each of those that are
// given some.
func weights(row []float64, share float64) []float64 {
	out := slices.Clone(row)
	for rank := range out {
		out[rank] *= share
	}
	return out
}

// partners are the ranks that are to share a region.
func (c *Case) partners(s *setting, spent []float64, owners []bool, all bool) []bool {
	every := slices.Repeat([]bool{true}, c.ranks)
	if all {
		return every
	}
	totals := make([]float64, c.ranks)
	for r := range c.profile.Seconds {
		for rank, t := range c.spent(s, r) {
			totals[rank] += t
		}
	}
	busiest := func(partners []bool) float64 {
		most, mean := 0.0, sum(spent)/float64(count(partners))
		for rank, t := range totals {
			if t -= spent[rank]; partners[rank] {
				t += mean
			}
			most = max(most, t)
		}
		return most
	}
	if busiest(every) < busiest(owners)*(1-1e-9) {
		return every
	}
	return owners
}

// place sums up by phase what is given of regions.
func (c *Case) place(s *setting, regions []int) {
	if len(regions) == 0 {
		return
	}
	if c.trace == nil { // of a profile only the sums are known
		for _, r := range regions {
			total := 0.0
			for rank, t := range c.profile.Seconds[r] {
				total += t * s.given[r].phases[rank]
			}
			s.given[r].phases = []float64{total}
		}
		return
	}
	weights := make([][]float64, len(c.profile.Seconds))
	phases := make([][]float64, len(c.profile.Seconds))
	for _, r := range regions {
		weights[r], phases[r] = s.given[r].phases, []float64{0}
	}
	most := maxPhases / len(regions)
	for rank := range c.ranks {
		c.walk(rank, func(a *trace.Action, region, phase int) {
			if a.Kind != trace.Compute || weights[region] == nil || weights[region][rank] == 0 {
				return
			}
			if phase >= most {
				phase = most - 1
			}
			for len(phases[region]) <= phase {
				phases[region] = append(phases[region], 0)
			}
			phases[region][phase] += a.Value / 1e9 * weights[region][rank]
		})
	}
	for _, r := range regions {
		s.given[r].phases = phases[r]
	}
}

// walk goes through a rank's actions, each with its region and its phase.
func (c *Case) walk(rank int, do func(a *trace.Action, region, phase int)) {
	place := c.profile.Table.Walk(c.trace, rank)
	var a trace.Action
	for phase := 0; ; {
		region, ok := place.Next(&a)
		if !ok {
			return
		}
		do(&a, int(region), phase)
		if c.phased && synchronises(&a) {
			phase++
		}
	}
}

// synchronises tells whether all ranks take part in an action.
func synchronises(a *trace.Action) bool {
	return a.Comm == 0 && (a.Kind.Collective() || a.Kind == trace.CommSplit || a.Kind == trace.CommDup)
}

// inPhases tells whether all ranks take part in as many collectives: then these
// part the run into phases. Where ranks compute beside collectives, they do not.
func inPhases(t *trace.Trace) bool {
	if t.Overlaps() {
		return false
	}
	first := 0
	var a trace.Action
	for rank := range t.NP() {
		n := 0
		for at := t.Cursor(rank); at.Next(&a); {
			if synchronises(&a) {
				n++
			}
		}
		if rank == 0 {
			first = n
		}
		if n != first {
			return false
		}
	}
	return true
}

// has tells whether a rank is given something.
func (g given) has(rank int) bool { return len(g.to) > 0 && g.to[rank] }

// more is what a rank is given of a region, before its scale.
func (g given) more(rank int) float64 {
	if !g.has(rank) {
		return 0
	}
	return sum(g.phases)
}

// of is what is given of a region.
func (s *setting) of(region int) given {
	if s.given == nil {
		return given{}
	}
	return s.given[region]
}

// givenTo is what a rank is given of all regions, by phase.
func (c *Case) givenTo(s *setting, rank int) []float64 {
	var out []float64
	for r, g := range s.given {
		if !g.has(rank) {
			continue
		}
		by := scaleRow(s, c, r)[rank] / c.stretched(rank)
		for len(out) < len(g.phases) {
			out = append(out, 0)
		}
		for k, t := range g.phases {
			out[k] += t * by
		}
	}
	return out
}

func count(of []bool) int {
	n := 0
	for _, yes := range of {
		if yes {
			n++
		}
	}
	return n
}
