package launch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"auspex/instrument"
	"auspex/model"
	"auspex/probe"
)

// Run is what is known of a run beside what its processes wrote.
type Run struct {
	Command []string
	Started time.Time
	// Deaths are the files of processes in the order in which those ended, as
	// far as that was seen.
	Deaths []string
	// BroughtMPI is that the program is not linked with MPI: where its processes
	// have that loaded, it may be the runtime's.
	BroughtMPI bool
	Ending     Ending
}

// errNothing is where no process wrote anything.
var errNothing = errors.New("nothing was measured")

// Collect makes an experiment of the files that the processes of a run wrote
// into dir, and rules without the regions that they switched off.
func Collect(ctx context.Context, dir string, run Run) (*model.Experiment, []instrument.Rule, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.probe"))
	if err != nil {
		return nil, nil, err
	}
	c := collector{b: model.NewBuilder(), tree: callTree{names: newResolver(), blind: map[string]uint64{}}, where: map[*probe.Process]*spot{}}
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		p, err := probe.ReadFile(file)
		if err != nil {
			c.notes = append(c.notes, err.Error())
			continue
		}
		c.processes = append(c.processes, p)
	}
	c.keepRanks(run)
	if len(c.processes) == 0 && len(c.notes) > 0 {
		return nil, nil, fmt.Errorf("what was measured cannot be read: %s", c.notes[0])
	}
	if len(c.processes) == 0 {
		return nil, nil, errNothing
	}
	c.settle(run.Ending)
	c.declare()
	c.off = switchedOff(c.processes)
	c.tree.names.weigh(c.processes)
	var trees [][]threadTree
	for _, p := range c.processes {
		trees = append(trees, c.grow(p))
	}
	for i, p := range c.processes {
		c.process(p, trees[i])
	}
	c.tellSamples()
	c.tellKernel()
	c.tellPython()
	c.tellChildren()
	c.tellUnmeasured()
	c.tellBound(run.Command)
	c.tellCost()
	e, err := c.b.Build(c.header(run))
	return e, c.tooShort(), err
}

type collector struct {
	b         *model.Builder
	tree      callTree
	where     map[*probe.Process]*spot // each first thread was last in
	processes []*probe.Process
	off       map[measuredPlace]bool
	notes     []string
	columns   columns
}

// columns are the indices of metrics; -1 where nothing of the kind was seen.
type columns struct {
	wall, cpu, calls, mpi, messages, sent, received, collective, overtaken, ioTime, ioRead, ioWritten, iterations, faults, switches, memory, samples, coreWait int
	counters                                                                                                                                                   map[string]int
}

// keepRanks orders the processes. Where some are ranks of an MPI program, a
// process that is none (a script's helper, a launcher) is left out.
func (c *collector) keepRanks(run Run) {
	c.processes = slices.DeleteFunc(c.processes, hasOthersRun)
	if len(c.notes) > 0 || slices.ContainsFunc(c.processes, func(p *probe.Process) bool { return !prepares(p) }) { // there is something else
		c.processes = slices.DeleteFunc(c.processes, prepares)
	}
	ranks := 0
	for _, p := range c.processes {
		if p.Rank >= 0 {
			ranks++
		}
	}
	if ranks > 0 {
		kept := c.processes[:0]
		for _, p := range c.processes {
			if p.Rank >= 0 {
				kept = append(kept, p)
			}
		}
		c.processes = kept
	}
	sort.SliceStable(c.processes, func(i, j int) bool {
		p, q := c.processes[i], c.processes[j]
		if p.Rank != q.Rank {
			return p.Rank < q.Rank
		}
		return p.Started.Before(q.Started)
	})
	if ranks == 0 {
		c.number()
	}
	c.keepApart(run)
}

// prepares tells whether a program did next to nothing but become another: env,
// prlimit, a wrapper. One with probes is the user's.
func prepares(p *probe.Process) bool {
	probed := slices.ContainsFunc(p.Regions, func(r probe.Region) bool {
		return r.Kind == probe.Function || r.Kind == probe.Loop || r.Kind == probe.User && r.Name != others
	})
	return p.State == probe.Replaced && !probed && cpuOf(p) < 10*time.Millisecond
}

// hasOthersRun tells a shell or a launcher that did nothing itself: what they ran are their
// children, or what they became.
func hasOthersRun(p *probe.Process) bool {
	return (p.State != probe.Replaced || prepares(p)) && (shells[filepath.Base(p.Program)] || launches(p.Program))
}

