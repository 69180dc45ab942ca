package training

import (
	"cmp"
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
	for _, v := range d.busy {
		if v.Kind != Kernel {
			continue
		}
		k := kernels[v.Name]
		time := seconds(v.Length)
		if k == nil {
			k = &KernelStat{Kernel: d.t.Names[v.Name], Kind: "computing", Least: time}
			if d.isCollective(v) {
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
		if module := modules[v]; module != "" {
			byModule.add(module, time)
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
	if name, ok := d.operators[v.Correlation]; ok && name != none {
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

// modules finds the innermost module of the model in which each kernel was
// launched, where the profiler kept Python's stack.
func (d *deviceView) modules() map[*Interval]string {
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
	var launched []*Interval
	for _, v := range d.busy {
		if d.launches[v.Correlation] != nil {
			launched = append(launched, v)
		}
	}
	slices.SortFunc(launched, func(a, b *Interval) int {
		return cmp.Compare(d.launches[a.Correlation].Start, d.launches[b.Correlation].Start)
	})
	found := map[*Interval]string{}
	var stack []*Interval
	next := 0
	for _, v := range launched {
		at := d.launches[v.Correlation].Start
		for ; next < len(open) && open[next].Start <= at; next++ {
			stack = append(stack, open[next])
		}
		stack = slices.DeleteFunc(stack, func(m *Interval) bool { return m.End() < at })
		if len(stack) > 0 {
			found[v] = strings.TrimPrefix(d.t.Names[stack[len(stack)-1].Name], modulePrefix)
		}
	}
	return found
}

// patterns counts the sequences of two kernels or more that one call of an
// operator launches.
func (d *deviceView) patterns(r *DeviceResult) {
	found := map[string]*KernelSequence{}
	keep := func(s *KernelSequence) {
		if len(s.Kernels) < 2 {
			return
		}
		key := s.Operator + "\x00" + strings.Join(s.Kernels, "\x00")
		if found[key] == nil {
			found[key] = &KernelSequence{Operator: s.Operator, Kernels: s.Kernels}
		}
		found[key].Count++
		found[key].Seconds += s.Seconds
	}
	calls := map[uint32]*KernelSequence{} // by external id
	var order []uint32
	for _, v := range d.busy {
		operator := d.operatorOf(v)
		if v.Kind != Kernel || operator == "" || v.External == 0 {
			continue
		}
		c := calls[v.External]
		if c == nil {
			c = &KernelSequence{Operator: operator}
			calls[v.External] = c
			order = append(order, v.External)
		}
		c.Kernels = append(c.Kernels, d.t.Names[v.Name])
		c.Seconds += seconds(v.Length)
	}
	for _, id := range order {
		keep(calls[id])
	}
	for _, s := range found {
		r.Patterns = append(r.Patterns, *s)
	}
	slices.SortFunc(r.Patterns, func(a, b KernelSequence) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(b.Seconds, a.Seconds), strings.Compare(a.Operator, b.Operator), slices.Compare(a.Kernels, b.Kernels))
	})
}
