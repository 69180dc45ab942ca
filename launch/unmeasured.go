package launch

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"auspex/internal/figure"
	"auspex/probe"
)

// tellUnmeasured notes what is missing of processes that were measured: what came
// after the point at which that had to end, and threads that no sample came to.
func (c *collector) tellUnmeasured() {
	var notes []string
	for _, p := range c.processes {
		if p.State == probe.Confined {
			notes = append(notes, filepath.Base(p.Program)+" forbade itself system calls (seccomp): it is measured until then")
		}
	}
	slices.Sort(notes)
	c.notes = append(c.notes, slices.Compact(notes)...)
	c.tellUnsampled()
}

// due is how many samples a thread must have missed to be worth a word.
const due = 50

// tellUnsampled notes threads that used much CPU time without a sample, as where a
// thread keeps the signal blocked by a system call of its own.
func (c *collector) tellUnsampled() {
	var words []string
	sum := 0.0
	for _, p := range c.processes {
		for _, t := range p.Threads {
			cpu := 0.0
			for _, n := range t.Nodes {
				if p.Regions[n.Region].Kind != probe.MPICall {
					cpu += n.CPU
				}
			}
			if p.Sampling > 0 && t.Samples == 0 && cpu >= due*p.Sampling.Seconds() {
				sum += cpu
				words = append(words, fmt.Sprintf("thread %d of rank %d", t.ID, p.Rank))
			}
		}
	}
	if len(words) == 0 {
		return
	}
	const shown = 3
	if more := len(words) - shown; more > 0 {
		words = append(words[:shown], fmt.Sprintf("%d more", more))
	}
	c.notes = append(c.notes, fmt.Sprintf("no sample came to %s in %s of CPU time: in which functions it went is not known", strings.Join(words, ", "), figure.Seconds(sum, 3)))
}
