package paraver

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"auspex/ingest/inputtest"
	"auspex/model"
)

// EPOCH on 8 processes: useful time and run time are what Dimemas' modelfactors
// says of the same trace (shared/data/paraver-epoch/NOTES.md, in µs).
func TestEpoch(t *testing.T) {
	file := inputtest.SampleData(t, "paraver-epoch", "epoch_8proc.prv.gz")
	e := inputtest.ReadOne(t, Formats(), file, Name)
	if len(e.Units) != 8 {
		t.Fatalf("%d units", len(e.Units))
	}
	times := inputtest.MatrixOf(t, e, "wtime.exc")
	longest, useful := 0.0, 0.0
	for u := range e.Units {
		all, own := 0.0, 0.0
		for r, region := range e.Regions {
			v := times.At(u, r)
			if all += v; region.Kind != model.MPI {
				own += v
			}
		}
		longest, useful = max(longest, all), max(useful, own)
	}
	if math.Abs(longest-3.51356533) > 0.001 || math.Abs(useful-3.42158167) > 0.03 {
		t.Errorf("the longest process takes %.6f s, %.6f s of it outside of MPI; want 3.513565 and about 3.4216", longest, useful)
	}
	any := false
	for _, r := range e.Regions {
		any = any || r.Kind == model.MPI && strings.HasPrefix(r.Name, "MPI_")
	}
	if !any {
		t.Error("no call of MPI is a region")
	}
}

// Threads wait in the states in which they have nothing to do; what interrupts work
// otherwise is of the region that it interrupts.
func TestIdleStates(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.prv")
	err := os.WriteFile(file, []byte(`#Paraver (01/01/2026 at 00:00):1000_ns:1(2):1:1(2:1),0
1:1:1:1:1:0:900:1
1:2:1:1:2:0:400:1
1:2:1:1:2:400:900:0
1:1:1:1:1:900:1000:12
`), 0o666)
	if err != nil {
		t.Fatal(err)
	}
	e := inputtest.ReadOne(t, Formats(), file, Name)
	times := inputtest.MatrixOf(t, e, "wtime.exc")
	waited := [2]float64{}
	for r, region := range e.Regions {
		for u := range waited {
			if region.Kind.Communicates() {
				waited[u] += times.At(u, r)
			}
		}
	}
	if waited[0] != 0 || math.Abs(waited[1]-500e-9) > 1e-15 {
		t.Errorf("the threads wait %v", waited)
	}
}
