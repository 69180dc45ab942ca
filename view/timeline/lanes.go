package timeline

import (
	"slices"
)

// finest is how many stretches all lanes keep together.
const finest = 4 << 20

// fewBlocks is how many stretches a lane's coarsest level may have.
const fewBlocks = 2048

// lanes are all lanes while they are filled, and their levels afterwards.
type lanes struct {
	list    []lane
	quantum int64 // shorter stretches have been summed up; 0: none
	steps   []int64
	count   int
	limit   int
	coarser coarser
}

func newLanes(n, limit int) *lanes {
	l := &lanes{list: make([]lane, n), limit: max(limit, n)}
	for i := range l.list {
		l.list[i].levels = make([][]block, 1)
	}
	return l
}

// add appends a stretch. Those of one part that follow each other are one.
func (l *lanes) add(at int32, b block) {
	if b.end <= b.begin {
		return
	}
	list := &l.list[at].levels[0]
	if n := len(*list); n > 0 {
		if last := &(*list)[n-1]; last.part == b.part && last.end == b.begin && last.share == b.share {
			last.end = b.end
			return
		}
	}
	*list = append(*list, b)
	if l.count++; l.count >= l.limit {
		l.shrink()
	}
}

// shrink sums up ever longer stretches until half of them are left. Where every
// lane has hardly any, longer ones are kept.
func (l *lanes) shrink() {
	begin, end := l.extent()
	for l.quantum = max(l.quantum, 64); ; l.quantum *= 2 {
		if l.quantum > 2*(end-begin) {
			l.limit *= 2
			return
		}
		l.count = 0
		for i := range l.list {
			list := l.list[i].levels[0]
			list = l.coarser.of(list, l.quantum, list[:0])
			l.list[i].levels[0] = list
			l.count += len(list)
		}
		if l.count <= l.limit/2 {
			return
		}
	}
}

// extent is from when to when there is anything.
func (l *lanes) extent() (begin, end int64) {
	some := false
	for i := range l.list {
		if list := l.list[i].levels[0]; len(list) > 0 {
			if first := list[0].begin; !some || first < begin {
				begin = first
			}
			if last := list[len(list)-1].end; !some || last > end {
				end = last
			}
			some = true
		}
	}
	return begin, end
}

// level makes the coarser levels, each from the finest: half as many stretches
// of a lane at most, until the longest lane has few.
func (l *lanes) level() {
	begin, end := l.extent()
	l.steps = []int64{l.quantum}
	longest := 0
	for i := range l.list {
		longest = max(longest, len(l.list[i].levels[0]))
	}
	for quantum := (end - begin) / int64(2*max(longest, 1)); longest > fewBlocks && quantum < end-begin; quantum = 4 * max(quantum, 1) {
		if quantum <= l.quantum {
			continue
		}
		longest = 0
		l.steps = append(l.steps, quantum)
		for i := range l.list {
			coarse := l.coarser.of(l.list[i].levels[0], quantum, nil)
			l.list[i].levels = append(l.list[i].levels, slices.Clip(coarse))
			longest = max(longest, len(coarse))
		}
	}
}

// window are a lane's stretches in a window, from the coarsest level that shows
// steps of the given length.
func (l *lanes) window(at int, from, to, step int64) []block {
	k := 0
	for k+1 < len(l.steps) && 2*l.steps[k+1] <= step {
		k++
	}
	return between(l.list[at].levels[k], from, to)
}
