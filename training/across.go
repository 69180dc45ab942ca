package training

import (
	"cmp"
	"slices"
	"strings"
)

// KindTime is what kernels of one kind, copies and memory that is set take.
type KindTime struct {
	Kind    string  `json:"kind"` // computing, communicating, memory
	Count   int     `json:"count"`
	Seconds float64 `json:"seconds"`
	Share   float64 `json:"share"` // of all that the device did, added up
}

func (d *deviceView) kinds(r *DeviceResult) {
	kinds := []KindTime{{Kind: "computing"}, {Kind: "communicating"}, {Kind: "memory"}}
	total := 0.0
	for i := range d.busy {
		v := d.at(i)
		k := &kinds[0]
		switch {
		case d.t.isCollective(v):
			k = &kinds[1]
		case v.Kind != Kernel:
			k = &kinds[2]
		}
		k.Count++
		k.Seconds += seconds(v.Length)
		total += seconds(v.Length)
	}
	for _, k := range kinds {
		if k.Count > 0 && total > 0 {
			k.Share = k.Seconds / total
			r.Kinds = append(r.Kinds, k)
		}
	}
}

// MemoryStat is how full the memory of one device was, where the profiler kept
// that (profile_memory).
type MemoryStat struct {
	Device    int   `json:"device"`
	Allocated int64 `json:"most_allocated_bytes"`
	Reserved  int64 `json:"most_reserved_bytes"`
	Count     int   `json:"allocations"`
	// Seconds from the beginning of the trace until most was allocated.
	At float64 `json:"at_seconds"`
}

func (t *Trace) memory() []MemoryStat {
	first, _ := t.Span()
	list := []MemoryStat{}
	for _, a := range t.Memory {
		i := slices.IndexFunc(list, func(m MemoryStat) bool { return m.Device == a.Device })
		if i < 0 {
			i = len(list)
			list = append(list, MemoryStat{Device: a.Device})
		}
		m := &list[i]
		if a.Bytes > 0 {
			m.Count++
		}
		if a.Allocated > m.Allocated {
			m.Allocated, m.At = a.Allocated, seconds(a.At-first)
		}
		m.Reserved = max(m.Reserved, a.Reserved)
	}
	return list
}

// KernelAcross is one kernel over the ranks of a job.
type KernelAcross struct {
	Kernel string       `json:"kernel"`
	Kind   string       `json:"kind"`
	Ranks  []KernelRank `json:"ranks"`
	// Spread is the longest mean of a rank over the shortest.
	Spread float64 `json:"spread"`
}

// KernelRank is a kernel on one rank.
type KernelRank struct {
	Rank    int     `json:"rank"`
	Count   int     `json:"count"`
	Seconds float64 `json:"seconds"`
	Mean    float64 `json:"mean_seconds"`
}

// Across sets the kernels of several ranks against each other, those that take
// most of all first.
func Across(devices []*DeviceResult) []KernelAcross {
	by := map[string]*KernelAcross{}
	total := map[string]float64{}
	for _, d := range devices {
		for _, k := range d.Kernels {
			if by[k.Kernel] == nil {
				by[k.Kernel] = &KernelAcross{Kernel: k.Kernel, Kind: k.Kind}
			}
			by[k.Kernel].Ranks = append(by[k.Kernel].Ranks, KernelRank{d.Rank, k.Count, k.Seconds, k.Mean})
			total[k.Kernel] += k.Seconds
		}
	}
	list := []KernelAcross{}
	for _, k := range by {
		least := slices.MinFunc(k.Ranks, func(a, b KernelRank) int { return cmp.Compare(a.Mean, b.Mean) }).Mean
		most := slices.MaxFunc(k.Ranks, func(a, b KernelRank) int { return cmp.Compare(a.Mean, b.Mean) }).Mean
		if least > 0 {
			k.Spread = most / least
		}
		list = append(list, *k)
	}
	slices.SortFunc(list, func(a, b KernelAcross) int {
		return cmp.Or(cmp.Compare(total[b.Kernel], total[a.Kernel]), strings.Compare(a.Kernel, b.Kernel))
	})
	return list
}

// Within keeps what happened in some steps; nil where the trace has none of
// them.
func (t *Trace) Within(steps []int) *Trace {
	var kept []stretch
	for _, s := range t.marks().steps {
		if slices.Contains(steps, s.Number) {
			kept = append(kept, stretch{s.Start, s.End})
		}
	}
	if len(kept) == 0 {
		return nil
	}
	out := *t
	out.slabs, out.sorted, out.Messages, out.Memory, out.Ranges = nil, nil, nil, nil, nil
	inside := func(at int64) bool {
		return slices.ContainsFunc(kept, func(s stretch) bool { return at >= s.from && at < s.to })
	}
	// What the device does belongs to the step in which it was launched.
	launched := map[uint32]bool{}
	for i := range t.Len() {
		if v := t.At(i); v.Kind == Runtime && v.Correlation != 0 {
			launched[v.Correlation] = inside(v.Start)
		}
	}
	numbers := map[int]int{}
	for i := range t.Len() {
		v := t.At(i)
		in, known := launched[v.Correlation]
		if !v.Kind.OnDevice() || !known || v.Correlation == 0 {
			in = inside(v.Start)
		}
		if in {
			numbers[i] = out.Add(*v)
		}
	}
	for _, m := range t.Messages {
		if n, ok := numbers[m.Interval]; ok {
			m.Interval = n
			out.Messages = append(out.Messages, m)
		}
	}
	for _, a := range t.Memory {
		if inside(a.At) {
			out.Memory = append(out.Memory, a)
		}
	}
	for _, r := range t.Ranges {
		if inside(r.At) {
			out.Ranges = append(out.Ranges, r)
		}
	}
	return &out
}
