package cluster

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		labels []int
		want   [][]int
	}{
		{nil, [][]int{}},
		{[]int{3, 3, 3}, [][]int{{0, 1, 2}}},
		{[]int{Noise, 4, Noise, 4}, [][]int{{0}, {1, 3}, {2}}},
		{[]int{9, 1, 1, 0, 5, 2, 5, 2}, [][]int{{0}, {1, 2}, {3}, {4, 6}, {5, 7}}},
	} {
		if got := Kinds(c.labels); !reflect.DeepEqual(got, c.want) {
			t.Errorf("Kinds(%v) = %v, want %v", c.labels, got, c.want)
		}
	}
}

func TestRandIndex(t *testing.T) {
	for _, c := range []struct {
		a, b []int
		want float64
	}{
		{nil, nil, 1},
		{[]int{0}, []int{5}, 1},
		{[]int{0, 0, 1, 1}, []int{7, 7, 3, 3}, 1},
		{[]int{0, 0, 0, 0}, []int{0, 0, 0, 0}, 1},
		{[]int{0, 1, 2, 3}, []int{Noise, Noise, Noise, Noise}, 1},
		{[]int{0, 0, 0, 0}, []int{0, 1, 2, 3}, 0},
		// Worked out: 6 points, pairs together in both 2, in a 6, in b 3 of 15,
		// expected 6·3/15 = 1.2, largest (6+3)/2 = 4.5: (2-1.2)/(4.5-1.2).
		{[]int{0, 0, 0, 1, 1, 1}, []int{0, 0, 1, 1, 2, 2}, 0.8 / 3.3},
	} {
		if got := RandIndex(c.a, c.b); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("RandIndex(%v, %v) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestChanged(t *testing.T) {
	same := []int{0, 0, 1, 1, 2}
	for _, c := range []struct {
		b    []int
		want bool
	}{
		{[]int{5, 5, 3, 3, 1}, false},
		{[]int{0, 0, 0, 0, 1}, true},
		{[]int{0, 1, 0, 1, 2}, true},
		{[]int{0, 0, 1, 1, Noise}, false},
	} {
		if got := Changed(same, c.b); got != c.want {
			t.Errorf("Changed(%v, %v) = %v", same, c.b, got)
		}
	}
}

// dbscan labels core points by flooding; others get Noise.
func dbscan(p Points, minPts int, eps float64) []int {
	near := func(i int) (list []int) {
		for j := range p.N {
			if squared(p.Row(i), p.Row(j), math.Inf(1)) <= eps*eps {
				list = append(list, j)
			}
		}
		return list
	}
	labels := slices.Repeat([]int{Noise}, p.N)
	next := 0
	for i := range p.N {
		if labels[i] != Noise || len(near(i)) < minPts {
			continue
		}
		labels[i] = next
		for todo := []int{i}; len(todo) > 0; todo = todo[1:] {
			for _, j := range near(todo[0]) {
				if labels[j] == Noise && len(near(j)) >= minPts {
					labels[j] = next
					todo = append(todo, j)
				}
			}
		}
		next++
	}
	return labels
}

// Cut at a distance, the ordering gives the core points the clusters of DBSCAN.
func TestAtIsDBSCAN(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		p := cloud(rand.New(rand.NewPCG(seed, 0)), rapid.IntRange(1, 120).Draw(t, "n"), 2, rapid.IntRange(0, 3).Draw(t, "shape"))
		minPts := rapid.IntRange(1, 6).Draw(t, "minPts")
		eps := rapid.Float64Range(0, 0.5).Draw(t, "eps") * p.MaxNorm()
		cut := rapid.Float64Range(0, 1).Draw(t, "cut") * eps
		o := plainOptics(p, minPts, eps)
		fast, err := Optics(t.Context(), p, Options{MinPts: minPts, Eps: eps})
		if err != nil {
			t.Fatal(err)
		}
		want := dbscan(p, minPts, cut)
		for _, got := range [][]int{o.At(cut), fast.At(cut)} {
			for i := range got {
				if o.Core[i] > cut {
					got[i] = Noise // border points may go either way
				}
			}
			if RandIndex(got, want) != 1 {
				t.Fatalf("labels %v, DBSCAN %v", got, want)
			}
		}
	})
}

// Two tight clusters, a loose one and scattered points: ξ finds all three,
// though no single distance does.
func TestXiFindsDifferentDensities(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	p := Points{Dim: 2}
	truth := []int{}
	add := func(n, kind int, x, y, spread float64) {
		for range n {
			p.Data = append(p.Data, x+spread*rng.NormFloat64(), y+spread*rng.NormFloat64())
			p.N++
			truth = append(truth, kind)
		}
	}
	add(80, 0, 0, 0, 0.1)
	add(80, 1, 2, 0, 0.1)
	add(120, 2, 40, 40, 3)
	o, err := Optics(t.Context(), p, Options{MinPts: 5, Eps: math.Inf(1)})
	if err != nil {
		t.Fatal(err)
	}
	spans := o.Xi(0.1, 20)
	for kind, size := range []int{80, 80, 120} {
		found := false
		for _, s := range spans {
			inside, alien := 0, 0
			for _, i := range o.Order[s.From : s.To+1] {
				if truth[i] == kind {
					inside++
				} else {
					alien++
				}
			}
			found = found || inside >= size*9/10 && alien <= 2
		}
		if !found {
			t.Errorf("no span holds kind %d: %v", kind, spans)
		}
	}
	for k, s := range spans {
		for _, later := range spans[k+1:] {
			if later.From > s.From && later.To <= s.To && later != s {
				t.Errorf("span %v comes before the inner %v", s, later)
			}
		}
	}
	if ari := RandIndex(truth, o.Labels(o.Xi(0.3, 60))); ari < 0.9 {
		t.Errorf("adjusted Rand index %v", ari)
	}
}

// A plot worked out by hand: a valley of height 4 with one of height 1 in it,
// and a level of 20 behind. Steps of 5 and 4 times are steep; the levels are
// longer than the two places a steep area may hold.
func TestXiByHand(t *testing.T) {
	o := &Ordering{Reachability: []float64{math.Inf(1), 4, 4, 4, 4, 1, 1, 1, 1, 4, 4, 4, 4, 20, 20, 20, 20}}
	for i := range o.Reachability {
		o.Order = append(o.Order, i)
		o.Predecessor = append(o.Predecessor, i-1)
	}
	spans := o.Xi(0.2, 2)
	if want := []Span{{4, 8}, {0, 12}, {0, 16}}; !slices.Equal(spans, want) {
		t.Errorf("spans %v, want %v", spans, want)
	}
	want := []int{0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 2, 2}
	if labels := o.Labels(spans); !slices.Equal(labels, want) {
		t.Errorf("labels %v, want %v", labels, want)
	}
	// Reached from before the valley, its last point is no part of it.
	o.Predecessor[8] = 2
	o.Reachability[4], o.Reachability[8] = 3.9, 3.9
	if spans := o.Xi(0.2, 2); !slices.Contains(spans, Span{4, 7}) {
		t.Errorf("spans %v, want one of {4 7}", spans)
	}
}

func TestXiOfNothing(t *testing.T) {
	if spans := (&Ordering{}).Xi(0.05, 5); len(spans) != 0 {
		t.Errorf("spans %v of no points", spans)
	}
	inf := math.Inf(1)
	o := &Ordering{Order: []int{0, 1, 2}, Reachability: []float64{inf, inf, inf}, Predecessor: []int{-1, -1, -1}}
	if spans := o.Xi(0.05, 2); len(spans) != 0 {
		t.Errorf("spans %v of three points with no neighbours", spans)
	}
}
