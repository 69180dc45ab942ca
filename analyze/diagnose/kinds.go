package diagnose

import (
	"cmp"
	"context"
	"math"
	"slices"

	"auspex/account"
	"auspex/analyze"
	"auspex/cluster"
)

// idleUnitShare of the mean total time is the most an idle unit has.
const idleUnitShare = 1e-3

// classify sets idle units apart and groups the others into kinds.
func (s *study) classify(ctx context.Context, o Options) error {
	radius := o.Radius
	average := analyze.Mean(s.time.total)
	for k, v := range s.time.total {
		if v <= idleUnitShare*average && average > 0 || s.asleep != nil && s.asleep[k] {
			s.idle = append(s.idle, k)
			s.slept = s.slept || s.there != nil && s.there[k]
		} else {
			s.active = append(s.active, k)
		}
	}
	all := s.vectors(analyze.Counting(len(s.units.names)))
	s.severity = dissimilarity(all)
	s.points = all
	if len(s.idle) > 0 {
		s.points = s.vectors(s.active)
	}
	for c := range s.top.columns {
		s.lost = max(s.lost, lostTime(coordinate(s.points, c)))
	}
	var err error
	if s.link, s.choice, err = cluster.Auto(ctx, s.points); err != nil {
		return err
	}
	// Differences that cost nothing make no kinds: the processes of a program
	// that does little but communicate may differ by much in that little.
	if radius == 0 && s.link.Radius < s.floor {
		radius = s.floor
	}
	if o.MinPts > 0 {
		s.choice.MinPts = o.MinPts
		if radius == 0 {
			radius = s.link.Radius
		}
	}
	if radius > 0 || o.MinPts > 0 {
		if s.link, err = cluster.LinkDense(ctx, s.points, radius, s.choice.MinPts); err != nil {
			return err
		}
	}
	s.kinds = cluster.Kinds(s.link.Labels)
	if o.Radius == 0 && o.MinPts == 0 && len(s.kinds) == 1 {
		return s.partByTrouble(ctx)
	}
	return nil
}

// partByTrouble looks for a smaller radius where all units are of one kind and yet
// the ledger names a region that is trouble, in which some stand apart: the noise of
// all other regions may have hidden it. Kinds are only taken if they are those of
// that region, and cost something.
func (s *study) partByTrouble(ctx context.Context) error {
	for _, t := range s.troubles(nil) {
		if t.share < account.Trouble {
			break
		}
		values := s.values(t.place)
		own, _, err := cluster.Auto(ctx, cluster.Points{Data: values, N: len(values), Dim: 1})
		if err != nil {
			return err
		}
		if !apart(values, cluster.Kinds(own.Labels)) {
			continue
		}
		link, err := s.linkedAs(ctx, own.Labels)
		if err != nil {
			return err
		}
		if link != nil {
			s.link, s.kinds = link, cluster.Kinds(link.Labels)
			return nil
		}
	}
	return nil
}

// farApart is how many times the scatter of all values lies between groups of them
// that are no stretches of a gradient.
const farApart = 3

// apart tells whether there are groups of values, with a gap between any two.
func apart(values []float64, groups [][]int) bool {
	gap := math.Inf(1)
	ends := make([][2]float64, len(groups))
	for k, g := range groups {
		of := pick(values, g)
		ends[k] = [2]float64{slices.Min(of), slices.Max(of)}
	}
	slices.SortFunc(ends, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	for k := 1; k < len(ends); k++ {
		gap = min(gap, ends[k][0]-ends[k-1][1])
	}
	return len(groups) > 1 && gap > farApart*scatter(values)
}

// linkedAs links the points by the radius in the middle of those at which they fall
// into given kinds; nil where they do not at the largest that parts them.
func (s *study) linkedAs(ctx context.Context, kinds []int) (*cluster.Linkage, error) {
	// boundary is where, between two radii, the kinds become fewer than wanted.
	boundary := func(low, high float64, fits func(labels []int) bool) (float64, error) {
		for range 20 {
			radius := math.Sqrt(low * high)
			link, err := cluster.Link(ctx, s.points, radius)
			if err != nil {
				return 0, err
			}
			if fits(link.Labels) {
				low = radius
			} else {
				high = radius
			}
		}
		return low, nil
	}
	largest, err := boundary(s.floor, s.link.Radius, func(labels []int) bool { return len(cluster.Kinds(labels)) > 1 })
	if err != nil {
		return nil, err
	}
	smallest, err := boundary(s.floor, largest, func(labels []int) bool { return cluster.Changed(labels, kinds) })
	if err != nil {
		return nil, err
	}
	link, err := cluster.Link(ctx, s.points, math.Sqrt(smallest*largest))
	if err != nil || cluster.Changed(link.Labels, kinds) {
		return nil, err
	}
	return link, nil
}

// mixedRoles tells whether units that are not idle have several roles.
func (s *study) mixedRoles() bool {
	return slices.ContainsFunc(s.active, func(k int) bool { return s.units.roles[k] != s.units.roles[s.active[0]] })
}

// vectors puts the level-1 times of some units into points ("Debugging SPMD
// programs", section 3: V_i).
func (s *study) vectors(which []int) cluster.Points {
	p := cluster.Points{N: len(which), Dim: len(s.top.columns)}
	p.Data = make([]float64, p.N*p.Dim)
	s.fair = s.fairly(which)
	for c, place := range s.top.columns {
		for i, v := range pick(s.fair.column(s.d, place), which) {
			p.Data[i*p.Dim+c] = v
		}
	}
	return p
}

// dissimilarity is the severity S = max ‖V_i − V̄‖ / max ‖V_i‖: 0 for equal
// vectors, at most 1, and independent of the unit of time. Equation 2 of
// "Debugging SPMD programs" is lost; this definition is our own and keeps its
// meaning: larger is worse.
func dissimilarity(p cluster.Points) float64 {
	longest := p.MaxNorm()
	if longest == 0 {
		return 0
	}
	centre := make([]float64, p.Dim)
	for i := range p.N {
		for c, v := range p.Row(i) {
			centre[c] += v
		}
	}
	for c := range centre {
		centre[c] /= float64(p.N)
	}
	farthest := 0.0
	for i := range p.N {
		sum := 0.0
		for c, v := range p.Row(i) {
			sum += (v - centre[c]) * (v - centre[c])
		}
		farthest = max(farthest, sum)
	}
	return math.Sqrt(farthest) / longest
}

// severityDegrees puts S into words.
func severityDegrees(words analyze.Words, s float64) analyze.Degrees {
	v := words.Variable("dissimilarity")
	if v == nil {
		return analyze.Degrees{}
	}
	d := analyze.Degrees{}
	degrees := v.Classify(s)
	for i, term := range v.Terms {
		d.Names = append(d.Names, term.Name)
		d.Of = append(d.Of, analyze.Real(degrees[i]))
	}
	return d
}

// allKinds names the kinds, the idle units being one, ordered by first member.
func (s *study) allKinds() [][]Name {
	number := make([]int, len(s.units.names))
	for k := range number {
		number[k] = len(s.kinds) // the idle ones
	}
	for kind, members := range s.kinds {
		for _, i := range members {
			number[s.active[i]] = kind
		}
	}
	kinds := [][]Name{}
	for _, members := range cluster.Kinds(number) {
		kinds = append(kinds, s.units.pick(members))
	}
	return kinds
}

func coordinate(p cluster.Points, c int) []float64 {
	out := make([]float64, p.N)
	for i := range out {
		out[i] = p.Data[i*p.Dim+c]
	}
	return out
}
