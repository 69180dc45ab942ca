package caliper

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"auspex/ingest/inputtest"
	"auspex/model"
)

// TestCaliperLULESH holds the figures of the data's NOTES.md.
func TestCaliperLULESH(t *testing.T) {
	for _, want := range []struct {
		ranks                        int
		balance, comm, parallel, run float64
	}{
		{8, .944, .725, .684, 43.6}, {27, .917, .769, .705, 50.9}, {64, .899, .828, .744, 51.2},
	} {
		path := inputtest.SampleData(t, "caliper-lulesh-scaling", fmt.Sprintf("lulesh-annotation-profile-%dcores.json", want.ranks))
		e := inputtest.ReadOne(t, Formats(), path, "caliper")
		if len(e.Units) != want.ranks {
			t.Fatalf("%d units, want %d", len(e.Units), want.ranks)
		}
		got := inputtest.EfficiencyOf(t, e)
		inputtest.Near(t, "load balance", got.Balance, want.balance, 0.0006)
		inputtest.Near(t, "communication efficiency", got.Communication, want.comm, 0.0006)
		inputtest.Near(t, "parallel efficiency", got.Parallel, want.parallel, 0.0006)
		inputtest.Near(t, "run time", got.RunTime, want.run, 0.06)
	}
}

// TestCaliperImbalance: the regions that LULESH's options make uneven.
func TestCaliperImbalance(t *testing.T) {
	e := inputtest.ReadOne(t, Formats(), inputtest.SampleData(t, "caliper-lulesh-scaling", "lulesh-annotation-profile-64cores.json"), "caliper")
	m := inputtest.MatrixOf(t, e, "wtime.exc")
	for name, want := range map[string]float64{"EvalEOSForElems": 1.67, "CalcEnergyForElems": 1.85, "CalcKinematicsForElems": 1.01} {
		for r, region := range e.Regions {
			if region.Name != name {
				continue
			}
			sum, most := 0.0, 0.0
			for u := range e.Units {
				sum += m.At(u, r)
				most = max(most, m.At(u, r))
			}
			inputtest.Near(t, name, most/(sum/float64(len(e.Units))), want, 0.006)
		}
	}
}

func TestCaliStream(t *testing.T) {
	e := inputtest.ReadOne(t, Formats(), inputtest.SampleData(t, "caliper-cali", "c5UcO9xwAUKNVVFg1_2.cali"), "cali")
	if e.Program != "lulesh2.0" || !e.Created.Equal(time.Unix(1616614882, 0)) {
		t.Errorf("program %q, created %v", e.Program, e.Created)
	}
	if size, _ := e.Factor("problem_size"); size.Number != 10 {
		t.Errorf("problem_size %+v", size)
	}
	if len(e.Units) != 1 || len(e.Notes) != 1 || !strings.Contains(e.Notes[0], "343 ranks") {
		t.Errorf("%d units, notes %q", len(e.Units), e.Notes)
	}
	cycle := inputtest.RegionAt(t, e, "main/lulesh.cycle")
	if e.Regions[cycle].Kind != model.Loop {
		t.Errorf("kind %s", e.Regions[cycle].Kind)
	}
	inputtest.WantNear(t, "mean time", inputtest.MatrixOf(t, e, "wtime.inc").At(0, cycle), 3.707121)
	inputtest.WantNear(t, "least time", inputtest.MatrixOf(t, e, "wtime_min").At(0, cycle), 3.694622)
	inputtest.WantNear(t, "all time", inputtest.MatrixOf(t, e, "wtime_total.inc").At(0, cycle), 1271.54234)
	if send := e.Regions[inputtest.RegionAt(t, e, "main/MPI_Isend")]; send.Kind != model.MPI {
		t.Errorf("MPI_Isend is %s", send.Kind)
	}
}

