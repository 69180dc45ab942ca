package ingest

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"auspex/model"
)

// sampleData returns a path below the shared profiles, or skips the test.
func sampleData(t testing.TB, parts ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{"..", "..", "shared", "data"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("shared profiles are not here: %v", err)
	}
	return path
}

// readOne reads the one profile below a path, its format found from the
// content.
func readOne(t testing.TB, path, format string) *model.Experiment {
	t.Helper()
	found, err := Find([]string{path}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	if len(found.Sources) != 1 || found.Sources[0].Format != format {
		t.Fatalf("found %d sources, the first %+v; want one in format %s", len(found.Sources), *found.Sources[0], format)
	}
	exp, err := Read(context.Background(), found.Sources[0])
	if err != nil {
		t.Fatal(err)
	}
	return exp
}

// regionAt finds a region by its path.
func regionAt(t testing.TB, e *model.Experiment, path string) int {
	t.Helper()
	for r, have := range model.Paths(e.Regions) {
		if have == path {
			return r
		}
	}
	t.Fatalf("no region %q among %d", path, len(e.Regions))
	return -1
}

// matrixOf is the dense form of a column such as wtime.exc.
func matrixOf(t testing.TB, e *model.Experiment, column string) model.Matrix {
	t.Helper()
	for m := range e.Metrics {
		if e.Metrics[m].Column() == column {
			return e.Matrix(m)
		}
	}
	t.Fatalf("no metric %q in %+v", column, e.Metrics)
	return model.Matrix{}
}

// rowSum adds up one unit's values over all regions.
func rowSum(m model.Matrix, unit int) float64 {
	sum := 0.0
	for _, v := range m.Row(unit) {
		sum += v
	}
	return sum
}

func wantNear(t testing.TB, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// wantError checks that an error speaks of everything named, a place among it.
func wantError(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error; want one about %q", parts)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q says nothing of %q", err, part)
		}
	}
}

// checkFuzzed checks what a reader made of arbitrary bytes.
func checkFuzzed(t *testing.T, e *model.Experiment, err error) {
	t.Helper()
	if err != nil {
		if e != nil {
			t.Fatal("both an experiment and an error")
		}
		return
	}
	e.Name = "fuzzed"
	if err := e.Check(); err != nil {
		t.Fatal(err)
	}
}

// byteOrder is binary.LittleEndian or binary.BigEndian.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}
