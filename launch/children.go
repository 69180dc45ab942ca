package launch

import (
	"fmt"
	"time"

	"auspex/internal/figure"
	"auspex/probe"
)

// muchElsewhere is the share of all CPU time from which on that of children is worth a
// word.
const muchElsewhere = 0.1

// tellChildren notes what children of the processes did that was not measured. Those
// that were are among the processes, where these are no ranks of MPI.
func (c *collector) tellChildren() {
	for _, p := range c.processes {
		missing := p.Children
		for _, other := range c.processes {
			if other != p && p.MPI == "" {
				missing -= cpuOf(other)
			}
		}
		if missing.Seconds() >= muchElsewhere*(missing+cpuOf(p)).Seconds() && missing >= 10*time.Millisecond {
			c.notes = append(c.notes, fmt.Sprintf("children of %s used %s of CPU time that are not in this: what goes on after a fork is not measured; where they run another program, put auspex run before that one", called(p), figure.Seconds(missing.Seconds(), 3)))
			return
		}
	}
}

// cpuOf is the CPU time of a process as far as it was measured.
func cpuOf(p *probe.Process) time.Duration {
	sum := 0.0
	for _, t := range p.Threads {
		for _, n := range t.Nodes {
			sum += n.CPU
		}
	}
	return time.Duration(sum * 1e9)
}