// TestCaliRAJAPerf: one rank, so the aggregates over ranks are its values.
func TestCaliRAJAPerf(t *testing.T) {
	e := inputtest.ReadOne(t, Formats(), inputtest.SampleData(t, "rajaperf-ensemble", "lassen_clang10.0.1_nvcc10.2.89_1048576_1_Base_CUDA-block_256.cali"), "cali")
	if len(e.Notes) != 0 || e.MetricIndex("wtime_min", model.Own) >= 0 {
		t.Errorf("notes %q, metrics %v", e.Notes, e.Metrics)
	}
	r := inputtest.RegionAt(t, e, "RAJAPerf/Basic/Basic_COPY8")
	inputtest.WantNear(t, "time", inputtest.MatrixOf(t, e, "wtime.inc").At(0, r), 0.008626)
	inputtest.WantNear(t, "bytes", inputtest.MatrixOf(t, e, "Bytes/Rep").At(0, r), 134217728)
	if tuning, _ := e.Factor("tuning"); tuning.Word != "block_256" || e.Program != "nvcc10.2.89_clang10.0.1.exe" {
		t.Errorf("tuning %+v, program %q", tuning, e.Program)
	}
}

func TestCaliperColumn(t *testing.T) {
	for _, test := range []struct {
		name, unit string
		want       model.Metric
		scale      float64
	}{
		{"sum#time.duration", "", model.Metric{Name: "wtime", Scope: "exc"}, 1e-6},
		{"inclusive#sum#time.duration", "sec", model.Metric{Name: "wtime", Scope: "inc"}, 1},
		{"time.duration.ns", "", model.Metric{Name: "wtime", Scope: "exc"}, 1e-9},
		{"sum#time.inclusive.duration.ns", "", model.Metric{Name: "wtime", Scope: "inc"}, 1e-9},
		{"iscale#sum#time.duration.ns", "", model.Metric{Name: "wtime", Scope: "inc"}, 1},
		{"max#sum#time.duration", "", model.Metric{Name: "wtime_max", Missing: model.Absent}, 1e-6},
		{"time (inc)", "", model.Metric{Name: "wtime", Scope: "inc"}, 1},
		{"time", "usec", model.Metric{Name: "wtime", Scope: "exc"}, 1e-6},
		{"Avg time/rank", "", model.Metric{Name: "wtime_avg", Scope: "exc"}, 1},
		{"sum#region.count", "", model.Metric{Name: "calls"}, 1},
		{"sum#papi.PAPI_TOT_INS", "", model.Metric{Name: "instructions", Scope: "exc"}, 1},
		{"sum#bytes", "", model.Metric{Name: "bytes", Scope: "exc"}, 1},
		{"any#max#BlockSize", "", model.Metric{Name: "BlockSize", Missing: model.Absent}, 1},
	} {
		c := newColumn(test.name, test.unit)
		got := c.metric(false)
		if test.want.Missing == "" {
			test.want.Missing = model.Zero
		}
		if got.Name != test.want.Name || got.Scope != test.want.Scope || got.Missing != test.want.Missing || c.scale != test.scale {
			t.Errorf("%s: %+v, scale %v", test.name, got, c.scale)
		}
	}
}

// caliSample has nested attributes of several kinds, escapes, threads, an
// attribute that tells records apart and is not kept, and globals.
const caliSample = `__rec=node,id=20,attr=10,data=276,parent=3
__rec=node,id=21,attr=8,data=annotation,parent=20
__rec=node,id=22,attr=10,data=65,parent=5
__rec=node,id=23,attr=8,data=sum#time.duration,parent=22
__rec=node,id=24,attr=10,data=13,parent=1
__rec=node,id=25,attr=8,data=mpi.rank,parent=24
__rec=node,id=26,attr=8,data=iteration#loop,parent=24
__rec=node,id=27,attr=10,data=128,parent=5
__rec=node,id=28,attr=8,data=hidden,parent=27
__rec=node,id=29,attr=8,data=omp.thread.id,parent=24
__rec=node,id=30,attr=21,data=a\,b\=c\\d
__rec=node,id=31,attr=21,data=in ner,parent=30
__rec=ctx,ref=31,attr=25=29=23=26=28,data=3=1=2000000=0=9
__rec=ctx,ref=31,attr=25=29=23=26=28,data=3=1=500000=1=9
__rec=ctx,ref=30,attr=25=23,data=3=1e6
__rec=ctx,attr=25=23,data=3=7
__rec=node,id=40,attr=10,data=524,parent=3
__rec=node,id=41,attr=8,data=cmdline,parent=40
__rec=node,id=42,attr=8,data=size,parent=40
__rec=node,id=43,attr=42,data=30
__rec=globals,ref=43,attr=41,data=[./prog\,-n\,4]
`

