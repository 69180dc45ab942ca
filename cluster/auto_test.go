package cluster

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func autoKinds(t interface {
	Helper()
	Fatal(...any)
}, p Points) ([][]int, Choice) {
	t.Helper()
	l, c, err := Auto(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return Kinds(l.Labels), c
}

// Figure 4 of "Debugging SPMD programs": 14 regions of which 14
// holds 11, and the work of 11 differs between processes.
func TestAutoFigure4(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	work := []float64{5, 20, 20, 35, 50, 65, 50, 65}
	for _, noise := range []float64{0, 0.01, 0.03} {
		p := Points{N: 8, Dim: 14}
		for _, w := range work {
			for region := range 14 {
				x := 1 + 0.2*float64(region%4)
				if region == 13 {
					x = w
				}
				p.Data = append(p.Data, x*(1+noise*(2*rng.Float64()-1)))
			}
		}
		kinds, c := autoKinds(t, p)
		want := [][]int{{0}, {1, 2}, {3}, {4, 6}, {5, 7}}
		if !slices.EqualFunc(kinds, want, slices.Equal[[]int]) {
			t.Errorf("noise %v: kinds %v, want %v; chosen %+v", noise, kinds, want, c)
		}
		l, _ := Link(t.Context(), p, c.Radius)
		changed, _ := l.Zeroing(t.Context(), [][]int{{0}, {5}, {13}})
		if !slices.Equal(changed, []bool{false, false, true}) {
			t.Errorf("noise %v: zeroing regions 1, 6, 14 changes %v, want only 14", noise, changed)
		}
	}
}

// Balanced, and nothing but noise of up to 5 % either way: one kind, always.
func TestAutoNoiseIsOneKind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, _ := noisyKinds(t, 1, 0, rapid.Float64Range(0, 0.05).Draw(t, "noise"))
		if kinds, c := autoKinds(t, p); len(kinds) != 1 {
			t.Fatalf("%d kinds; chosen %+v", len(kinds), c)
		}
	})
}

// The two promises in Auto's comment.
func TestAutoFindsKinds(t *testing.T) {
	for _, c := range []struct{ noise, apart float64 }{{0.02, 0.15}, {0.05, 0.40}} {
		rapid.Check(t, func(t *rapid.T) {
			noise := rapid.Float64Range(0, c.noise).Draw(t, "noise")
			p, truth := noisyKinds(t, rapid.IntRange(2, 12).Draw(t, "kinds"), c.apart, noise)
			kinds, chosen := autoKinds(t, p)
			if want := Kinds(truth); !slices.EqualFunc(kinds, want, slices.Equal[[]int]) {
				t.Fatalf("%d kinds %v, want %d %v; chosen %+v", len(kinds), kinds, len(want), want, chosen)
			}
		})
	}
}

// noisyKinds draws up to kinds kinds, each at least apart from the others as a
// share of the longest, of any size down to one, with noise in proportion to
// each coordinate. There are 2 to 500 points of 1 to 30 coordinates.
func noisyKinds(t *rapid.T, kinds int, apart, noise float64) (Points, []int) {
	n := rapid.IntRange(2, 500).Draw(t, "n")
	dim := rapid.IntRange(1, 30).Draw(t, "dim")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	centres := Points{N: kinds, Dim: dim}
	for range kinds * dim {
		centres.Data = append(centres.Data, math.Exp(rng.NormFloat64()))
	}
	far := apart * centres.MaxNorm() * (1 + noise)
	var kept []int
	for k := range kinds {
		alone := true
		for _, other := range kept {
			alone = alone && squared(centres.Row(k), centres.Row(other), math.Inf(1)) >= far*far
		}
		if alone {
			kept = append(kept, k)
		}
	}
	p := Points{N: n, Dim: dim}
	truth := make([]int, n)
	for i := range truth {
		// Skewed, so that kinds of one and two occur beside large ones.
		truth[i] = kept[int(float64(len(kept))*math.Pow(rng.Float64(), 3))]
		for _, x := range centres.Row(truth[i]) {
			p.Data = append(p.Data, x*(1+noise*(2*rng.Float64()-1)))
		}
	}
	return p, truth
}

// Neither the unit of time nor the numbering of processes matters.
func TestAutoIsScaleAndOrderFree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := times(t)
		l, _, err := Auto(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		turned := Points{N: p.N, Dim: p.Dim}
		labels := make([]int, p.N)
		for i := p.N - 1; i >= 0; i-- {
			for _, x := range p.Row(i) {
				turned.Data = append(turned.Data, 1024*x)
			}
			labels[p.N-1-i] = l.Labels[i]
		}
		m, _, err := Auto(context.Background(), turned)
		if err != nil {
			t.Fatal(err)
		}
		if ari := RandIndex(labels, m.Labels); ari != 1 {
			t.Fatalf("adjusted Rand index %v after scaling and turning around, want 1", ari)
		}
	})
}

