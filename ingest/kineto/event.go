package kineto

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"

	"auspex/internal/jsonscan"
	"auspex/training"
)

// event is an event as it stands in the file; its slices are used again.
type event struct {
	phase          byte
	name, category []byte
	pid, tid       []byte
	label          []byte // args.name, of metadata
	start, length  int64
	hasStart       bool

	correlation, external uint32
	stream                int
	message               bool
	bytes, in, seq        int64
	collective, group     []byte
	ranks, dtype          []byte
	groupSize             int64
}

func (e *event) reset() {
	*e = event{
		name: e.name[:0], category: e.category[:0], pid: e.pid[:0], tid: e.tid[:0], label: e.label[:0],
		collective: e.collective[:0], group: e.group[:0], ranks: e.ranks[:0], dtype: e.dtype[:0],
		bytes: -1, in: -1, seq: -1, stream: -1,
	}
}

// readEvent reads the event that was begun.
func (p *reader) readEvent() error {
	e := &p.event
	e.reset()
	for {
		kind, err := p.s.Next()
		if err != nil {
			return err
		}
		if kind == jsonscan.ObjectEnd {
			return p.useEvent(e)
		}
		if err := p.readField(e); err != nil {
			return err
		}
	}
}

func (p *reader) readField(e *event) error {
	switch string(p.s.Bytes()) {
	case "ph":
		kind, err := p.s.Next()
		if err != nil {
			return err
		}
		if kind != jsonscan.String || len(p.s.Bytes()) != 1 {
			return errors.New("the phase (ph) of an event must be one letter")
		}
		e.phase = p.s.Bytes()[0]
		return nil
	case "name":
		return p.into(&e.name)
	case "cat":
		return p.into(&e.category)
	case "pid":
		return p.into(&e.pid)
	case "tid":
		return p.into(&e.tid)
	case "ts":
		e.hasStart = true
		return p.time(&e.start)
	case "dur":
		return p.time(&e.length)
	case "args":
		kind, err := p.s.Next()
		if err != nil || kind != jsonscan.ObjectStart {
			return errors.Join(err, p.s.Skip())
		}
		if e.phase == 0 || e.phase == 'X' || e.phase == 'M' {
			return p.readArgs(e)
		}
	}
	return p.s.Skip()
}

// readArgs reads the arguments that link events or tell sizes.
func (p *reader) readArgs(e *event) error {
	for {
		kind, err := p.s.Next()
		if err != nil {
			return err
		}
		if kind == jsonscan.ObjectEnd {
			return nil
		}
		if err := p.readArg(e, p.s.Bytes()); err != nil {
			return err
		}
	}
}

func (p *reader) readArg(e *event, key []byte) error {
	switch string(key) {
	case "correlation":
		return p.link(&e.correlation)
	case "External id", "external id":
		return p.link(&e.external)
	case "stream":
		n, err := p.number()
		e.stream = int(n)
		return err
	case "bytes", "Bytes":
		e.message = true
		return p.whole(&e.bytes)
	case "Collective name":
		e.message = true
		return p.into(&e.collective)
	case "Process Group Name":
		e.message = true
		return p.into(&e.group)
	case "Process Group Ranks":
		return p.into(&e.ranks)
	case "Group size":
		e.message = true
		return p.whole(&e.groupSize)
	case "In msg nelems":
		e.message = true
		return p.whole(&e.in)
	case "dtype":
		return p.into(&e.dtype)
	case "Seq", "seq":
		return p.whole(&e.seq)
	case "name":
		if e.phase == 'M' {
			return p.into(&e.label)
		}
	}
	return p.s.Skip()
}

func (p *reader) whole(n *int64) error {
	v, err := p.number()
	*n = v
	return err
}

func (p *reader) link(id *uint32) error {
	n, err := p.number()
	*id = uint32(n)
	return err
}

// into copies a string or number; of other values the slice stays empty.
func (p *reader) into(text *[]byte) error {
	kind, err := p.s.Next()
	if err != nil {
		return err
	}
	if kind == jsonscan.String || kind == jsonscan.Number {
		*text = append((*text)[:0], p.s.Bytes()...)
		return nil
	}
	return p.s.Skip()
}

