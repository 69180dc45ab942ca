package job

import (
	"slices"

	"auspex/training"
)

// shortest finds the rank whose trace ends first, where others meet its group
// without it after that, and when it ends; nil where no trace is short.
func (s *Source) shortest() (*Lane, int64) {
	var first *Lane
	var ends int64
	for i, l := range s.lanes {
		end := l.end - s.shift[i]
		if (first == nil || end < ends) && s.missed(l, end) {
			first, ends = l, end
		}
	}
	return first, ends
}

// missed tells whether others meet a rank's groups after it has ended.
func (s *Source) missed(gone *Lane, end int64) bool {
	groups := map[string]bool{}
	for i := range gone.calls {
		groups[gone.calls[i].Group] = true
	}
	for i, l := range s.lanes {
		for k := range l.calls {
			c := &l.calls[k]
			if s.meetings[c] == nil && groups[c.Group] && c.Start-s.shift[i] >= end {
				return true
			}
		}
	}
	return false
}

// until drops what the ranks did after a time.
func (s *Source) until(end int64) {
	for i, l := range s.lanes {
		at := end + s.shift[i]
		l.end = min(l.end, at)
		late := func(c training.Call) bool { return c.End > at }
		l.calls, l.pairs = slices.DeleteFunc(l.calls, late), slices.DeleteFunc(l.pairs, late)
	}
}
