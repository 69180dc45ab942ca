package simulate

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// problem makes a solver with the given link capacities.
func problem(capacities ...float64) *solver {
	s := &solver{epoch: 1, exact: true}
	s.crowd.link = none
	for _, c := range capacities {
		s.links = append(s.links, link{capacity: c})
	}
	return s
}

func (s *solver) with(penalty, bound float64, loads ...load) int32 {
	f := flow{terms: &terms{penalty: penalty, inverse: 1 / penalty, bound: bound}, first: int32(len(s.parts))}
	for _, x := range loads {
		s.parts, f.weights = append(s.parts, part{link: x.link}), append(f.weights, x.weight)
	}
	s.flows = append(s.flows, f)
	id := int32(len(s.flows) - 1)
	s.join(id)
	return id
}

func (s *solver) share(id int32) float64 {
	if f := &s.flows[id]; f.inCrowd {
		return s.crowd.level * f.inverse
	}
	return s.flows[id].rate
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-9*math.Abs(want) }

// Two flows of equal penalty on a link of 10 get 5 each; a third on a link of
// its own with one of them has what that one leaves: 7 − 5 = 2? No: on the
// second link of 7, both have the same level, so each could have 3.5; the first
// link then gives its other flow 10 − 3.5 = 6.5.
func TestSharesOfTwoLinks(t *testing.T) {
	s := problem(10, 7)
	a := s.with(1, 100, load{link: 0, weight: 1})
	b := s.with(1, 100, load{link: 0, weight: 1}, load{link: 1, weight: 1})
	c := s.with(1, 100, load{link: 1, weight: 1})
	s.solve()
	for id, want := range map[int32]float64{a: 6.5, b: 3.5, c: 3.5} {
		if got := s.share(id); !near(got, want) {
			t.Errorf("flow %d has %g, want %g", id, got, want)
		}
	}
	// When c leaves, a and b share link 0: 5 each, within link 1's 7.
	s.leave(c)
	s.solve()
	for id, want := range map[int32]float64{a: 5, b: 5} {
		if got := s.share(id); !near(got, want) {
			t.Errorf("after a flow left, flow %d has %g, want %g", id, got, want)
		}
	}
}

// Penalties p make shares level/p: 1/2 : 1/1 of 9 is 3 and 6. A bound of 2 on
// the first frees 1 for the second: 7.
func TestPenaltiesAndBounds(t *testing.T) {
	s := problem(9)
	a := s.with(2, 100, load{link: 0, weight: 1})
	b := s.with(1, 100, load{link: 0, weight: 1})
	s.solve()
	if !near(s.share(a), 3) || !near(s.share(b), 6) {
		t.Errorf("shares %g and %g, want 3 and 6", s.share(a), s.share(b))
	}
	s = problem(9)
	a = s.with(2, 2, load{link: 0, weight: 1})
	b = s.with(1, 100, load{link: 0, weight: 1})
	s.solve()
	if !near(s.share(a), 2) || !near(s.share(b), 7) {
		t.Errorf("shares %g and %g, want 2 and 7", s.share(a), s.share(b))
	}
}

// A FATPIPE link of 10 lets each flow have all of it, but SimGrid stops all at
// the level at which the first is there: with penalties 1 and 2 that is level
// 10, which is 10 and 5.
func TestFatpipe(t *testing.T) {
	s := problem(10)
	s.links[0].fat = true
	a := s.with(1, 10, load{link: 0, weight: 1})
	b := s.with(2, 10, load{link: 0, weight: 1})
	s.solve()
	if !near(s.share(a), 10) || !near(s.share(b), 5) {
		t.Errorf("shares %g and %g, want 10 and 5", s.share(a), s.share(b))
	}
}

