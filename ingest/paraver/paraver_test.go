package paraver

import (
	"math"
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
