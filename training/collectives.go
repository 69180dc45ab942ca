package training

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// HostCollective tells by its name a range in which the host itself takes part in
// a collective. NCCL's ranges only launch a kernel.
func HostCollective[Text string | []byte](name Text) bool {
	for _, backend := range []string{"gloo:", "mpi:", "ucc:"} {
		if len(name) >= len(backend) && string(name[:len(backend)]) == backend {
			return true
		}
	}
	return false
}

// isDeviceCollective tells kernels that are collectives (NCCL, RCCL, oneCCL).
// Their names changed over the years: ncclKernel_, ncclDevKernel_, and others.
func isDeviceCollective(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "nccl") || strings.HasPrefix(name, "rccl") || strings.Contains(name, "oneccl") ||
		strings.HasPrefix(name, "void nccl")
}

// isCollective tells kernels that are collectives. Names are looked at once.
func (t *Trace) isCollective(v *Interval) bool {
	if v.Kind != Kernel {
		return false
	}
	if len(t.collective) < len(t.Names) {
		for _, name := range t.Names[len(t.collective):] {
			t.collective = append(t.collective, isDeviceCollective(name))
		}
	}
	return t.collective[v.Name]
}

// isPair tells a message between two ranks, as pipelines send them, from a
// collective. Where the trace does not say, a kernel that sends and receives
// within a group of two is one.
func isPair(collective, kernel string, size int) bool {
	name := strings.TrimPrefix(strings.ToLower(collective), "i")
	if name != "" {
		return strings.HasPrefix(name, "send") || strings.HasPrefix(name, "recv") || strings.HasPrefix(name, "batch_isend")
	}
	return size == 2 && strings.Contains(kernel, "SendRecv")
}

// partner is the other rank of a message, and whether it is this one that sends;
// -1 where the trace does not tell. In a group of two it is the other one.
func (t *Trace) partner(m *Message, name string) (sends bool, peer int) {
	name = strings.TrimPrefix(strings.ToLower(name), "i")
	sends = strings.HasPrefix(name, "send") && !strings.Contains(name, "recv")
	if !sends && !strings.HasPrefix(name, "recv") {
		return false, -1
	}
	told := m.Source
	if sends {
		told = m.Target
	}
	if told != nil && *told != t.Rank {
		return sends, *told
	}
	var a, b int
	if n, _ := fmt.Sscanf(strings.Trim(m.Ranks, "[] "), "%d, %d", &a, &b); n == 2 && m.GroupSize == 2 {
		switch t.Rank {
		case a:
			return sends, b
		case b:
			return sends, a
		}
	}
	return sends, -1
}

// askedFor names the collectives that kernels carry out, by what links them with
// their launch: the range nccl:… that the launch lies in. Coalesced calls are
// named nowhere else.
func (t *Trace) askedFor() map[uint32]string {
	names := map[uint32]string{}
	for track := range t.Tracks {
		if t.Tracks[track].Device {
			continue
		}
		var last *Interval
		for _, i := range t.On(track) {
			v := t.At(int(i))
			if v.Kind == Annotation && strings.HasPrefix(t.Names[v.Name], "nccl:") {
				last = v
			}
			if v.Kind == Runtime && v.Correlation != 0 && last != nil && v.Start < last.End() {
				names[v.Correlation] = strings.TrimPrefix(t.Names[last.Name], "nccl:")
			}
		}
	}
	return names
}

// leadGap is how soon after each other a collective's first calls must follow
// to be its beginning.
const leadGap = 200_000 // nanoseconds

// collectives finds the collectives of a rank and when the rank was ready for
// each: a kernel starts when its stream comes to it; a collective on the host
// is ready when the device has delivered the data, which the calls that wait
// for it at its beginning show.
func (t *Trace) collectives(r *Rank) {
	messages := map[int]*Message{}
	for i := range t.Messages {
		if m := &t.Messages[i]; m.Collective != "" || m.Group != "" {
			messages[m.Interval] = m
		}
	}
	asked := t.askedFor()
	correlations, launches := t.launches(t.isCollective)
	for track := range t.Tracks {
		list := t.On(track)
		for n, i := range list {
			v := t.At(int(i))
			onHost := v.Kind == Annotation && HostCollective(t.Names[v.Name])
			if !onHost && !t.isCollective(v) {
				continue
			}
			c := Call{Track: track, Name: t.Names[v.Name], Launched: v.Start, Start: v.Start, Arrived: v.Start, End: v.End(), Seq: -1, Bytes: -1, Peer: -1}
			if onHost {
				c.Arrived = t.ready(v, list[n+1:])
			}
			if m := messages[int(i)]; m != nil {
				c.Group, c.Seq, c.Bytes = m.Group+m.Ranks, m.Seq, m.Bytes
				name := cmp.Or(m.Collective, asked[v.Correlation])
				if c.Pair = isPair(name, c.Name, m.GroupSize); c.Pair {
					c.Sends, c.Peer = t.partner(m, name)
				}
			}
			if n := correlations.find(v.Correlation); !onHost && n >= 0 && launches[n] != NotLaunched {
				c.Launched = launches[n]
			}
			if len(r.Steps) > 0 {
				at := stepAt(r.Steps, v.Start)
				c.Step = r.Steps[at].Number
				r.Steps[at].Collective += v.Length
			}
			r.Calls = append(r.Calls, c)
		}
	}
	slices.SortStableFunc(r.Calls, func(a, b Call) int { return cmp.Compare(a.Start, b.Start) })
	t.still(r)
}

// still finds when a rank stood still in each collective of its device: what it was
// computing when it was ready is done, launches included.
func (t *Trace) still(r *Rank) {
	own := t.Computing(t.MeetsOnHost())
	for i := range r.Calls {
		c := &r.Calls[i]
		c.Still, c.Alone = c.Arrived, c.End-c.Arrived-within(own, c.Arrived, c.End)
		n, _ := slices.BinarySearchFunc(own, c.Arrived+launchPause, func(s [2]int64, at int64) int { return cmp.Compare(s[0], at+1) })
		if n > 0 && own[n-1][1] > c.Arrived && !HostCollective(c.Name) {
			c.Still = min(own[n-1][1], c.End)
		}
	}
}

// ready is when the calls at the beginning of a collective that wait for the
// device have returned.
func (t *Trace) ready(c *Interval, inner []uint32) int64 {
	at := c.Start
	for _, i := range inner {
		v := t.At(int(i))
		if v.Start >= c.End() || v.Start-at > leadGap {
			break
		}
		if v.Kind == Runtime && WaitsForDevice(t.Names[v.Name]) {
			at = max(at, v.End())
		}
	}
	return min(at, c.End())
}
