package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"auspex/analyze"
	"auspex/pop"
	"auspex/simulate"
	"auspex/simulate/loggp"
	"auspex/whatif"
	"auspex/whatif/kept"
)

func (a *app) efficiencyCommand() *cobra.Command {
	var f platformFlags
	cmd := &cobra.Command{
		Use:     "efficiency EXPERIMENT|TRACE…",
		GroupID: "look",
		Short:   "POP's efficiencies, from a replay on an ideal network",
		Long: `The factors of the POP project, between 0 and 1, whose product says how well
the processors were used: load balance, serialization and transfer make parallel
efficiency. Serialization and transfer come from a replay of the trace on a
network without latency and with endless bandwidth. Of several runs the first is
the reference of speedup and computation scalability.

A trace may be Paraver's (.prv, also gzipped), OTF2's, SimGrid's, dPerf's or
auspex's own; an experiment needs one that auspex run --trace kept.`,
		Example: `  auspex efficiency run8.prv.gz
  auspex efficiency run1.prv.gz run2.prv.gz run8.prv.gz
  auspex efficiency list.txt --platform cluster.xml`,
		Args:              atLeast(1, "an experiment or a trace"),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runEfficiency(cmd.Context(), args, f)
		},
	}
	f.declare(cmd)
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
	t, err := a.openTraced(ctx, name, f.np)
	if errors.Is(err, kept.ErrNoTrace) && f.platform == "" {
		return profiled(t)
	}
	if err != nil {
		return pop.Run{}, err
	}
	if f.platform == "" && t.Timed != nil {
		return pop.Measure(ctx, t.Timed)
	}
	p, err := t.replayable(ctx)
	if err != nil {
		return pop.Run{}, err
	}
	seconds := t.Seconds
	work, err := t.Work(ctx)
	if err != nil {
		return pop.Run{}, err
	}
	switch {
	case f.platform != "":
		m, err := readMachine(f, p.NP())
		if err != nil {
			return pop.Run{}, err
		}
		r, err := simulate.Run(ctx, p, m.Platform, m.Hosts, m.Options, simulate.Hooks{})
		if err != nil {
			return pop.Run{}, err
		}
		seconds = r.Seconds
		if work, err = hostWork(ctx, p, m); err != nil {
			return pop.Run{}, err
		}
	case seconds == 0:
		r, err := loggp.Run(ctx, p, loggp.Options{Network: whatif.SharedMemory(), Work: work.Work, Regions: work.Regions})
		if err != nil {
			return pop.Run{}, err
		}
		seconds = r.Seconds
	}
	run, err := pop.Replay(ctx, p, seconds, work)
	run.Name = name
	return run, err
}

// profiled is what a profile alone tells: no replay.
func profiled(t *traced) (pop.Run, error) {
	units, err := analyze.UnitTimes(t.Data)
	if err != nil {
		return pop.Run{}, err
	}
	r := pop.Run{Name: t.name, Units: len(units), Seconds: t.Seconds}
	ranks := map[int]bool{}
	for _, u := range units {
		ranks[u.Process] = true
		r.Useful = append(r.Useful, float64(u.Useful))
	}
	r.Ranks = len(ranks)
	return r, nil
}

// efficiencies is what the command prints with --json.
type efficiencies struct {
	pop.Factors
	Kind  pop.Kind      `json:"kind"`
	Runs  []pop.Factors `json:"runs"`
	Look  []string      `json:"look_at"`
	Words string        `json:"words"`
}

func (a *app) runEfficiency(ctx context.Context, names []string, f platformFlags) error {
	var runs []pop.Run
	for _, name := range names {
		r, err := a.popRun(ctx, name, f)
		if err != nil {
			return err
		}
		r.Name = name
		runs = append(runs, r)
	}
	kind, factors := pop.Scale(runs)
	last := factors[len(factors)-1]
	out := efficiencies{Factors: last, Kind: kind, Runs: factors, Look: last.Low(), Words: last.Words()}
	if len(names) == 1 {
		// What compares runs says nothing of one.
		out.Speedup, out.Efficiency, out.Computation, out.IPC, out.Instruction, out.Frequency, out.Global = nil, nil, nil, nil, nil, nil, nil
		out.Runs = []pop.Factors{out.Factors}
	}
	if a.json {
		return a.printJSON(out)
	}
	a.page().Efficiencies(out.Runs, out.Words)
	return nil
}
