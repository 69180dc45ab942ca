package kineto

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"auspex/ingest/traceevent"
	"auspex/training"
)

const small = `{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H200"}],
 "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 128, "pg_config": [{"pg_name": "0"}]},
 "baseTimeNanoseconds": 1790857026000000000,
 "traceEvents": [
 {"ph": "M", "name": "thread_name", "pid": 7, "tid": 7, "ts": 0, "args": {"name": "main"}},
 {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#6", "pid": 7, "tid": 7, "ts": 100.5, "dur": 50},
 {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 7, "ts": 101, "dur": 4.001, "args": {"External id": 12, "Ev Idx": 1}},
 {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 7, "ts": 102, "dur": 1, "args": {"External id": 12, "correlation": 99}},
 {"ph": "s", "id": 99, "pid": 7, "tid": 7, "ts": 102, "cat": "ac2g", "name": "ac2g"},
 {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 104, "dur": 10, "args": {"External id": 12, "correlation": 99, "stream": 7, "grid": [1, 2]}},
 {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pinned -> Device)", "pid": 0, "tid": 8, "ts": 104, "dur": 2, "args": {"correlation": 100, "bytes": 4096, "stream": 8}},
 {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 20, "ts": 115, "dur": 9, "args": {"Collective name": "allreduce", "dtype": "BFloat16", "In msg nelems": 1000, "Group size": 8, "Process Group Name": "2", "Process Group Ranks": "[0, 1]", "Seq": 5, "stream": 20}},
 {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler", "ts": 0, "dur": 1000}
 ]}`

