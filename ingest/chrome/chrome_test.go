package chrome

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"auspex/ingest/inputtest"
	"auspex/model"

	"pgregory.net/rapid"
)

func readTrace(text string) (*model.Experiment, error) {
	return readChromeTrace(context.Background(), "t.json", strings.NewReader(text), maxSortedEvents, nil)
}

const kinetoSample = `{"schemaVersion":1,"distributedInfo":{"backend":"nccl","rank":3,"world_size":8},
"deviceProperties":[{"id":0,"name":"Some GPU","extra":{"a":[1]}},{"id":1,"name":"Other"}],
"traceEvents":[
{"ph":"M","name":"process_name","pid":100,"tid":0,"args":{"name":"python3"}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":100,"tid":100,"ts":1700000000000020.5,"dur":10},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":100,"tid":100,"ts":1700000000000010,"dur":40,"args":{"Input":[[1,2],"}\""]}},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#7","pid":100,"tid":100,"ts":1700000000000000,"dur":100},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#8","pid":100,"tid":100,"ts":1700000000000100,"dur":50},
{"ph":"X","cat":"python_function","name":"a/b.py(12): f","pid":100,"tid":7,"ts":1700000000000000,"dur":5},
{"ph":"X","cat":"python_function","name":"a/c.py(3): f","pid":100,"tid":7,"ts":1700000000000010,"dur":5},
{"ph":"X","cat":"python_function","name":"<built-in method g of X object at 0x7f00ab>","pid":100,"tid":7,"ts":1700000000000020,"dur":5},
{"ph":"X","cat":"kernel","name":"gemm<float, 2>","pid":0,"tid":7,"ts":1700000000000030,"dur":20},
{"ph":"X","cat":"kernel","name":"ncclKernel_AllReduce","pid":0,"tid":20,"ts":1700000000000030,"dur":20},
{"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","pid":"Spans","tid":"PyTorch Profiler","ts":1,"dur":5},
{"ph":"i","s":"g","name":"Record Window End","pid":"","tid":"","ts":1},
{"ph":"s","id":1,"pid":100,"tid":100,"ts":1,"cat":"ac2g","name":"ac2g"}
],"traceName":"/tmp/x/run.json"}`

func TestChromeKineto(t *testing.T) {
	e, err := readTrace(kinetoSample)
	if err != nil {
		t.Fatal(err)
	}
	e.Name = "sample"
	if err := e.Check(); err != nil {
		t.Fatal(err)
	}
	units := []model.Unit{{Process: 3}, {Process: 3, Thread: 1}, {Process: 3, Thread: 2}, {Process: 3, Thread: 3}}
	if fmt.Sprint(e.Units) != fmt.Sprint(units) {
		t.Errorf("units %v", e.Units)
	}
	wtime, calls := inputtest.MatrixOf(t, e, "wtime.exc"), inputtest.MatrixOf(t, e, "calls")
	for path, want := range map[string]struct {
		unit        int
		time, calls float64
		kind        model.Kind
	}{
		"ProfilerStep":                           {0, 110e-6, 2, model.User},
		"ProfilerStep/aten::mm":                  {0, 30e-6, 1, model.Function},
		"ProfilerStep/aten::mm/cudaLaunchKernel": {0, 10e-6, 1, model.Function},
		"f":                                      {1, 5e-6, 1, model.Function},
		`a\/c.py(3): f`:                          {1, 5e-6, 1, model.Function},
		"<built-in method g of X object>":        {1, 5e-6, 1, model.Function},
		"gemm<float, 2>":                         {2, 20e-6, 1, model.Kernel},
		"ncclKernel_AllReduce":                   {3, 20e-6, 1, model.Comm},
	} {
		r := inputtest.RegionAt(t, e, path)
		inputtest.WantNear(t, path, wtime.At(want.unit, r), want.time)
		inputtest.WantNear(t, path, calls.At(want.unit, r), want.calls)
		if e.Regions[r].Kind != want.kind {
			t.Errorf("%s is of kind %s", path, e.Regions[r].Kind)
		}
	}
	if f := e.Regions[inputtest.RegionAt(t, e, "f")]; f.File != "a/b.py" || f.Line != 12 {
		t.Errorf("f at %s:%d", f.File, f.Line)
	}
	for name, want := range map[string]string{"world_size": "8", "backend": "nccl", "device": "Some GPU", "devices": "2", "trace": "run.json"} {
		if f, _ := e.Factor(name); f.Word != want {
			t.Errorf("factor %s is %q", name, f.Word)
		}
	}
	if e.Program != "python3" || e.Created.Unix() != 1700000000 {
		t.Errorf("program %q, created %v", e.Program, e.Created)
	}
}

