package kineto

import (
	"fmt"
	"strings"
	"testing"

	"auspex/training"
)

// profiled is a trace with the accelerator's counters, as PyTorch's profiler
// writes them with profiler_metrics and profiler_measure_per_kernel: ranges that
// bear no links, one a kernel.
func profiled(launches int) string {
	var events []string
	for i := range launches {
		at := 100 * i
		op := "aten::mm"
		if i%2 == 1 {
			op = "aten::relu"
		}
		events = append(events,
			fmt.Sprintf(`{"ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 7, "tid": 7, "ts": %d, "dur": 40}`, at),
			fmt.Sprintf(`{"ph": "X", "cat": "cpu_op", "name": %q, "pid": 7, "tid": 7, "ts": %d, "dur": 30}`, op, at+5),
			fmt.Sprintf(`{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 7, "ts": %d, "dur": 6, "args": {"cbid": 211}}`, at+10))
	}
	for i := range 4 {
		kernel := "gemm"
		if i%2 == 1 {
			kernel = "clamp"
		}
		events = append(events, fmt.Sprintf(`{"ph": "X", "cat": "cuda_profiler_range", "name": %q, "pid": 0, "tid": 0, "ts": %d, "dur": 20, "args": {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum": %d, "dram__bytes_read.sum": 1.5e3, "note": "x"}}`, kernel, 1000+50*i, 100*(i+1)))
	}
	return `{"traceEvents": [` + strings.Join(events, ",\n") + `]}`
}

// TestCounters: counters are added up by kernel and by the operator that launched
// it; where launches and ranges differ in number, no operator is named.
func TestCounters(t *testing.T) {
	list := training.Device(read(t, "x.json", profiled(4))).Counters
	if len(list) != 4 {
		t.Fatalf("%d rows: %+v", len(list), list)
	}
	want := training.CounterStat{Kernel: "clamp", Operator: "aten::relu", Counter: "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", Count: 2, Sum: 600, Mean: 300}
	if list[2] != want || list[3].Sum != 400 || list[3].Operator != "aten::mm" || list[0].Sum != 3000 {
		t.Errorf("%+v", list)
	}
	for _, c := range training.Device(read(t, "x.json", profiled(5))).Counters {
		if c.Operator != "" {
			t.Errorf("an operator where nobody can know: %+v", c)
		}
	}
	if none := training.Device(read(t, "x.json", small)).Counters; none == nil || len(none) != 0 {
		t.Errorf("counters out of nothing: %+v", none)
	}
}