// number gives processes that are no ranks of MPI their numbers, in the order in
// which they started. A process that became another program stays what it was.
func (c *collector) number() {
	next := 0
	for _, p := range c.processes {
		if c.follows(p) {
			continue
		}
		p.Rank = next
		next++
		programs := []string{called(p)}
		for p.State == probe.Replaced && c.successor(p) != nil {
			rank := p.Rank
			p = c.successor(p)
			p.Rank = rank
			programs = append(programs, called(p))
		}
		if n := len(programs); n > 1 {
			c.notes = append(c.notes, fmt.Sprintf("process %d ran %d programs one after the other (exec): %s; its times are those of all", p.Rank, n, strings.Join(programs, ", ")))
		}
	}
}

// ranks is how many there are: a process that became another program is one.
func (c *collector) ranks() int {
	seen := map[int]bool{}
	for _, p := range c.processes {
		seen[p.Rank] = true
	}
	return len(seen)
}

// keepApart sees to it that no two processes are taken for one rank.
func (c *collector) keepApart(run Run) {
	seen, alone, again := map[int]bool{}, 0, false
	for _, p := range c.processes {
		again = again || seen[p.Rank] && !c.follows(p)
		seen[p.Rank] = true
		if p.Ranks == 1 {
			alone++
		}
		if p.MPI == "" && !run.BroughtMPI && slices.ContainsFunc(p.Objects, func(o probe.Object) bool { return isMPI(filepath.Base(o.Path)) }) {
			c.notes = append(c.notes, fmt.Sprintf("%s uses MPI, but its MPI calls were not measured: put auspex run before mpirun, or name the mpicc of its MPI in $AUSPEX_MPICC", filepath.Base(p.Program)))
		}
	}
	c.notes = slices.Compact(c.notes)
	if !again {
		return
	}
	n := len(c.processes)
	if alone == n && !slices.ContainsFunc(c.processes, connects) {
		c.notes = append(c.notes, fmt.Sprintf("the %d processes did not know of one another: each was an MPI program of 1 rank. If they were meant to be one program of %d, their launcher does not match their MPI (srun needs --mpi=pmi2 or pmix)", n, n))
	} else {
		c.notes = append(c.notes, fmt.Sprintf("several MPI programs ran: their %d processes are numbered in the order they started", n))
		slices.SortStableFunc(c.processes, func(p, q *probe.Process) int { return p.Started.Compare(q.Started) })
	}
	for i, p := range c.processes {
		p.Rank, p.Ranks = i, n
	}
}

// connects tells whether a process started others or connected to them by MPI: they
// know of one another.
func connects(p *probe.Process) bool {
	return slices.ContainsFunc(p.Regions, func(r probe.Region) bool {
		switch r.Name {
		case "MPI_Comm_spawn", "MPI_Comm_spawn_multiple", "MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_join":
			return true
		}
		return false
	})
}

// declare adds the metrics that have values.
func (c *collector) declare() {
	var sum probe.Node
	var queued float64
	for _, p := range c.processes {
		tells := tellsBlocked(p)
		for _, t := range p.Threads {
			for _, n := range t.Nodes {
				sum.Wall += n.Wall
				if tells {
					queued += coreWait(n)
				}
				sum.Messages += n.Messages
				sum.Sent += n.Sent
				sum.Received += n.Received
				sum.Collective += n.Collective
				sum.Overtaken += n.Overtaken
				sum.IOTime += n.IOTime
				sum.IORead += n.IORead
				sum.IOWritten += n.IOWritten
				sum.Iterations += n.Iterations
				sum.Faults += n.Faults
				sum.Switches += n.Switches
			}
		}
	}
	metric := func(any bool, name string) int {
		if !any {
			return -1
		}
		return c.b.Metric(model.NewMetric(name, "", model.Exclusive))
	}
	k := &c.columns
	k.wall = metric(true, model.WallTime)
	k.cpu = metric(true, model.CPUTime)
	k.calls = c.b.Metric(model.NewMetric(model.Calls, "", model.Own))
	k.mpi = metric(c.anyMPI(), model.MPITime)
	k.messages = metric(sum.Messages > 0, model.Messages)
	k.sent = metric(sum.Sent > 0, model.BytesSent)
	k.received = metric(sum.Received > 0, model.BytesReceived)
	k.collective = -1
	if sum.Collective > 0 {
		k.collective = c.b.Metric(model.Metric{Name: "collective_bytes", Unit: "bytes", Scope: model.Exclusive, Missing: model.Zero})
	}
	k.overtaken = metric(sum.Overtaken > 0, "messages_overtaken")
	k.ioTime = metric(sum.IOTime > 0, model.IOTime)
	k.ioRead = metric(sum.IORead > 0, model.IORead)
	k.ioWritten = metric(sum.IOWritten > 0, model.IOWritten)
	k.iterations = metric(sum.Iterations > 0, model.Iterations)
	k.faults = metric(sum.Faults > 0, model.PageFaults)
	k.switches = metric(sum.Switches > 0, model.ContextSwitches)
	k.memory = c.b.Metric(model.Metric{Name: "peak_memory", Unit: "bytes", Scope: model.Own, Missing: model.Absent})
	k.coreWait = -1
	if queued > 0 && queued >= fewQueued*sum.Wall {
		k.coreWait = c.b.Metric(model.Metric{Name: model.CoreWait, Unit: "s", Scope: model.Exclusive, Missing: model.Zero})
	}
	k.samples = -1
	if c.anySamples() {
		k.samples = c.b.Metric(model.Metric{Name: model.Samples, Scope: model.Exclusive, Missing: model.Zero})
	}
	c.declareCounters()
}