func TestCaliSample(t *testing.T) {
	e, err := readCaliStream(context.Background(), "s.cali", strings.NewReader(caliSample))
	if err != nil {
		t.Fatal(err)
	}
	e.Name = "sample"
	if err := e.Check(); err != nil {
		t.Fatal(err)
	}
	if e.Command != "./prog -n 4" || e.Program != "prog" {
		t.Errorf("command %q, program %q", e.Command, e.Program)
	}
	if size, _ := e.Factor("size"); size.Number != 30 {
		t.Errorf("size %+v", size)
	}
	m := inputtest.MatrixOf(t, e, "wtime.exc")
	inner := inputtest.RegionAt(t, e, model.JoinPath(`a,b=c\d`, "in ner"))
	if len(e.Units) != 2 || e.Units[1] != (model.Unit{Process: 3, Thread: 1}) || len(e.Metrics) != 1 {
		t.Errorf("units %v, metrics %v", e.Units, e.Metrics)
	}
	inputtest.WantNear(t, "inner", m.At(1, inner), 2.5)
	inputtest.WantNear(t, "outside", m.At(0, inputtest.RegionAt(t, e, model.Outside)), 7e-6)
	if e.Regions[inner].Kind != model.User {
		t.Errorf("kind %s", e.Regions[inner].Kind)
	}
}

// json is the same profile in Caliper's three JSON forms.
var json = map[string]string{
	"json-split": `{"data":[[1000000,0,"x",0],[2000000,1,"y",1],[250000,1,"z",1],[5,1,null,null]],
		"columns":["sum#time.duration","mpi.rank","word","path"],
		"column_metadata":[{"is_value":true,"attribute.unit":"usec"},{"is_value":true},{"is_value":true},{"is_value":false}],
		"nodes":[{"label":"main","column":"path"},{"label":"MPI_Send","column":"path","parent":0}],"size":"30"}`,
	"json object": `{"records":[{"path":"main","sum#time.duration":1000000,"mpi.rank":0},{"path":["main","MPI_Send"],"sum#time.duration":2000000,"mpi.rank":1},
		{"path":"main/MPI_Send","sum#time.duration":"250000","mpi.rank":1},{"sum#time.duration":5,"mpi.rank":1}],"globals":{"size":30}}`,
	"json": `[{"path":"main","sum#time.duration":1000000,"mpi.rank":0},{"path":"main/MPI_Send","sum#time.duration":2250000,"mpi.rank":1},
		{"sum#time.duration":5,"mpi.rank":1}]`,
}

