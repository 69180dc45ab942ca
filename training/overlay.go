package training

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// Overlay writes a trace with all intervals of one rank and, beside them, what
// Device found: for each stream a counter of what is launched and has not begun,
// for each kind of copy its bandwidth, the memory that is allocated, and the
// critical path as a thread of its own. Chrome's and Perfetto's viewers show it.
func Overlay(w io.Writer, t *Trace) error {
	r := Device(t)
	o := &overlayWriter{out: bufio.NewWriter(w), t: t}
	o.text(`{"traceEvents":[`)
	for i, track := range t.Tracks {
		o.event(overlayEvent{Phase: "M", Name: "thread_name", Process: o.process(i), Thread: i, Args: map[string]any{"name": o.trackName(track)}})
	}
	o.event(overlayEvent{Phase: "M", Name: "thread_name", Process: pathProcess, Thread: 0, Args: map[string]any{"name": "critical path"}})
	for i := range t.Len() {
		v := t.At(i)
		o.event(overlayEvent{Phase: "X", Name: t.Names[v.Name], Category: v.Kind.category(), Process: o.process(int(v.Track)), Thread: int(v.Track), Time: micro(v.Start), Length: micro(v.Length)})
	}
	for _, p := range r.Path.parts {
		name := "host"
		if p.on != nil {
			name = t.Names[p.on.Name]
		}
		o.event(overlayEvent{Phase: "X", Name: name, Category: "critical_path", Process: pathProcess, Time: micro(p.from), Length: micro(p.to - p.from)})
	}
	o.counters()
	o.text("]}\n")
	if o.err != nil {
		return o.err
	}
	return o.out.Flush()
}

const pathProcess = "auspex"

type overlayEvent struct {
	Phase    string         `json:"ph"`
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Process  string         `json:"pid"`
	Thread   int            `json:"tid"`
	Time     float64        `json:"ts"`
	Length   float64        `json:"dur,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

func micro(ns int64) float64 { return float64(ns) / 1e3 }

type overlayWriter struct {
	out   *bufio.Writer
	t     *Trace
	begun bool
	err   error
}

func (o *overlayWriter) text(s string) {
	if o.err == nil {
		_, o.err = o.out.WriteString(s)
	}
}

func (o *overlayWriter) event(e overlayEvent) {
	data, err := json.Marshal(e)
	if o.err == nil {
		o.err = err
	}
	if o.begun {
		o.text(",\n")
	}
	o.begun = true
	o.text(string(data))
}

func (o *overlayWriter) process(track int) string {
	if o.t.Tracks[track].Device {
		return "device " + o.t.Tracks[track].Process
	}
	return "process " + o.t.Tracks[track].Process
}

func (o *overlayWriter) trackName(t Track) string {
	return strings.TrimSpace(t.Name + " " + t.Thread)
}

// category is Kineto's name of a kind.
func (k Kind) category() string {
	return [...]string{
		Operator: "cpu_op", Annotation: "user_annotation", Runtime: "cuda_runtime", Kernel: "kernel",
		Copy: "gpu_memcpy", Set: "gpu_memset", DeviceAnnotation: "gpu_user_annotation", Python: "python_function",
	}[k]
}

// counters writes how queues, bandwidths and memory change over time.
func (o *overlayWriter) counters() {
	for _, c := range o.t.Counters() {
		for _, s := range c.Samples {
			o.event(overlayEvent{Phase: "C", Name: c.Name, Process: pathProcess, Time: micro(s.At), Args: map[string]any{c.Unit: s.Value}})
		}
	}
}

// Counter is a quantity over time.
type Counter struct {
	Name, Unit string
	Samples    []Sample
}

// Sample is the value of a counter from a time on, in nanoseconds.
type Sample struct {
	At    int64
	Value float64
}

// Counters are the length of each stream's queue, the bandwidth of each kind of
// copy and the memory allocated on each device.
func (t *Trace) Counters() []Counter {
	changes := map[[2]string][]Sample{} // by how much the value changes
	links := t.links()
	for i := range t.Len() {
		v := t.At(i)
		if !v.Kind.OnDevice() {
			continue
		}
		if launch := links.launchOf(t, v); launch != nil && launch.Start < v.Start {
			key := [2]string{"queue of stream " + t.Tracks[v.Track].Thread, "launches"}
			changes[key] = append(changes[key], Sample{launch.Start, 1}, Sample{v.Start, -1})
		}
	}
	for _, m := range t.Messages {
		if v := t.At(m.Interval); (v.Kind == Copy || v.Kind == Set) && m.Bytes >= 0 && v.Length > 0 {
			key := [2]string{t.Names[v.Name], "GB/s"}
			rate := float64(m.Bytes) / float64(v.Length)
			changes[key] = append(changes[key], Sample{v.Start, rate}, Sample{v.End(), -rate})
		}
	}
	var list []Counter
	for key, samples := range changes {
		slices.SortStableFunc(samples, func(a, b Sample) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Value, b.Value)) })
		value := 0.0
		for i := range samples {
			value += samples[i].Value
			samples[i].Value = max(value, 0)
		}
		list = append(list, Counter{key[0], key[1], samples})
	}
	if len(t.Memory) > 0 {
		c := Counter{Name: "memory allocated", Unit: "bytes"}
		for _, a := range t.Memory {
			c.Samples = append(c.Samples, Sample{a.At, float64(a.Allocated)})
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Counter) int { return strings.Compare(a.Name, b.Name) })
	return list
}
