package kineto

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// halved writes the events of a trace as beginnings and ends, those of a thread in
// order of time, with names at the ends or without.
func halved(names bool) string {
	type half struct {
		at   float64
		text string
	}
	var halves []half
	add := func(kind, name, place string, from, to float64, args string) {
		end := ""
		if names {
			end = fmt.Sprintf(`"name":%q,`, name)
		}
		halves = append(halves,
			half{from, fmt.Sprintf(`{"ph":"B","cat":%q,"name":%q,%s,"ts":%v,"args":{%s}}`, kind, name, place, from, args)},
			half{to, fmt.Sprintf(`{"ph":"E",%s%s,"ts":%v}`, end, place, to)})
	}
	host, stream := `"pid":7,"tid":7`, `"pid":0,"tid":20`
	add("user_annotation", "ProfilerStep#6", host, 100.5, 150.5, "")
	add("cpu_op", "aten::mm", host, 101, 105.001, `"External id":12`)
	add("cuda_runtime", "cudaLaunchKernel", host, 102, 103, `"External id":12,"correlation":99`)
	add("other", "unknown", host, 104, 104.5, "")
	add("kernel", "gemm", stream, 104, 114, `"External id":12,"correlation":99,"stream":20`)
	add("kernel", "ncclDevKernel_AllReduce", stream, 115, 124, `"Collective name":"allreduce","In msg nelems":1000,"dtype":"BFloat16","stream":20`)
	slices.SortStableFunc(halves, func(a, b half) int {
		if a.at < b.at {
			return -1
		}
		return 1
	})
	var lines []string
	for _, h := range halves {
		lines = append(lines, h.text)
	}
	return strings.Join(lines, ",\n")
}

// TestHalves: events in halves are the events that they are of.
func TestHalves(t *testing.T) {
	shuffled := strings.Split(halved(true), ",\n")
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(a, b int) { shuffled[a], shuffled[b] = shuffled[b], shuffled[a] })
	for what, text := range map[string]string{"with names": halved(true), "without": halved(false), "in no order": strings.Join(shuffled, ",\n")} {
		trace := read(t, "x.json", "["+text+"]")
		var got []string
		for i := range trace.Len() {
			v := trace.At(i)
			got = append(got, fmt.Sprint(trace.Name(v), " ", v.Start, " ", v.Length, " ", v.Correlation, " ", trace.Tracks[v.Track].Device))
		}
		slices.Sort(got)
		want := []string{
			"ProfilerStep#6 100500 50000 0 false", "aten::mm 101000 4001 0 false", "cudaLaunchKernel 102000 1000 99 false",
			"gemm 104000 10000 99 true", "ncclDevKernel_AllReduce 115000 9000 0 true",
		}
		if !reflect.DeepEqual(got, want) || len(trace.Notes) != 0 {
			t.Errorf("%s: %q, notes %q", what, got, trace.Notes)
		}
		if m := trace.Messages; len(m) != 1 || m[0].Bytes != 2000 || trace.Name(trace.At(m[0].Interval)) != "ncclDevKernel_AllReduce" {
			t.Errorf("%s: messages %+v", what, m)
		}
	}
}

// TestHalvesMissing: what is missing is told, and of events that never end it is the
// end of the trace, or of the event around them.
func TestHalvesMissing(t *testing.T) {
	const b, e = `{"ph":"B","cat":"cpu_op","pid":1,"tid":1,"name":`, `{"ph":"E","pid":1,"tid":1,"ts":`
	for text, want := range map[string]string{
		b + `"a","ts":1},` + e + `5}`:                                             "a 1-5 []",
		b + `"a","ts":1},` + b + `"b","ts":2},` + e + `5}`:                        "b 2-5 a 1-5 [1 event never ended: it is taken to end with the one around it, or with the trace]",
		b + `"a","ts":1},` + b + `"b","ts":2},` + e + `5,"name":"a"}`:             "a 1-5 b 2-5 [1 event never ended: it is taken to end with the one around it, or with the trace]",
		b + `"a","ts":1},` + e + `5,"name":"z"},` + e + `6,"name":"a"}`:           "a 1-6 [1 end of an event (E) without a beginning was passed over]",
		e + `0},` + e + `0},` + b + `"a","ts":1},` + e + `5}`:                     "a 1-5 [2 ends of events (E) without a beginning were passed over]",
		b + `"a","ts":1},` + b + `"b","ts":2},{"ph":"B","pid":2,"ts":9}`:          "b 2-9 a 1-9 [3 events never ended: they are taken to end with the one around them, or with the trace]",
		b + `"a","ts":1},` + b + `"b","ts":5},` + e + `5,"name":"a"},` + e + `8}`: "a 1-5 b 5-8 []",
	} {
		trace := read(t, "x.json", "["+text+"]")
		got := ""
		for i := range trace.Len() {
			v := trace.At(i)
			got += fmt.Sprintf("%s %d-%d ", trace.Name(v), v.Start/1000, v.End()/1000)
		}
		if got += fmt.Sprint(trace.Notes); got != want {
			t.Errorf("%s:\n%s, not\n%s", text, got, want)
		}
	}
}

// TestForms: what Chrome and Perfetto take.
func TestForms(t *testing.T) {
	const event = `{"ph":"X","cat":"cpu_op","name":"a","pid":"node1:GPU0","tid":"main","ts":"1.5","dur":"2"}`
	for text, want := range map[string]string{
		`[` + event + `]`: "[]",
		"{\r\n\"traceEvents\": [\r\n" + event + ",\r\n],\r\n}": "[]",
		`[` + event + `,`:                    "[the list of events is not closed: the trace may have been cut short]",
		`[` + event + `,{"ph":"X","name":"b`: "[the list of events is not closed: the trace may have been cut short]",
		`[` + event + `,{}]`:                 "[]",
		`[{"ph":"i","name":"b","ts":9,"args":{"x":NaN,"y":[Infinity,-Infinity]}},` + event + `]`:                                     "[]",
		`[{"name":"b","name":"a","ph":"i","ph":"X","cat":"cpu_op","ts":7,"ts":1.5,"dur":2,"pid":1,"pid":"node1:GPU0","tid":"main"}]`: "[]",
		`[{"ph":"X","cat":"cpu_op","name":"b","ts":NaN,"dur":1},` + event + `]`:                                                      "[1 event without a time (ts) was passed over]",
		`[` + event + `,{"ph":"M","name":"thread_name","pid":"node1:GPU0","tid":"main","args":{"name":"python"}}]`:                   "[]",
	} {
		trace := read(t, "x.json", text)
		v := trace.At(0)
		if trace.Len() != 1 || v.Start != 1500 || v.Length != 2000 || trace.Name(v) != "a" || trace.Tracks[v.Track].Process != "node1:GPU0" {
			t.Errorf("%s: %+v %+v", text, v, trace)
		}
		if strings.Contains(text, "thread_name") != (trace.Tracks[v.Track].Name == "python") || fmt.Sprint(trace.Notes) != want {
			t.Errorf("%s: %+v, notes %q", text, trace.Tracks, trace.Notes)
		}
	}
}

// TestCut: of a trace that was cut it is said where, and what to do.
func TestCut(t *testing.T) {
	_, err := Read(t.Context(), "x.json", strings.NewReader(`{"traceEvents":[{"ph":"X","cat":"cpu_op","ts":1,"dur":2},{"ph`))
	const want = "x.json at byte 59: ends early: the trace was cut short, or is still being written: copy it again, or wait for the profiler to close it"
	if err == nil || err.Error() != want {
		t.Errorf("%v, not %s", err, want)
	}
}