// TestChromePairs: an array of B and E events of several processes, without
// its closing bracket, one event never ended.
func TestChromePairs(t *testing.T) {
	e, err := readTrace(`[{"ph":"B","name":"main","pid":20,"tid":1,"ts":0},
		{"ph":"B","name":"work","pid":20,"tid":1,"ts":100},{"ph":"E","pid":20,"tid":1,"ts":"300"},
		{"ph":"X","name":"other","pid":5,"tid":1,"ts":1e2,"dur":0.5},
		{"ph":"E","pid":9,"tid":9,"ts":1},
		{"ph":"X","name":"late","pid":20,"tid":1,"ts":400,"dur":600},`)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(e.Units) != "[0 1]" {
		t.Errorf("units %v", e.Units)
	}
	m := inputtest.MatrixOf(t, e, "wtime.exc")
	inputtest.WantNear(t, "main", m.At(1, inputtest.RegionAt(t, e, "main")), 200e-6)
	inputtest.WantNear(t, "work", m.At(1, inputtest.RegionAt(t, e, "main/work")), 200e-6)
	inputtest.WantNear(t, "late", m.At(1, inputtest.RegionAt(t, e, "main/late")), 600e-6)
	inputtest.WantNear(t, "other", m.At(0, inputtest.RegionAt(t, e, "other")), 0.5e-6)
	if !strings.Contains(e.Incomplete, "never ended") || len(e.Notes) != 1 {
		t.Errorf("incomplete %q, notes %q", e.Incomplete, e.Notes)
	}
}

// TestChromeStreamRanges: between the kernels of a range a stream does nothing.
func TestChromeStreamRanges(t *testing.T) {
	e, err := readTrace(`[{"ph":"X","cat":"gpu_user_annotation","name":"step","pid":0,"tid":7,"ts":0,"dur":100},
		{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":10,"dur":20},
		{"ph":"X","cat":"user_annotation","name":"step","pid":9,"tid":9,"ts":0,"dur":50}]`)
	if err != nil {
		t.Fatal(err)
	}
	m := inputtest.MatrixOf(t, e, "wtime.exc")
	inputtest.WantNear(t, "the thread's", m.At(0, inputtest.RegionAt(t, e, "step")), 50e-6)
	inputtest.WantNear(t, "the stream's", m.At(1, inputtest.RegionAt(t, e, "step")), 0)
	inputtest.WantNear(t, "the kernel", m.At(1, inputtest.RegionAt(t, e, "step/gemm")), 20e-6)
}

