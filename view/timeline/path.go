package timeline

import (
	"slices"
	"sort"

	"auspex/waits"
)

// criticalPath goes back from the end of the last location: up to where it last
// waited, then on in the location it waited for, at the moment when that was
// there. The waits are ordered by location and time.
func criticalPath(list []waits.Wait, t *Timeline) []segment {
	at, when := int32(-1), int64(0)
	for i := range t.states.list {
		if l := t.states.list[i].levels[0]; len(l) > 0 {
			if end := l[len(l)-1].end; at < 0 || end > when {
				at, when = int32(i), end
			}
		}
	}
	var path []segment
	for range len(list) + 1 {
		first := sort.Search(len(list), func(i int) bool { return list[i].Loc >= at })
		past := first + sort.Search(len(list)-first, func(i int) bool { return list[first+i].Loc > at || list[first+i].Until > when })
		if past == first {
			path = add(path, segment{at, t.begin, when})
			break
		}
		w := list[past-1]
		path = add(path, segment{at, w.Until, when})
		at, when = w.Late, w.Until
		if w.Late == w.Loc || w.Begin >= w.Until {
			break
		}
	}
	slices.Reverse(path)
	return path
}

// add lengthens a path that is found from its end.
func add(path []segment, s segment) []segment {
	if s.end <= s.begin {
		return path
	}
	if n := len(path); n > 0 && path[n-1].loc == s.loc && path[n-1].begin == s.end {
		path[n-1].begin = s.begin
		return path
	}
	return append(path, s)
}
