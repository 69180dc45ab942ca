package ingest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestBigChrome(t *testing.T) {
	path := os.Getenv("BIGTRACE")
	if path == "" {
		t.Skip()
	}
	if _, err := os.Stat(path); err != nil {
		f, _ := os.Create(path)
		f.WriteString(`{"schemaVersion":1,"traceEvents":[` + "\n")
		var w strings.Builder
		n := 0
		for i := 0; n < 1<<30; i++ {
			w.Reset()
			ts := 1700000000000000 + int64(i)*100
			name := fmt.Sprintf("aten::op_%d", i%300)
			if os.Getenv("SMALL") != "" {
				fmt.Fprintf(&w, `{"ph":"X","name":"f%d","pid":1,"tid":1,"ts":%d,"dur":60},`+"\n", i%300, ts)
			} else {
				fmt.Fprintf(&w, `{"ph": "X", "cat": "cpu_op", "name": %q, "pid": 4037, "tid": %d, "ts": %d.125, "dur": 60.500, "args": {"External id": %d, "Ev Idx": %d, "Input Dims": [[2048, 16], []], "Input type": ["float", "Scalar"]}},`+"\n",
					name, 4037+i%2, ts, i, i)
				fmt.Fprintf(&w, `{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4037, "tid": %d, "ts": %d.250, "dur": 10.001, "args": {"cbid": 211, "correlation": %d}},`+"\n",
					4037+i%2, ts+10, i)
				fmt.Fprintf(&w, `{"ph": "X", "cat": "kernel", "name": "void kernel_%d<float, 4>(float*, int)", "pid": 0, "tid": 7, "ts": %d.500, "dur": 50, "args": {"device": 0, "stream": 7, "grid": [80, 1, 1], "block": [256, 1, 1], "correlation": %d}},`+"\n",
					i%200, ts+30, i)
			}
			n += w.Len()
			f.WriteString(w.String())
		}
		f.WriteString(`{"ph":"M","name":"process_name","pid":4037,"tid":0,"args":{"name":"python"}}]}`)
		f.Close()
		return
	}
	var a, b syscall.Rusage
	syscall.Getrusage(0, &a)
	w := time.Now()
	e, err := Read(context.Background(), &Source{Format: "chrome", Path: path, Given: path, Label: "x"})
	if err != nil {
		t.Fatal(err)
	}
	syscall.Getrusage(0, &b)
	d := time.Duration(b.Utime.Nano() + b.Stime.Nano() - a.Utime.Nano() - a.Stime.Nano())
	calls := 0.0
	for _, v := range e.Summaries.Values[1] {
		calls += v
	}
	fmt.Println("cpu", d, "wall", time.Since(w), "MB/cpu-s", 1074/d.Seconds(), "rss MiB", b.Maxrss/1024, "events", calls, e.Notes)
}
