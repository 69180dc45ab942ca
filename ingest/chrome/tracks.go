package chrome

import (
	"cmp"
	"fmt"
	"slices"

	"auspex/ingest/input"
	"auspex/model"
)

// tracks are the threads and streams that events happen on.
type tracks struct {
	list  []track
	index map[string]uint32
	key   []byte
}

type track struct {
	pid, tid string
	gpu      bool
	used     bool // has events with a duration
}

const maxTracks = 1 << 18

func newTracks() *tracks { return &tracks{index: map[string]uint32{}} }

// find returns the number of a track.
func (t *tracks) find(pid, tid []byte) (uint32, error) {
	t.key = append(append(append(t.key[:0], pid...), 0), tid...)
	if i, ok := t.index[string(t.key)]; ok {
		return i, nil
	}
	if len(t.list) == maxTracks {
		return 0, fmt.Errorf("more than %d threads", maxTracks)
	}
	i := uint32(len(t.list))
	t.list = append(t.list, track{pid: string(pid), tid: string(tid)})
	t.index[string(t.key)] = i
	return i, nil
}

// units gives every track with events a unit. In a trace of PyTorch all are
// threads of one process, the processor's threads before the streams of the
// accelerators; elsewhere each pid is a process, numbered in their order.
func (t *tracks) units(rank int, oneProcess bool) []model.Unit {
	var order []int
	for i := range t.list {
		if t.list[i].used {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &t.list[i], &t.list[j]
		if oneProcess {
			return cmp.Or(boolOrder(a.gpu, b.gpu), boolOrder(!a.isMain(), !b.isMain()), input.CompareNatural(a.pid, b.pid), input.CompareNatural(a.tid, b.tid))
		}
		return cmp.Or(input.CompareNatural(a.pid, b.pid), boolOrder(!a.isMain(), !b.isMain()), input.CompareNatural(a.tid, b.tid))
	})
	units := make([]model.Unit, len(t.list))
	process, thread := rank, 0
	for n, i := range order {
		if n > 0 && !oneProcess && t.list[i].pid != t.list[order[n-1]].pid {
			process++
			thread = 0
		}
		units[i] = model.Unit{Process: process, Thread: thread}
		thread++
	}
	return units
}

func (t *track) isMain() bool { return t.pid == t.tid }

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
