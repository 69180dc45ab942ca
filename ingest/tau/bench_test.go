package tau

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"auspex/ingest/input"
	"auspex/ingest/inputtest"
)

// largeRun is a flat run of many ranks.
func largeRun(ranks, functions, metrics int) *data {
	d := newData()
	names := []string{"TIME", "PAPI_TOT_INS", "PAPI_L1_DCM", "PAPI_FP_INS", "PAPI_TOT_CYC"}
	var columns []int32
	for m := range metrics {
		columns = append(columns, d.metric(names[m]))
	}
	for rank := range ranks {
		t := d.thread(tauID{node: rank})
		t.metrics = columns
		t.metadata = []attribute{{"Hostname", fmt.Sprint("node", rank/16)}}
		for f := range functions {
			t.function = append(t.function, d.function(tauFunction{fmt.Sprintf("void solver_%d(double *, int) C [{solver.c} {%d,1}-{%d,1}]", f, f, f+9), "TAU_DEFAULT"}))
			t.calls = append(t.calls, float64(f+1))
			for m := range metrics {
				t.values = append(t.values, float64(f*1000+rank+m), float64(f*2000+rank+m))
			}
		}
	}
	return d
}

func benchmarkRead(b *testing.B, path string, size int64) {
	b.Helper()
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		found, err := input.Find(Formats(), []string{path}, "")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := found.Sources[0].Read(context.Background(), Formats()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTAUProfileFiles(b *testing.B) {
	dir := b.TempDir()
	size := 0
	for name, text := range textTAU(largeRun(512, 400, 2)) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
		size += len(text)
	}
	benchmarkRead(b, dir, int64(size))
}

func BenchmarkTAUPacked(b *testing.B) {
	raw := pack(largeRun(512, 400, 2), 2)
	path := filepath.Join(b.TempDir(), "run.ppk")
	if err := os.WriteFile(path, inputtest.Gzipped(b, raw), 0o644); err != nil {
		b.Fatal(err)
	}
	benchmarkRead(b, path, int64(len(raw)))
}

func BenchmarkTAUXML(b *testing.B) {
	text := merge(largeRun(512, 400, 2))
	path := filepath.Join(b.TempDir(), "tauprofile.xml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	benchmarkRead(b, path, int64(len(text)))
}