// unfair returns a complaint about a flow that could have more without one of
// a lower level losing, or about a link or bound that is exceeded.
func (s *solver) unfair(t *rapid.T, alive []int32) {
	load := make([]float64, len(s.links))
	top := make([]float64, len(s.links))
	for _, id := range alive {
		f := &s.flows[id]
		x := s.share(id)
		if x > f.bound*(1+1e-6) {
			t.Fatalf("flow %d has %g, its bound is %g", id, x, f.bound)
		}
		way, _ := s.way(f)
		for i, p := range way {
			load[p.link] += f.weights[i] * x
			top[p.link] = max(top[p.link], x*f.penalty)
		}
	}
	for e := range s.links {
		if l := &s.links[e]; !l.open && load[e] > l.capacity*(1+1e-6) {
			t.Fatalf("link %d carries %g of %g", e, load[e], l.capacity)
		}
	}
	for _, id := range alive {
		f := &s.flows[id]
		x := s.share(id)
		ok := x >= f.bound*(1-1e-6)
		way, _ := s.way(f)
		for _, p := range way {
			full := load[p.link] >= s.links[p.link].capacity*(1-1e-6)
			ok = ok || s.links[p.link].open || full && x*f.penalty >= top[p.link]*(1-1e-6)
		}
		if !ok {
			t.Fatalf("flow %d with %g is held back by nothing", id, x)
		}
	}
}

// Max-min fairness: no flow can gain without one of a lower level losing. Flows
// come and go in small and large numbers, over few and many links, with and
// without a link that all share, so that crowds form and break up.
func TestFairness(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(rt, "links")
		caps := make([]float64, n+1)
		for i := range caps {
			caps[i] = rapid.Float64Range(1, 100).Draw(rt, "capacity")
		}
		caps[n] *= rapid.SampledFrom([]float64{1, 5, 50}).Draw(rt, "backbone")
		s := problem(caps...)
		var alive []int32
		for range rapid.IntRange(1, 8).Draw(rt, "rounds") {
			for range rapid.IntRange(0, min(len(alive), 40)).Draw(rt, "go") {
				i := rapid.IntRange(0, len(alive)-1).Draw(rt, "which")
				s.leave(alive[i])
				alive = append(alive[:i], alive[i+1:]...)
			}
			for range rapid.SampledFrom([]int{0, 1, 1, 2, 5, 80}).Draw(rt, "come") {
				parts := []load{{link: int32(rapid.IntRange(0, n-1).Draw(rt, "first")), weight: 1}}
				if e := int32(rapid.IntRange(0, n-1).Draw(rt, "second")); e != parts[0].link {
					parts = append(parts, load{link: e, weight: rapid.SampledFrom([]float64{1, 0.05}).Draw(rt, "weight")})
				}
				if rapid.IntRange(0, 9).Draw(rt, "far") > 0 {
					parts = append(parts, load{link: int32(n), weight: 1.05})
				}
				penalty := rapid.SampledFrom([]float64{1, 1, 2, 0.3}).Draw(rt, "penalty")
				bound := rapid.SampledFrom([]float64{1000, 1000, 2, 0.5}).Draw(rt, "bound")
				alive = append(alive, s.with(penalty, bound, parts...))
			}
			s.solve()
			s.unfair(rt, alive)
		}
	})
}

// The shares must not depend on how they were reached: the same flows given at
// once have the same ones.
func TestSharesAreUnique(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		caps := []float64{10, 20, 30, 40, 25}
		step, once := problem(caps...), problem(caps...)
		n := rapid.IntRange(1, 70).Draw(rt, "flows")
		for range n {
			a, b := int32(rapid.IntRange(0, 1).Draw(rt, "a")), int32(rapid.IntRange(2, 3).Draw(rt, "b"))
			p := rapid.SampledFrom([]float64{1, 2, 5}).Draw(rt, "p")
			step.with(p, 100, load{link: a, weight: 1}, load{link: 4, weight: 1}, load{link: b, weight: 1})
			step.solve()
			once.with(p, 100, load{link: a, weight: 1}, load{link: 4, weight: 1}, load{link: b, weight: 1})
		}
		once.solve()
		for id := range int32(n) {
			if a, b := step.share(id), once.share(id); math.Abs(a-b) > 1e-6*b {
				rt.Fatalf("flow %d: %g step by step, %g at once", id, a, b)
			}
		}
	})
}
