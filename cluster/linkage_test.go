package cluster

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// plainLink finds kinds by flooding from each point over all pairs.
func plainLink(p Points, radius float64) []int {
	labels := make([]int, p.N)
	for i := range labels {
		labels[i] = Noise
	}
	next := 0
	for i := range p.N {
		if labels[i] != Noise {
			continue
		}
		labels[i] = next
		for todo := []int{i}; len(todo) > 0; {
			a := todo[0]
			todo = todo[1:]
			for b := range p.N {
				if labels[b] == Noise && squared(p.Row(a), p.Row(b), math.Inf(1)) <= radius*radius {
					labels[b] = next
					todo = append(todo, b)
				}
			}
		}
		next++
	}
	return labels
}

// times draws vectors as programs have them: some kinds of processes, regions
// of unequal weight, noise in proportion, some regions equal everywhere.
func times(t *rapid.T) Points {
	n := rapid.IntRange(1, 300).Draw(t, "n")
	dim := rapid.IntRange(1, 12).Draw(t, "dim")
	kinds := rapid.IntRange(1, 6).Draw(t, "kinds")
	noise := rapid.Float64Range(0, 0.2).Draw(t, "noise")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	weight := make([]float64, kinds*dim)
	for c := range dim {
		usual := math.Exp(rng.NormFloat64())
		for k := range kinds {
			weight[k*dim+c] = usual
			if rng.IntN(3) == 0 {
				weight[k*dim+c] *= 3 * rng.Float64()
			}
		}
	}
	p := Points{N: n, Dim: dim}
	for range n {
		k := rng.IntN(kinds)
		for c := range dim {
			p.Data = append(p.Data, weight[k*dim+c]*(1+noise*(2*rng.Float64()-1)))
		}
	}
	return p
}

func TestLinkEqualsPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := times(t)
		radius := rapid.Float64Range(0, 0.5).Draw(t, "radius") * p.MaxNorm()
		l, err := Link(context.Background(), p, radius)
		if err != nil {
			t.Fatal(err)
		}
		if want := plainLink(p, radius); !slices.Equal(l.Labels, want) {
			t.Fatalf("labels %v, want %v", l.Labels, want)
		}
	})
}

// A Linkage is what OPTICS with MinPts 2 gives when cut at the radius.
func TestLinkIsOpticsOfTwo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := times(t)
		radius := rapid.Float64Range(0, 0.5).Draw(t, "radius") * p.MaxNorm()
		l, err := Link(context.Background(), p, radius)
		if err != nil {
			t.Fatal(err)
		}
		o, err := Optics(context.Background(), p, Options{MinPts: 2, Eps: 2 * radius})
		if err != nil {
			t.Fatal(err)
		}
		a, b := Kinds(l.Labels), Kinds(o.At(radius))
		if !slices.EqualFunc(a, b, slices.Equal[[]int]) {
			t.Fatalf("linkage %v, OPTICS %v", a, b)
		}
	})
}

// Zeroing must say what zeroing and classifying anew says.
func TestZeroingEqualsClassifyingAnew(t *testing.T) {
	changes := 0
	rapid.Check(t, func(t *rapid.T) {
		p := times(t)
		radius := rapid.Float64Range(0.02, 0.3).Draw(t, "radius") * p.MaxNorm()
		l, err := Link(context.Background(), p, radius)
		if err != nil {
			t.Fatal(err)
		}
		var sets [][]int
		for a := range p.Dim {
			sets = append(sets, []int{a})
			for b := range a {
				sets = append(sets, []int{a, b})
			}
		}
		got, err := l.Zeroing(context.Background(), sets)
		if err != nil {
			t.Fatal(err)
		}
		for s, set := range sets {
			q := Points{Data: slices.Clone(p.Data), N: p.N, Dim: p.Dim}
			for i := range q.N {
				for _, c := range set {
					q.Row(i)[c] = 0
				}
			}
			anew := plainLink(q, radius)
			if want := Changed(l.Labels, anew); got[s] != want {
				t.Fatalf("zeroing %v: changed %v, want %v", set, got[s], want)
			}
			if len(set) == 1 {
				r, err := l.Replace(context.Background(), set[0], make([]float64, p.N))
				if err != nil || !slices.Equal(r.Labels, anew) {
					t.Fatalf("replacing %v by zeros: %v %v, want %v", set, r.Labels, err, anew)
				}
			}
			if got[s] {
				changes++
			}
		}
	})
	if changes == 0 {
		t.Error("no classification ever changed: the test shows nothing")
	}
}

// Large enough that the recursion forks; run with -race.
func TestLinkOnAllCores(t *testing.T) {
	p, truth := planted(20_000, 10, 6, 3)
	l, err := Link(t.Context(), p, 12)
	if err != nil {
		t.Fatal(err)
	}
	if ari := RandIndex(truth, l.Labels); ari != 1 {
		t.Errorf("adjusted Rand index %v, want 1", ari)
	}
	all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	changed, err := l.Zeroing(t.Context(), [][]int{{0}, {1, 2}, all, {}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []bool{false, false, true, false}; !slices.Equal(changed, want) {
		t.Errorf("changed %v, want %v", changed, want)
	}
}

func TestLinkageRefuses(t *testing.T) {
	p := Points{Data: []float64{1, 2, 3, 4}, N: 2, Dim: 2}
	if _, err := Link(t.Context(), p, -1); err == nil {
		t.Error("negative radius accepted")
	}
	l, err := Link(t.Context(), p, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Zeroing(t.Context(), [][]int{{0}, {2}}); err == nil {
		t.Error("coordinate out of range accepted")
	}
	if _, err := l.Replace(t.Context(), 0, []float64{1}); err == nil {
		t.Error("too few values accepted")
	}
	if _, err := l.Replace(t.Context(), 0, []float64{1, math.NaN()}); err == nil {
		t.Error("NaN accepted")
	}
}

func BenchmarkLink(b *testing.B) {
	p, _ := planted(100_000, 20, 6, 1)
	for b.Loop() {
		if _, err := Link(b.Context(), p, 30); err != nil {
			b.Fatal(err)
		}
	}
}