func TestCaliperJSON(t *testing.T) {
	for name, text := range json {
		if !isSplit("", []byte(text)) {
			t.Errorf("%s is not recognised", name)
		}
		e, err := readJSON(context.Background(), name, strings.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		m := inputtest.MatrixOf(t, e, "wtime.exc")
		send := inputtest.RegionAt(t, e, "main/MPI_Send")
		inputtest.WantNear(t, name, m.At(1, send), 2.25)
		inputtest.WantNear(t, name, m.At(0, inputtest.RegionAt(t, e, "main")), 1)
		if len(e.Units) != 2 || e.Regions[send].Kind != model.MPI {
			t.Errorf("%s: units %v, kind %s", name, e.Units, e.Regions[send].Kind)
		}
		if size, ok := e.Factor("size"); name != "json" && (!ok || size.Number != 30) {
			t.Errorf("%s: size %+v", name, size)
		}
	}
	for _, other := range []string{`{"traceEvents":[]}`, `[{"ph":"X"}]`, `{"data":[1]}`, `[]`, ``, `{"region":"a"}`} {
		if isSplit("", []byte(other)) {
			t.Errorf("%s is recognised", other)
		}
	}
}

func TestBadCaliper(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "neither",
		"junk":                        "not a JSON value",
		"7":                           "neither",
		`{"data":[[1],[1,2]]}`:        "a row of 2 values",
		`{"data":[[1]],"columns":[]}`: "1 values and 0 columns",
		`{"data":[7]}`:                "must be an array",
		`{"data":{}}`:                 "an array belongs here",
		`{"nodes":[{"parent":0}]}`:    "does not stand before it",
		`{"data":[[9]],"columns":["path"],"column_metadata":[{"is_value":false}]}`: "node 9 of 0",
		`{"data":[[[]]]}`:          "a number, a text or null",
		`{"records":[1]}`:          "must be an object",
		strings.Repeat("[", 1<<14): "s:1",
	} {
		_, err := readJSON(context.Background(), "s", strings.NewReader(text))
		inputtest.WantError(t, err, "s", want)
	}
	for text, want := range map[string]string{
		"":                                "no metric",
		"junk":                            "has no value",
		"a=b":                             "not a record",
		"__rec=what,a=b":                  "unknown kind",
		"__rec=node,id=x,attr=8,data=a":   "not a number",
		"__rec=node,id=12,data=a":         "a node needs",
		"__rec=node,id=12,attr=99,data=a": "attribute 99 is not known",
		"__rec=node,id=12,attr=3,data=a":  "attribute 3 is not known",
		"__rec=node,id=12,attr=8,data=a,parent=77":      "parent 77",
		"__rec=ctx,ref=55":                              "node 55 is not known",
		"__rec=ctx,attr=8,data=1=2":                     "1 attributes and 2 values",
		"__rec=globals,ref=99":                          "node 99",
		"__rec=ctx," + strings.Repeat("x", maxCaliLine): "a line longer",
	} {
		_, err := readCaliStream(context.Background(), "s", strings.NewReader(text))
		inputtest.WantError(t, err, "s", want)
	}
	deep := strings.Builder{}
	deep.WriteString("__rec=node,id=20,attr=8,data=function,parent=3\n__rec=node,id=21,attr=20,data=f\n")
	for i := 22; i < 22+2*maxDepth; i++ {
		fmt.Fprintf(&deep, "__rec=node,id=%d,attr=20,data=f,parent=%d\n", i, i-1)
	}
	_, err := readCaliStream(context.Background(), "s", strings.NewReader(deep.String()))
	inputtest.WantError(t, err, "nested deeper")
}

func TestTruncatedCaliper(t *testing.T) {
	for n := range len(caliSample) {
		e, err := readCaliStream(context.Background(), "s", strings.NewReader(caliSample[:n]))
		inputtest.CheckFuzzed(t, e, err)
	}
	for _, text := range json {
		for n := range len(text) - 1 {
			if _, err := readJSON(context.Background(), "s", strings.NewReader(text[:n])); err == nil {
				t.Errorf("cut at %d it was read", n)
			}
		}
	}
}

func FuzzCali(f *testing.F) {
	f.Add([]byte(caliSample))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := readCaliStream(context.Background(), "f", strings.NewReader(string(data)))
		inputtest.CheckFuzzed(t, e, err)
	})
}

func FuzzCaliperJSON(f *testing.F) {
	for _, text := range json {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		isSplit("", data)
		e, err := readJSON(context.Background(), "f", strings.NewReader(string(data)))
		inputtest.CheckFuzzed(t, e, err)
	})
}

