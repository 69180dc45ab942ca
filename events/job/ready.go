package job

import (
	"cmp"
	"slices"

	"auspex/training"
)

// atOnce is how soon after a call, in ns, what waited for it begins.
const atOnce = 20_000

// readiness finds when each lane was ready for its calls. A call that waits for the one
// before it on its stream begins when that ends, but may have been ready long before:
// gradients that are reduced in several calls while the first still waits for a late
// rank. It needs nothing that the lane launches after it, and no more of what the lane
// computes than on a lane where nothing was before it.
func (s *Source) readiness() {
	for _, l := range s.lanes {
		l.before, l.readyAt = map[*training.Call]*training.Call{}, map[*training.Call]int64{}
		last := map[int]*training.Call{}
		for _, c := range l.byStart() {
			l.readyAt[c] = c.Arrived
			if b := last[c.Track]; b != nil {
				l.before[c] = b
			}
			last[c.Track] = c
		}
	}
	s.chain()
	for _, l := range s.lanes {
		launched := l.launchedBy()
		var first *training.Call // that was not queued, of those one behind the other
		for _, c := range l.byStart() {
			if training.HostCollective(c.Name) {
				continue
			}
			if !l.isQueued(c) {
				first = c
				continue
			}
			ready, least := c.Arrived, l.begin
			for _, b := range []*training.Call{l.before[c], l.after[c]} {
				if b != nil {
					least = max(least, l.readyAt[b])
				}
			}
			if c.Launched < c.Start {
				ready, least = launched(c.Launched), max(least, c.Launched)
			}
			if first != nil {
				if n := s.computedBetween(first, c); n >= 0 {
					ready = min(ready, l.endOf(l.computedBy(first.Arrived)+n))
				}
			}
			l.readyAt[c] = min(max(ready, least), c.Arrived)
		}
	}
}

// byStart lists all calls of a lane by when they begin.
func (l *Lane) byStart() []*training.Call {
	var list []*training.Call
	for i := range l.calls {
		list = append(list, &l.calls[i])
	}
	for i := range l.pairs {
		list = append(list, &l.pairs[i])
	}
	slices.SortStableFunc(list, func(a, b *training.Call) int { return cmp.Compare(a.Start, b.Start) })
	return list
}

// isQueued tells whether a call began when the one before it on its stream ended, or
// the one whose result it needs.
func (l *Lane) isQueued(c *training.Call) bool {
	b, a := l.before[c], l.after[c]
	return b != nil && c.Start-b.End <= atOnce || a != nil && c.Start-a.End <= atOnce
}

// chain finds collectives that need what another one of their lanes brought, on another
// stream: gradients that are reduced within a node, then across nodes. It is the one
// asked for last before them, where some lane begins with them as soon as that ends and
// none does before.
func (s *Source) chain() {
	last := make([]map[*training.Call]*training.Call, len(s.lanes)) // asked for before
	for i, l := range s.lanes {
		l.after, last[i] = map[*training.Call]*training.Call{}, map[*training.Call]*training.Call{}
		for k := 1; k < len(l.calls); k++ {
			a, c := &l.calls[k-1], &l.calls[k]
			if a.Track != c.Track && a.Launched < c.Launched && !training.HostCollective(c.Name) && !training.HostCollective(a.Name) {
				last[i][c] = a
			}
		}
	}
	done := map[*meeting]bool{}
	for _, m := range s.meetings {
		if done[m] {
			continue
		}
		done[m] = true
		soon, never := false, false
		for lane, c := range m.calls {
			if c == nil {
				continue
			}
			a := last[lane][c]
			if never = a == nil || c.Start < a.End || s.meetings[a] == nil; never {
				break
			}
			soon = soon || c.Start-a.End <= atOnce
		}
		if never || !soon {
			continue
		}
		for lane, c := range m.calls {
			if c != nil {
				s.lanes[lane].after[c] = last[lane][c]
			}
		}
	}
}

// computedBetween is how many kernels a lane does from when it is ready for one
// collective until it is for another, of lanes that had to wait for nothing before
// either the least; -1 where there is none.
func (s *Source) computedBetween(a, b *training.Call) int {
	from, to := s.meetings[a], s.meetings[b]
	if from == nil || to == nil {
		return -1
	}
	least := -1
	for lane, c := range to.calls {
		f, l := from.calls[lane], s.lanes[lane]
		if c == nil || f == nil || l.isQueued(c) || l.isQueued(f) {
			continue
		}
		if n := l.computedBy(c.Arrived) - l.computedBy(f.Arrived); n >= 0 && (least < 0 || n < least) {
			least = n
		}
	}
	return least
}

// computedBy is how many kernels of the lane have ended at a time.
func (l *Lane) computedBy(at int64) int {
	n, _ := slices.BinarySearchFunc(l.kernels, at+1, func(k training.Launched, at int64) int { return cmp.Compare(k.To, at) })
	return n
}

// endOf is when the first so many kernels have ended.
func (l *Lane) endOf(n int) int64 {
	if n = min(n, len(l.kernels)); n <= 0 {
		return l.begin
	}
	return l.kernels[n-1].To
}

// launchedBy tells when all kernels have ended that were launched until a time.
func (l *Lane) launchedBy() func(at int64) int64 {
	list := slices.Clone(l.kernels)
	slices.SortStableFunc(list, func(a, b training.Launched) int { return cmp.Compare(a.At, b.At) })
	for i := 1; i < len(list); i++ {
		list[i].To = max(list[i].To, list[i-1].To)
	}
	return func(at int64) int64 {
		n, _ := slices.BinarySearchFunc(list, at+1, func(k training.Launched, at int64) int { return cmp.Compare(k.At, at) })
		if n == 0 {
			return l.begin
		}
		return list[n-1].To
	}
}

// neededAt is when the lane first needed what a collective of its device brought: at
// the end of the collective where it stood still until then. Where it computed on, that
// is when the kernel begins that was launched next, if it had not begun before; else
// what needs it is not known, but comes before the next step.
func (l *Lane) neededAt(c *training.Call) int64 {
	if training.HostCollective(c.Name) {
		return c.End
	}
	n, _ := slices.BinarySearchFunc(l.onDevice, c.End+1, func(s [2]int64, at int64) int { return cmp.Compare(s[1], at) })
	if n == len(l.onDevice) || l.onDevice[n][0] >= c.End-atOnce {
		return c.End
	}
	end := l.stepEnd(c.End)
	for i := max(l.computedBy(c.Launched), 0); i < len(l.kernels); i++ {
		if k := &l.kernels[i]; k.At > c.Launched {
			if k.From >= c.End-atOnce {
				end = min(end, k.From)
			}
			break
		}
	}
	return end
}

// stepEnd is the end of the step at a time; the time itself where it is in none.
func (l *Lane) stepEnd(at int64) int64 {
	n, _ := slices.BinarySearchFunc(l.steps, at+1, func(s training.Step, at int64) int { return cmp.Compare(s.Start, at) })
	if n > 0 && at < l.steps[n-1].End {
		return l.steps[n-1].End
	}
	return at
}
