package launch

import (
	"debug/elf"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"syscall"

	"auspex/internal/processor"
	"auspex/model"
	"auspex/probe"
)

// header says what the run was: the factors are found by themselves.
func (c *collector) header(run Run) model.Header {
	first := c.longest()
	program := first.Program
	h := model.Header{
		Name: called(first), Program: called(first), Command: strings.Join(run.Command, " "),
		Created: run.Started, Format: "auspex", Runs: 1, Incomplete: c.incomplete(run.Deaths), Notes: c.notes,
		BlockedApart: !slices.ContainsFunc(c.processes, func(p *probe.Process) bool { return !tellsBlocked(p) }),
	}
	if h.Created.IsZero() {
		h.Created = first.Started
	}
	hosts, threads := map[string]bool{}, 1
	for _, p := range c.processes {
		hosts[p.Host] = true
		threads = max(threads, len(p.Threads))
	}
	h.SetFactor(model.NumberFactor("ranks", float64(c.ranks())))
	h.SetFactor(model.NumberFactor("threads", float64(threads)))
	h.SetFactor(model.NumberFactor("nodes", float64(len(hosts))))
	if n := cores(c.processes); n > 0 {
		h.SetFactor(model.NumberFactor(model.Cores, float64(n)))
	}
	word := func(name, value string) {
		if value != "" {
			h.SetFactor(model.Factor{Name: name, Word: value})
		}
	}
	word("hosts", strings.Join(sortedKeys(hosts), ","))
	compiler, flags := buildOf(program)
	word("compiler", compiler)
	word("flags", flags)
	word("mpi", mpiName(first.MPI))
	word("cpu", processor.Name())
	word("arguments", arguments(run.Command, first))
	return h
}

// longest is the program that the first process ran longest.
func (c *collector) longest() *probe.Process {
	most := c.processes[0]
	for _, p := range c.processes {
		if p.Rank == most.Rank && p.Elapsed > most.Elapsed {
			most = p
		}
	}
	return most
}

func sortedKeys(m map[string]bool) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// incomplete says who did not come to the end, and where they were. Where one
// rank dies the launcher ends the others: those are only counted.
func (c *collector) incomplete(order []string) string {
	var words []string
	first := c.processes[0]
	if c.ranks() < first.Ranks {
		words = append(words, fmt.Sprintf("%d of %d ranks left no measurement", first.Ranks-c.ranks(), first.Ranks))
	}
	var dead, causes []*probe.Process
	for _, p := range c.processes {
		if p.State.Dead() {
			dead = append(dead, p)
		}
	}
	if len(dead) == 0 {
		return strings.Join(words, "; ")
	}
	for _, p := range c.processes {
		atFault := p.State == probe.Aborted || p.State == probe.Finished && p.Code != 0 ||
			p.State == probe.Signalled && p.Code != int(syscall.SIGTERM) && p.Code != int(syscall.SIGINT)
		if atFault {
			causes = append(causes, p)
		}
	}
	if len(causes) == 0 {
		causes = firstDead(dead, order)
	}
	const shown = 4
	others := len(dead)
	for i, p := range causes {
		if i < shown {
			words = append(words, c.fate(p))
		}
		if p.State.Dead() {
			others--
		}
	}
	if len(causes) > shown {
		words = append(words, fmt.Sprintf("and %d more", len(causes)-shown))
	}
	if others == 1 {
		words = append(words, "1 other rank was ended after that")
	} else if others > 1 {
		words = append(words, fmt.Sprintf("%d other ranks were ended after that", others))
	}
	return strings.Join(words, "; ")
}

// firstDead is whoever of the dead died first. Where that was not seen, those
// that were not waiting in MPI are the more likely ones.
func firstDead(dead []*probe.Process, order []string) []*probe.Process {
	for _, file := range order {
		for _, p := range dead {
			if p.File == file {
				return []*probe.Process{p}
			}
		}
	}
	var atWork []*probe.Process
	for _, p := range dead {
		if !inMPI(p) {
			atWork = append(atWork, p)
		}
	}
	if len(atWork) > 0 {
		return atWork
	}
	return dead
}

func inMPI(p *probe.Process) bool {
	if len(p.Threads) == 0 {
		return false
	}
	t := p.Threads[0]
	return p.Regions[t.Nodes[t.Current].Region].Kind == probe.MPICall
}

// fate says in words how a process ended.
func (c *collector) fate(p *probe.Process) string {
	switch p.State {
	case probe.Aborted:
		return fmt.Sprintf("rank %d called MPI_Abort(%d) in %s", p.Rank, p.Code, c.whereIn(p))
	case probe.Signalled:
		return fmt.Sprintf("rank %d was ended by %s in %s", p.Rank, signalName(p.Code), c.whereIn(p))
	case probe.Finished:
		return fmt.Sprintf("rank %d exited with status %d in %s", p.Rank, p.Code, c.whereIn(p))
	}
	return fmt.Sprintf("rank %d was killed in %s", p.Rank, c.whereIn(p))
}

func signalName(n int) string {
	s := syscall.Signal(n)
	names := map[syscall.Signal]string{
		syscall.SIGSEGV: "SIGSEGV", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE", syscall.SIGILL: "SIGILL", syscall.SIGABRT: "SIGABRT",
		syscall.SIGTERM: "SIGTERM", syscall.SIGINT: "SIGINT", syscall.SIGHUP: "SIGHUP", syscall.SIGXCPU: "SIGXCPU",
	}
	if name, ok := names[s]; ok {
		return name
	}
	return fmt.Sprintf("signal %d", n)
}

// whereIn is the path of the region that a process's first thread was in.
func (c *collector) whereIn(p *probe.Process) string {
	if len(p.Threads) == 0 {
		return "its start"
	}
	return model.JoinPath(c.where[p].path()...)
}

// buildOf reads how an executable was compiled: the note that auspex cc leaves,
// and the compiler's own.
func buildOf(program string) (compiler, flags string) {
	file, err := elf.Open(program)
	if err != nil {
		return "", ""
	}
	defer file.Close()
	if s := file.Section(".comment"); s != nil {
		if data, err := s.Data(); err == nil {
			compiler, _, _ = strings.Cut(strings.TrimLeft(string(data), "\x00"), "\x00")
		}
	}
	if s := file.Section(buildSection); s != nil {
		if data, err := s.Data(); err == nil {
			flags, _, _ = strings.Cut(string(data), "\x00")
		}
	}
	return compiler, flags
}

// mpiName shortens an MPI library's description to its first words.
func mpiName(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if rest, ok := strings.CutPrefix(line, "MPICH Version:"); ok {
		return "MPICH " + strings.TrimSpace(rest)
	}
	line, _, _ = strings.Cut(line, ",")
	return strings.TrimSpace(line)
}

// arguments are the words after the program in the command.
func arguments(command []string, p *probe.Process) string {
	for i, word := range command {
		if base := filepath.Base(word); base == called(p) || base == filepath.Base(p.Program) {
			return strings.Join(command[i+1:], " ")
		}
	}
	return ""
}
