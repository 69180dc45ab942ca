package training

import (
	"cmp"
	"slices"
	"strings"
)

// DeviceResult tells what the accelerators of one rank did. Times are seconds;
// shares are of the span from the first to the last thing the device did.
type DeviceResult struct {
	Rank        int              `json:"rank"`
	Device      string           `json:"device"`
	Seconds     float64          `json:"seconds"`
	All         Breakdown        `json:"breakdown"`
	Steps       []StepDevice     `json:"steps"`
	Idle        []StreamIdle     `json:"streams"`
	Kernels     []KernelStat     `json:"kernels"`
	Operators   []OperatorStat   `json:"operators"`
	Modules     []OperatorStat   `json:"modules"`
	Annotations []OperatorStat   `json:"annotations"`
	Patterns    []KernelSequence `json:"patterns"`
	Launches    LaunchStat       `json:"launches"`
	Copies      []CopyStat       `json:"copies"`
	Path        CriticalPath     `json:"critical_path"`
	Kinds       []KindTime       `json:"kinds"`
	Memory      []MemoryStat     `json:"memory"`
	Counters    []CounterStat    `json:"counters"`
	Words       string           `json:"words"`
}

// Breakdown is where a device's time went. Computing and communicating may
// happen at once; Copying is what neither covers.
type Breakdown struct {
	Computing     float64  `json:"computing_seconds"`
	Communicating float64  `json:"communicating_seconds"`
	Both          float64  `json:"both_seconds"`
	Overlap       *float64 `json:"overlap"` // both / communicating; null without
	Copying       float64  `json:"copying_seconds"`
	Idle          float64  `json:"idle_seconds"`
}

// StepDevice is the breakdown of one step.
type StepDevice struct {
	Step    int     `json:"step"`
	Seconds float64 `json:"seconds"`
	Breakdown
}

// StreamIdle is why a stream did nothing between what it did: the host had not
// launched the next yet, the next followed as soon as it can (less than 30 ns),
// or something else (another stream it waited for). As HolisticTraceAnalysis
// tells them apart.
type StreamIdle struct {
	Stream      int     `json:"stream"`
	Count       int     `json:"intervals"`
	Busy        float64 `json:"busy_seconds"`
	HostLate    float64 `json:"host_late_seconds"`
	KernelGap   float64 `json:"kernel_gap_seconds"`
	Other       float64 `json:"other_seconds"`
	QueueMax    int     `json:"queue_max"`  // launched and not begun
	QueueMean   float64 `json:"queue_mean"` // over the stream's time
	QueueFull   float64 `json:"queue_full_seconds"`
	queueWeight float64

	// How long the pauses of each sort were, in seconds, and how long the queue
	// was after each launch and each beginning; null without any.
	HostLateGaps *Distribution `json:"host_late_gaps"`
	KernelGaps   *Distribution `json:"kernel_gaps"`
	OtherGaps    *Distribution `json:"other_gaps"`
	Queue        *Distribution `json:"queue"`
}

// kernelGap is the pause between two kernels that follow each other at once.
const kernelGap = 30 // nanoseconds

// fullQueue is how many launches a stream takes before the next one waits.
const fullQueue = 1024

// Device adds up what the accelerators of a rank did.
func Device(t *Trace) *DeviceResult {
	d := t.deviceView()
	r := &DeviceResult{
		Rank: t.Rank, Device: t.Device, Steps: []StepDevice{}, Idle: []StreamIdle{}, Kernels: []KernelStat{},
		Operators: []OperatorStat{}, Modules: []OperatorStat{}, Annotations: []OperatorStat{}, Patterns: []KernelSequence{}, Copies: []CopyStat{},
		Kinds: []KindTime{}, Memory: t.memory(), Counters: t.counters(),
	}
	if len(d.busy) == 0 {
		r.Words = "Nothing in this trace happened on an accelerator."
		return r
	}
	first, last := d.at(0).Start, int64(absent)
	for i := range d.busy {
		last = max(last, d.at(i).End())
	}
	r.Seconds = seconds(last - first)
	within := []stretch{{first, last}}
	var steps []Step
	if m := t.marks(); m.main >= 0 {
		steps = m.steps
	}
	for _, s := range steps {
		within = append(within, stretch{s.Start, s.End})
	}
	all := d.breakdowns(within)
	r.All = all[0]
	for i, s := range steps {
		r.Steps = append(r.Steps, StepDevice{s.Number, seconds(s.End - s.Start), all[i+1]})
	}
	d.streams(r)
	d.kernels(r)
	d.kinds(r)
	d.patterns(r)
	d.launchStat(r)
	d.copies(r)
	d.criticalPath(r)
	r.Words = r.deviceWords()
	return r
}

// deviceView is a trace being looked at.
type deviceView struct {
	t     *Trace
	busy  []uint32 // indexes of what is on the device, by start
	links *links
}

func (t *Trace) deviceView() *deviceView {
	return &deviceView{t: t, busy: t.onDevice(), links: t.links()}
}

// at is the i-th of what the device did.
func (d *deviceView) at(i int) *Interval { return d.t.At(int(d.busy[i])) }

