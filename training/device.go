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
}

// kernelGap is the pause between two kernels that follow each other at once.
const kernelGap = 30 // nanoseconds

// fullQueue is how many launches a stream takes before the next one waits.
const fullQueue = 1024

// Device adds up what the accelerators of a rank did.
func Device(t *Trace) *DeviceResult {
	d := &deviceView{t: t, launches: t.launches(), operators: t.operators()}
	for i := range t.Len() {
		if v := t.At(i); v.Kind.OnDevice() {
			d.busy = append(d.busy, v)
		}
	}
	slices.SortFunc(d.busy, func(a, b *Interval) int { return cmp.Compare(a.Start, b.Start) })
	r := &DeviceResult{
		Rank: t.Rank, Device: t.Device, Steps: []StepDevice{}, Idle: []StreamIdle{}, Kernels: []KernelStat{},
		Operators: []OperatorStat{}, Modules: []OperatorStat{}, Annotations: []OperatorStat{}, Patterns: []KernelSequence{}, Copies: []CopyStat{},
		Kinds: []KindTime{}, Memory: t.memory(),
	}
	if len(d.busy) == 0 {
		r.Words = "Nothing in this trace happened on an accelerator."
		return r
	}
	first, last := d.busy[0].Start, int64(0)
	for _, v := range d.busy {
		last = max(last, v.End())
	}
	r.Seconds = seconds(last - first)
	r.All = d.breakdown(first, last)
	if m := t.marks(); m.main >= 0 {
		for _, s := range m.steps {
			r.Steps = append(r.Steps, StepDevice{s.Number, seconds(s.End - s.Start), d.breakdown(s.Start, s.End)})
		}
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
	t         *Trace
	busy      []*Interval // on the device, by start
	launches  map[uint32]*Interval
	operators map[uint32]uint32
}

// launches finds the launch of everything on the device by what links them.
func (t *Trace) launches() map[uint32]*Interval {
	launches := map[uint32]*Interval{}
	for i := range t.Len() {
		if v := t.At(i); v.Kind.OnDevice() && v.Correlation != 0 {
			launches[v.Correlation] = nil
		}
	}
	for i := range t.Len() {
		if v := t.At(i); v.Kind == Runtime && v.Correlation != 0 {
			if _, wanted := launches[v.Correlation]; wanted {
				launches[v.Correlation] = v
			}
		}
	}
	return launches
}

func (d *deviceView) isCollective(v *Interval) bool {
	return v.Kind == Kernel && isDeviceCollective(d.t.Names[v.Name])
}

// breakdown says what the device did within a time.
func (d *deviceView) breakdown(from, to int64) Breakdown {
	var computing, communicating, copying []stretch
	for _, v := range d.busy {
		s := stretch{max(v.Start, from), min(v.End(), to)}
		switch {
		case s.to <= s.from:
		case d.isCollective(v):
			communicating = append(communicating, s)
		case v.Kind == Kernel:
			computing = append(computing, s)
		default:
			copying = append(copying, s)
		}
	}
	c, m := covered(computing), covered(communicating)
	kernels := covered(slices.Concat(computing, communicating))
	all := covered(slices.Concat(computing, communicating, copying))
	b := Breakdown{
		Computing: seconds(c), Communicating: seconds(m), Both: seconds(c + m - kernels),
		Copying: seconds(all - kernels), Idle: seconds(to - from - all),
	}
	if m > 0 {
		share := b.Both / b.Communicating
		b.Overlap = &share
	}
	return b
}

// streams tells of each stream why it was idle, and how long its queue was.
func (d *deviceView) streams(r *DeviceResult) {
	byStream := map[int][]*Interval{}
	for _, v := range d.busy {
		s := d.t.Tracks[v.Track].Stream
		byStream[s] = append(byStream[s], v)
	}
	for stream, list := range byStream {
		s := StreamIdle{Stream: stream, Count: len(list)}
		end := list[0].Start
		for i, v := range list {
			s.Busy += seconds(v.Length)
			if gap := v.Start - end; i > 0 && gap > 0 {
				launch := d.launches[v.Correlation]
				switch {
				case gap < kernelGap:
					s.KernelGap += seconds(gap)
				case launch != nil && launch.Start > end:
					s.HostLate += seconds(gap)
				default:
					s.Other += seconds(gap)
				}
			}
			end = max(end, v.End())
		}
		d.queue(&s, list)
		r.Idle = append(r.Idle, s)
	}
	slices.SortFunc(r.Idle, func(a, b StreamIdle) int { return cmp.Compare(a.Stream, b.Stream) })
}

// queue counts what was launched on a stream and had not begun.
func (d *deviceView) queue(s *StreamIdle, list []*Interval) {
	type change struct {
		at int64
		by int
	}
	var changes []change
	for _, v := range list {
		if launch := d.launches[v.Correlation]; launch != nil && launch.Start < v.Start {
			changes = append(changes, change{launch.Start, 1}, change{v.Start, -1})
		}
	}
	if len(changes) == 0 {
		return
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	length := 0
	for i, c := range changes {
		if i > 0 {
			time := seconds(c.at - changes[i-1].at)
			s.queueWeight += time
			s.QueueMean += float64(length) * time
			if length >= fullQueue {
				s.QueueFull += time
			}
		}
		length += c.by
		s.QueueMax = max(s.QueueMax, length)
	}
	if s.queueWeight > 0 {
		s.QueueMean /= s.queueWeight
	}
}

// CopyStat is all copies of one direction.
type CopyStat struct {
	Kind      string  `json:"kind"`
	Count     int     `json:"count"`
	Bytes     int64   `json:"bytes"`
	Seconds   float64 `json:"seconds"`
	Bandwidth float64 `json:"bytes_per_second"`
	Most      float64 `json:"most_bytes_per_second"`
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
		}
	}
	for _, s := range sums {
		if s.Seconds > 0 {
			s.Bandwidth = float64(s.Bytes) / s.Seconds
		}
		r.Copies = append(r.Copies, *s)
	}
	slices.SortFunc(r.Copies, func(a, b CopyStat) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), strings.Compare(a.Kind, b.Kind))
	})
}
