// Package scaling says how a program scales over runs of it on different
// numbers of processes, of threads, or of both.
//
//  1. Runs are ordered by that number; the smallest is the reference.
//  2. Weak or strong is told by the work, in instructions or CPU time: where it
//     grows with the number the problem did too.
//  3. Efficiencies are the POP project's, as far as profiles without times of
//     events tell them: parallel = load balance × communication, global =
//     parallel × computation scalability, which counters part further.
//  4. Regions that do not scale are those whose time is more than the
//     reference promises, by their share of the largest run.
//  5. From five sizes on, package growth models the regions, and the run time is
//     the sum of their models.
package scaling

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"auspex/account"
	"auspex/analyze"
	"auspex/model"
)

// Kind says what was kept while processes were added.
type Kind string

// The kinds of scaling.
const (
	Strong Kind = "strong" // the problem
	Weak   Kind = "weak"   // the work of a process
)

// Scaling is how a program scales.
type Scaling struct {
	Kind    Kind     `json:"kind"`
	Of      string   `json:"of"`      // what there are more of: processes, threads, or threads in all
	By      string   `json:"kind_by"` // what told the kind
	Growth  float64  `json:"growth"`  // of the work over that of the processes, mean
	Runs    []Run    `json:"runs"`
	Factors []Factor `json:"factors"` // in which the runs differ beside that number
	Regions []Region `json:"regions"` // that do not scale, the dearest first
	Kept    []Kept   `json:"kept"`    // work that few units do, the dearest first
	Model   *Whole   `json:"model"`   // of the run time; null below five sizes
	Words   string   `json:"words"`
	// Uncertain: whether the problem is the same in all runs is not known.
	Uncertain bool     `json:"-"`
	Warnings  []string `json:"warnings"`
}

// Factor is one in which runs differ.
type Factor struct {
	Name   string `json:"name"`
	Values []any  `json:"values"` // by run
}

// Kept is work that few units have, and that more of them do not share.
type Kept struct {
	Region  string         `json:"region"`
	Seconds []analyze.Real `json:"seconds"` // of the busiest unit, exclusive, by run
	Excess  analyze.Real   `json:"excess_share"`
}

// Run is one run; what cannot be had is missing.
type Run struct {
	Name          string       `json:"name"`
	Ranks         int          `json:"ranks"`
	Threads       int          `json:"threads"` // of a process, that compute
	Count         int          `json:"count"`   // of what there are more of
	RunSeconds    analyze.Real `json:"run_seconds"`
	Speedup       analyze.Real `json:"speedup"`
	Efficiency    analyze.Real `json:"efficiency"` // of the speedup over that of the processes
	Parallel      analyze.Real `json:"parallel"`
	LoadBalance   analyze.Real `json:"load_balance"`
	Communication analyze.Real `json:"communication"`
	Serialization analyze.Real `json:"serialization"` // wants a trace
	Transfer      analyze.Real `json:"transfer"`      // wants a trace
	StartEnd      analyze.Real `json:"start_end"`     // what starting and ending leave of the run; part of communication and transfer
	// Cores is what standing within MPI without a core leaves of the rest, likewise; nil
	// where none is known to.
	Cores                  *analyze.Real `json:"cores,omitempty"`
	ComputationScalability analyze.Real  `json:"computation_scalability"`
	IPCScalability         analyze.Real  `json:"ipc_scalability"`
	InstructionScalability analyze.Real  `json:"instruction_scalability"`
	FrequencyScalability   analyze.Real  `json:"frequency_scalability"`
	// OnCores is how much of the computation's time is CPU time, against the smallest
	// run; part of computation scalability.
	OnCores analyze.Real `json:"on_cores"`
	Global  analyze.Real `json:"global"`

	useful, cpu, instructions, cycles float64
	regions                           map[string]float64 // mean over units of exclusive time, by name
	busiest                           map[string]float64 // likewise, of the unit with the most
	kinds                             map[string]account.Class
}

// Region is one that takes longer than the reference promises.
type Region struct {
	Region  string         `json:"region"`
	Seconds []analyze.Real `json:"seconds"` // mean over units, exclusive, by run
	Ideal   analyze.Real   `json:"ideal_seconds"`
	Excess  analyze.Real   `json:"excess_share"` // of the largest run, beyond the ideal
	Model   *Model         `json:"model"`

	First analyze.Real `json:"-"` // in the smallest run, and below in the largest
	Last  analyze.Real `json:"-"`
	name  string
}

const (
	// weakGrowth is the mean ratio of work to processes from which scaling is
	// weak, as the tools of the POP project take it.
	weakGrowth = 0.9
	// muchMore work than in the smallest run, and yet less than grows with the
	// processes, is overhead or a larger problem.
	muchMore = 1.5
	// beyondIdeal is an efficiency that scatter does not explain.
	beyondIdeal = 1.05
)

