package simulate

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// What was added is read again, to the bit and in its order, whatever it is.
func TestPacked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.Float64()).Draw(t, "values")
		turn := rapid.IntRange(1, 12).Draw(t, "turn")
		var p packed
		p.add(0, 7)
		p.reset()
		for i, v := range values {
			p.addFloat(i%turn, v)
		}
		r := p.reader()
		for i, v := range values {
			if got := r.nextFloat(i % turn); math.Float64bits(got) != math.Float64bits(v) {
				t.Fatalf("number %d is %g, not %g", i, got, v)
			}
		}
		if len(r.bytes) > 0 {
			t.Fatalf("%d bytes are left", len(r.bytes))
		}
	})
}

// Ranks that are alike take a byte for each number.
func TestPackedIsSmall(t *testing.T) {
	var p packed
	for range 1000 {
		for column, v := range []float64{0.1, 0.7, 1e9} {
			p.addFloat(column, v)
		}
	}
	if n := len(p.bytes); n > 3000+3*10 {
		t.Errorf("3,000 numbers take %d bytes", n)
	}
}
