package trace

import "testing"

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