// time reads microseconds into nanoseconds. A float64 of an epoch would be a
// quarter of a microsecond off, so the digits are taken as they stand.
func (p *reader) time(ns *int64) error {
	kind, err := p.s.Next()
	if err != nil {
		return err
	}
	if kind != jsonscan.Number && kind != jsonscan.String {
		return p.s.Skip()
	}
	*ns, err = nanoseconds(p.s.Bytes())
	return err
}

const maxMicroseconds = 4e15 // the year 2096

func nanoseconds(text []byte) (int64, error) {
	digits, negative := bytes.CutPrefix(text, []byte("-"))
	var whole, thousandths int64
	i := 0
	for ; i < len(digits) && i < 16 && digits[i] >= '0' && digits[i] <= '9'; i++ {
		whole = whole*10 + int64(digits[i]-'0')
	}
	if i < len(digits) && digits[i] == '.' {
		i++
		for place := int64(100); i < len(digits) && digits[i] >= '0' && digits[i] <= '9'; i++ {
			thousandths += int64(digits[i]-'0') * place
			place /= 10
		}
	}
	if i < len(digits) || len(digits) == 0 || whole > maxMicroseconds {
		v, err := strconv.ParseFloat(string(text), 64)
		if err != nil || !(math.Abs(v) <= maxMicroseconds) {
			return 0, fmt.Errorf("%q is not a time in microseconds", text[:min(len(text), 40)])
		}
		return int64(math.Round(v * 1e3)), nil
	}
	if negative {
		return -(whole*1000 + thousandths), nil
	}
	return whole*1000 + thousandths, nil
}

// kinds are Kineto's categories, of CUDA, ROCm and XPU alike.
func kindOf(category []byte) (training.Kind, bool) {
	switch string(category) {
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
	}
	return 0, false
}

// useEvent keeps an interval, or the name of a thread.
func (p *reader) useEvent(e *event) error {
	if e.phase == 'M' {
		if string(e.name) == "thread_name" && len(p.labels) < maxTracks {
			p.labels[string(e.pid)+"\x00"+string(e.tid)] = string(e.label)
		}
		return nil
	}
	kind, known := kindOf(e.category)
	if e.phase != 'X' || !known {
		return nil
	}
	if !e.hasStart {
		return errors.New("an event has no time (ts)")
	}
	track, err := p.track(e, kind)
	if err != nil {
		return err
	}
	name, err := p.name(e.name)
	if err != nil {
		return err
	}
	if p.t.Len() == maxIntervals {
		return fmt.Errorf("more than %d events", uint32(maxIntervals))
	}
	i := p.t.Add(training.Interval{
		Start: e.start, Length: max(e.length, 0), Name: name, Track: track, Kind: kind,
		Correlation: e.correlation, External: e.external,
	})
	if e.message {
		p.t.Messages = append(p.t.Messages, e.describe(i))
	}
	return nil
}

func (e *event) describe(i int) training.Message {
	m := training.Message{
		Interval: i, Bytes: e.bytes, Collective: string(e.collective), Group: string(e.group),
		GroupSize: int(min(max(e.groupSize, 0), 1<<30)), Ranks: string(e.ranks), Seq: e.seq,
	}
	if m.Bytes < 0 && e.in >= 0 {
		m.Bytes = e.in * sizeOf(e.dtype)
	}
	return m
}

// sizeOf is the size of one element, 4 where the type is not known.
func sizeOf(dtype []byte) int64 {
	switch string(dtype) {
	case "Byte", "Char", "Bool", "Float8_e4m3fn", "Float8_e5m2":
		return 1
	case "Half", "BFloat16", "Short":
		return 2
	case "Double", "Long":
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
func (p *reader) track(e *event, kind training.Kind) (uint16, error) {
	device := kind.OnDevice() || kind == training.DeviceAnnotation
	p.key = append(append(append(p.key[:0], e.pid...), 0), e.tid...)
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
			Process: string(e.pid), Thread: string(e.tid),
			Device: device, Stream: e.stream,
		})
	}
	p.lastTrack.key = append(p.lastTrack.key[:0], p.key...)
	p.lastTrack.track = track
	return track, nil
}