// Of looks at runs of one program on at least two numbers of processes; runs of
// different programs are refused unless forced.
func Of(ctx context.Context, sets []*analyze.Dataset, force bool) (*Scaling, error) {
	s := &Scaling{Runs: []Run{}, Factors: []Factor{}, Regions: []Region{}, Kept: []Kept{}, Warnings: []string{}}
	given := map[string]*analyze.Dataset{}
	for _, d := range sets {
		if given[d.Name] != nil {
			continue // named twice, it is still one run
		}
		given[d.Name] = d
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		warning, err := analyze.CheckRelated(sets[0], d, force)
		if err != nil {
			return nil, err
		}
		if warning != "" {
			s.Warnings = append(s.Warnings, warning)
		}
		if _, averaged := d.Factor(model.AveragedOver); averaged {
			return nil, fmt.Errorf("%s holds the mean of all its processes: scaling needs profiles with a value for each", d.Name)
		}
		r, err := measure(d)
		if err != nil {
			return nil, err
		}
		if !(r.RunSeconds > 0) {
			return nil, fmt.Errorf("%s took no time: there is nothing to compare", d.Name)
		}
		s.Runs = append(s.Runs, r)
	}
	s.count()
	slices.SortStableFunc(s.Runs, func(a, b Run) int { return cmp.Compare(a.Count, b.Count) })
	if len(s.Runs) < 2 || s.Runs[0].Count == s.Runs[len(s.Runs)-1].Count {
		return nil, fmt.Errorf("scaling needs runs on different numbers of processes or threads; the number of %s is %d in all of these", s.Of, s.Runs[0].Count)
	}
	s.classify()
	s.noteFactors(given)
	s.rate()
	s.search()
	s.model()
	return s, nil
}

// count says what there are more of in some runs than in others, and how many.
func (s *Scaling) count() {
	first := s.Runs[0]
	differ := func(of func(Run) int) bool {
		return slices.ContainsFunc(s.Runs, func(r Run) bool { return of(r) != of(first) })
	}
	processes, threads := func(r Run) int { return r.Ranks }, func(r Run) int { return r.Threads }
	number := processes
	s.Of = "processes"
	switch {
	case !differ(threads):
	case !differ(processes):
		s.Of, number = "threads", threads
	default:
		s.Of, number = "threads in all", func(r Run) int { return r.Ranks * r.Threads }
	}
	for i := range s.Runs {
		s.Runs[i].Count = number(s.Runs[i])
	}
}

// helper is the share of what its process's busiest thread computes below which a
// thread is one of a library's, and not one of those that the work is shared among.
const helper = 0.1

// busyThreads is how many threads of a process compute.
func busyThreads(d *analyze.Dataset, useful []float64) (int, error) {
	if d.Has(model.CPUTime) { // of what sleeps it tells better
		cpu, err := d.Matrix(model.CPUTime + ".exc")
		if err != nil {
			return 0, err
		}
		useful = make([]float64, len(d.Units))
		for u := range useful {
			for g, v := range cpu.Row(u) {
				if v == v && !d.Communication[g] {
					useful[u] += v
				}
			}
		}
	}
	most := map[int]float64{}
	for u, unit := range d.Units {
		most[unit.Process] = max(most[unit.Process], useful[u])
	}
	busy, threads := map[int]int{}, 1
	for u, unit := range d.Units {
		if useful[u] > helper*most[unit.Process] {
			busy[unit.Process]++
			threads = max(threads, busy[unit.Process])
		}
	}
	return threads, nil
}

// measure takes out of an experiment what scaling is about.
func measure(d *analyze.Dataset) (Run, error) {
	t, err := d.Times()
	if err != nil {
		return Run{}, err
	}
	processes, _, _ := analyze.CountUnits(d.Units)
	e := t.Efficiency()
	r := Run{
		Name: d.Name, Ranks: processes, RunSeconds: analyze.Real(t.Runtime), Parallel: e.Parallel, LoadBalance: e.LoadBalance, Communication: e.Communication,
		Serialization: analyze.Missing, Transfer: analyze.Missing, StartEnd: 1, ComputationScalability: analyze.Missing, IPCScalability: analyze.Missing,
		InstructionScalability: analyze.Missing, FrequencyScalability: analyze.Missing, OnCores: analyze.Missing, Global: analyze.Missing,
		useful: analyze.Total(t.Useful), regions: map[string]float64{}, busiest: map[string]float64{}, kinds: map[string]account.Class{},
	}
	if r.Threads, err = busyThreads(d, t.Useful); err != nil {
		return r, err
	}
	ends, err := d.StartEnd()
	if err != nil {
		return r, err
	}
	r.StartEnd = analyze.Real(1 - ends)
	for name, to := range map[string]*float64{model.CPUTime: &r.cpu, model.Instructions: &r.instructions, model.Cycles: &r.cycles} {
		if d.Has(name) {
			if *to, err = usefulSum(d, name+".exc"); err != nil {
				return r, err
			}
		}
	}
	exclusive, err := d.Matrix(t.Metric + ".exc")
	if err != nil {
		return r, err
	}
	for u := range exclusive.Units {
		own := map[string]float64{}
		for g, v := range exclusive.Row(u) {
			name := d.Regions[g].Name
			r.regions[name] += v / float64(exclusive.Units)
			r.kinds[name] = d.Classes[g]
			own[name] += v
			r.busiest[name] = max(r.busiest[name], own[name])
		}
	}
	return r, nil
}

