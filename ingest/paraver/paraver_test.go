package paraver

import (
	"fmt"
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

// Threads that wait in OpenMP's barriers, and in the state of synchronization, do no
// work; of a trace that lost its end that is said.
func TestBarriersOfThreads(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.prv")
	err := os.WriteFile(file, []byte(`#Paraver (01/01/2026 at 00:00):2000_ns:1(2):1:1(2:1),0
1:1:1:1:1:0:900:1
1:2:1:1:2:0:400:1
1:2:1:1:2:400:700:5
2:2:1:1:2:400:60000005:1
2:2:1:1:2:700:60000005:0
1:2:1:1:2:700:900:5
`), 0o666)
	if err != nil {
		t.Fatal(err)
	}
	e := inputtest.ReadOne(t, Formats(), file, Name)
	times := inputtest.MatrixOf(t, e, "wtime.exc")
	got := ""
	for r, region := range e.Regions {
		if v := times.At(1, r); v > 0 {
			got += fmt.Sprintf("%s %s %.0f, ", region.Name, region.Kind, v*1e9)
		}
	}
	if want := "program function 400, OpenMP barrier barrier 300, synchronization barrier 200, "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if !strings.HasPrefix(e.Incomplete, "the records end at") {
		t.Errorf("incomplete: %q", e.Incomplete)
	}
}

// The names beside a trace are read with it: nobody is told that they were passed over.
func TestNamesBeside(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.prv", "a.pcf", "a.row", "b.pcf"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#Paraver "), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]bool{"a.pcf": true, "a.row": true, "b.pcf": false, "a.prv": false} {
		if isPart(filepath.Join(dir, name)) != want {
			t.Errorf("%s: part of a trace is %v", name, !want)
		}
	}
}