// TestChromeLacks: what has no length takes no time, what has no time is passed over, and
// notes say so.
func TestChromeLacks(t *testing.T) {
	for events, want := range map[string]string{
		`{"ph":"X","name":"b","ts":10,"dur":5}`:                                             "[]",
		`{"ph":"X","name":"b","ts":10,"dur":5},{"ph":"X","name":"a","ts":1,"dur":-5}`:       "[1 event has no duration (dur), or a negative one, and counts as 0 s]",
		`{"ph":"X","name":"b","ts":10,"dur":NaN},{"ph":"X","name":"a","ts":1}`:              "[2 events have no duration (dur), or a negative one, and count as 0 s]",
		`{"ph":"X","name":"b","ts":10,"dur":5},{"ph":"X","name":"a","ts":null,"dur":7}`:     "[1 event without a time (ts) was passed over]",
		`{"ph":"B","name":"b","dur":5},{"ph":"E"},{"ph":"X","name":"b","ts":10,"dur":5},{}`: "[2 events without a time (ts) were passed over]",
		`{"ph":"X","name":"b","ts":10,"dur":5},{"ph":"E","ts":3},{"ph":"E","ts":4}`:         "[2 ends of events (E) without a beginning were passed over]",
	} {
		e, err := readTrace("[" + events + "]")
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(e.Notes) != want || e.Incomplete != "" {
			t.Errorf("%s: notes %q, %q", events, e.Notes, e.Incomplete)
		}
	}
}

// TestChromePairsInAnyOrder: an end with a name ends the event of that name, wherever
// it stands in the file; what describes the trace is left out, with its end.
func TestChromePairsInAnyOrder(t *testing.T) {
	lines := []string{
		`{"ph":"B","name":"step","ts":0}`, `{"ph":"B","name":"load","cat":"cpu_op","ts":1}`, `{"ph":"E","name":"load","ts":5}`,
		`{"ph":"B","name":"open","ts":6}`, `{"ph":"E","name":"step","ts":10}`,
		`{"ph":"B","name":"span","cat":"Trace","ts":11}`, `{"ph":"B","name":"in it","ts":12}`, `{"ph":"E","name":"in it","ts":14}`, `{"ph":"E","name":"span","ts":20}`,
	}
	for seed := range uint64(20) {
		if seed > 0 {
			rand.New(rand.NewPCG(seed, 1)).Shuffle(len(lines), func(a, b int) { lines[a], lines[b] = lines[b], lines[a] })
		}
		e, err := readChromeTrace(t.Context(), "t.json", strings.NewReader("["+strings.Join(lines, ",")+"]"), 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		m := inputtest.MatrixOf(t, e, "wtime.exc")
		for path, want := range map[string]float64{"step": 2e-6, "step/load": 4e-6, "step/open": 4e-6, "in it": 2e-6} {
			inputtest.WantNear(t, path, m.At(0, inputtest.RegionAt(t, e, path)), want)
		}
		if len(e.Regions) != 4 || e.Incomplete != "1 event never ended: it is taken to end with the one around it, or with the trace" {
			t.Errorf("%v, %q", e.Regions, e.Incomplete)
		}
	}
}

// TestChromeOverlap: b begins in a and outlasts it; c exceeds its parent by
// less than the rounding of times.
func TestChromeOverlap(t *testing.T) {
	e, err := readTrace(`[{"ph":"X","name":"a","ts":0,"dur":10},{"ph":"X","name":"b","ts":5,"dur":15},
		{"ph":"X","name":"p","ts":100,"dur":10},{"ph":"X","name":"c","ts":102,"dur":8.5}]`)
	if err != nil {
		t.Fatal(err)
	}
	m := inputtest.MatrixOf(t, e, "wtime.exc")
	for path, want := range map[string]float64{"a": 5e-6, "b": 15e-6, "p": 2e-6, "p/c": 8e-6} {
		inputtest.WantNear(t, path, m.At(0, inputtest.RegionAt(t, e, path)), want)
	}
	if len(e.Notes) != 1 || !strings.Contains(e.Notes[0], "outlasted") {
		t.Errorf("notes %q", e.Notes)
	}
}

// TestChromeNesting: events of random trees, in any order and through any
// number of sorted portions, give every call path its time.
func TestChromeNesting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]int64{}
		var events []string
		var grow func(track int, path string, start, end int64, depth int)
		grow = func(track int, path string, start, end int64, depth int) {
			name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name")
			if path != "" {
				path += "/"
			}
			path += name
			events = append(events, fmt.Sprintf(`{"ph":"X","name":%q,"pid":77,"tid":%d,"ts":%d.%03d,"dur":%d.%03d}`,
				name, track, start/1000, start%1000, (end-start)/1000, (end-start)%1000))
			own := end - start
			at := start + 1 // so that no child covers exactly its parent
			for depth > 0 && at < end-1 && rapid.Bool().Draw(t, "child") {
				from := rapid.Int64Range(at, end-1).Draw(t, "from")
				to := rapid.Int64Range(from, end-1).Draw(t, "to")
				if to > from {
					grow(track, path, from, to, depth-1)
					own -= to - from
				}
				at = to + 1
			}
			want[fmt.Sprint(track, path)] += own
		}
		for track := range rapid.IntRange(1, 3).Draw(t, "tracks") {
			for k := range rapid.IntRange(1, 3).Draw(t, "roots") {
				grow(track, "", int64(k)*100000, int64(k)*100000+rapid.Int64Range(1, 90000).Draw(t, "length"), 4)
			}
		}
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		random.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		text := `{"traceEvents":[` + strings.Join(events, ",") + `]}`
		e, err := readChromeTrace(context.Background(), "t", strings.NewReader(text), rapid.IntRange(1, 40).Draw(t, "in memory"), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int64{}
		paths := model.Paths(e.Regions)
		for i, v := range e.Summaries.Values[0] {
			got[fmt.Sprint(e.Units[e.Summaries.Unit[i]].Thread, paths[e.Summaries.Region[i]])] += int64(v*1e9 + 0.5)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("got %v\nwant %v\n%s", got, want, text)
		}
	})
}

