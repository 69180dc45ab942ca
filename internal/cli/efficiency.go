package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"auspex/account"
	"auspex/analyze"
	"auspex/pop"
	"auspex/predict"
	"auspex/simulate"
	"auspex/simulate/loggp"
	"auspex/trace"
	"auspex/whatif"
	"auspex/whatif/kept"
)

func (a *app) efficiencyCommand() *cobra.Command {
	var f platformFlags
	var counts []int
	cmd := &cobra.Command{
		Use:     "efficiency [EXPERIMENT|TRACE…]",
		GroupID: "look",
		Short:   "POP's efficiencies, from a replay on an ideal network",
		Long: `The factors of the POP project, between 0 and 1, whose product says how well
the processors were used: load balance, serialization and transfer make parallel
efficiency. Serialization and transfer come from a replay of the trace on a
network without latency and with endless bandwidth. Of several runs the first is
the reference of speedup and computation scalability.

A trace may be Paraver's (.prv, also gzipped), OTF2's, SimGrid's, dPerf's or
auspex's own, or a folder with those of a training job's ranks (PyTorch's
profiler); an experiment needs one that auspex run --trace kept.

With --platform the efficiencies are those of a machine one does not have, with
--extrapolate those of numbers of processes that were not run.`,
		Example: `  auspex efficiency run8.prv.gz
  auspex efficiency run1.prv.gz run2.prv.gz run8.prv.gz
  auspex efficiency list.txt --platform cluster.xml
  auspex efficiency run4 run8 --extrapolate 16,32 --platform cluster.xml`,
		Args:              atLeast(1, "an experiment or a trace"),
		ValidArgsFunction: a.completeNamesOrFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runEfficiency(cmd.Context(), args, f, counts)
		},
	}
	f.declare(cmd)
	cmd.Flags().IntSliceVar(&counts, "extrapolate", nil, "also `N,…` processes, which were not run, from the traces of two or more numbers")
	return cmd
}

// platformFlags say where a trace is to be replayed.
type platformFlags struct {
	platform, hostfile string
	config             []string
	np                 int
}

func (f *platformFlags) declare(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.platform, "platform", "", "replay on this platform, SimGrid XML or TOML")
	cmd.Flags().StringVar(&f.hostfile, "hostfile", "", "which rank runs where, as mpirun takes it")
	cmd.Flags().StringArrayVar(&f.config, "cfg", nil, "`key:value` by SimGrid's name; may be given again")
	cmd.Flags().IntVar(&f.np, "np", 0, "number of ranks (default: as many as there are traces)")
}

// run is what the efficiencies of one run are made of.
func (a *app) popRun(ctx context.Context, name string, f platformFlags) (pop.Run, error) {
	if answers := a.answersOf(name); answers != nil && f.platform == "" {
		if r, err := answers.Factors(ctx); !errors.Is(err, kept.ErrNoTrace) {
			return r, err
		}
	}
	t, err := a.openTraced(ctx, name, f.np)
	if errors.Is(err, kept.ErrNoTrace) && f.platform == "" {
		r, wrong := profiled(t)
		if wrong == nil && t.job && (r.Units < len(t.Data.Units) || r.Units > r.Ranks) {
			return pop.Run{}, err // its threads and devices wait for one another in turns
		}
		return r, wrong
	}
	if err != nil {
		return pop.Run{}, err
	}
	if f.platform == "" && (t.Timed != nil || t.Seconds > 0) {
		return t.Factors(ctx)
	}
	p, err := t.replayable(ctx)
	if err != nil {
		return pop.Run{}, err
	}
	work, err := t.Work(ctx)
	if err != nil {
		return pop.Run{}, err
	}
	return replayedRun(ctx, p, work, f)
}

// replayedRun is the run of a trace on the platform, or else as a replay between
// ranks of one machine has it.
func replayedRun(ctx context.Context, p *trace.Trace, work loggp.Options, f platformFlags) (pop.Run, error) {
	if f.platform != "" {
		m, err := readMachine(f, p.NP())
		if err != nil {
			return pop.Run{}, err
		}
		r, err := simulate.Run(ctx, p, m.Platform, m.Hosts, m.Options, simulate.Hooks{})
		if err != nil {
			return pop.Run{}, err
		}
		if work, err = hostWork(ctx, p, m); err != nil {
			return pop.Run{}, err
		}
		run, err := pop.Replay(ctx, p, r.Seconds, work)
		if note := elsewhere(m.Name, m.Options.Signature); note != "" && p.Nanoseconds {
			run.Notes = append(run.Notes, note)
		}
		return run, err
	}
	r, err := loggp.Run(ctx, p, loggp.Options{Network: whatif.SharedMemory(), Work: work.Work, Regions: work.Regions})
	if err != nil {
		return pop.Run{}, err
	}
	return pop.Replay(ctx, p, r.Seconds, work)
}

