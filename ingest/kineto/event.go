package kineto

import (
	"bytes"
	"fmt"
	"math"

	"auspex/ingest/traceevent"
	"auspex/training"
)

// kindOf tells Kineto's categories, of CUDA, ROCm and XPU alike.
func kindOf(e *traceevent.Event) (training.Kind, bool) {
	switch string(e.Category) {
	case "cpu_op", "Operator", "operator":
		return training.Operator, true
	case "user_annotation":
		return training.Annotation, true
	case "cuda_runtime", "cuda_driver", "hip_runtime", "hip_driver", "xpu_runtime", "xpu_driver", "privateuse1_runtime", "privateuse1_driver":
		return training.Runtime, true
	case "kernel", "Kernel":
		return training.Kernel, true
	case "gpu_memcpy", "Memcpy":
		return training.Copy, true
	case "gpu_memset", "Memset":
		return training.Set, true
	case "gpu_user_annotation":
		return training.DeviceAnnotation, true
	case "python_function":
		return training.Python, true
	case "":
		return kindOfOld(e)
	}
	return 0, false
}

// kindOfOld tells the events of a PyTorch without Kineto, which have no
// categories. Operators and the functions of autograd are told by their names;
// what else ran on the host is a range that somebody named.
func kindOfOld(e *traceevent.Event) (training.Kind, bool) {
	switch string(e.Process) {
	case "CUDA functions":
		return training.Kernel, true
	case "CPU functions":
		if bytes.Contains(e.Name, []byte("::")) || bytes.HasSuffix(bytes.TrimRight(e.Name, "0123456789"), []byte("Backward")) {
			return training.Operator, true
		}
		return training.Annotation, true
	}
	return 0, false
}

// processorMemory is the device type of the processor among PyTorch's.
const processorMemory = 0

// useEvent keeps an interval, or the name of a thread.
func (p *reader) useEvent(e *traceevent.Event) error {
	if e.Phase == 'M' {
		if string(e.Name) == "thread_name" && len(p.labels) < maxTracks {
			p.labels[string(e.Process)+"\x00"+string(e.Thread)] = string(e.Label)
		}
		return nil
	}
	if e.Phase == 'i' && string(e.Name) == "[memory]" && e.Allocated >= 0 && e.DeviceType != processorMemory {
		p.t.Memory = append(p.t.Memory, training.Allocation{At: e.Start, Device: int(e.Device), Bytes: e.Bytes, Allocated: e.Allocated, Reserved: e.Reserved})
		return nil
	}
	if e.Phase == 'X' && string(e.Category) == traceevent.ProfilerRange {
		return p.useRange(e)
	}
	kind, known := kindOf(e)
	switch {
	case e.Phase == 'E', e.Phase == 'B', e.Phase == 'X' && known:
	default:
		return nil
	}
	if !e.HasStart {
		p.lacks.Time++
		return nil
	}
	v, err := p.interval(e, kind, known)
	if err != nil {
		return err
	}
	if e.Phase != 'X' {
		return p.half(e, v, known)
	}
	if !e.HasLength || e.Length < 0 {
		p.lacks.Length++
	}
	var message *training.Message
	if e.Message {
		message = describe(e)
	}
	return p.add(v, message)
}

// interval makes one of an event; what is not known has no track.
func (p *reader) interval(e *traceevent.Event, kind training.Kind, known bool) (training.Interval, error) {
	v := training.Interval{Start: e.Start, Length: max(e.Length, 0), Kind: kind, Correlation: e.Correlation, External: e.External}
	var err error
	if v.Name, err = p.name(e.Name); err == nil && known && e.Phase != 'E' {
		v.Track, err = p.track(e, kind)
	}
	return v, err
}

