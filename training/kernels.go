package training

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// KernelStat is one kernel over all its launches.
type KernelStat struct {
	Kernel    string  `json:"kernel"`
	Kind      string  `json:"kind"` // computing, communicating
	Count     int     `json:"count"`
	Seconds   float64 `json:"seconds"`
	Share     float64 `json:"share"` // of all kernels' time
	Mean      float64 `json:"mean_seconds"`
	Least     float64 `json:"least_seconds"`
	Most      float64 `json:"most_seconds"`
	Deviation float64 `json:"deviation_seconds"`
	squares   float64
}

// OperatorStat is the kernels that an operator, a module or a range launched.
type OperatorStat struct {
	Name    string  `json:"name"`
	Kernels int     `json:"kernels"`
	Seconds float64 `json:"seconds"`
	Calls   int     `json:"calls"`
	Host    float64 `json:"host_seconds"` // in the operator itself, on the host
	// Means, from the beginning of a call that launches kernels to its first
	// launch, and from there to the beginning of that kernel.
	LaunchDelay float64 `json:"launch_delay_seconds"`
	StartDelay  float64 `json:"start_delay_seconds"`
	first       int
}

// KernelSequence is kernels that follow each other under an operator again and
// again: candidates for fusing.
type KernelSequence struct {
	Operator string   `json:"operator"`
	Kernels  []string `json:"kernels"`
	Count    int      `json:"count"`
	Seconds  float64  `json:"seconds"`
}

func (d *deviceView) kernels(r *DeviceResult) {
	kernels := map[uint32]*KernelStat{}
	modules := d.modules()
	byOperator, byModule := newOperatorSums(), newOperatorSums()
	total := 0.0
	for i := range d.busy {
		v := d.at(i)
		if v.Kind != Kernel {
			continue
		}
		k := kernels[v.Name]
		time := seconds(v.Length)
		if k == nil {
			k = &KernelStat{Kernel: d.t.Names[v.Name], Kind: "computing", Least: time}
			if d.t.isCollective(v) {
				k.Kind = "communicating"
			}
			kernels[v.Name] = k
		}
		k.Count++
		k.Seconds += time
		k.squares += time * time
		k.Least, k.Most = min(k.Least, time), max(k.Most, time)
		total += time
		byOperator.add(d.operatorOf(v), time)
		if at := d.links.at(v); at >= 0 && d.links.after[at] != none {
			s := byOperator.sums[d.operatorOf(v)]
			s.first++
			s.LaunchDelay += seconds(int64(d.links.after[at]))
			s.StartDelay += seconds(max(v.Start-d.launchOf(v).Start, 0))
		}
		if modules != nil && modules[i] != none {
			byModule.add(strings.TrimPrefix(d.t.Names[modules[i]], modulePrefix), time)
		}
	}
	for _, k := range kernels {
		k.Mean = k.Seconds / float64(k.Count)
		k.Deviation = math.Sqrt(max(k.squares/float64(k.Count)-k.Mean*k.Mean, 0))
		if total > 0 {
			k.Share = k.Seconds / total
		}
		r.Kernels = append(r.Kernels, *k)
	}
	slices.SortFunc(r.Kernels, func(a, b KernelStat) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), strings.Compare(a.Kernel, b.Kernel))
	})
	for i := range d.t.Len() {
		if v := d.t.At(i); v.Kind == Operator {
			if s := byOperator.sums[d.t.Names[v.Name]]; s != nil {
				s.Calls++
				s.Host += seconds(v.Length)
			}
		}
	}
	for _, s := range byOperator.sums {
		if s.first > 0 {
			s.LaunchDelay /= float64(s.first)
			s.StartDelay /= float64(s.first)
		}
	}
	r.Operators, r.Modules = byOperator.list(), byModule.list()
	annotations := newOperatorSums()
	for i := range d.t.Len() {
		if v := d.t.At(i); v.Kind == DeviceAnnotation {
			annotations.add(strings.TrimRight(d.t.Names[v.Name], "0123456789"), seconds(v.Length))
		}
	}
	r.Annotations = annotations.list()
}

// operatorOf is the operator that launched something, "" where it is not known.
func (d *deviceView) operatorOf(v *Interval) string {
	if name := d.links.operatorOf(v); name != none {
		return d.t.Names[name]
	}
	return ""
}

