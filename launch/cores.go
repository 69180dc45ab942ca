package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"auspex/probe"
)

// cores is on how many cores the processes together might run; 0 where one of them does
// not know, or there are several hosts: two names may be one machine.
func cores(processes []*probe.Process) int {
	all := map[int]bool{}
	for _, p := range processes {
		if len(p.Cores) == 0 || p.Host != processes[0].Host {
			return 0
		}
		for _, core := range p.Cores {
			all[core] = true
		}
	}
	return len(all)
}

// tellBound says which ranks had fewer cores than threads at work, where this machine has
// enough for all: the launcher bound them, as Open MPI binds each of two ranks to a core.
func (c *collector) tellBound(command []string) {
	host, err := os.Hostname()
	if err != nil {
		return
	}
	here := runtime.NumCPU()
	var bound []*probe.Process
	all := 0
	for _, p := range c.processes {
		if p.Host != host || p.Rank < 0 || len(p.Cores) == 0 {
			return
		}
		threads := busy(p)
		all += max(1, threads)
		if threads > len(p.Cores) {
			bound = append(bound, p)
		}
	}
	if len(bound) == 0 || all > here {
		return
	}
	p, others := bound[0], ""
	switch n := len(bound) - 1; n {
	case 0:
	case 1:
		others = ", and those of another rank likewise"
	default:
		others = fmt.Sprintf(", and those of %d other ranks likewise", n)
	}
	threads := busy(p)
	c.notes = append(c.notes, fmt.Sprintf("the %d threads of rank %d shared %d of %d cores%s: the launcher bound them there%s",
		threads, p.Rank, len(p.Cores), here, others, unbinding(command, p.MPI, threads)))
}

// busy is how many threads of a process were at work at the same time: those that had a
// tenth of the CPU time of the one with the most, where they waited for cores.
func busy(p *probe.Process) int {
	const much = 0.1
	var each []float64
	wall, waited, most := 0.0, 0.0, 0.0
	for _, t := range p.Threads {
		cpu := 0.0
		for _, n := range t.Nodes {
			cpu += n.CPU
			wall += n.Wall
			waited += coreWait(n)
		}
		each = append(each, cpu)
		most = max(most, cpu)
	}
	if !tellsBlocked(p) || waited < much*wall {
		return 0
	}
	n := 0
	for _, cpu := range each {
		if cpu > 0 && cpu >= much*most {
			n++
		}
	}
	return n
}

// unbinding is how a launcher gives ranks that many cores each.
func unbinding(command []string, mpi string, threads int) string {
	switch {
	case len(command) > 0 && filepath.Base(command[0]) == "srun":
		return fmt.Sprintf(". srun --cpus-per-task=%d gives each thread one", threads)
	case strings.HasPrefix(mpi, "Open MPI"):
		return fmt.Sprintf(". mpirun --map-by slot:PE=%d gives each thread one, --bind-to none all of them", threads)
	case strings.HasPrefix(mpi, "MPICH"):
		return fmt.Sprintf(". mpiexec -bind-to core:%d gives each thread one, -bind-to none all of them", threads)
	}
	return ""
}
