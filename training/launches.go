package training

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// LaunchStat tells of the way from the host to the device.
type LaunchStat struct {
	Count int `json:"count"`
	// Delay is the time from the end of the launch to the beginning of the
	// kernel.
	MeanDelay float64 `json:"mean_delay_seconds"`
	MostDelay float64 `json:"most_delay_seconds"`
	// Short kernels take less time than their launch: the host cannot keep
	// the device busy with such.
	Short      int     `json:"short_kernels"`
	ShortShare float64 `json:"short_share"`
	// Long launches take the host more than 50 µs; late kernels begin more
	// than 100 µs after their launch.
	LongLaunches int     `json:"long_launches"`
	LateKernels  int     `json:"late_kernels"`
	MeanLaunch   float64 `json:"mean_launch_seconds"`
}

// What counts as long, as HolisticTraceAnalysis has it.
const (
	longLaunch = 50_000  // nanoseconds
	lateKernel = 100_000 // nanoseconds
)

func (d *deviceView) launchStat(r *DeviceResult) {
	s := &r.Launches
	for i := range d.busy {
		v := d.at(i)
		launch := d.launchOf(v)
		if v.Kind != Kernel || launch == nil {
			continue
		}
		s.Count++
		delay := max(v.Start-launch.End(), 0)
		s.MeanDelay += seconds(delay)
		s.MostDelay = max(s.MostDelay, seconds(delay))
		s.MeanLaunch += seconds(launch.Length)
		if v.Length < launch.Length && !strings.Contains(d.t.Names[launch.Name], "GraphLaunch") {
			s.Short++ // a graph's launch is that of all its kernels
		}
		if launch.Length > longLaunch {
			s.LongLaunches++
		}
		if delay > lateKernel {
			s.LateKernels++
		}
	}
	if s.Count > 0 {
		n := float64(s.Count)
		s.MeanDelay /= n
		s.MeanLaunch /= n
		s.ShortShare = float64(s.Short) / n
	}
}

// CriticalPath is what the end of the trace waited for, followed backwards on
// one rank: something on the device waits for its stream or for its launch, a
// launch for the host, and the host for the device where a call waits for it.
type CriticalPath struct {
	Kernels     float64 `json:"kernel_seconds"`
	Collectives float64 `json:"collective_seconds"`
	Copies      float64 `json:"copy_seconds"`
	Launching   float64 `json:"launching_seconds"` // from launch to beginning
	Host        float64 `json:"host_seconds"`
	parts       []pathPart
}

// pathPart is a stretch of the critical path; what lies on the device has an
// interval.
type pathPart struct {
	from, to int64
	on       *Interval
}

func (p *CriticalPath) add(from, to int64, on *Interval) float64 {
	p.parts = append(p.parts, pathPart{from, to, on})
	return seconds(to - from)
}

// criticalPath follows what was waited for from the last thing on the device.
func (d *deviceView) criticalPath(r *DeviceResult) {
	before := make([]uint32, len(d.busy)) // on the same stream, or none
	lastOn := map[uint16]uint32{}
	ends := make([]uint32, len(d.busy)) // places in busy, by end
	for i := range d.busy {
		ends[i] = uint32(i)
		before[i] = none
		track := d.at(i).Track
		if previous, ok := lastOn[track]; ok {
			before[i] = previous
		}
		lastOn[track] = uint32(i)
	}
	byEnd := func(a, b uint32) int {
		return cmp.Or(cmp.Compare(d.at(int(a)).End(), d.at(int(b)).End()), cmp.Compare(a, b))
	}
	if !slices.IsSortedFunc(ends, byEnd) {
		slices.SortFunc(ends, byEnd)
	}
	waits := d.waits()
	p := &r.Path
	for at := ends[len(ends)-1]; ; {
		v := d.at(int(at))
		length := p.add(v.Start, v.End(), v)
		switch {
		case d.t.isCollective(v):
			p.Collectives += length
		case v.Kind == Kernel:
			p.Kernels += length
		default:
			p.Copies += length
		}
		launch := d.launchOf(v)
		if before[at] != none {
			if end := d.at(int(before[at])).End(); launch == nil || end >= launch.End() {
				p.Launching += seconds(max(v.Start-end, 0))
				at = before[at]
				continue
			}
		}
		if launch == nil {
			return
		}
		p.Launching += seconds(max(v.Start-launch.Start, 0))
		wait, ok := latest(waits, launch.Start)
		if !ok { // nothing was waited for before: the host from the beginning
			p.Host += p.add(min(d.first(), launch.Start), launch.Start, nil)
			return
		}
		p.Host += p.add(wait, launch.Start, nil)
		i, _ := slices.BinarySearchFunc(ends, wait+1, func(i uint32, at int64) int { return cmp.Compare(d.at(int(i)).End(), at) })
		if i == 0 || d.at(int(ends[i-1])).Start >= v.Start {
			return
		}
		at = ends[i-1]
	}
}

// waits lists when calls that wait for the device returned.
func (d *deviceView) waits() []int64 {
	var list []int64
	for i := range d.t.Len() {
		if v := d.t.At(i); v.Kind == Runtime && WaitsForDevice(d.t.Names[v.Name]) {
			list = append(list, v.End())
		}
	}
	slices.Sort(list)
	return list
}

func latest(sorted []int64, at int64) (int64, bool) {
	i, _ := slices.BinarySearch(sorted, at+1)
	if i == 0 {
		return 0, false
	}
	return sorted[i-1], true
}

// first is when the trace begins.
func (d *deviceView) first() int64 {
	first, _ := d.t.Span()
	return first
}

// deviceWords is the answer in a sentence or two.
func (r *DeviceResult) deviceWords() string {
	if r.Seconds == 0 {
		return "What the device did took no time."
	}
	share := func(s float64) float64 { return 100 * s / r.Seconds }
	words := fmt.Sprintf("Of %s the device computed %.0f %%, communicated %.0f %%, only copied %.0f %% and was idle %.0f %%.",
		milli(r.Seconds), share(r.All.Computing), share(r.All.Communicating), share(r.All.Copying), share(r.All.Idle))
	if o := r.All.Overlap; o != nil {
		words += fmt.Sprintf(" %.0f %% of the communication was hidden behind computing.", 100**o)
	}
	var host, other float64
	for _, s := range r.Idle {
		host += s.HostLate
		other += s.Other + s.KernelGap
	}
	if share(r.All.Idle) >= 20 && host > other {
		words += " Streams were idle mostly because the host had not launched the next kernel yet."
	}
	if r.Launches.Count > 0 && r.Launches.ShortShare >= 0.5 {
		words += fmt.Sprintf(" %.0f %% of the kernels take less time than their launch: larger batches, fused kernels or graphs would help.", 100*r.Launches.ShortShare)
	}
	return words
}
