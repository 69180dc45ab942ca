package otf2

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// comm keeps which group a communicator is of.
func (d *definitions) comm(id uint64, text []byte) {
	if d.comms == nil {
		d.comms = map[uint64]uint64{}
	}
	if group, ok := reference(field(text, ", Group: ", ", Parent: ")); ok {
		if _, twice := d.comms[id]; !twice {
			d.commOrder = append(d.commOrder, id)
		}
		d.comms[id] = group
	}
}

// memberList keeps the ranks of a communicator's group: 0 ("Master thread" <0>), …
func (d *definitions) memberList(id uint64, text []byte) {
	if string(field(text, ", Type: ", ",")) != "COMM_GROUP" {
		return
	}
	if d.members == nil {
		d.members = map[uint64][]int32{}
	}
	var ranks []int32
	for part := range bytes.SplitSeq(field(text, " Members: ", ""), []byte(">), ")) {
		n, rest, ok := number(bytes.TrimSpace(part))
		if !ok || n > 1<<24 || len(rest) == 0 {
			return // cut short: too many members to be told
		}
		ranks = append(ranks, int32(n))
	}
	d.members[id] = ranks
}

// cpuThreads are the locations that are threads of processors, by process and
// thread.
func (d *definitions) cpuThreads() []place {
	var out []place
	for _, l := range d.locations {
		if l.kind == "CPU_THREAD" {
			out = append(out, l)
		}
	}
	slices.SortStableFunc(out, func(a, b place) int {
		if a.unit.Process != b.unit.Process {
			return a.unit.Process - b.unit.Process
		}
		return a.unit.Thread - b.unit.Thread
	})
	return out
}

// name is a region's name.
func (d *definitions) name(id uint64) string {
	if r := d.regions[id]; r != nil {
		return r.Name
	}
	return "region " + strconv.FormatUint(id, 10)
}

// threadBarrier tells whether a region is a barrier of threads.
func (d *definitions) threadBarrier(id uint64) bool {
	r := d.regions[id]
	return r != nil && strings.Contains(r.role, "BARRIER") && !strings.HasPrefix(r.Name, "MPI_")
}