// usefulSum adds a metric up outside communication.
func usefulSum(d *analyze.Dataset, name string) (float64, error) {
	m, err := d.Matrix(name)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for u := range m.Units {
		for g, v := range m.Row(u) {
			if v == v && !d.Communication[g] {
				sum += v
			}
		}
	}
	return sum, nil
}

// classify tells weak from strong scaling: by the instructions where all runs
// counted them, else by their CPU time, else by the useful time.
func (s *Scaling) classify() {
	work := func(r Run) float64 { return r.useful }
	s.By = "useful time"
	known := func(of func(Run) float64) bool {
		return !slices.ContainsFunc(s.Runs, func(r Run) bool { return of(r) <= 0 })
	}
	instructions, cpu := func(r Run) float64 { return r.instructions }, func(r Run) float64 { return r.cpu }
	switch {
	case known(instructions):
		work, s.By = instructions, "instructions"
	case known(cpu):
		work, s.By = cpu, "CPU time"
	}
	first, n := s.Smallest(), 0.0
	for _, r := range s.Runs[1:] {
		if r.Count > first.Count && work(first) > 0 {
			s.Growth += work(r) / work(first) * float64(first.Count) / float64(r.Count)
			n++
		}
	}
	s.Growth /= max(1, n)
	s.Kind = Strong
	if s.Growth > weakGrowth {
		s.Kind = Weak
	}
	last := s.Largest()
	more := analyze.Ratio(work(last), work(first))
	switch {
	case s.Kind == Strong && more > muchMore:
		s.Uncertain = true
		s.Warnings = append(s.Warnings, fmt.Sprintf("whether the problem is the same in all runs is not certain: on %d there is %.1f × as much work as on %d, by %s. If the problem grew, speedups and efficiencies are too low", last.Count, float64(more), first.Count, s.By))
	case s.Kind == Weak && s.By == "useful time" && s.Of != "processes":
		s.Warnings = append(s.Warnings, "that the work grew is told by the time outside of communication, and what threads wait for one another or for a core counts to it. If the problem is the same in all runs, speedups and efficiencies are too high")
	}
}

// rate sets every run against the smallest. In weak scaling the work of one
// process is compared, in strong that of all.
func (s *Scaling) rate() {
	first := s.Smallest()
	for i := range s.Runs {
		s.rateRun(&s.Runs[i], first)
	}
	best := slices.MaxFunc(s.Runs, func(a, b Run) int { return cmp.Compare(a.above(first), b.above(first)) })
	if best.above(first) > beyondIdeal {
		s.Warnings = append(s.Warnings, fmt.Sprintf("the efficiency is above 1 (%.2f on %d): for its number of %s %s takes longer than larger runs, as where data fits into caches only in these, or where something slowed it down. It is the reference, so what the larger runs lose may be hidden; leave it out to see that", float64(best.Efficiency), best.Count, s.Of, first.Name))
	}
}

// above is the efficiency of a run that is larger than the reference.
func (r Run) above(first Run) analyze.Real {
	if r.Count == first.Count {
		return 0
	}
	return r.Efficiency
}

func (s *Scaling) rateRun(r *Run, first Run) {
	more := float64(r.Count) / float64(first.Count)
	share := 1.0
	if s.Kind == Weak {
		share = more
	}
	r.Speedup = analyze.Ratio(float64(first.RunSeconds)*share, float64(r.RunSeconds))
	r.Efficiency = r.Speedup / analyze.Real(more)
	r.ComputationScalability = analyze.Ratio(first.useful*share, r.useful)
	if r.cpu > 0 && first.cpu > 0 {
		r.OnCores = analyze.Ratio(r.cpu*first.useful, first.cpu*r.useful)
	}
	if r.instructions > 0 && first.instructions > 0 {
		r.InstructionScalability = analyze.Ratio(first.instructions*share, r.instructions)
		if r.cycles > 0 && first.cycles > 0 {
			r.IPCScalability = analyze.Ratio(r.instructions/r.cycles, first.instructions/first.cycles)
			r.FrequencyScalability = analyze.Ratio(r.cycles/r.useful, first.cycles/first.useful)
		}
	}
	r.Global = r.Parallel * r.ComputationScalability
}