func TestChromeOfOtherDevices(t *testing.T) {
	for _, name := range []string{"h100", "mi300"} {
		e := inputtest.ReadOne(t, Formats(), inputtest.SampleData(t, "kineto", "h100-vs-mi300", name+"-gaunernst_bert-small-uncased__1016001.json.gz"), "chrome")
		if len(e.Units) != 3 || e.Created.Year() != 2025 {
			t.Errorf("%s: units %v, created %v", name, e.Units, e.Created)
		}
	}
}

func TestChromeDetection(t *testing.T) {
	for text, want := range map[string]bool{
		kinetoSample:                              true,
		`[{"name":"a","ph":"X"}]`:                 true,
		`{"displayTimeUnit":"ms","traceEvents":[`: true,
		`[{"name":"a"}]`:                          false,
		`{"data":[]}`:                             false,
		`traceEvents`:                             false,
		``:                                        false,
	} {
		if isChrome("", []byte(text)) != want {
			t.Errorf("%.40s: want %v", text, want)
		}
	}
}

func TestBadChrome(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "neither",
		"7":                    "neither",
		"{}":                   "no event",
		"[]":                   "no event",
		`{"traceEvents":{}}`:   "must be an array",
		`{"traceEvents":[[]]}`: "must be an object",
		`{"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":2}`:     "ends early",
		`[{"ph":"X","name":"a","ts":1,"dur`:                        "no event",
		`[{"ph":"X","name":"a"}]`:                                  "no event",
		`[{"ph":"XX"}]`:                                            "one letter",
		`[{"ph":"X","ts":"soon"}]`:                                 `"soon" is not a time`,
		`{"deviceProperties":[1]}`:                                 "must be objects",
		strings.Repeat(`[`, 1<<20):                                 "must be an object",
		`{"a":` + strings.Repeat(`[`, 1<<20):                       "nested deeper",
		"[{\"ph\":\"X\",\"name\":\"" + strings.Repeat("x", 20<<20): "a text longer",
		"\x1f\x8b\x00":                                             "value",
	} {
		_, err := readTrace(text)
		inputtest.WantError(t, err, "t.json", want)
	}
	begins := "[" + strings.Repeat(`{"ph":"B","name":"a","ts":1},`, 1<<16+1)
	_, err := readTrace(begins)
	inputtest.WantError(t, err, "begun and not ended")
}

