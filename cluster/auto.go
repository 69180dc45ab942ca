package cluster

import (
	"context"
	"math"
	"slices"
)

const (
	alike      = 0.04 // relative difference that is noise whatever its pattern
	different  = 0.30 // relative difference that noise does not make
	negligible = 0.01 // of the longest point: a difference that costs nothing
	sample     = 4096 // points looked at to choose the radius
)

// Choice is what Auto decided, to be printed beside its answer.
type Choice struct {
	MinPts int     // always 2: a pair is a kind, and a point alone is one too
	Radius float64 // points of one kind are linked by steps up to this
	Scale  float64 // length of the longest point; Radius/Scale is scale-free
	Within float64 // longest step inside a kind seen when choosing
	Beyond float64 // shortest step between kinds seen; +Inf if there was none
	Sample int     // how many points were looked at to choose
}

// Auto classifies p with nobody's help.
//
// The rule. OPTICS with MinPts 2 reaches every point by a step from the nearest
// point before it; sorted, these steps are the radii at which kinds merge.
//
//  1. Take each step relative to the longer of the two points it joins.
//  2. Between 4 % and 30 %, find the widest gap between neighbouring relative
//     steps, widest as a ratio and the two bounds counting as steps. Steps
//     below the gap are inside kinds, steps above it between kinds.
//  3. Put the radius into the geometric middle between the longest step inside
//     kinds and the shortest step between kinds that is longer than that. The
//     first counts as 4 % of the points the second joins at least, the second
//     as 30 % of the longest point at most.
//
// The reasons:
//   - MinPts 2, because kinds of two and of one are answers (figure 4 of
//     "Debugging SPMD programs" has both), and because the kinds
//     then do not depend on the order of the points.
//   - Relative steps, because a point is a process's time, and noise is in
//     proportion to it. That makes the rule independent of the unit and of the
//     length of the run, and one process ten times slower than the rest does
//     not hide what differs among the rest.
//   - A gap, because the number of kinds is most certain where the radius can
//     change most without changing it; as a ratio, because noise and distance
//     between kinds differ by factors.
//   - The bounds, because differences of 4 % are noise whatever their pattern,
//     and processes 30 % apart are not alike even where all others are farther
//     apart still. They decide alone where there is no other evidence: two
//     processes are alike up to sqrt(4 % · 30 %) = 11 %, and noise of 5 %
//     either way, which makes differences of up to 10.5 %, splits no kind.
//   - Longer than the longest step inside, because one radius has to serve all
//     points, and rather two kinds of short points become one than a kind of
//     long points falls apart. For the same reason the radius is never below
//     1 % of the longest point.
//
// What follows: with noise up to 2 % either way, kinds at least 15 % of the
// longest point apart are found, with 5 % those 40 % apart. A chain of
// steps without a gap stays one kind however long it is, and is for the caller
// to call a continuum.
//
// The radius is chosen on a fixed random sample of 4096 where there are more
// points; the classification then takes in all of them.
func Auto(ctx context.Context, p Points) (*Linkage, Choice, error) {
	c := Choice{MinPts: 2, Beyond: math.Inf(1)}
	if err := p.Check(); err != nil {
		return nil, c, err
	}
	c.Scale = p.MaxNorm()
	looked := p
	if p.N > sample {
		looked = gather(p, draw(p.N, sample))
	}
	c.Sample = looked.N
	if p.Dim == 1 {
		c.choose(stepsOnLine(looked))
	} else {
		o, err := Optics(ctx, looked, Options{MinPts: c.MinPts, Eps: math.Inf(1)})
		if err != nil {
			return nil, c, err
		}
		c.choose(steps(looked, o))
	}
	l, err := Link(ctx, p, c.Radius)
	return l, c, err
}

// step is how OPTICS reached a point: from how far, and from or to which
// length.
type step struct{ length, scale float64 }

func (s step) relative() float64 {
	if s.scale == 0 {
		return 0
	}
	return s.length / s.scale
}

func steps(p Points, o *Ordering) []step {
	var out []step
	for i, from := range o.Predecessor {
		if from >= 0 {
			out = append(out, step{o.Reachability[i], max(norm(p.Row(i)), norm(p.Row(from)))})
		}
	}
	return out
}

// stepsOnLine gives the same steps for points on a line, where they are those
// between neighbours.
func stepsOnLine(p Points) []step {
	sorted := slices.Sorted(slices.Values(p.Data))
	out := make([]step, 0, max(0, p.N-1))
	for i := 1; i < len(sorted); i++ {
		a, b := sorted[i-1], sorted[i]
		out = append(out, step{b - a, max(math.Abs(a), math.Abs(b))})
	}
	return out
}

// choose sets the radius.
func (c *Choice) choose(steps []step) {
	within := gap(steps)
	longest := negligible * c.Scale
	for _, s := range steps {
		if s.relative() <= within {
			c.Within = max(c.Within, s.length)
			longest = max(longest, s.length)
		}
	}
	next := step{math.Inf(1), c.Scale}
	for _, s := range steps {
		if s.relative() <= within || s.length <= longest {
			continue
		}
		// Of equal steps the one between longer points: rather one kind than two.
		if s.length < next.length || s.length == next.length && s.scale > next.scale {
			next = s
		}
	}
	c.Beyond = next.length

	low := max(longest, min(alike*next.scale, next.length))
	high := min(next.length, different*c.Scale)
	c.Radius = math.Sqrt(low * high)
}

// gap returns the lower end of the widest gap between relative steps.
func gap(steps []step) float64 {
	marks := []float64{alike, different}
	for _, s := range steps {
		if r := s.relative(); r > alike && r < different {
			marks = append(marks, r)
		}
	}
	slices.Sort(marks)
	best := 0
	for k := range len(marks) - 1 {
		// Of equal gaps the upper: rather one kind than two.
		if marks[k+1]*marks[best] >= marks[best+1]*marks[k] {
			best = k
		}
	}
	return marks[best]
}

// Changed tells whether two labellings of the same points are different
// classifications: the number of kinds differs, or they agree too little to be
// the same (adjusted Rand index below 0.95).
func Changed(a, b []int) bool {
	return len(Kinds(a)) != len(Kinds(b)) || RandIndex(a, b) < 0.95
}
