package pprof

import (
	"bytes"
	"context"
	"encoding/binary"
	"maps"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"auspex/ingest/input"
	"auspex/ingest/inputtest"
	"auspex/model"

	"github.com/google/pprof/profile"
)

// example has stacks main/work/MPI_Send, main/work, an inlined function
// and a library without symbols.
func example() *profile.Profile {
	program := &profile.Mapping{ID: 1, File: "/usr/bin/solver"}
	library := &profile.Mapping{ID: 2, File: "/lib/libm.so.6"}
	main := &profile.Function{ID: 1, Name: "main", Filename: "main.c", StartLine: 10}
	work := &profile.Function{ID: 2, Name: "work", Filename: "work.c", StartLine: 20}
	inlined := &profile.Function{ID: 3, Name: "axpy", Filename: "blas.c"}
	send := &profile.Function{ID: 4, Name: "MPI_Send"}
	at := func(id uint64, m *profile.Mapping, functions ...*profile.Function) *profile.Location {
		l := &profile.Location{ID: id, Mapping: m}
		for _, f := range functions {
			l.Line = append(l.Line, profile.Line{Function: f, Line: 99})
		}
		return l
	}
	inMain, inWork, inAxpy := at(1, program, main), at(2, program, work), at(3, program, inlined, work)
	inSend, inMath, otherMath := at(4, nil, send), at(5, library), at(6, library)
	sample := func(count, ns int64, stack ...*profile.Location) *profile.Sample {
		return &profile.Sample{Location: stack, Value: []int64{count, ns}, Label: map[string][]string{"request": {"x"}}}
	}
	return &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		TimeNanos:  time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC).UnixNano(),
		Mapping:    []*profile.Mapping{program, library},
		Function:   []*profile.Function{main, work, inlined, send},
		Location:   []*profile.Location{inMain, inWork, inAxpy, inSend, inMath, otherMath},
		Sample: []*profile.Sample{
			sample(1, 10e6, inSend, inWork, inMain),
			sample(2, 20e6, inWork, inMain),
			sample(1, 10e6, inSend, inWork, inMain),
			sample(3, 30e6, inAxpy, inMain),
			sample(4, 40e6, inMath, inMain),
			sample(5, 50e6, otherMath, inMain),
			sample(6, 60e6),
		},
	}
}