// extrapolatedRuns are runs of numbers of processes that were not run.
func (a *app) extrapolatedRuns(ctx context.Context, names []string, counts []int, f platformFlags) ([]pop.Run, error) {
	if len(counts) == 0 {
		return nil, nil
	}
	var measured []*trace.Trace
	for _, name := range names {
		t, err := a.openTraced(ctx, name, f.np)
		if err != nil {
			return nil, err
		}
		p, err := t.replayable(ctx)
		if err != nil {
			return nil, err
		}
		measured = append(measured, p)
	}
	var runs []pop.Run
	for _, np := range counts {
		p, note, err := predict.Extrapolate(measured, np)
		if err != nil {
			return nil, fmt.Errorf("--extrapolate: %w", err)
		}
		r, err := replayedRun(ctx, p, loggp.Options{}, f)
		if err != nil {
			return nil, err
		}
		r.Name, r.Notes = p.Name, append(r.Notes, note)
		runs = append(runs, r)
	}
	return runs, nil
}

// profiled is what a profile alone tells: no replay.
func profiled(t *traced) (pop.Run, error) {
	times, err := t.Data.Times()
	if err != nil {
		return pop.Run{}, err
	}
	r := pop.Run{Name: t.name, Seconds: t.Seconds, Notes: t.Notes}
	ranks := map[int]bool{}
	for u, unit := range t.Data.Units {
		if times.Judges(u) {
			ranks[unit.Process] = true
		}
	}
	r.Useful, r.Notes = times.Judged(), append(r.Notes, kept.SleepersNote(times)...)
	if r.Units, r.Ranks = len(r.Useful), len(ranks); r.Units+times.Sleepers() < len(t.Data.Units) {
		r.Notes = append(r.Notes, "the streams of accelerators are left out, as in auspex show: what they compute while a process waits for them is no useful time here")
	}
	off, err := offCores(t.Data)
	r.Notes = append(r.Notes, off...)
	return r, err
}

// muchOff is the share of a run off the cores that efficiencies from times alone are not
// told without.
const muchOff = 0.1

// offCores says how much of what counts as useful time was without CPU time.
func offCores(d *analyze.Dataset) ([]string, error) {
	ledgers, err := d.Ledgers()
	if err != nil || len(ledgers) == 0 {
		return nil, err
	}
	line, _ := ledgers[0].Of(account.SharedCores, "")
	if line.Share < muchOff {
		return nil, nil
	}
	return []string{fmt.Sprintf("all time outside communication counts as useful, and %.0f %% of the run is of it without a core or CPU time (%s): auspex show tells what was work", 100*line.Share, line.Words)}, nil
}

// efficiencies is what the command prints with --json.
type efficiencies struct {
	pop.Factors
	Kind  pop.Kind      `json:"kind"`
	Runs  []pop.Factors `json:"runs"`
	Look  []string      `json:"look_at"`
	Words string        `json:"words"`
}

func (a *app) runEfficiency(ctx context.Context, names []string, f platformFlags, counts []int) error {
	var runs []pop.Run
	for _, name := range names {
		r, err := a.popRun(ctx, name, f)
		if err != nil {
			return err
		}
		r.Name = name
		runs = append(runs, r)
	}
	more, err := a.extrapolatedRuns(ctx, names, counts, f)
	if err != nil {
		return err
	}
	runs = append(runs, more...)
	kind, factors := pop.Scale(runs)
	last := factors[len(factors)-1]
	if len(runs) == 1 {
		// What compares runs says nothing of one.
		last.Speedup, last.Efficiency, last.Computation, last.IPC, last.Instruction, last.Frequency, last.Global = nil, nil, nil, nil, nil, nil, nil
		factors = []pop.Factors{last}
	}
	out := efficiencies{Factors: last, Kind: kind, Runs: factors, Look: last.Low(), Words: last.Words()}
	if a.json {
		return a.printJSON(out)
	}
	a.page().Efficiencies(out.Runs, out.Words)
	return nil
}