// add adds an interval, and what it says of the data it moves.
func (p *reader) add(v training.Interval, message *training.Message) error {
	if p.t.Len() == maxIntervals {
		return fmt.Errorf("more than %d events", uint32(maxIntervals))
	}
	i := p.t.Add(v)
	if message != nil {
		message.Interval = i
		p.t.Messages = append(p.t.Messages, *message)
	}
	return nil
}

// useRange keeps what the accelerator's counters counted in a kernel.
func (p *reader) useRange(e *traceevent.Event) error {
	kernel, err := p.name(e.Name)
	if err != nil {
		return err
	}
	r := training.ProfiledRange{At: e.Start, Kernel: kernel}
	for _, c := range e.Counters {
		name, err := p.name([]byte(c.Name))
		if err != nil {
			return err
		}
		r.Values = append(r.Values, training.CounterValue{Counter: name, Value: c.Value})
	}
	p.t.Ranges = append(p.t.Ranges, r)
	return nil
}

func describe(e *traceevent.Event) *training.Message {
	m := &training.Message{
		Bytes: e.Bytes, Collective: string(e.Collective), Group: string(e.Group),
		GroupSize: int(min(max(e.GroupSize, 0), 1<<30)), Ranks: string(e.Ranks), Seq: e.Seq,
		Source: rankOf(e.Source), Target: rankOf(e.Target),
	}
	if m.Collective == "" && m.Group == "" && training.HostCollective(e.Name) {
		_, name, _ := bytes.Cut(e.Name, []byte(":"))
		m.Collective = string(name)
	}
	if m.Bytes < 0 && e.In >= 0 {
		m.Bytes = e.In * sizeOf(e.Type)
	}
	return m
}

// rankOf is the rank that a number stands for; nil where it is none.
func rankOf(n int64) *int {
	if n < 0 || n > math.MaxInt32 {
		return nil
	}
	rank := int(n)
	return &rank
}

// sizeOf is the size of one element, 4 where the type is not known. Collectives of
// a device name it as Python does, those of the host as C++.
func sizeOf(dtype []byte) int64 {
	switch string(dtype) {
	case "Byte", "Char", "Bool", "Float8_e4m3fn", "Float8_e5m2",
		"unsigned char", "signed char", "bool", "c10::Float8_e4m3fn", "c10::Float8_e5m2":
		return 1
	case "Half", "BFloat16", "Short", "c10::Half", "c10::BFloat16", "short int", "short":
		return 2
	case "Double", "Long", "double", "long int", "long":
		return 8
	}
	return 4
}

func (p *reader) name(text []byte) (uint32, error) {
	if id, ok := p.names[string(text)]; ok {
		return id, nil
	}
	if len(p.t.Names) == maxNames {
		return 0, fmt.Errorf("more than %d different names", maxNames)
	}
	id := uint32(len(p.t.Names))
	name := string(text)
	p.t.Names = append(p.t.Names, name)
	p.names[name] = id
	return id, nil
}

// track finds the thread or stream; events of one mostly follow each other.
func (p *reader) track(e *traceevent.Event, kind training.Kind) (uint16, error) {
	device := kind.OnDevice() || kind == training.DeviceAnnotation
	p.key = append(append(append(p.key[:0], e.Process...), 0), e.Thread...)
	if device { // device 0 and process 0 are not the same
		p.key = append(p.key, 1)
	}
	if bytes.Equal(p.key, p.lastTrack.key) {
		return p.lastTrack.track, nil
	}
	track, ok := p.tracks[string(p.key)]
	if !ok {
		if len(p.t.Tracks) == maxTracks {
			return 0, fmt.Errorf("more than %d threads and streams", maxTracks)
		}
		track = uint16(len(p.t.Tracks))
		p.tracks[string(p.key)] = track
		p.t.Tracks = append(p.t.Tracks, training.Track{
			Process: string(e.Process), Thread: string(e.Thread),
			Device: device, Stream: e.Stream,
		})
	}
	p.lastTrack.key = append(p.lastTrack.key[:0], p.key...)
	p.lastTrack.track = track
	return track, nil
}
