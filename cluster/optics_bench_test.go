package cluster

import (
	"fmt"
	"testing"
)

// BenchmarkOptics is the growth table: the yardstick's points at growing size.
func BenchmarkOptics(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 30_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			p, truth := planted(n, 20, 6, 1)
			for b.Loop() {
				o, err := Optics(b.Context(), p, Options{MinPts: 5, Eps: 10})
				if err != nil {
					b.Fatal(err)
				}
				if ari := RandIndex(truth, o.At(10)); ari < 0.999 {
					b.Fatalf("adjusted Rand index %.4f", ari)
				}
			}
		})
	}
}

// BenchmarkAuto chooses a radius, classifies, and asks for every coordinate
// whether the kinds rest on it.
func BenchmarkAuto(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			p, truth := planted(n, 20, 6, 1)
			var each [][]int
			for c := range p.Dim {
				each = append(each, []int{c})
			}
			for b.Loop() {
				l, _, err := Auto(b.Context(), p)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := l.Zeroing(b.Context(), each); err != nil {
					b.Fatal(err)
				}
				if ari := RandIndex(truth, l.Labels); ari != 1 {
					b.Fatalf("adjusted Rand index %.4f", ari)
				}
			}
		})
	}
}
