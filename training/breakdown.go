package training

import (
	"cmp"
	"slices"
)

// What a device does; several at once.
const (
	computing = iota
	communicating
	copying
	activities
)

// sums is how long a device did what, from the beginning to a time.
type sums struct {
	computing, communicating, both, copying, busy int64
}

// breakdowns says what the device did within some times. One sweep over all it
// did keeps for each activity until when it lasts, and notes the sums where a
// time begins or ends.
func (d *deviceView) breakdowns(within []stretch) []Breakdown {
	var borders []int64
	for _, s := range within {
		borders = append(borders, s.from, s.to)
	}
	slices.Sort(borders)
	borders = slices.Compact(borders)
	noted := make([]sums, len(borders))
	var (
		so    sums
		until [activities]int64
		at    = int64(absent)
		next  int // border
	)
	sweep := func(to int64) {
		for at < to {
			end := to
			var on [activities]bool
			for a, last := range until {
				if on[a] = last > at; on[a] {
					end = min(end, last)
				}
			}
			if next < len(borders) {
				end = min(end, borders[next])
			}
			so.add(on, end-at)
			at = end
			for ; next < len(borders) && borders[next] <= at; next++ {
				noted[next] = so
			}
		}
	}
	for a := range until {
		until[a] = absent
	}
	for _, i := range d.busy {
		v := d.t.At(int(i))
		if at == absent && next == 0 {
			at = v.Start
			for ; next < len(borders) && borders[next] <= at; next++ {
				noted[next] = so
			}
		}
		sweep(v.Start)
		a := copying
		switch {
		case d.t.computes(v):
			a = computing
		case v.Kind == Kernel:
			a = communicating
		}
		until[a] = max(until[a], v.End())
	}
	sweep(slices.Max(until[:]))
	for ; next < len(borders); next++ {
		noted[next] = so
	}
	list := make([]Breakdown, len(within))
	for i, s := range within {
		from, _ := slices.BinarySearchFunc(borders, s.from, cmp.Compare[int64])
		to, _ := slices.BinarySearchFunc(borders, s.to, cmp.Compare[int64])
		list[i] = breakdownOf(noted[from], noted[to], s.to-s.from)
	}
	return list
}

func (s *sums) add(on [activities]bool, time int64) {
	kernels := on[computing] || on[communicating]
	if on[computing] {
		s.computing += time
	}
	if on[communicating] {
		s.communicating += time
	}
	if on[computing] && on[communicating] {
		s.both += time
	}
	if on[copying] && !kernels {
		s.copying += time
	}
	if on[copying] || kernels {
		s.busy += time
	}
}

func breakdownOf(from, to sums, length int64) Breakdown {
	b := Breakdown{
		Computing: seconds(to.computing - from.computing), Communicating: seconds(to.communicating - from.communicating),
		Both: seconds(to.both - from.both), Copying: seconds(to.copying - from.copying), Idle: seconds(length - (to.busy - from.busy)),
	}
	if to.communicating > from.communicating {
		share := b.Both / b.Communicating
		b.Overlap = &share
	}
	return b
}
