package cluster

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// spreadOf recomputes the sum of squared distances to the means of the labels.
func spreadOf(p Points, labels []int) float64 {
	total := 0.0
	for _, kind := range Kinds(labels) {
		mean := make([]float64, p.Dim)
		for _, i := range kind {
			for d, x := range p.Row(i) {
				mean[d] += x / float64(len(kind))
			}
		}
		for _, i := range kind {
			total += squared(p.Row(i), mean, math.Inf(1))
		}
	}
	return total
}

// On a line no division into k runs of the sorted values may be better.
func TestKMeansOnALineIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-5, 5), rapid.Float64Range(1e6, 1e6+1)), 1, 11).Draw(t, "x")
		k := rapid.IntRange(1, 4).Draw(t, "k")
		c, err := KMeans(context.Background(), Points{Data: x, N: len(x), Dim: 1}, k)
		if err != nil {
			t.Fatal(err)
		}
		sorted := slices.Clone(x)
		slices.Sort(sorted)
		var best func(rest []float64, k int) float64
		best = func(rest []float64, k int) float64 {
			least := spreadOf(Points{Data: rest, N: len(rest), Dim: 1}, make([]int, len(rest)))
			for cut := 1; cut < len(rest) && k > 1; cut++ {
				head := rest[:cut]
				least = min(least, spreadOf(Points{Data: head, N: cut, Dim: 1}, make([]int, cut))+best(rest[cut:], k-1))
			}
			return least
		}
		want := best(sorted, k)
		got := spreadOf(Points{Data: x, N: len(x), Dim: 1}, c.Labels)
		if math.Abs(got-want) > 1e-6*(1+want) {
			t.Fatalf("spread %v, best %v, labels %v", got, want, c.Labels)
		}
		if !slices.IsSorted(c.Centres.Data) {
			t.Fatalf("centres %v are not ascending", c.Centres.Data)
		}
	})
}

func TestKMeansFindsKinds(t *testing.T) {
	p, truth := planted(2000, 6, 5, 11)
	c, err := KMeans(t.Context(), p, 5)
	if err != nil {
		t.Fatal(err)
	}
	if ari := RandIndex(truth, c.Labels); ari != 1 {
		t.Errorf("adjusted Rand index %v, want 1", ari)
	}
	if got := spreadOf(p, c.Labels); math.Abs(got-c.Spread) > 1e-9*got {
		t.Errorf("Spread %v, recomputed %v", c.Spread, got)
	}
	again, _ := KMeans(t.Context(), p, 5)
	if !slices.Equal(c.Labels, again.Labels) {
		t.Error("a second run gave another answer")
	}
}

// Every point is with its nearest centre, every centre the mean of its points,
// and labels are numbered by first member.
func TestKMeansIsAFixedPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := times(t)
		k := rapid.IntRange(1, 8).Draw(t, "k")
		c, err := KMeans(context.Background(), p, k)
		if err != nil {
			t.Fatal(err)
		}
		next := 0
		for i, l := range c.Labels {
			if p.Dim > 1 && l > next {
				t.Fatalf("label %d before %d", l, next)
			}
			next = max(next, l+1)
			_, d := closestCentre(c.Centres, p.Row(i))
			if own := squared(p.Row(i), c.Centres.Row(l), math.Inf(1)); own > d*(1+1e-9)+1e-12 {
				t.Fatalf("point %d is %v from its centre, %v from another", i, own, d)
			}
		}
		if c.Centres.N > k || len(Kinds(c.Labels)) != c.Centres.N {
			t.Fatalf("%d centres for k %d, %d in use", c.Centres.N, k, len(Kinds(c.Labels)))
		}
		if got := spreadOf(p, c.Labels); math.Abs(got-c.Spread) > 1e-6*got+1e-9 {
			t.Fatalf("Spread %v, recomputed %v", c.Spread, got)
		}
	})
}

