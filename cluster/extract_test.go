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