func TestAutoContinuum(t *testing.T) {
	p := Points{N: 200, Dim: 1}
	for i := range p.N {
		p.Data = append(p.Data, 1+2*float64(i)/float64(p.N))
	}
	if kinds, c := autoKinds(t, p); len(kinds) != 1 {
		t.Errorf("a ramp fell into %d kinds; chosen %+v", len(kinds), c)
	}
}

func TestAutoNoTwoAlike(t *testing.T) {
	p := cloud(rand.New(rand.NewPCG(1, 1)), 6000, 12, 2)
	if kinds, c := autoKinds(t, p); len(kinds) != p.N {
		t.Errorf("%d kinds of %d unlike points; chosen %+v", len(kinds), p.N, c)
	}
}

// Single processes apart must come out of many even where the sample that
// chose the radius did not hold them.
func TestAutoManyPoints(t *testing.T) {
	p, truth := planted(30_000, 8, 4, 5)
	for k, i := range []int{17, 4711, 29_999} {
		truth[i] = 100 + k
		for c := range p.Row(i) {
			p.Row(i)[c] = float64(200 + 100*k)
		}
	}
	l, c, err := Auto(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if ari := RandIndex(truth, l.Labels); ari != 1 || c.Sample != sample {
		t.Errorf("adjusted Rand index %v, chosen %+v", ari, c)
	}
}

func TestAutoDegenerate(t *testing.T) {
	for name, c := range map[string]struct {
		rows [][]float64
		want [][]int
	}{
		"none":        {nil, [][]int{}},
		"one":         {[][]float64{{3, 4}}, [][]int{{0}}},
		"zeros":       {[][]float64{{0, 0}, {0, 0}, {0, 0}}, [][]int{{0, 1, 2}}},
		"one idle":    {[][]float64{{0, 0}, {1, 5}, {1, 5}}, [][]int{{0}, {1, 2}}},
		"identical":   {[][]float64{{1, 5}, {1, 5}, {1, 5}}, [][]int{{0, 1, 2}}},
		"no regions":  {[][]float64{{}, {}}, [][]int{{0, 1}}},
		"two alike":   {[][]float64{{100}, {104}}, [][]int{{0, 1}}},
		"two unlike":  {[][]float64{{100}, {150}}, [][]int{{0}, {1}}},
		"slow one":    {[][]float64{{1}, {1.02}, {1.5}, {1.53}, {10}}, [][]int{{0, 1}, {2, 3}, {4}}},
		"slow two":    {[][]float64{{1}, {1.02}, {1.01}, {9.7}, {10.3}}, [][]int{{0, 1, 2}, {3, 4}}},
		"near idle":   {[][]float64{{1e-6}, {3e-6}, {1}, {1.03}, {2}}, [][]int{{0, 1}, {2, 3}, {4}}},
		"huge":        {[][]float64{{1e149}, {1e149}, {1e140}}, [][]int{{0, 1}, {2}}},
		"tiny":        {[][]float64{{1e-140}, {1e-140}, {3e-140}}, [][]int{{0, 1}, {2}}},
		"below a sum": {[][]float64{{-5, 1}, {-5, 1}, {5, 1}}, [][]int{{0, 1}, {2}}},
	} {
		p, err := FromRows(c.rows)
		if err != nil {
			t.Fatal(name, err)
		}
		if got, _ := autoKinds(t, p); !slices.EqualFunc(got, c.want, slices.Equal[[]int]) {
			t.Errorf("%s: kinds %v, want %v", name, got, c.want)
		}
	}
}

// On a line the steps between neighbours are those that OPTICS takes.
func TestStepsOnALine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Map(rapid.OneOf(rapid.IntRange(-3, 3), rapid.IntRange(-1e6, 1e6)), func(n int) float64 { return float64(n) / 7 })
		data := rapid.SliceOfN(value, 1, 40).Draw(t, "data")
		p := Points{Data: data, N: len(data), Dim: 1}
		o, err := Optics(context.Background(), p, Options{MinPts: 2, Eps: math.Inf(1)})
		if err != nil {
			t.Fatal(err)
		}
		want, got := steps(p, o), stepsOnLine(p)
		order := func(a, b step) int { return cmp.Or(cmp.Compare(a.length, b.length), cmp.Compare(a.scale, b.scale)) }
		slices.SortFunc(want, order)
		slices.SortFunc(got, order)
		if !slices.Equal(want, got) {
			t.Fatalf("OPTICS takes the steps %v, neighbours are %v apart", want, got)
		}
	})
}
