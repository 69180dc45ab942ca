package cluster

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// plainOptics is the published algorithm with nothing to make it fast: all
// pairs, a linear search for the next point, ties by point number.
func plainOptics(p Points, minPts int, eps float64) *Ordering {
	o := &Ordering{Reachability: make([]float64, p.N), Core: make([]float64, p.N), Exact: true}
	dist := func(i, j int) float64 { return math.Sqrt(squared(p.Row(i), p.Row(j), math.Inf(1))) }
	for i := range p.N {
		var near []float64
		for j := range p.N {
			if d := dist(i, j); d <= eps {
				near = append(near, d)
			}
		}
		slices.Sort(near)
		o.Reachability[i], o.Core[i] = math.Inf(1), math.Inf(1)
		if len(near) >= minPts {
			o.Core[i] = near[minPts-1]
		}
	}
	done := make([]bool, p.N)
	for len(o.Order) < p.N {
		next := -1
		for i := range p.N {
			if !done[i] && (next < 0 || o.Reachability[i] < o.Reachability[next]) {
				next = i
			}
		}
		done[next] = true
		o.Order = append(o.Order, next)
		if math.IsInf(o.Core[next], 1) {
			continue
		}
		for j := range p.N {
			if d := dist(next, j); !done[j] && d <= eps {
				o.Reachability[j] = min(o.Reachability[j], max(o.Core[next], d))
			}
		}
	}
	return o
}

func sameOrdering(t testing.TB, got, want *Ordering) {
	t.Helper()
	if !slices.Equal(got.Core, want.Core) {
		t.Fatalf("core distances differ")
	}
	for k := range want.Order {
		g, w := got.Order[k], want.Order[k]
		if g != w || got.Reachability[g] != want.Reachability[w] {
			t.Fatalf("place %d: point %d at %v, want point %d at %v", k, g, got.Reachability[g], w, want.Reachability[w])
		}
	}
}

// cloud draws points of very different shapes: one blob, several of unequal
// density, a uniform box, a line.
func cloud(rng *rand.Rand, n, dim, shape int) Points {
	p := Points{N: n, Dim: dim, Data: make([]float64, n*dim)}
	for i := range n {
		for k := range dim {
			switch g := rng.NormFloat64(); shape {
			case 0:
				p.Data[i*dim+k] = g
			case 1:
				blob := float64(i % 5)
				p.Data[i*dim+k] = 20*blob*float64(k%3) + g*math.Pow(3, blob-2)
			case 2:
				p.Data[i*dim+k] = rng.Float64()
			default:
				p.Data[i*dim+k] = float64(i)/float64(n)*float64(k+1) + g*1e-3
			}
		}
	}
	return p
}

func TestOpticsEqualsPlain(t *testing.T) {
	cases := []struct{ n, dim, minPts int }{
		{2, 1, 2}, {3, 3, 2}, {50, 1, 2}, {200, 2, 5}, {300, 20, 4}, {700, 3, 10}, {1000, 20, 5}, {2000, 8, 5}, {500, 2, 150},
	}
	for _, c := range cases {
		for shape := range 4 {
			rng := rand.New(rand.NewPCG(uint64(c.n), uint64(shape)))
			p := cloud(rng, c.n, c.dim, shape)
			for _, eps := range []float64{0.1 * p.MaxNorm(), 0.5 * p.MaxNorm(), math.Inf(1)} {
				got, err := Optics(t.Context(), p, Options{MinPts: c.minPts, Eps: eps})
				if err != nil {
					t.Fatal(err)
				}
				sameOrdering(t, got, plainOptics(p, c.minPts, eps))
			}
		}
	}
}

func TestOpticsEqualsPlainRandomly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 400).Draw(t, "n")
		dim := rapid.IntRange(1, 12).Draw(t, "dim")
		shape := rapid.IntRange(0, 3).Draw(t, "shape")
		minPts := rapid.IntRange(1, 12).Draw(t, "minPts")
		seed := rapid.Uint64().Draw(t, "seed")
		p := cloud(rand.New(rand.NewPCG(seed, 0)), n, dim, shape)
		eps := rapid.Float64Range(0, 1.5).Draw(t, "eps") * p.MaxNorm()
		got, err := Optics(context.Background(), p, Options{MinPts: minPts, Eps: eps})
		if err != nil {
			t.Fatal(err)
		}
		want := plainOptics(p, minPts, eps)
		if !slices.Equal(got.Order, want.Order) || !slices.Equal(got.Core, want.Core) || !slices.Equal(got.Reachability, want.Reachability) {
			t.Fatalf("n %d dim %d minPts %d eps %v: differs from plain OPTICS", n, dim, minPts, eps)
		}
	})
}

var _ = errors.Is
var _ = strings.Contains
