package depend

import (
	"os"
	"testing"
)

func TestPrintSafety(t *testing.T) {
	for _, file := range []string{"laplace/laplace.c", "laplace/laplace_mpi.cpp", "intsort/intsort.c", "stommel/stommel.f90", "seismic/seismic.c", "pic/pic.f", "cachebound/cachebound.c"} {
		text, _ := os.ReadFile("../examples/" + file)
		p := New(parse(t, file, string(text)))
		for _, l := range p.Loops() {
			if l.Depth == 1 {
				s := p.Safe(l)
				t.Logf("%s:%d %s safe=%v bound=%s\n   %s", file, l.Line, l.Unit, s.Safe, s.Bound, s.Reason)
				for _, r := range s.Reach {
					t.Log("      ", r.Line, r.Kind, r.Inside, r.Words)
				}
				for _, n := range s.Notes {
					t.Log("   note", n)
				}
			}
		}
	}
}
