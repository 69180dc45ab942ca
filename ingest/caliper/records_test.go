package caliper

import (
	"slices"
	"strings"
	"testing"

	"auspex/ingest/inputtest"
	"auspex/model"
)

// TestPartsOfPaths: a record that names function, loop and call apart is of all three.
func TestPartsOfPaths(t *testing.T) {
	e, err := readJSON(t.Context(), "r", strings.NewReader(`[
{"mpi.function": "MPI_Send", "function": "main", "time.duration": 1000000, "mpi.rank": 0},
{"function": "main/solve", "loop": "l1", "iteration#l1": 1, "time.duration": 250000, "mpi.rank": 0},
{"function": "main/solve", "loop": "l1", "iteration#l1": 2, "time.duration": 250000, "mpi.rank": 0},
{"function": "main", "time.duration": 500000, "mpi.rank": 0}]`))
	if err != nil {
		t.Fatal(err)
	}
	seconds := inputtest.MatrixOf(t, e, "wtime.exc")
	for path, want := range map[string]float64{"main": 0.5, "main/MPI_Send": 1, "main/solve/l1": 0.5} {
		inputtest.WantNear(t, path, seconds.At(0, inputtest.RegionAt(t, e, path)), want)
	}
	if kind := e.Regions[inputtest.RegionAt(t, e, "main/MPI_Send")].Kind; kind != model.MPI {
		t.Errorf("MPI_Send is of kind %s", kind)
	}
	if !slices.Equal(e.Notes, []string{partsNote, "summed over iteration#l1"}) {
		t.Errorf("notes %q", e.Notes)
	}
}

// TestCutStream: a stream that ends within a line is not whole; one that counts
// iterations says that they are summed.
func TestCutStream(t *testing.T) {
	const whole = `__rec=node,id=12,attr=10,data=276,parent=3
__rec=node,id=13,attr=8,data=function,parent=12
__rec=node,id=20,attr=10,data=21,parent=2
__rec=node,id=24,attr=8,data=iteration#l1,parent=20
__rec=node,id=22,attr=10,data=85,parent=5
__rec=node,id=23,attr=8,data=time.duration,parent=22
__rec=node,id=30,attr=13,data=main
__rec=ctx,ref=30,attr=24=23,data=1=1000000
`
	for text, incomplete := range map[string]string{whole: "", whole + "__rec=node,id=31,attr=13,data=": "the last line is not ended: the file may have been cut short"} {
		e, err := readCaliStream(t.Context(), "s", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if e.Incomplete != incomplete || !slices.Equal(e.Notes, []string{"summed over iteration#l1"}) {
			t.Errorf("incomplete %q, want %q; notes %q", e.Incomplete, incomplete, e.Notes)
		}
	}
}
