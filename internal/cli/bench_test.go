package cli

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"auspex/model"
	"auspex/store"
)

// These benchmarks time the whole program, from its start to its end, and
// report the peak of its memory.

// whole runs auspex once per iteration and reports time and peak memory.
func whole(b *testing.B, bytes int64, args ...string) {
	b.Helper()
	path, err := exec.LookPath("auspex")
	if err != nil {
		b.Fatal(err)
	}
	if bytes > 0 {
		b.SetBytes(bytes)
	}
	peak := int64(0)
	for b.Loop() {
		cmd := exec.Command(path, args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		peak = max(peak, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	}
	b.ReportMetric(float64(peak)/1024, "MiB-peak")
}

func importInto(b *testing.B, paths ...string) []string {
	return append([]string{"--store", filepath.Join(b.TempDir(), "store"), "import", "--name", "x", "--replace"}, paths...)
}

func BenchmarkStart(b *testing.B) { whole(b, 0, "version") }

func BenchmarkImportLULESH64(b *testing.B) {
	path := filepath.Join(sharedData(b), "caliper-lulesh-scaling/lulesh-annotation-profile-64cores.json")
	if _, err := os.Stat(path); err != nil {
		b.Skip("the real profiles lie beside the project in ../shared/data")
	}
	whole(b, 0, importInto(b, path)...)
}

// A 64-rank HPCToolkit database, made of the 10 ranks of a real one.
func BenchmarkImportHPCToolkit64(b *testing.B) {
	from := filepath.Join(sharedData(b), "hpctoolkit-allgather-10x2")
	parts, _ := filepath.Glob(filepath.Join(from, "*-000-*.metric-db"))
	if len(parts) == 0 {
		b.Skip("the real profiles lie beside the project in ../shared/data")
	}
	dir := b.TempDir()
	if err := os.Symlink(filepath.Join(from, "experiment.xml"), filepath.Join(dir, "experiment.xml")); err != nil {
		b.Fatal(err)
	}
	for rank := range 64 {
		name := fmt.Sprintf("1.osu_allgather-%06d-000-a8c00471-%d-0.metric-db", rank, 152577+rank)
		if err := os.Symlink(parts[rank%len(parts)], filepath.Join(dir, name)); err != nil {
			b.Fatal(err)
		}
	}
	whole(b, 0, importInto(b, dir)...)
}

// The long table of 4,096 units × 500 regions × 8 metrics: 16 million values,
// 131 MB in memory.
func longTable(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "long.csv")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	fmt.Fprintln(w, "process,thread,region,metric,value")
	random := rand.New(rand.NewPCG(1, 2))
	for process := range 4096 {
		for region := range 500 {
			for metric := range 8 {
				fmt.Fprintf(w, "%d,0,main/solve/region%d,metric%d,%.9g\n", process, region, metric, random.Float64())
			}
		}
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	f.Close()
	return path
}

func size(b *testing.B, path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

func BenchmarkImportCSV16M(b *testing.B) {
	path := longTable(b)
	whole(b, size(b, path), importInto(b, path)...)
}

func BenchmarkImportParquet16M(b *testing.B) {
	csv := longTable(b)
	dir := b.TempDir()
	path := filepath.Join(dir, "long.parquet")
	for _, args := range [][]string{
		{"--store", dir, "import", csv, "--name", "x"},
		{"--store", dir, "export", "x", "--to", "parquet", "-o", path},
	} {
		if out, err := exec.Command("auspex", args...).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
	whole(b, size(b, path), importInto(b, path)...)
	b.ReportMetric(4096*500*8*float64(b.N)/b.Elapsed().Seconds(), "values/s")
}

// A PyTorch trace of 1 GB: nested operators on eight threads.
func BenchmarkImportKineto1GB(b *testing.B) {
	path := filepath.Join(b.TempDir(), "trace.json")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	fmt.Fprint(w, `{"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": 1}, "traceEvents": [`)
	written, separator := 0, "\n"
	for i := 0; written < 1<<30; i++ {
		n, _ := fmt.Fprintf(w, `%s{"ph": "X", "cat": "cpu_op", "name": "aten::op%d", "pid": 7, "tid": %d, "ts": %d.5, "dur": %d, "args": {"External id": %d, "Input Dims": "[[64, 128], [128]]", "Sequence number": %d}}`,
			separator, i%300, i%8, i*10, 5+i%90, i, i/3)
		written += n
		separator = ",\n"
	}
	fmt.Fprintln(w, "\n]}")
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	f.Close()
	whole(b, size(b, path), importInto(b, path)...)
}

func BenchmarkLs10000(b *testing.B) {
	dir := b.TempDir()
	s := store.Open(dir)
	builder := model.NewBuilder()
	builder.Set(builder.Unit(model.Unit{}), builder.Region(model.Region{Name: "main", Parent: model.NoParent}),
		builder.Metric(model.NewMetric(model.WallTime, "TIME", model.Exclusive)), 1)
	e, err := builder.Build(model.Header{Name: "x", Command: strings.Repeat("solve ", 10), Factors: []model.Factor{
		model.NewFactor("cpus", "8"), model.NewFactor("network", "GM"),
	}})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 10000 {
		e.Name = fmt.Sprint("experiment", i)
		if err := s.Put(e, false); err != nil {
			b.Fatal(err)
		}
	}
	whole(b, 0, "--store", dir, "ls")
}