// TestChromeDeep: recursion deeper than the limit counts for what is around.
func TestChromeDeep(t *testing.T) {
	var events []string
	for i := range 1000 {
		events = append(events, fmt.Sprintf(`{"ph":"X","name":"f%d","ts":%d,"dur":%d}`, i, i, 2000-2*i))
	}
	e, err := readTrace("[" + strings.Join(events, ",") + "]")
	if err != nil {
		t.Fatal(err)
	}
	inputtest.WantNear(t, "all", inputtest.RowSum(inputtest.MatrixOf(t, e, "wtime.exc"), 0), 2000e-6)
	if len(e.Regions) != maxNesting || len(e.Notes) != 1 {
		t.Errorf("%d regions, notes %q", len(e.Regions), e.Notes)
	}
}

func TestTruncatedChrome(t *testing.T) {
	for n := range len(kinetoSample) - 1 {
		if _, err := readTrace(kinetoSample[:n]); err == nil {
			t.Errorf("cut at %d it was read", n)
		}
	}
}

// TestChromeLeavesNothing: the temporary file of a large trace is gone, also
// after an error.
func TestChromeLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for _, text := range []string{kinetoSample, kinetoSample[:1400]} {
		readChromeTrace(context.Background(), "t", strings.NewReader(text), 2, nil)
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
	if _, err := os.Stat(dir); err != nil {
		t.Fatal(err)
	}
}

func FuzzChrome(f *testing.F) {
	f.Add([]byte(kinetoSample))
	f.Add([]byte(`[{"ph":"B","name":"a","ts":1},{"ph":"E","ts":2.5}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		isChrome("", data)
		e, err := readChromeTrace(context.Background(), "f", strings.NewReader(string(data)), 1000, nil)
		inputtest.CheckFuzzed(t, e, err)
	})
}

func BenchmarkChrome(b *testing.B) {
	var trace strings.Builder
	writeTrace(&trace, 8<<20)
	b.SetBytes(int64(trace.Len()))
	for b.Loop() {
		if _, err := readTrace(trace.String()); err != nil {
			b.Fatal(err)
		}
	}
}

// writeTrace makes a trace like PyTorch's of about the given size: operators
// with runtime calls below them on two threads, and kernels on a stream.
func writeTrace(w *strings.Builder, size int) {
	w.WriteString(`{"schemaVersion":1,"traceEvents":[` + "\n")
	for i := 0; w.Len() < size; i++ {
		ts := 1700000000000000 + int64(i)*100
		name := fmt.Sprintf("aten::op_%d", i%300)
		fmt.Fprintf(w, `{"ph": "X", "cat": "cpu_op", "name": %q, "pid": 4037, "tid": %d, "ts": %d.125, "dur": 60.500, "args": {"External id": %d, "Ev Idx": %d, "Input Dims": [[2048, 16], []], "Input type": ["float", "Scalar"]}},`+"\n",
			name, 4037+i%2, ts, i, i)
		fmt.Fprintf(w, `{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4037, "tid": %d, "ts": %d.250, "dur": 10.001, "args": {"cbid": 211, "correlation": %d}},`+"\n",
			4037+i%2, ts+10, i)
		fmt.Fprintf(w, `{"ph": "X", "cat": "kernel", "name": "void kernel_%d<float, 4>(float*, int)", "pid": 0, "tid": 7, "ts": %d.500, "dur": 50, "args": {"device": 0, "stream": 7, "grid": [80, 1, 1], "block": [256, 1, 1], "correlation": %d}},`+"\n",
			i%200, ts+30, i)
	}
	w.WriteString(`{"ph":"M","name":"process_name","pid":4037,"tid":0,"args":{"name":"python"}}]}`)
}
