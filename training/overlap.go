package training

import (
	"cmp"
	"slices"
	"strings"
)

// launchPause is how long a rank may pause between two things it computes and
// still be at it: a launch, or the interpreter between two operators.
const launchPause = 100_000 // nanoseconds

// Computing lists when the rank itself computed, in order, as [from, to]: what of a
// collective lies in these times is hidden. Beside collectives of the device that
// is its other kernels, as Breakdown has it; beside those of the host also the
// operators of threads that take part in none.
func (t *Trace) Computing(host bool) [][2]int64 {
	var busy [][2]int64
	for track := range t.Tracks {
		switch {
		case t.Tracks[track].Device:
			for _, i := range t.On(track) {
				if v := t.At(int(i)); t.computes(v) {
					busy = append(busy, [2]int64{v.Start, v.End()})
				}
			}
		case host:
			busy = append(busy, t.operating(track)...)
		}
	}
	return union(busy, launchPause)
}

// computes tells kernels that are no collectives.
func (t *Trace) computes(v *Interval) bool { return v.Kind == Kernel && !t.isCollective(v) }

// operating is when a thread was in operators, less what it waited there for the
// device or for other ranks; never where it takes part in collectives.
func (t *Trace) operating(track int) [][2]int64 {
	var busy, waits [][2]int64
	for _, i := range t.On(track) {
		v := t.At(int(i))
		name, at := t.Names[v.Name], [2]int64{v.Start, v.End()}
		switch {
		case v.Kind == Annotation && HostCollective(name):
			return nil
		case v.Kind == Operator && (strings.Contains(name, "c10d") || name == "record_param_comms"), v.Kind == Runtime && WaitsForDevice(name):
			waits = append(waits, at)
		case v.Kind == Operator:
			busy = append(busy, at)
		}
	}
	return without(union(busy, 0), union(waits, 0))
}

// union joins times that overlap or have no longer pause between them.
func union(list [][2]int64, pause int64) [][2]int64 {
	slices.SortFunc(list, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	var out [][2]int64
	for _, s := range list {
		if n := len(out); n > 0 && s[0] <= out[n-1][1]+pause {
			out[n-1][1] = max(out[n-1][1], s[1])
		} else if s[1] > s[0] {
			out = append(out, s)
		}
	}
	return out
}

// without takes times out of others; both are unions.
func without(list, gone [][2]int64) [][2]int64 {
	var out [][2]int64
	for _, s := range list {
		for len(gone) > 0 && gone[0][1] <= s[0] {
			gone = gone[1:]
		}
		from := s[0]
		for _, g := range gone {
			if g[0] >= s[1] {
				break
			}
			if g[0] > from {
				out = append(out, [2]int64{from, g[0]})
			}
			from = max(from, g[1])
		}
		if from < s[1] {
			out = append(out, [2]int64{from, s[1]})
		}
	}
	return out
}

// within is how much of a union lies between two times.
func within(list [][2]int64, from, to int64) (sum int64) {
	n, _ := slices.BinarySearchFunc(list, from, func(s [2]int64, at int64) int { return cmp.Compare(s[1], at) })
	for ; n < len(list) && list[n][0] < to; n++ {
		sum += max(min(list[n][1], to)-max(list[n][0], from), 0)
	}
	return sum
}

// lengths is how long times take together.
func lengths(list [][2]int64) (sum int64) {
	for _, s := range list {
		sum += s[1] - s[0]
	}
	return sum
}
