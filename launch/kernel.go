package launch

import (
	"fmt"
	"time"

	"auspex/probe"
)

// muchInKernel is the share of the CPU time from which on that of the kernel is worth a
// word, leastInKernel what its clock has to have counted for that to be known.
const (
	muchInKernel  = 0.1
	leastInKernel = 100 * time.Millisecond
)

// tellKernel notes CPU time that the kernel spent for the program where samples share
// out time: they do not come there. What calls for files and of MPI took is known
// without samples.
func (c *collector) tellKernel() {
	var kernel, all time.Duration
	for _, p := range c.processes {
		if p.Sampling == 0 {
			continue
		}
		all += p.User + p.System
		counted := 0.0
		for _, t := range p.Threads {
			for _, n := range t.Nodes {
				if kind := p.Regions[n.Region].Kind; kind == probe.FileCall || kind == probe.MPICall {
					counted += n.CPU
				}
			}
		}
		kernel += max(0, p.System-time.Duration(counted*1e9))
	}
	if share := kernel.Seconds() / all.Seconds(); kernel >= leastInKernel && share >= muchInKernel {
		c.notes = append(c.notes, fmt.Sprintf("%.0f %% of the CPU time was spent in the kernel (page faults, system calls other than for files): samples do not come there, and it may count with the functions that ran next", 100*share))
	}
}
