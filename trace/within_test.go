package trace

import (
	"slices"
	"testing"
)

func TestInCalls(t *testing.T) {
	b := NewBuilder(0)
	for range 3 {
		b.Add(&Action{Kind: Location, File: WithinCall("a.c", 7, "MPI_Wait")})
		b.Add(&Action{Kind: Sleep, Value: 2})
		b.Add(&Action{Kind: Location, File: "a.c", Tag: 8})
		b.Add(&Action{Kind: Sleep, Value: 1})
	}
	tr := &Trace{Programs: []Program{b.Program()}}
	if got := tr.InCalls(); len(got) != 1 || got["MPI_Wait"] != 6 {
		t.Errorf("%v", got)
	}
	for location, want := range map[string]string{"a.c:7/MPI_Wait": "MPI_Wait", "main/MPIX_Start": "MPIX_Start", "MPI_Wait": "", "src/MPI_solver.c:9": "", "main/solve": ""} {
		if got := CallWithin(location); got != want {
			t.Errorf("%s is within %q", location, got)
		}
	}
}

// Of a program whose loops hardly repeat the sums are looked up as quickly as of one
// whose do: each series is read once, and nothing is made for it.
func TestSumsOfManySeries(t *testing.T) {
	of := func(loops int) *Program {
		b := NewBuilder(0)
		for i := range loops {
			for k := range 3 {
				b.Add(&Action{Kind: Compute, Value: float64(1 + k*k)})
				b.Add(&Action{Kind: Wait, Count: int64(i)})
				b.Add(&Action{Kind: Location, File: "a.c", Tag: int32(i)})
			}
		}
		p := b.Program()
		if len(p.refers().series) < loops {
			t.Fatalf("%d series of %d loops", len(p.refers().series), loops)
		}
		return &p
	}
	var allocated []float64
	for _, loops := range []int{100, 1000} {
		p, sum := of(loops), 0.0
		allocated = append(allocated, testing.AllocsPerRun(1, func() {
			sum = 0
			p.walk(func(a *Action, _ int64, s float64) { sum += s })
		}))
		if sum != float64(8*loops) {
			t.Errorf("%v s of %d loops", sum, loops)
		}
	}
	if slices.Max(allocated) > 20 {
		t.Errorf("%v things are made for 100 and 1000 series", allocated)
	}
}