// launchOf is what launched an interval, nil where it is not known.
func (d *deviceView) launchOf(v *Interval) *Interval { return d.links.launchOf(d.t, v) }

// streams tells of each stream why it was idle, and how long its queue was.
func (d *deviceView) streams(r *DeviceResult) {
	count := map[int]int{}
	for i := range d.busy {
		count[d.t.Tracks[d.at(i).Track].Stream]++
	}
	byStream := map[int][]uint32{}
	for stream, n := range count {
		byStream[stream] = make([]uint32, 0, n)
	}
	for _, i := range d.busy {
		stream := d.t.Tracks[d.t.At(int(i)).Track].Stream
		byStream[stream] = append(byStream[stream], i)
	}
	for stream, list := range byStream {
		s := StreamIdle{Stream: stream, Count: len(list)}
		var hostLate, kernel, other []float32
		end := d.t.At(int(list[0])).Start
		for n, i := range list {
			v := d.t.At(int(i))
			s.Busy += seconds(v.Length)
			if gap := v.Start - end; n > 0 && gap > 0 {
				launch := d.launchOf(v)
				switch {
				case gap < kernelGap:
					s.KernelGap += seconds(gap)
					kernel = append(kernel, float32(seconds(gap)))
				case launch != nil && launch.Start > end:
					s.HostLate += seconds(gap)
					hostLate = append(hostLate, float32(seconds(gap)))
				default:
					s.Other += seconds(gap)
					other = append(other, float32(seconds(gap)))
				}
			}
			end = max(end, v.End())
		}
		s.HostLateGaps, s.KernelGaps, s.OtherGaps = distributionOf(hostLate), distributionOf(kernel), distributionOf(other)
		d.queue(&s, list)
		r.Idle = append(r.Idle, s)
	}
	slices.SortFunc(r.Idle, func(a, b StreamIdle) int { return cmp.Compare(a.Stream, b.Stream) })
}

// queue counts what was launched on a stream and had not begun: the launches by
// their start on one side, what begins, in its order, on the other.
func (d *deviceView) queue(s *StreamIdle, list []uint32) {
	launched := make([]int64, 0, len(list))
	queued := func(i uint32) (*Interval, *Interval) {
		v := d.t.At(int(i))
		if launch := d.launchOf(v); launch != nil && launch.Start < v.Start {
			return v, launch
		}
		return nil, nil
	}
	for _, i := range list {
		if _, launch := queued(i); launch != nil {
			launched = append(launched, launch.Start)
		}
	}
	if len(launched) == 0 {
		return
	}
	slices.Sort(launched)
	lengths := make([]float32, 0, 2*len(launched))
	length := 0
	at := launched[0]
	change := func(to int64, by int) {
		time := seconds(to - at)
		s.queueWeight += time
		s.QueueMean += float64(length) * time
		if length >= fullQueue {
			s.QueueFull += time
		}
		at = to
		length += by
		s.QueueMax = max(s.QueueMax, length)
		lengths = append(lengths, float32(length))
	}
	for _, i := range list {
		v, _ := queued(i)
		if v == nil {
			continue
		}
		for len(launched) > 0 && launched[0] < v.Start {
			change(launched[0], 1)
			launched = launched[1:]
		}
		change(v.Start, -1)
	}
	if s.queueWeight > 0 {
		s.QueueMean /= s.queueWeight
	}
	s.Queue = distributionOf(lengths)
}

// CopyStat is all copies of one direction.
type CopyStat struct {
	Kind      string  `json:"kind"`
	Count     int     `json:"count"`
	Bytes     int64   `json:"bytes"`
	Seconds   float64 `json:"seconds"`
	Bandwidth float64 `json:"bytes_per_second"`
	Most      float64 `json:"most_bytes_per_second"`

	Bandwidths *Distribution `json:"bandwidths"` // of the copies, bytes a second
	each       []float32
}

func (d *deviceView) copies(r *DeviceResult) {
	sums := map[string]*CopyStat{}
	for _, m := range d.t.Messages {
		v := d.t.At(m.Interval)
		if v.Kind != Copy && v.Kind != Set || m.Bytes < 0 {
			continue
		}
		kind := d.t.Names[v.Name]
		if sums[kind] == nil {
			sums[kind] = &CopyStat{Kind: kind}
		}
		s := sums[kind]
		s.Count++
		s.Bytes += m.Bytes
		s.Seconds += seconds(v.Length)
		if v.Length > 0 {
			s.Most = max(s.Most, float64(m.Bytes)/seconds(v.Length))
			s.each = append(s.each, float32(float64(m.Bytes)/seconds(v.Length)))
		}
	}
	for _, s := range sums {
		if s.Seconds > 0 {
			s.Bandwidth = float64(s.Bytes) / s.Seconds
		}
		s.Bandwidths, s.each = distributionOf(s.each), nil
		r.Copies = append(r.Copies, *s)
	}
	slices.SortFunc(r.Copies, func(a, b CopyStat) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), strings.Compare(a.Kind, b.Kind))
	})
}
