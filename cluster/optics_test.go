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
	dist := make([][]float64, p.N)
	for i := range p.N {
		var near []float64
		for j := range p.N {
			d := math.Sqrt(squared(p.Row(i), p.Row(j), math.Inf(1)))
			dist[i] = append(dist[i], d)
			if d <= eps {
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
			if d := dist[next][j]; !done[j] && d <= eps {
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
		{2, 1, 2}, {3, 3, 2}, {50, 1, 2}, {200, 2, 5}, {300, 20, 4}, {700, 3, 10}, {500, 2, 150}, {2000, 20, 5},
	}
	for _, c := range cases {
		for shape := range 4 {
			rng := rand.New(rand.NewPCG(uint64(c.n), uint64(shape)))
			p := cloud(rng, c.n, c.dim, shape)
			for k, eps := range []float64{0.5 * p.MaxNorm(), math.Inf(1), 0.1 * p.MaxNorm()} {
				if c.n >= 1000 && k != shape%3 {
					continue // the plain algorithm takes its time
				}
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

// Copies follow each other; otherwise they count as the points they are.
func TestOpticsOfCopies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.IntRange(1, 12).Draw(t, "distinct")
		n := rapid.IntRange(1, 200).Draw(t, "n")
		minPts := rapid.IntRange(1, 8).Draw(t, "minPts")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		base := cloud(rng, few, 3, 2)
		p := Points{N: n, Dim: 3}
		for range n {
			p.Data = append(p.Data, base.Row(rng.IntN(few))...)
		}
		eps := rapid.Float64Range(0, 1).Draw(t, "eps")
		got, err := Optics(context.Background(), p, Options{MinPts: minPts, Eps: eps})
		if err != nil {
			t.Fatal(err)
		}
		want := plainOptics(p, minPts, eps)
		if !slices.Equal(got.Core, want.Core) {
			t.Fatalf("core distances %v, want %v", got.Core, want.Core)
		}
		// Border points and noise may differ by ties, core points may not.
		a, b := got.At(eps), want.At(eps)
		for i := range a {
			if math.IsInf(got.Core[i], 1) {
				a[i], b[i] = Noise, Noise
			}
		}
		if RandIndex(a, b) != 1 {
			t.Fatalf("labels %v, want %v", a, b)
		}
	})
}

func TestOpticsDegenerate(t *testing.T) {
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		p     Points
		opt   Options
		reach []float64
		error string
	}{
		"none":       {Points{Dim: 2}, Options{MinPts: 2, Eps: 1}, nil, ""},
		"one":        {Points{Data: []float64{1, 2}, N: 1, Dim: 2}, Options{MinPts: 2, Eps: 1}, []float64{inf}, ""},
		"identical":  {Points{Data: []float64{7, 7, 7}, N: 3, Dim: 1}, Options{MinPts: 2, Eps: 1}, []float64{inf, 0, 0}, ""},
		"lonely":     {Points{Data: []float64{0, 5, 9}, N: 3, Dim: 1}, Options{MinPts: 2, Eps: 1}, []float64{inf, inf, inf}, ""},
		"no columns": {Points{N: 2}, Options{MinPts: 2, Eps: 1}, []float64{inf, 0}, ""},
		"minus zero": {Points{Data: []float64{0, math.Copysign(0, -1)}, N: 2, Dim: 1}, Options{MinPts: 2, Eps: 0}, []float64{inf, 0}, ""},
		"NaN":        {Points{Data: []float64{1, 2, math.NaN(), 3}, N: 2, Dim: 2}, Options{MinPts: 2, Eps: 1}, nil, "point 1, coordinate 0"},
		"infinite":   {Points{Data: []float64{inf}, N: 1, Dim: 1}, Options{MinPts: 2, Eps: 1}, nil, "point 0, coordinate 0"},
		"too large":  {Points{Data: []float64{1e200}, N: 1, Dim: 1}, Options{MinPts: 2, Eps: 1}, nil, "unbounded"},
		"shape":      {Points{Data: []float64{1, 2, 3}, N: 2, Dim: 2}, Options{MinPts: 2, Eps: 1}, nil, "3 numbers"},
		"minPts":     {Points{Data: []float64{1}, N: 1, Dim: 1}, Options{Eps: 1}, nil, "MinPts"},
		"eps":        {Points{Data: []float64{1}, N: 1, Dim: 1}, Options{MinPts: 2, Eps: math.NaN()}, nil, "Eps"},
	} {
		o, err := Optics(t.Context(), c.p, c.opt)
		if c.error != "" {
			if err == nil || !strings.Contains(err.Error(), c.error) {
				t.Errorf("%s: error %v, want one with %q", name, err, c.error)
			}
			continue
		}
		if err != nil || !slices.Equal(o.Reachability, c.reach) {
			t.Errorf("%s: reachability %v, %v, want %v", name, o, err, c.reach)
		}
	}
}

func TestOpticsAboveLimit(t *testing.T) {
	const n, limit = 12_000, 4_000
	p, truth := planted(n, 20, 6, 2)
	// A small kind and some single points, too few to be drawn for sure.
	for i := range 40 {
		truth[i] = 6 + i/36*(i-35)
		for k := range p.Dim {
			p.Row(i)[k] += 300 * float64(1+truth[i]-6)
		}
	}
	for i := range 36 {
		copy(p.Row(i), p.Row(0))
		p.Row(i)[i%20] += 0.1 * float64(i)
	}
	o, err := optics(t.Context(), p, Options{MinPts: 5, Eps: 10}, limit)
	if err != nil {
		t.Fatal(err)
	}
	if o.Exact || len(o.Order) != n {
		t.Errorf("exact %v, %d points ordered", o.Exact, len(o.Order))
	}
	if ari := RandIndex(truth, o.At(10)); ari < 0.999 {
		t.Errorf("adjusted Rand index %v", ari)
	}
	if got := len(Kinds(o.At(10)[:40])); got != 5 {
		t.Errorf("the small kind and four single points came out as %d kinds", got)
	}
}

func TestOpticsStops(t *testing.T) {
	p, _ := planted(20_000, 20, 1, 1)
	ctx, cancel := context.WithCancel(t.Context())
	last := 0
	_, err := Optics(ctx, p, Options{MinPts: 5, Eps: math.Inf(1), Progress: func(done, total int) {
		if done < last || done > total {
			t.Errorf("progress %d of %d after %d", done, total, last)
		}
		if last = done; done > total/10 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want cancelled", err)
	}
	if last == 0 || last > p.N {
		t.Errorf("stopped only after %d of %d", last, 2*p.N)
	}
}

// Thousands of points that are like no other must not be slow or wrong.
func TestOpticsOfSingles(t *testing.T) {
	p := cloud(rand.New(rand.NewPCG(3, 3)), 8000, 15, 2)
	o, err := Optics(t.Context(), p, Options{MinPts: 2, Eps: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	if kinds := Kinds(o.At(0.05)); len(kinds) != p.N {
		t.Errorf("%d kinds of %d", len(kinds), p.N)
	}
}
