// Package sample gives tests of several packages experiments to work on.
package sample

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"auspex/ingest"
	"auspex/model"
	"auspex/store"
)

// Root is the project's directory.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "../..")
}

// Stored puts an experiment into a store of its own.
func Stored(t testing.TB, e *model.Experiment) *store.Experiment {
	t.Helper()
	s := store.Open(t.TempDir())
	if err := s.Put(e, false); err != nil {
		t.Fatal(err)
	}
	stored, err := s.Get(e.Name)
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

// Read imports the first experiment of a file of the project.
func Read(t testing.TB, path string) *model.Experiment {
	t.Helper()
	found, err := ingest.Find([]string{filepath.Join(Root(), path)}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	e, err := ingest.Read(context.Background(), found.Sources[0])
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Real imports a profile of a real program, which lie beside the project.
func Real(t testing.TB, path string) *model.Experiment {
	t.Helper()
	inside := filepath.Join("../shared/data", path)
	if _, err := os.Stat(filepath.Join(Root(), inside)); err != nil {
		t.Skipf("the real profile %s lies beside the project in ../shared/data and is not there", path)
	}
	return Read(t, inside)
}

// Random draws a small tree with times, some of it communication, not every
// unit entering every region.
func Random(t *rapid.T, scope model.Scope) *model.Experiment {
	b := model.NewBuilder()
	seconds := b.Metric(model.NewMetric(model.WallTime, "TIME", scope))
	misses := b.Metric(model.NewMetric(model.L2Misses, "PAPI_L2_TCM", scope))
	hits := b.Metric(model.Metric{Name: "hit_ratio", Unit: "ratio", Missing: model.Absent})
	regions := rapid.IntRange(1, 6).Draw(t, "regions")
	parents := make([]int, regions)
	for r := range regions {
		parents[r] = rapid.IntRange(model.NoParent, r-1).Draw(t, "parent")
		kind := rapid.SampledFrom([]model.Kind{model.Function, model.Function, model.MPI}).Draw(t, "kind")
		b.Region(model.Region{Name: fmt.Sprint("r", r), Parent: parents[r], Kind: kind})
	}
	for p := range rapid.IntRange(1, 4).Draw(t, "units") {
		u := b.Unit(model.Unit{Process: p})
		values := make([]float64, regions)
		for r := regions - 1; r >= 0; r-- {
			if rapid.IntRange(0, 3).Draw(t, "entered") > 0 || r == 0 || values[r] > 0 {
				values[r] += float64(rapid.IntRange(1, 50).Draw(t, "seconds"))
				b.Set(u, r, seconds, values[r])
				b.Set(u, r, misses, 1000*values[r])
				b.Set(u, r, hits, float64(r)/10)
			}
			if scope == model.Inclusive && parents[r] >= 0 {
				values[parents[r]] += values[r]
			} else {
				values[r] = 0
			}
		}
	}
	e, err := b.Build(model.Header{Name: "random"})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Scored is main (2 s + 6 s in solve + 2 s in MPI), two units; misses 10, 60, 0.
func Scored(t testing.TB, scale float64) *model.Experiment {
	t.Helper()
	b := model.NewBuilder()
	seconds := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	misses := b.Metric(model.NewMetric(model.L2Misses, "", model.Exclusive))
	root := b.Region(model.Region{Name: "main", Parent: model.NoParent})
	solve := b.Region(model.Region{Name: "solve", Parent: root})
	wait := b.Region(model.Region{Name: "MPI_Wait", Kind: model.MPI, Parent: root})
	for p, share := range []float64{1, 3} {
		u := b.Unit(model.Unit{Process: p})
		b.Set(u, root, seconds, 0.5*scale)
		b.Set(u, solve, seconds, 1.5*share*scale)
		b.Set(u, wait, seconds, (5-1.5*share)*scale/2)
		b.Set(u, root, misses, 5)
		b.Set(u, solve, misses, 30)
		b.Set(u, wait, misses, 0)
	}
	e, err := b.Build(model.Header{Name: "scored"})
	if err != nil {
		t.Fatal(err)
	}
	return e
}
