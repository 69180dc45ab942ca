package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"auspex/probe"
)

// Ending is how a command ended. It tells how a process did that is the command
// itself, and little of those that the command started.
type Ending struct {
	PID    int
	At     time.Time
	Status int // as a shell has it
	// Signalled is that a signal ended it.
	Signalled bool
	// Launched is that it started the ranks of an MPI program, and fails where one of
	// them does.
	Launched bool
}

// itself tells whether a process is the one that was started.
func (e Ending) itself(p *probe.Process) bool {
	host, err := os.Hostname()
	return e.PID > 0 && p.PID == e.PID && err == nil && p.Host == host
}

// killed tells whether a process that left no word of its end was ended by a signal,
// as far as can be known. A process that ends by a system call of its own, past the C
// library, leaves no word either.
func (e Ending) killed(p *probe.Process) bool {
	switch {
	case e.itself(p):
		return e.Signalled
	case e.Launched:
		return e.Status != 0
	}
	return e.Status > 128
}

// settle adds what is known of the ends of processes beside what they wrote.
func (c *collector) settle(e Ending) {
	for _, p := range c.processes {
		switch {
		case p.State == probe.Replaced && c.successor(p) == nil:
			c.notes = append(c.notes, fmt.Sprintf("%s became another program (exec), which was not measured (one that is linked statically, or a script of a shell that runs others): what it did after that is not in this. Put auspex run before the program that does the work", called(p)))
		case p.State != probe.Running:
		case e.itself(p):
			extend(p, e.At.Sub(p.Started))
			fallthrough
		default:
			if !e.killed(p) {
				p.State = probe.Finished
				if e.itself(p) {
					p.Code = e.Status
				}
				c.notes = append(c.notes, fmt.Sprintf("the end of %s was not seen: it ended by a system call of its own, and its times may be short", called(p)))
			}
		}
	}
}

// extend has the threads that were left live as long as their process is known to
// have. What they did at last is not known: no sample was taken then.
func extend(p *probe.Process, elapsed time.Duration) {
	for i := range p.Threads {
		t := &p.Threads[i]
		if more := (elapsed - t.Seen).Seconds(); t.Left && more > 0 {
			t.Nodes[t.Current].Wall += more
			t.Nodes[t.Current].Blocked += more
		}
	}
	p.Elapsed = max(p.Elapsed, elapsed)
}

// successor is the process that another became.
func (c *collector) successor(p *probe.Process) *probe.Process {
	var next *probe.Process
	for _, q := range c.processes {
		if q.Host == p.Host && q.PID == p.PID && q.Started.After(p.Started) && (next == nil || q.Started.Before(next.Started)) {
			next = q
		}
	}
	return next
}

// called is the name that a process's program is known by.
func called(p *probe.Process) string {
	if p.Name != "" {
		return p.Name
	}
	return filepath.Base(p.Program)
}