func read(t *testing.T, name, text string) *training.Trace {
	t.Helper()
	trace, err := Read(t.Context(), name, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

func TestRead(t *testing.T) {
	trace := read(t, "x.json", small)
	if trace.Rank != 3 || trace.World != 128 || trace.Backend != "nccl" || trace.Device != "NVIDIA H200" || trace.Base != 1790857026000000000 {
		t.Errorf("head: %+v", trace)
	}
	if trace.Len() != 6 {
		t.Fatalf("%d intervals, not 6", trace.Len())
	}
	op, launch, kernel := trace.At(1), trace.At(2), trace.At(3)
	if op.Start != 101_000 || op.Length != 4001 || trace.Name(op) != "aten::mm" || op.Kind != training.Operator {
		t.Errorf("operator: %+v", op)
	}
	if launch.Correlation != 99 || kernel.Correlation != 99 || kernel.External != op.External {
		t.Errorf("links: %+v %+v", launch, kernel)
	}
	if track := trace.Tracks[kernel.Track]; !track.Device || track.Stream != 7 {
		t.Errorf("stream: %+v", track)
	}
	if track := trace.Tracks[op.Track]; track.Device || track.Name != "main" || op.Track == kernel.Track {
		t.Errorf("thread: %+v", track)
	}
	if len(trace.Messages) != 2 || trace.Messages[0].Bytes != 4096 {
		t.Fatalf("messages: %+v", trace.Messages)
	}
	want := training.Message{Interval: 5, Bytes: 2000, Collective: "allreduce", Group: "2", GroupSize: 8, Ranks: "[0, 1]", Seq: 5}
	if trace.Messages[1] != want {
		t.Errorf("%+v, not %+v", trace.Messages[1], want)
	}
}

func TestRankFromName(t *testing.T) {
	if trace := read(t, "dir9/job_rank-12.json", `[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":1}`); trace.Rank != 12 || len(trace.Notes) != 1 {
		t.Errorf("rank %d, notes %q", trace.Rank, trace.Notes)
	}
}

func TestBadInput(t *testing.T) {
	for _, text := range []string{
		``, `7`, `{}`, `[]`, `{"traceEvents": 3}`, `{"traceEvents": [[]]}`, `{"traceEvents": [{"ph": "XX"}]}`,
		`{"traceEvents": [{"ph":"X","cat":"cpu_op","name":"a"}]}`,
		`{"traceEvents": [{"ph":"X","cat":"cpu_op","ts":"never","name":"a"}]}`,
		`{"traceEvents": [{"ph":"X","cat":"cpu_op","ts":1e300,"name":"a"}]}`,
		`[` + strings.Repeat(`{"ph":"B","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1},`, 1<<16+1),
		`{"deviceProperties": [3], "traceEvents": []}`, `{"traceEvents": [{"ph":"X","cat":"cpu_op","ts":1`,
	} {
		if _, err := Read(t.Context(), "bad.json", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "bad.json") {
			t.Errorf("%s: %v", text, err)
		}
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	long := `[` + strings.Repeat(`{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":1},`, 5000)
	if _, err := Read(stopped, "long.json", strings.NewReader(long)); err != context.Canceled {
		t.Errorf("stopped: %v", err)
	}
}

// FuzzRead: nothing that is read makes the reader, or what is made of its
// trace, panic.
func FuzzRead(f *testing.F) {
	f.Add(small)
	f.Add(`[{"ph":"X","cat":"user_annotation","name":"gloo:all_reduce","pid":1,"tid":1,"ts":-5,"dur":-1},`)
	f.Add(`{"traceEvents":[{"ph":"X","cat":"python_function","name":"x","pid":0,"tid":0,"ts":1,"args":{"correlation":-1,"stream":"a"}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		trace, err := Read(t.Context(), "x", strings.NewReader(text))
		if err != nil {
			return
		}
		rank := training.Summarize(trace)
		rank.Number = 0
		other := *rank
		other.Number = 1
		job, err := training.Stragglers([]*training.Rank{rank, &other})
		if err != nil {
			t.Fatal(err)
		}
		for _, result := range []any{job, training.Device(trace)} {
			if _, err := json.Marshal(result); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestRealTraces: as many intervals as the files have of the kinds that are
// kept, and the same whatever the file is packed with.
func TestRealTraces(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/data/kineto/*/*.json.gz")
	if len(files) == 0 {
		t.Skip("the test needs the real traces that lie beside the project in ../shared/data")
	}
	want := map[string][2]int{ // intervals, kernels
		"sampled_rank-0.json.gz": {4810, 1154}, "h100-gaunernst_bert-small-uncased__1016001.json.gz": {2059, 60},
	}
	for _, file := range files {
		trace, err := ReadFile(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		kernels := 0
		for i := range trace.Len() {
			if trace.At(i).Kind == training.Kernel {
				kernels++
			}
		}
		if w, ok := want[filepath.Base(file)]; ok && (trace.Len() != w[0] || kernels != w[1]) {
			t.Errorf("%s: %d intervals and %d kernels, not %v", file, trace.Len(), kernels, w)
		}
	}
}

// repeated is a trace of some size made of one event again and again.
type repeated struct {
	event []byte
	left  int64
	at    int
	begun bool
}

func (r *repeated) Read(p []byte) (int, error) {
	if !r.begun {
		r.begun = true
		return copy(p, `{"traceEvents": [`), nil
	}
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := copy(p, r.event[r.at:])
	r.at = (r.at + n) % len(r.event)
	r.left -= int64(n)
	if r.left <= 0 && r.at != 0 {
		r.left = int64(len(r.event) - r.at)
	}
	return n, nil
}

// BenchmarkRead reads a trace of which AUSPEX_TRACE_BYTES says the size, 64 MB
// where it is not set. The events are as long as those of real traces.
func BenchmarkRead(b *testing.B) {
	size := int64(64 << 20)
	if text := os.Getenv("AUSPEX_TRACE_BYTES"); text != "" {
		fmt.Sscan(text, &size)
	}
	event := []byte(`
  {
    "ph": "X", "cat": "kernel", "name": "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>", "pid": 0, "tid": 7,
    "ts": 3904706588513.77, "dur": 72.794,
    "args": {
      "External id": 2050, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": 13995, "registers per thread": 39, "shared memory": 24, "blocks per SM": 7.757576, "grid": [1024, 1, 1], "block": [32, 4, 1]
    }
  },`)
	b.SetBytes(size)
	for range b.N {
		trace, err := Read(b.Context(), "made", &repeated{event: event, left: size})
		if err == nil || trace != nil {
			b.Fatal("a list without an end was taken")
		}
	}
}

// TestBeside: read beside another reader, a trace is what it is when it is read
// alone; one with an event without a time is left out, and the other reader goes
// on.
func TestBeside(t *testing.T) {
	other := func(text string, beside *traceevent.Reading) (events int) {
		t.Helper()
		what := traceevent.Reading{Event: func(*traceevent.Event) error {
			events++
			return nil
		}}
		if err := traceevent.Read(t.Context(), "t.json", strings.NewReader(text), what.And(*beside)); err != nil {
			t.Fatal(err)
		}
		return events
	}
	for text, want := range map[string]bool{
		`{"distributedInfo":{"rank":3,"world_size":8},"deviceProperties":[{"name":"H200"}],"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":2},{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":2,"dur":2,"args":{"correlation":9,"stream":7}}]}`: true,
		`[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":2},{"ph":"X","cat":"cpu_op","name":"b","pid":1,"tid":1,"ts":5,"dur":2}`:                                                                                                                                       true,
		`[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":2},{"ph":"X","cat":"cpu_op","name":"b","pid":1,"tid":1,"dur":2}]`:                                                                                                                                             true,
		`[{"ph":"X","cat":"cpu_op","name":"b","pid":1,"tid":1,"dur":2},{"ph":"E","ts":5}]`:                                                                                                                                                                                               false,
		`[{"ph":"M","name":"thread_name","args":{"name":"main"}},{"ph":"i","ts":3}]`:                                                                                                                                                                                                     false,
	} {
		var got *training.Trace
		if events := other(text, Beside("t.json", func(trace *training.Trace) { got = trace })); events != 2 {
			t.Errorf("%s: the other reader saw %d events", text, events)
		}
		alone, err := Read(t.Context(), "t.json", strings.NewReader(text))
		if (got != nil) != want || (err == nil) != want {
			t.Fatalf("%s: beside %v, alone %v", text, got, err)
		}
		if want && !reflect.DeepEqual(got, alone) {
			t.Errorf("%s:\n%+v\n%+v", text, got, alone)
		}
	}
}

// TestHostCollective: a collective of the host says how much it sends by its
// inputs, and those of other events are not asked for.
func TestHostCollective(t *testing.T) {
	trace := read(t, "x.json", `[
 {"ph": "X", "cat": "user_annotation", "name": "gloo:all_reduce", "pid": 7, "tid": 9, "ts": 1, "dur": 5, "args": {"External id": 3, "Input type": ["float"], "Input Dims": [[7087872]]}},
 {"ph": "X", "cat": "user_annotation", "name": "gloo:all_reduce", "pid": 7, "tid": 9, "ts": 7, "dur": 5, "args": {"Input Dims": [[[2, 3], [4]], [10]], "Input type": ["c10::BFloat16", "c10::BFloat16"]}},
 {"ph": "X", "cat": "user_annotation", "name": "gloo:barrier", "pid": 7, "tid": 9, "ts": 13, "dur": 5, "args": {}},
 {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 7, "ts": 1, "dur": 5, "args": {"Input type": ["float"], "Input Dims": [[5, 5]]}}]`)
	if len(trace.Messages) != 2 || trace.Messages[0].Bytes != 4*7087872 || trace.Messages[1].Bytes != 2*20 || trace.Messages[0].Collective != "all_reduce" {
		t.Errorf("messages: %+v", trace.Messages)
	}
}

// TestWithoutKineto: a PyTorch without Kineto writes no categories.
func TestWithoutKineto(t *testing.T) {
	trace := read(t, "rank1.json", `[
 {"name": "ProfilerStep#1", "ph": "X", "ts": 0, "dur": 90, "tid": 1, "pid": "CPU functions", "args": {}},
 {"name": "load_batch", "ph": "X", "ts": 1, "dur": 9, "tid": 1, "pid": "CPU functions", "args": {}},
 {"name": "aten::randn", "ph": "X", "ts": 2, "dur": 3, "tid": 1, "pid": "CPU functions", "args": {}},
 {"name": "AddmmBackward0", "ph": "X", "ts": 12, "dur": 3, "tid": 1, "pid": "CPU functions", "args": {}},
 {"name": "gloo:all_reduce", "ph": "X", "ts": 16, "dur": 3, "tid": 2, "pid": "CPU functions", "args": {}},
 {"name": "a_function", "ph": "X", "ts": 16, "dur": 3, "tid": 2, "pid": "another program", "args": {}}]`)
	var kinds []training.Kind
	for i := range trace.Len() {
		kinds = append(kinds, trace.At(i).Kind)
	}
	want := []training.Kind{training.Annotation, training.Annotation, training.Operator, training.Operator, training.Annotation}
	if !reflect.DeepEqual(kinds, want) || trace.Rank != 1 {
		t.Errorf("rank %d, kinds %v, want %v", trace.Rank, kinds, want)
	}
}