func parsed(t *testing.T, text string) *model.Experiment {
	t.Helper()
	e, err := inputtest.ReadBytes(t, Formats(), "p.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// High-water marks and start times are states: snapshots of them are not added.
func TestGaugesAreNotSums(t *testing.T) {
	e := parsed(t, `[{"path":"main","sum#time.duration":1000000,"alloc.region.highwatermark":500,"cupti.timestamp":70,"loop.start_time":9,"flops":1,"mpi.rank":0},
		{"path":"main","sum#time.duration":1000000,"alloc.region.highwatermark":300,"cupti.timestamp":90,"loop.start_time":4,"flops":2,"mpi.rank":0}]`)
	for column, want := range map[string]float64{"wtime.exc": 2, "alloc.region.highwatermark": 500, "cupti.timestamp": 70, "loop.start_time": 4, "flops.exc": 3} {
		inputtest.WantNear(t, column, inputtest.MatrixOf(t, e, column).At(0, 0), want)
	}
}

// Times without a unit are microseconds where they can be, else seconds.
func TestTimesWithoutAUnit(t *testing.T) {
	for text, want := range map[string]float64{
		`[{"path":"main","sum#time.duration":0.4938,"mpi.rank":0}]`:      0.4938,
		`[{"path":"main","sum#time.duration":493800,"mpi.rank":0}]`:      0.4938,
		`[{"path":"main","sum#time.duration":493800.5,"mpi.rank":0}]`:    0.4938005,
		`[{"path":"main","sum#time.duration.ns":493800.5,"mpi.rank":0}]`: 0.0004938005,
	} {
		e := parsed(t, text)
		inputtest.WantNear(t, text, e.Summaries.Values[0][0], want)
		if told := strings.Contains(strings.Join(e.Notes, ""), "taken as seconds"); told != (want == 0.4938 && strings.Contains(text, "0.4938")) {
			t.Errorf("%s: notes %q", text, e.Notes)
		}
	}
}

// Frames of sampled stacks and kernels of accelerators are regions.
func TestFramesAndKernels(t *testing.T) {
	e := parsed(t, `{"data":[[3,0,1,null],[4,0,2,null],[5,0,null,"axpy<double>"]],
		"columns":["count","path","source.function#callpath.address","cuda.kernel.name"],
		"column_metadata":[{"is_value":true},{"is_value":false},{"is_value":false},{"is_value":true}],
		"nodes":[{"label":"main","column":"path"},{"label":"solve","column":"source.function#callpath.address"},{"label":"dot","column":"source.function#callpath.address","parent":1}]}`)
	paths := model.Paths(e.Regions)
	if got, want := fmt.Sprint(paths), fmt.Sprint([]string{"main", "main/solve", "main/solve/dot", "main/" + model.EscapeName("axpy<double>")}); got != want {
		t.Errorf("regions %v, want %v", got, want)
	}
	if kind := e.Regions[3].Kind; kind != model.Kernel {
		t.Errorf("the kernel is a %s", kind)
	}
}

// TestMeansOverRanks: a profile of means over ranks says over how many, so that
// nobody takes its one unit for a process.
func TestMeansOverRanks(t *testing.T) {
	e := inputtest.ReadOne(t, Formats(), inputtest.SampleData(t, "caliper-cali", "c5UcO9xwAUKNVVFg1_2.cali"), "cali")
	if over, ok := e.Factor(model.AveragedOver); !ok || over.Number != 343 {
		t.Errorf("averaged over %+v", over)
	}
	one := inputtest.ReadOne(t, Formats(), inputtest.SampleData(t, "caliper-lulesh-scaling", "lulesh-annotation-profile-8cores.json"), "caliper")
	if over, ok := one.Factor(model.AveragedOver); ok {
		t.Errorf("a profile by rank is averaged over %+v", over)
	}
}
