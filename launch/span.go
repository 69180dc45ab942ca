package launch

import (
	"path/filepath"

	"auspex/probe"
)

// Span is how many seconds a program took of itself: the longest any of its
// ranks was there, from the end of MPI_Init to the beginning of MPI_Finalize; of
// a program without MPI, from its start to its end. dir is where the processes of
// the run wrote; ranks is how many did.
func Span(dir string) (longest float64, ranks int, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.probe"))
	if err != nil {
		return 0, 0, err
	}
	for _, file := range files {
		p, err := probe.ReadFile(file)
		if err != nil {
			return 0, 0, err
		}
		longest = max(longest, took(p))
	}
	return longest, len(files), nil
}

// SpanAlone is the same of a program without MPI; alone is false where it is not one.
func SpanAlone(dir string) (seconds float64, alone bool, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.probe"))
	if err != nil || len(files) != 1 {
		return 0, false, err
	}
	p, err := probe.ReadFile(files[0])
	if err != nil || p.MPI != "" {
		return 0, false, err
	}
	return took(p), true, nil
}

// Beside is what the processes of a run did that their traces do not count as
// computation, in seconds: the most of any process, but for OffCore.
type Beside struct {
	Threads  float64 // CPU time of threads of its own, which were not measured
	Children float64 // CPU time of children that it waited for
	// Parallel is how long its first thread was at work in parallel regions of OpenMP,
	// and Ran for how much of that it had a core.
	Parallel, Ran float64
	// OffCore is how long the first threads of all processes together waited for a core.
	OffCore float64
}

// much is the share of a process's time from which on what it did beside counts.
const much = 0.1

// LookBeside finds that in what the processes of a run wrote into dir.
func LookBeside(dir string) (most Beside, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.probe"))
	if err != nil {
		return most, err
	}
	for _, file := range files {
		p, err := probe.ReadFile(file)
		if err != nil {
			return most, err
		}
		b := beside(p)
		most.Threads, most.Children = max(most.Threads, b.Threads), max(most.Children, b.Children)
		most.OffCore += b.OffCore
		if b.Parallel-b.Ran > most.Parallel-most.Ran {
			most.Parallel, most.Ran = b.Parallel, b.Ran
		}
	}
	return most, nil
}

func beside(p *probe.Process) (b Beside) {
	least := max(much*took(p), 0.01)
	known := p.Own
	for _, t := range p.Threads {
		known += t.Walking
	}
	b.Threads, b.Children = p.CPU.Seconds()-cpuOf(p).Seconds()-known, p.Children.Seconds()
	if b.Threads < least {
		b.Threads = 0
	}
	if b.Children < least {
		b.Children = 0
	}
	for _, t := range p.Threads {
		if t.ID == 0 {
			b.Parallel, b.Ran = parallel(p, &t)
			for _, n := range t.Nodes {
				b.OffCore += max(0, n.Wall-n.CPU-n.Blocked)
			}
		}
	}
	if b.Parallel-b.Ran < least {
		b.Parallel, b.Ran = 0, 0
	}
	return b
}

// parallel is how long a thread was at work in parallel regions, and computed there:
// waiting for the others of its team is neither.
func parallel(p *probe.Process, t *probe.Thread) (wall, cpu float64) {
	within := make([]bool, len(t.Nodes))
	for i, n := range t.Nodes { // children stand after their parents
		within[i] = p.Regions[n.Region].Kind == probe.Parallel || n.Parent >= 0 && within[n.Parent]
		if within[i] && p.Regions[n.Region].Kind != probe.Barrier {
			wall, cpu = wall+n.Wall-n.Blocked, cpu+n.CPU
		}
	}
	return wall, cpu
}

// took is the same of one process.
func took(p *probe.Process) (seconds float64) {
	if p.MPI != "" {
		return p.InMPI.Seconds()
	}
	for _, t := range p.Threads {
		if t.ID != 0 {
			continue
		}
		seconds += t.Walking // nobody's time, but it passed
		for _, n := range t.Nodes {
			seconds += n.Wall
		}
	}
	return seconds
}
