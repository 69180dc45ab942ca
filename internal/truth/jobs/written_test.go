package jobs

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"auspex/ingest/kineto"
	"auspex/training"
)

// categories are Kineto's names of the kinds of interval.
var categories = map[training.Kind]string{
	training.Operator: "cpu_op", training.Annotation: "user_annotation", training.Runtime: "cuda_runtime", training.Kernel: "kernel",
	training.Copy: "gpu_memcpy", training.Set: "gpu_memset", training.DeviceAnnotation: "gpu_user_annotation",
}

// form is a way in which profilers and those who cut traces write them.
type form struct {
	name string
	time func(ns int64) any // of ts and dur
	base bool               // baseTimeNanoseconds and distributedInfo are there
	list bool               // the events alone
	mix  bool               // in no order
}

func micro(ns int64) any { return json.Number(fmt.Sprintf("%.3f", float64(ns)/1000)) }

// written is a trace as Kineto writes it.
func written(t *testing.T, trace *training.Trace, f form) *training.Trace {
	t.Helper()
	messages := map[int]training.Message{}
	for _, m := range trace.Messages {
		messages[m.Interval] = m
	}
	var events []map[string]any
	for i := range trace.Len() {
		v := trace.At(i)
		track := trace.Tracks[v.Track]
		args := map[string]any{}
		if v.Correlation != 0 {
			args["correlation"] = v.Correlation
		}
		if track.Device {
			args["device"], args["stream"] = 0, track.Stream
		}
		if m, ok := messages[i]; ok && m.Collective == "" {
			args["bytes"] = m.Bytes
		} else if ok {
			args["Collective name"], args["In msg nelems"], args["dtype"] = m.Collective, m.Bytes, "Byte"
			args["Process Group Name"], args["Process Group Ranks"], args["Group size"] = m.Group, m.Ranks, m.GroupSize
			if m.Seq >= 0 {
				args["Seq"] = m.Seq
			}
			if m.Source != nil {
				args["Src Rank"], args["Dst Rank"] = *m.Source, *m.Target
			}
		}
		events = append(events, map[string]any{"ph": "X", "cat": categories[v.Kind], "name": trace.Name(v), "pid": track.Process, "tid": track.Thread, "ts": f.time(v.Start), "dur": f.time(v.Length), "args": args})
	}
	if f.mix {
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(events), func(a, b int) { events[a], events[b] = events[b], events[a] })
	}
	var whole any = map[string]any{"schemaVersion": 1, "displayTimeUnit": "ns", "traceEvents": events}
	if f.base {
		whole.(map[string]any)["baseTimeNanoseconds"] = trace.Base
		whole.(map[string]any)["distributedInfo"] = map[string]any{"backend": "nccl", "rank": trace.Rank, "world_size": trace.World}
	}
	if f.list {
		whole = events
	}
	path := filepath.Join(t.TempDir(), fmt.Sprintf("rank%d.json.gz", trace.Rank))
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	zip := gzip.NewWriter(file)
	if err := json.NewEncoder(zip).Encode(whole); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	read, err := kineto.ReadFile(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// What is told of a job is told of its traces in every form.
func TestWritten(t *testing.T) {
	forms := []form{
		{name: "floats", time: micro, base: true},
		{name: "in no order", time: micro, base: true, mix: true},
		{name: "strings", time: func(ns int64) any { return fmt.Sprint(micro(ns)) }, base: true},
		{name: "exponents", time: func(ns int64) any { return json.Number(fmt.Sprintf("%.12e", float64(ns)/1000)) }, base: true},
		{name: "nothing but events", time: micro, list: true},
	}
	for seed := uint64(1); seed < 26; seed += 6 {
		g := Generate(seed, false)
		if g.Ranks > 8 {
			continue
		}
		want := told(t, g).Words
		for _, f := range forms {
			again := &Job{}
			for _, trace := range g.Traces {
				again.Traces = append(again.Traces, written(t, trace, f))
			}
			words := told(t, again).Words
			if f.list && g.Ranks == 1 {
				continue // how many ranks there are is not known then
			}
			if words != want {
				t.Errorf("seed %d, %s: %s\nnot: %s", seed, f.name, words, want)
			}
		}
	}
}
