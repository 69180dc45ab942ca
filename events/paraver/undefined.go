package paraver

import (
	"fmt"
	"maps"
	"slices"
)

// undefined makes a communicator of a number that the file does not define: of the
// ranks that use it, which are known when the file was read once. Beyond what a file
// may define it is the world.
func (t *Trace) undefined(app int, rank int32, number int64) int32 {
	if len(t.header.Comms) > maxComms || t.roots.known {
		return t.comms[app][0]
	}
	if t.comms[app] == nil {
		t.comms[app] = map[int64]int32{}
	}
	if t.users == nil {
		t.users = map[int32]map[int32]bool{}
	}
	c := int32(len(t.header.Comms))
	t.comms[app][number], t.users[c] = c, map[int32]bool{rank: true}
	t.header.Comms = append(t.header.Comms, []int32{rank})
	return c
}

// joined gives communicators that are not defined their ranks.
func (t *Trace) joined() {
	partly := 0
	for c, ranks := range t.users {
		t.header.Comms[c] = slices.Sorted(maps.Keys(ranks))
		if len(ranks) < t.header.Ranks {
			partly++
		}
	}
	if partly > 0 {
		t.header.Notes = append(t.header.Notes, fmt.Sprintf("communicators that the file does not define: %d; each is taken to be of the ranks that use it", partly))
	}
}