func TestKMeansDegenerate(t *testing.T) {
	none, err := KMeans(t.Context(), Points{Dim: 3}, 2)
	if err != nil || len(none.Labels) != 0 {
		t.Errorf("no points: %+v, %v", none, err)
	}
	same, err := KMeans(t.Context(), Points{Data: []float64{1, 2, 1, 2, 1, 2}, N: 3, Dim: 2}, 2)
	if err != nil || !slices.Equal(same.Labels, []int{0, 0, 0}) || same.Spread != 0 {
		t.Errorf("identical points: %+v, %v", same, err)
	}
	if _, err := KMeans(t.Context(), Points{}, 0); err == nil {
		t.Error("0 centres accepted")
	}
	if _, err := KMeans(t.Context(), Points{Data: []float64{math.NaN()}, N: 1, Dim: 1}, 1); err == nil {
		t.Error("NaN accepted")
	}
}

func TestCMeans(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	p := Points{N: 300, Dim: 2}
	truth := make([]int, p.N)
	for i := range p.N {
		truth[i] = i % 3
		p.Data = append(p.Data, 10*float64(truth[i])+rng.NormFloat64(), 8*float64(truth[i]%2)+rng.NormFloat64())
	}
	f, err := SuggestCMeans(t.Context(), p, 8)
	if err != nil {
		t.Fatal(err)
	}
	if f.Centres.N != 3 {
		t.Fatalf("%d centres suggested, want 3", f.Centres.N)
	}
	if ari := RandIndex(truth, f.Labels()); ari < 0.97 {
		t.Errorf("adjusted Rand index %v", ari)
	}
	if f.Coefficient < 0.7 || f.Coefficient > 1 {
		t.Errorf("partition coefficient %v of three clear clusters", f.Coefficient)
	}
}

// Degrees sum to 1, and the partition coefficient is between 1/k and 1.
func TestCMeansLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := times(t)
		k := rapid.IntRange(1, 6).Draw(t, "k")
		f, err := CMeans(context.Background(), p, k)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.N {
			sum := 0.0
			for _, u := range f.Degrees.Row(i) {
				if u < 0 || u > 1 {
					t.Fatalf("degree %v", u)
				}
				sum += u
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Fatalf("degrees of point %d sum to %v", i, sum)
			}
		}
		if low := 1 / float64(f.Centres.N); f.Coefficient < low-1e-9 || f.Coefficient > 1+1e-9 {
			t.Fatalf("partition coefficient %v of %d centres", f.Coefficient, f.Centres.N)
		}
	})
}

// Of several starts the best division is kept: no single start is better.
func TestCMeansKeepsTheBestStart(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(7, seed))
		p := Points{N: 24, Dim: 2}
		for range p.N {
			p.Data = append(p.Data, rng.Float64(), rng.Float64())
		}
		f, err := CMeans(t.Context(), p, 3)
		if err != nil {
			t.Fatal(err)
		}
		same := unique(p)
		for start := range uint64(30) {
			g := &Fuzzy{Degrees: Points{N: p.N, Dim: 3, Data: make([]float64, 3*p.N)}, Centres: seedCentres(same, 3, rand.New(rand.NewPCG(8, start)))}
			for range rounds {
				if g.assign(p); g.settled(same) {
					break
				}
			}
			g.assign(p)
			if g.judge(same); g.Spread < f.Spread*(1-1e-6) {
				t.Errorf("set %d: a start ends with %v, CMeans with %v", seed, g.Spread, f.Spread)
				break
			}
		}
	}
}

// For two points and two centres the exact answer is known: each its own.
func TestCMeansOfTwo(t *testing.T) {
	f, err := CMeans(t.Context(), Points{Data: []float64{0, 1}, N: 2, Dim: 1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if f.Coefficient != 1 || f.XieBeni != 0 {
		t.Errorf("coefficient %v, index %v, want 1 and 0", f.Coefficient, f.XieBeni)
	}
}

func BenchmarkKMeans(b *testing.B) {
	p, _ := planted(10_000, 20, 6, 1)
	for b.Loop() {
		if _, err := KMeans(b.Context(), p, 5); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkKMeansLine(b *testing.B) {
	p, _ := planted(100_000, 1, 6, 1)
	for b.Loop() {
		if _, err := KMeans(b.Context(), p, 5); err != nil {
			b.Fatal(err)
		}
	}
}