type operatorSums struct{ sums map[string]*OperatorStat }

func newOperatorSums() *operatorSums { return &operatorSums{map[string]*OperatorStat{}} }

func (o *operatorSums) add(name string, time float64) {
	if o.sums[name] == nil {
		o.sums[name] = &OperatorStat{Name: name}
	}
	o.sums[name].Kernels++
	o.sums[name].Seconds += time
}

func (o *operatorSums) list() []OperatorStat {
	list := []OperatorStat{}
	for _, s := range o.sums {
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b OperatorStat) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), strings.Compare(a.Name, b.Name))
	})
	return list
}

const modulePrefix = "nn.Module: "

// modules finds the name of the innermost module of the model in which each
// thing on the device was launched, or none; nil where the profiler did not keep
// Python's stack.
func (d *deviceView) modules() []uint32 {
	var open []*Interval
	for i := range d.t.Len() {
		if v := d.t.At(i); v.Kind == Python && strings.HasPrefix(d.t.Names[v.Name], modulePrefix) {
			open = append(open, v)
		}
	}
	if len(open) == 0 {
		return nil
	}
	slices.SortFunc(open, func(a, b *Interval) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.Length, a.Length))
	})
	var launched []uint32 // places in busy
	for i := range d.busy {
		if d.launchOf(d.at(i)) != nil {
			launched = append(launched, uint32(i))
		}
	}
	launchOf := func(i uint32) *Interval { return d.launchOf(d.at(int(i))) }
	slices.SortFunc(launched, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(launchOf(a).Start, launchOf(b).Start), cmp.Compare(a, b))
	})
	found := slices.Repeat([]uint32{none}, len(d.busy))
	var stack []*Interval
	next := 0
	for _, i := range launched {
		at := launchOf(i).Start
		for ; next < len(open) && open[next].Start <= at; next++ {
			stack = append(stack, open[next])
		}
		stack = slices.DeleteFunc(stack, func(m *Interval) bool { return m.End() < at })
		if len(stack) > 0 {
			found[i] = stack[len(stack)-1].Name
		}
	}
	return found
}

// patterns counts the sequences of two kernels or more that one call of an
// operator, which an external id stands for, launches.
func (d *deviceView) patterns(r *DeviceResult) {
	kernels := make([]uint32, 0, len(d.busy))
	for _, i := range d.busy {
		if v := d.t.At(int(i)); v.Kind == Kernel && v.External != 0 && d.links.operatorOf(v) != none {
			kernels = append(kernels, i)
		}
	}
	external := func(i uint32) uint32 { return d.t.At(int(i)).External }
	byCall := func(a, b uint32) int { return cmp.Compare(external(a), external(b)) }
	if !slices.IsSortedFunc(kernels, byCall) {
		slices.SortStableFunc(kernels, byCall)
	}
	found := map[string]*KernelSequence{}
	var key []byte // names of the operator and the kernels
	for len(kernels) > 0 {
		n := 1
		for n < len(kernels) && external(kernels[n]) == external(kernels[0]) {
			n++
		}
		call := kernels[:n]
		kernels = kernels[n:]
		if n < 2 {
			continue
		}
		operator := d.links.operatorOf(d.t.At(int(call[0])))
		key = binary.LittleEndian.AppendUint32(key[:0], operator)
		time := 0.0
		for _, i := range call {
			v := d.t.At(int(i))
			key = binary.LittleEndian.AppendUint32(key, v.Name)
			time += seconds(v.Length)
		}
		s := found[string(key)]
		if s == nil {
			s = &KernelSequence{Operator: d.t.Names[operator]}
			for _, i := range call {
				s.Kernels = append(s.Kernels, d.t.Name(d.t.At(int(i))))
			}
			found[string(key)] = s
		}
		s.Count++
		s.Seconds += time
	}
	for _, s := range found {
		r.Patterns = append(r.Patterns, *s)
	}
	slices.SortFunc(r.Patterns, func(a, b KernelSequence) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(b.Seconds, a.Seconds), strings.Compare(a.Operator, b.Operator), slices.Compare(a.Kernels, b.Kernels))
	})
}