func (c *collector) anyMPI() bool {
	for _, p := range c.processes {
		if p.MPI != "" {
			return true
		}
	}
	return false
}

func (c *collector) anySamples() bool {
	for _, p := range c.processes {
		for _, t := range p.Threads {
			if len(t.Steps) > 0 {
				return true
			}
		}
	}
	return false
}

// threadTree is a thread with the spots of its nodes and samples.
type threadTree struct {
	thread  probe.Thread
	nodes   []*spot
	samples []sampled
}

// grow adds the regions of a process to the tree of all.
func (c *collector) grow(p *probe.Process) []threadTree {
	var list []threadTree
	for i := range p.Threads {
		t := &p.Threads[i]
		owner := c.owners(p, t)
		c.tree.begin(p, i)
		nodes := c.tree.nodes(p, *t)
		list = append(list, threadTree{*t, nodes, c.tree.samples(p, *t, nodes, owner)})
		if i == 0 {
			c.where[p] = nodes[t.Current]
		}
	}
	return list
}

func (c *collector) process(p *probe.Process, threads []threadTree) {
	for i, t := range threads {
		c.thread(p, t)
		if i == 0 {
			unit := c.b.Unit(model.Unit{Node: p.Host, Process: p.Rank, Thread: t.thread.ID})
			c.b.Set(unit, c.place(t.nodes[0]), c.columns.memory, float64(c.peak(p)))
		}
	}
	for _, t := range p.Threads {
		for _, n := range t.Nodes {
			if p.Regions[n.Region].Name == others {
				c.notes = append(c.notes, fmt.Sprintf("rank %d has more regions, or deeper nested ones, than are kept: %s calls are in <others>", p.Rank, grouped(n.Calls)))
			}
		}
	}
	if p.Lost > 0 {
		c.notes = append(c.notes, fmt.Sprintf("rank %d had no room for %d events", p.Rank, p.Lost))
	}
}

// others is the region of what a process had no room for.
const others = "<others>"

// follows tells whether a process's program came after another in the same process.
func (c *collector) follows(p *probe.Process) bool {
	return slices.ContainsFunc(c.processes, func(q *probe.Process) bool { return q.State == probe.Replaced && c.successor(q) == p })
}

// peak is the most memory that a process had in any program of one name.
func (c *collector) peak(p *probe.Process) uint64 {
	most := p.PeakMemory
	for _, q := range c.processes {
		if q.Host == p.Host && q.Rank == p.Rank && called(q) == called(p) {
			most = max(most, q.PeakMemory)
		}
	}
	return most
}

// values adds a node's values. Two nodes may be one region in the end: two
// call sites on one line.
func (c *collector) values(p *probe.Process, unit, region int, n probe.Node, isMPI bool) {
	add := func(column int, v float64) {
		if column >= 0 {
			c.b.Add(unit, region, column, v)
		}
	}
	k := &c.columns
	add(k.wall, n.Wall)
	add(k.cpu, n.CPU)
	add(k.calls, float64(n.Calls))
	if isMPI {
		add(k.mpi, n.Wall)
	}
	add(k.messages, float64(n.Messages))
	add(k.sent, float64(n.Sent))
	add(k.received, float64(n.Received))
	add(k.collective, float64(n.Collective))
	add(k.overtaken, float64(n.Overtaken))
	add(k.ioTime, n.IOTime)
	add(k.ioRead, float64(n.IORead))
	add(k.ioWritten, float64(n.IOWritten))
	add(k.iterations, float64(n.Iterations))
	add(k.faults, float64(n.Faults))
	add(k.switches, float64(n.Switches))
	for i, counter := range p.Counters {
		if column, ok := k.counters[counter.Name]; ok {
			add(column, n.Counted(i, counter.Group))
		}
	}
}

// function is the name of the innermost function that a node stands in.
func function(p *probe.Process, t probe.Thread, n probe.Node) string {
	for n.Parent >= 0 {
		n = t.Nodes[n.Parent]
		if r := p.Regions[n.Region]; r.Kind == probe.Function {
			return r.Name
		}
	}
	return ""
}
