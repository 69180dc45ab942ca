package training

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSweepIsTheUnion: the sweep over all that a device did gives what the
// unions of each kind's intervals give, within any times.
func TestSweepIsTheUnion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trace := &Trace{Names: []string{"gemm", "ncclKernel", "Memcpy"}, Tracks: []Track{{Device: true}, {Device: true}}}
		for range rapid.IntRange(1, 30).Draw(t, "n") {
			name := rapid.Uint32Range(0, 2).Draw(t, "name")
			kind := Kernel
			if name == 2 {
				kind = Copy
			}
			trace.Add(Interval{
				Start: rapid.Int64Range(-50, 200).Draw(t, "start"), Length: rapid.Int64Range(0, 40).Draw(t, "length"),
				Name: name, Kind: kind, Track: uint16(rapid.IntRange(0, 1).Draw(t, "track")),
			})
		}
		d := trace.deviceView()
		var within []stretch
		for range rapid.IntRange(1, 5).Draw(t, "times") {
			from := rapid.Int64Range(-60, 220).Draw(t, "from")
			within = append(within, stretch{from, from + rapid.Int64Range(0, 200).Draw(t, "for")})
		}
		for i, got := range d.breakdowns(within) {
			want := unions(trace, within[i])
			if got.Overlap != nil {
				got.Overlap = nil
			} else if want.Communicating > 0 {
				t.Fatalf("no overlap although it communicates")
			}
			if got != want {
				t.Fatalf("within %v: %+v, the unions say %+v", within[i], got, want)
			}
		}
	})
}

// unions is a breakdown by the definition.
func unions(trace *Trace, s stretch) Breakdown {
	var lists [3][]stretch
	for i := range trace.Len() {
		v := trace.At(i)
		if part := (stretch{max(v.Start, s.from), min(v.End(), s.to)}); part.to > part.from {
			lists[v.Name] = append(lists[v.Name], part)
		}
	}
	computing, communicating := covered(lists[0]), covered(lists[1])
	kernels := covered(slices.Concat(lists[0], lists[1]))
	all := covered(slices.Concat(lists[0], lists[1], lists[2]))
	return Breakdown{
		Computing: seconds(computing), Communicating: seconds(communicating), Both: seconds(computing + communicating - kernels),
		Copying: seconds(all - kernels), Idle: seconds(s.to - s.from - all),
	}
}

// TestLinks: what the device did knows its launch and the innermost operator
// around it, else the operator with the same external id; several kernels of one
// launch, as graphs make them, all know it.
func TestLinks(t *testing.T) {
	trace := &Trace{Names: []string{"outer", "inner", "launch", "gemm", "elsewhere"}, Tracks: []Track{{}, {Device: true}}}
	trace.Add(Interval{Start: 0, Length: 100, Name: 0, Kind: Operator})
	trace.Add(Interval{Start: 10, Length: 50, Name: 1, Kind: Operator})
	trace.Add(Interval{Start: 20, Length: 5, Name: 2, Kind: Runtime, Correlation: 9})
	trace.Add(Interval{Start: 70, Length: 5, Name: 2, Kind: Runtime, Correlation: 4})
	trace.Add(Interval{Start: 200, Length: 5, Name: 4, Kind: Operator, External: 77})
	first := trace.Add(Interval{Start: 30, Length: 5, Name: 3, Kind: Kernel, Track: 1, Correlation: 9})
	second := trace.Add(Interval{Start: 40, Length: 5, Name: 3, Kind: Kernel, Track: 1, Correlation: 9})
	third := trace.Add(Interval{Start: 80, Length: 5, Name: 3, Kind: Kernel, Track: 1, Correlation: 4, External: 77})
	fourth := trace.Add(Interval{Start: 210, Length: 5, Name: 3, Kind: Kernel, Track: 1, Correlation: 50, External: 77})
	alone := trace.Add(Interval{Start: 220, Length: 5, Name: 3, Kind: Kernel, Track: 1})
	l := trace.links()
	for _, want := range []struct {
		interval int
		operator uint32
		launched bool
	}{{first, 1, true}, {second, 1, true}, {third, 0, true}, {fourth, 4, false}, {alone, none, false}} {
		v := trace.At(want.interval)
		if got := l.operatorOf(v); got != want.operator || l.launchOf(trace, v) != nil != want.launched {
			t.Errorf("interval %d: operator %d, launch %v", want.interval, got, l.launchOf(trace, v))
		}
	}
}