func pprofBytes(t testing.TB, p *profile.Profile) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.WriteUncompressed(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPprof(t *testing.T) {
	raw := pprofBytes(t, example())
	for _, content := range [][]byte{raw, inputtest.Gzipped(t, raw)} {
		e, err := inputtest.ReadBytes(t, Formats(), "cpu.pb.gz", content)
		if err != nil {
			t.Fatal(err)
		}
		if e.Format != "pprof" || e.Program != "solver" || e.Created.Year() != 2024 || e.Name != "cpu" || len(e.Units) != 1 {
			t.Errorf("header %+v", e.Header)
		}
		want := map[string]float64{
			"main/work/MPI_Send": 20000, "main/work": 20000, "main/work/axpy": 30000, "main/[libm.so.6]": 90000, "(no stack)": 60000,
		}
		if got := inputtest.ValuesOf(t, e, 0, model.CPUTime, model.Exclusive); !maps.Equal(got, want) {
			t.Errorf("CPU time %v, should be %v", got, want)
		}
		if got := inputtest.ValuesOf(t, e, 0, "samples", model.Exclusive)["main/[libm.so.6]"]; got != 9 {
			t.Errorf("%g samples", got)
		}
		for i, path := range model.Paths(e.Regions) {
			r := e.Regions[i]
			if path == "main/work" && (r.File != "work.c" || r.Line != 20) || path == "main/work/MPI_Send" && r.Kind != model.MPI {
				t.Errorf("region %+v", r)
			}
		}
		if m := e.Metrics[inputtest.MetricOf(t, e, model.CPUTime, model.Exclusive)]; m.Alias != "cpu" || m.Unit != "s" {
			t.Errorf("metric %+v", m)
		}
	}
}

// What the Go runtime writes is recognised and read.
func TestPprofOfGoRuntime(t *testing.T) {
	for _, kind := range []string{"heap", "goroutine", "threadcreate", "block"} {
		var b bytes.Buffer
		if err := pprof.Lookup(kind).WriteTo(&b, 0); err != nil {
			t.Fatal(err)
		}
		e, err := inputtest.ReadBytes(t, Formats(), kind+".pb.gz", b.Bytes())
		if kind == "block" { // empty unless switched on
			if err == nil || !strings.Contains(err.Error(), "no values found") {
				t.Errorf("%s: %v", kind, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if kind == "heap" && (e.MetricIndex("alloc_space", model.Exclusive) < 0 || e.Metrics[e.MetricIndex("alloc_space", model.Exclusive)].Unit != "bytes") {
			t.Errorf("metrics %v", e.Metrics)
		}
	}
}

func TestPprofTypes(t *testing.T) {
	p := example()
	p.SampleType = []*profile.ValueType{{Type: "wall", Unit: "milliseconds"}, {Type: "wall-time", Unit: "microseconds"}, {Type: "cpu", Unit: "count"}, {Type: "cpu", Unit: "parsecs"}, {}}
	for _, s := range p.Sample {
		s.Value = []int64{1, 1, 1, 1, 1}
	}
	e, err := parse(context.Background(), bytes.NewReader(pprofBytes(t, p)), "x")
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Metric{
		{Name: "wtime", Alias: "wall", Unit: "s"}, {Name: "wall-time", Unit: "s"}, {Name: "cpu", Unit: "count"}, {Name: "cpu'", Alias: "cpu", Unit: "count"}, {Name: "value", Unit: "count"},
	}
	for i, m := range want {
		m.Scope, m.Missing = model.Exclusive, model.Zero
		if e.Metrics[i] != m {
			t.Errorf("metric %+v, should be %+v", e.Metrics[i], m)
		}
	}
	if got := inputtest.ValuesOf(t, e, 0, model.WallTime, model.Exclusive)["main/work/MPI_Send"]; got != 2000 { // two samples
		t.Errorf("wall time %g microseconds", got)
	}
}

func TestPprofDeepStacks(t *testing.T) {
	p := example()
	for range 5000 {
		p.Sample[0].Location = append(p.Sample[0].Location, p.Location[1])
	}
	e, err := parse(context.Background(), bytes.NewReader(pprofBytes(t, p)), "x")
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Regions) > 2*maxDepth || len(e.Notes) != 1 {
		t.Errorf("%d regions, notes %q", len(e.Regions), e.Notes)
	}
}

func TestPprofRecognised(t *testing.T) {
	raw := pprofBytes(t, example())
	// Whatever part of a file is looked at, it is recognised, and only what
	// is not cut is taken for whole.
	for n := 6; n < len(raw); n++ {
		if !looksLike(raw[:n], false) {
			t.Errorf("the first %d bytes are not recognised", n)
		}
	}
	for _, text := range []string{
		"", "\n", "hello", "{\"a\": 1}", "region,metric,value\nmain,time,3\n", "\n\n\n\n\n\n\n\n", strings.Repeat("\x00", 100),
		"<profile_xml>", "23 templated_functions_MULTI_TIME\n", "P\x00P\x00K", "\x0a\x04\x08\x01\x10", "\x12\x00", "PK\x03\x04", "\x0a\x04abcd",
	} {
		if looksLike([]byte(text), true) {
			t.Errorf("%q is taken for pprof", text)
		}
	}
	for _, name := range []string{"pprof.go", "types.go", filepath.Join("..", "..", "go.sum")} {
		head, _, err := input.ReadHead(name)
		if err != nil {
			t.Fatal(err)
		}
		if isPprof(name, head) {
			t.Errorf("%s is taken for pprof", name)
		}
	}
}

func TestPprofBad(t *testing.T) {
	raw := pprofBytes(t, example())
	negative := example()
	negative.Sample[3].Value[1] = -5
	for name, test := range map[string]struct {
		content []byte
		err     string
	}{
		"empty":    {nil, "no sound pprof profile"},
		"junk":     {[]byte("hello world"), "no sound pprof profile"},
		"zipped":   {inputtest.Gzipped(t, raw), "no sound pprof profile"},
		"negative": {pprofBytes(t, negative), "sample 3 is negative"},
		"no stack": {pprofBytes(t, &profile.Profile{SampleType: []*profile.ValueType{{Type: "cpu", Unit: "ns"}}}), "no values found"},
	} {
		if _, err := parse(context.Background(), bytes.NewReader(test.content), "cpu.pb"); err == nil || !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: %v, should tell %q", name, err, test.err)
		}
	}
	zipped := inputtest.Gzipped(t, raw)
	for n := range zipped {
		if _, err := inputtest.ReadBytes(t, Formats(), "cpu.pb.gz", zipped[:n]); err == nil {
			t.Fatalf("gzip cut at byte %d is read", n)
		}
	}
	for n := range raw { // a message that is cut may be a shorter one
		if e, err := parse(context.Background(), bytes.NewReader(raw[:n]), "cpu.pb"); err == nil {
			e.Name = "cut"
			if err := e.Check(); err != nil {
				t.Error(err)
			}
		}
	}
}

func FuzzPprof(f *testing.F) {
	f.Add(pprofBytes(f, example()))
	f.Add([]byte{0x0a, 0x04, 0x08, 0x01, 0x10, 0x02})
	f.Fuzz(func(t *testing.T, content []byte) {
		looksLike(content, true)
		looksLike(content, false)
		e, err := parse(context.Background(), bytes.NewReader(content), "fuzz")
		if err != nil {
			return
		}
		e.Name = "fuzz"
		if err := e.Check(); err != nil {
			t.Error(err)
		}
	})
}

func TestDamagedPprof(t *testing.T) {
	inputtest.CheckDamaged(t, pprofBytes(t, example()), func(b []byte) (*model.Experiment, error) {
		return parse(context.Background(), bytes.NewReader(b), "x")
	})
}

func BenchmarkPprof(b *testing.B) {
	p := example()
	for len(p.Sample) < 50_000 {
		p.Sample = append(p.Sample, p.Sample[:7]...)
	}
	raw := pprofBytes(b, p)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parse(context.Background(), bytes.NewReader(raw), "x"); err != nil {
			b.Fatal(err)
		}
	}
}

// gperftools' heap profiles are text with addresses and a map of libraries.
func TestOldText(t *testing.T) {
	text := `heap profile:    4:     4096 [    7:   9000] @ heapprofile
     3:     3072 [     5:     7000] @ 0x400100 0x400200
     1:     1024 [     2:     2000] @ 0x400300 0x400200

MAPPED_LIBRARIES:
00400000-00500000 r-xp 00000000 fd:01 123 /home/me/prog
`
	e, err := inputtest.ReadBytes(t, Formats(), "prog.0001.heap", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var columns []string
	for _, m := range e.Metrics {
		columns = append(columns, m.Column())
	}
	if e.Program != "prog" || len(e.Regions) != 2 {
		t.Errorf("program %q, regions %+v, metrics %v", e.Program, e.Regions, columns)
	}
	space := inputtest.MatrixOf(t, e, "inuse_space.exc")
	inputtest.WantNear(t, "bytes in use", inputtest.RowSum(space, 0), 4096)
	growth := strings.Replace(text, "heapprofile", "growthz", 1)
	windows := strings.ReplaceAll(text, "\n", "\r\n")
	contention := "--- contentionz 1 ---\ncycles/second = 1000000000\nsampling period = 100\n  4000 3 @ 0x400100 0x400200\n--- Memory map: ---\n00400000-00500000 r-xp 00000000 fd:01 123 /home/me/prog\n"
	for what, text := range map[string]string{"growth": growth, "line ends": windows, "contention": contention} {
		if _, err := inputtest.ReadBytes(t, Formats(), "x.heap", []byte(text)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, text := range []string{"heap profile: nonsense\n", "heap profile:    0:     0 [    0:   0] @ heapprofile\n"} {
		if _, err := inputtest.ReadBytes(t, Formats(), "x.heap", []byte(text)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// TestProcessorProfile: the words that gperftools writes while a program runs, of
// machines of either order and size.
func TestProcessorProfile(t *testing.T) {
	maps := "00400000-00500000 r-xp 00000000 fd:01 123 /home/me/prog\n"
	words := []uint64{0, 3, 0, 2000, 0, 5, 2, 0x400100, 0x400200, 7, 1, 0x400300, 0, 1, 0}
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, size := range []int{4, 8} {
			var data []byte
			for _, w := range words {
				if size == 4 {
					data = order.AppendUint32(data, uint32(w))
				} else {
					data = order.AppendUint64(data, w)
				}
			}
			e, err := inputtest.ReadBytes(t, Formats(), "prog.prof", append(data, maps...))
			if err != nil {
				t.Fatalf("%v, %d bytes a word: %v", order, size, err)
			}
			inputtest.WantNear(t, "samples", inputtest.RowSum(inputtest.MatrixOf(t, e, "samples.exc"), 0), 12)
			inputtest.WantNear(t, "seconds", inputtest.RowSum(inputtest.MatrixOf(t, e, "cpu_time.exc"), 0), 12*2000e-6)
			if _, err := inputtest.ReadBytes(t, Formats(), "prog.prof", data[:6*size+1]); err == nil {
				t.Error("a profile that ends within a sample is read")
			}
		}
	}
}
