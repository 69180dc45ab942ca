package training

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// What holds up a device whose rank no other rank waits for more than for the rest.
const (
	heldLaunching = "launching"
	heldWaiting   = "waiting for the device"
	heldHost      = "host code"
	heldCopying   = "copies between host and device"
)

// HeldSum is time in which a rank's device computes nothing and meets nobody.
type HeldSum struct {
	Cause string
	What  string // the range, or the operator that waits
	Time  int64
}

// held adds up, step by step as the line of the host passes, what the host does while
// its device has nothing to do.
//
// A pause of the device is the host's to explain. Where it began while the host
// waited for the device, the wait emptied the queue, and the pause lasts until the
// host has left the range in which it waited; else a short one is a launch that came
// too late, and a long one whatever the host did meanwhile.
type held struct {
	t     *Trace
	r     *Rank
	sums  []map[[2]string]int64
	from  int64                // when the pause began in which the last stretch was
	after *place               // where the host waited when it began
	busy  []uint32             // what the device did, by start
	named map[[2]uint32]string // the cause that the names of a place tell
}

func (t *Trace) held(r *Rank, line iter.Seq[segment]) iter.Seq[segment] {
	h := &held{t: t, r: r, from: absent, sums: make([]map[[2]string]int64, len(r.Steps)), named: map[[2]uint32]string{}}
	for i := range h.sums {
		h.sums[i] = map[[2]string]int64{}
	}
	return func(yield func(segment) bool) {
		h.busy = t.onDevice()
		next, stop := iter.Pull(t.pauses(h.busy))
		defer stop()
		pause, left := next()
		for s := range line {
			for left && pause[1] <= s.start {
				pause, left = next()
			}
			for left && pause[0] < s.end {
				h.add(s, pause)
				if pause[1] > s.end {
					break
				}
				pause, left = next()
			}
			if !yield(s) {
				return
			}
		}
		h.note()
	}
}

// add takes the part of a stretch of the host that lies in a pause of the device.
func (h *held) add(s segment, pause [2]int64) {
	if pause[0] != h.from {
		h.from, h.after = pause[0], nil
		if s.doing == OnTheDevice && s.start <= pause[0] {
			at := s.place
			h.after = &at
		}
	}
	if s.doing == InCollective {
		return
	}
	cause, what := h.cause(s, pause)
	h.sums[stepAt(h.r.Steps, max(s.start, pause[0]))][[2]string{cause, what}] += min(s.end, pause[1]) - max(s.start, pause[0])
}

func (h *held) cause(s segment, pause [2]int64) (cause, what string) {
	name := func(id uint32) string {
		if id == none {
			return ""
		}
		return h.t.Names[id]
	}
	region, op := name(s.region), name(s.op)
	named, known := h.named[[2]uint32{s.region, s.op}]
	if !known {
		named = hostCause(regionExcess{region: region, more: 1, places: []excess{{Op: op, Own: 1}}})
		h.named[[2]uint32{s.region, s.op}] = named
	}
	switch {
	case named == "compiling" && !compiles.MatchString(region):
		return named, op
	case named != heldHost && named != heldWaiting:
		return named, region
	case h.after != nil && h.after.region == s.region:
		return heldWaiting, name(h.after.op)
	case pause[1]-pause[0] <= launchPause:
		return heldLaunching, ""
	}
	return heldHost, region
}

// note keeps the sums with the steps, beside what the device did.
func (h *held) note() {
	within := make([]stretch, len(h.r.Steps))
	for i, s := range h.r.Steps {
		within[i] = stretch{s.Start, s.End}
	}
	from := h.t.copiesFrom()
	d := &deviceView{t: h.t, busy: h.busy}
	for i, b := range d.breakdowns(within) {
		step := &h.r.Steps[i]
		step.Computing = int64(b.Computing * 1e9)
		if b.Copying > 0 {
			step.Held = append(step.Held, HeldSum{heldCopying, from, int64(b.Copying * 1e9)})
		}
		for key, time := range h.sums[i] {
			step.Held = append(step.Held, HeldSum{key[0], key[1], time})
		}
		slices.SortFunc(step.Held, func(a, b HeldSum) int {
			return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Cause, b.Cause), cmp.Compare(a.What, b.What))
		})
	}
}

// onDevice lists what the device did, by its start.
func (t *Trace) onDevice() []uint32 {
	n := 0
	for i := range t.Len() {
		if t.At(i).Kind.OnDevice() {
			n++
		}
	}
	busy := make([]uint32, 0, n)
	for i := range t.Len() {
		if t.At(i).Kind.OnDevice() {
			busy = append(busy, uint32(i))
		}
	}
	byStart := func(a, b uint32) int {
		return cmp.Or(cmp.Compare(t.At(int(a)).Start, t.At(int(b)).Start), cmp.Compare(a, b))
	}
	if !slices.IsSortedFunc(busy, byStart) {
		slices.SortFunc(busy, byStart)
	}
	return busy
}

// pauses goes through the times in which the device does nothing, in order; the last
// has no end. A trace without a device has none.
func (t *Trace) pauses(busy []uint32) iter.Seq[[2]int64] {
	return func(yield func([2]int64) bool) {
		at := int64(absent)
		for _, i := range busy {
			v := t.At(int(i))
			if v.Start > at && !yield([2]int64{at, v.Start}) {
				return
			}
			at = max(at, v.End())
		}
		if at != absent {
			yield([2]int64{at, 1<<63 - 1})
		}
	}
}

// copiesFrom is the kind of memory on the host that most copies go from or to, where
// it is one that keeps them from running beside the host.
func (t *Trace) copiesFrom() string {
	var pageable, all int64
	for i := range t.Len() {
		if v := t.At(i); v.Kind == Copy {
			all += v.Length
			if strings.Contains(t.Names[v.Name], "Pageable") {
				pageable += v.Length
			}
		}
	}
	if 2*pageable > all {
		return "pageable memory"
	}
	return ""
}

// layers adds up the ranges that the device saw and that are numbered.
func (t *Trace) layers(r *Rank) {
	if len(r.Steps) == 0 {
		return
	}
	for i := range t.Len() {
		v := t.At(i)
		if v.Kind != DeviceAnnotation {
			continue
		}
		name := t.Names[v.Name]
		if prefix, _, ok := cutNumber(name); !ok || prefix == stepPrefix {
			continue
		}
		step := &r.Steps[stepAt(r.Steps, v.Start)]
		if step.Layers == nil {
			step.Layers = map[string]int64{}
		}
		step.Layers[name] += v.Length
	}
}
