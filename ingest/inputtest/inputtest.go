// Package inputtest helps the tests of the readers: samples, damage and checks.
package inputtest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"auspex/ingest/input"
	"auspex/model"
)

// SampleData returns a path below the shared profiles, or skips the test. They
// lie beside the module.
func SampleData(t testing.TB, parts ...string) string {
	t.Helper()
	root := ".."
	for range 4 {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		root = filepath.Join(root, "..")
	}
	path := filepath.Join(append([]string{root, "..", "shared", "data"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("shared profiles are not here: %v", err)
	}
	return path
}

// ReadOne reads the one profile below a path, its format found from the
// content.
func ReadOne(t testing.TB, formats []input.Format, path, format string) *model.Experiment {
	t.Helper()
	found, err := input.Find(formats, []string{path}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	if len(found.Sources) != 1 || found.Sources[0].Format != format {
		t.Fatalf("found %d sources, the first %+v; want one in format %s", len(found.Sources), *found.Sources[0], format)
	}
	exp, err := found.Sources[0].Read(context.Background(), formats)
	if err != nil {
		t.Fatal(err)
	}
	return exp
}

// RegionAt finds a region by its path.
func RegionAt(t testing.TB, e *model.Experiment, path string) int {
	t.Helper()
	for r, have := range model.Paths(e.Regions) {
		if have == path {
			return r
		}
	}
	t.Fatalf("no region %q among %d", path, len(e.Regions))
	return -1
}

// MatrixOf is the dense form of a column such as wtime.exc.
func MatrixOf(t testing.TB, e *model.Experiment, column string) model.Matrix {
	t.Helper()
	for m := range e.Metrics {
		if e.Metrics[m].Column() == column {
			return e.Matrix(m)
		}
	}
	t.Fatalf("no metric %q in %+v", column, e.Metrics)
	return model.Matrix{}
}

// RowSum adds up one unit's values over all regions.
func RowSum(m model.Matrix, unit int) float64 {
	sum := 0.0
	for _, v := range m.Row(unit) {
		sum += v
	}
	return sum
}

// WantNear checks a value to within rounding.
func WantNear(t testing.TB, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// WantError checks that an error speaks of everything named, a place among it.
func WantError(t testing.TB, err error, parts ...string) {
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

// CheckFuzzed checks what a reader made of arbitrary bytes.
func CheckFuzzed(t *testing.T, e *model.Experiment, err error) {
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

// ByteOrder is binary.LittleEndian or binary.BigEndian.
type ByteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// Gzipped compresses.
func Gzipped(t testing.TB, content []byte) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w := gzip.NewWriter(&buffer)
	w.Write(content)
	w.Close()
	return buffer.Bytes()
}

// mutated damages a file in a few places: bytes changed, parts lost, repeated
// or moved.
func mutated(r *rand.Rand, content []byte) []byte {
	b := slices.Clone(content)
	for range 1 + r.Intn(6) {
		if len(b) == 0 {
			break
		}
		i, j := r.Intn(len(b)), r.Intn(len(b))
		part := slices.Clone(b[j:min(len(b), j+r.Intn(60))])
		switch r.Intn(4) {
		case 0:
			b[i] = byte(r.Intn(256))
		case 1:
			b = slices.Delete(b, i, min(len(b), i+r.Intn(40)))
		case 2:
			b = slices.Insert(b, i, []byte("99999999999")...)
		case 3:
			b = slices.Insert(b, i, part...)
		}
	}
	return b
}

// CheckDamaged reads a file damaged in many ways: whatever happens to it, the
// answer is an error or a sound experiment. The damage is the same every time.
func CheckDamaged(t *testing.T, content []byte, read func([]byte) (*model.Experiment, error)) {
	t.Helper()
	r := rand.New(rand.NewSource(1))
	const tries = 4000
	sound := 0
	for range tries {
		damaged := mutated(r, content)
		e, err := read(damaged)
		if err != nil {
			continue
		}
		sound++
		if e.Name = "damaged"; e.Check() != nil {
			t.Fatalf("%v\nof %q", e.Check(), damaged)
		}
	}
	if sound == 0 || sound == tries {
		t.Errorf("%d of %d damaged files are read: the damage does not test anything", sound, tries)
	}
}

// ReadBytes writes the content to a file and reads it.
func ReadBytes(t testing.TB, formats []input.Format, name string, content []byte) (*model.Experiment, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	found, err := input.Find(formats, []string{path}, "")
	if err != nil {
		return nil, err
	}
	return found.Sources[0].Read(context.Background(), formats)
}

// Efficiency of a run: Useful time is exclusive time outside MPI, run time the
// largest inclusive time of all.
type Efficiency struct{ Balance, Communication, Parallel, RunTime float64 }

// EfficiencyOf computes it from wall time.
func EfficiencyOf(t testing.TB, e *model.Experiment) Efficiency {
	t.Helper()
	exclusive := e.Matrix(MetricOf(t, e, model.WallTime, model.Exclusive))
	inclusive := exclusive.Clone()
	if model.IsFlat(e.Regions) {
		inclusive = e.Matrix(MetricOf(t, e, model.WallTime, model.Inclusive))
	} else {
		inclusive.ToInclusive(e.Regions)
	}
	communication := model.Communication(e.Regions)
	var sum, most, runTime float64
	for u := range e.Units {
		useful := 0.0
		for r, v := range exclusive.Row(u) {
			if !communication[r] {
				useful += v
			}
			runTime = max(runTime, inclusive.At(u, r))
		}
		sum += useful
		most = max(most, useful)
	}
	balance := sum / float64(len(e.Units)) / most
	return Efficiency{balance, most / runTime, sum / float64(len(e.Units)) / runTime, runTime}
}

// MetricOf is the place of a metric.
func MetricOf(t testing.TB, e *model.Experiment, name string, scope model.Scope) int {
	t.Helper()
	m := e.MetricIndex(name, scope)
	if m < 0 {
		t.Fatalf("%s has no %s %s: %v", e.Name, name, scope, e.Metrics)
	}
	return m
}

// Near checks a value against what is known of it.
func Near(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.6g, should be %.6g", what, got, want)
	}
}

// ValuesOf lists one unit's values by region path, in microseconds for times.
func ValuesOf(t testing.TB, e *model.Experiment, unit int, metric string, scope model.Scope) map[string]float64 {
	t.Helper()
	m := MetricOf(t, e, metric, scope)
	values := map[string]float64{}
	paths := model.Paths(e.Regions)
	for row, v := range e.Summaries.Values[m] {
		if int(e.Summaries.Unit[row]) == unit && v == v {
			if e.Metrics[m].Unit == "s" {
				v = math.Round(v*1e9) / 1e3
			}
			values[paths[e.Summaries.Region[row]]] = v
		}
	}
	return values
}
