package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"sort"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"auspex/expr"
	"auspex/platform"
	"auspex/replay"
	"auspex/report"
	"auspex/simulate"
	"auspex/simulate/collective"
	"auspex/store"
	"auspex/trace"
	"auspex/waits"
)

type simulateFlags struct {
	platform, hostfile, engine, timeline, name, speed string
	config                                            []string
	np                                                int
	critical, replace, bounds                         bool
}

func (a *app) simulateCommand() *cobra.Command {
	var f simulateFlags
	cmd := &cobra.Command{
		Use:     "simulate TRACES",
		GroupID: "predict",
		Short:   "Replay a program's traces on a platform: how long it takes there, and why",
		Long: `Replay per-rank traces on a platform and say how long the program takes, where
each rank's time goes, and which links were busy.

TRACES is a list of text traces (one a rank), one merged text trace, or a trace
in auspex's own form. The platform is SimGrid XML (4.1) or the short TOML form.`,
		Example: `  auspex simulate --platform site1.xml --hostfile hosts list.txt
  auspex simulate --platform site1.xml --cfg smpi/coll-selector:ompi --timeline run.json list.txt`,
		Args: exactly(1, "one trace or list of traces"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runSimulate(cmd.Context(), args[0], f) },
	}
	cmd.Flags().StringVar(&f.platform, "platform", "", "platform file (required)")
	cmd.Flags().StringVar(&f.hostfile, "hostfile", "", "where the ranks run, a host or host:n a line (default: every host in turn)")
	cmd.Flags().IntVar(&f.np, "np", 0, "number of ranks (default: as many as there are traces)")
	cmd.Flags().StringArrayVar(&f.config, "cfg", nil, "SimGrid option `key:value`; repeatable")
	cmd.Flags().StringVar(&f.speed, "reference-speed", "", "the `speed` that the machine counts as on which a trace in ns was taken, such as 2.8Gf (default: what the platform says, or its first host's)")
	cmd.Flags().StringVar(&f.engine, "engine", "auspex", "auspex, or simgrid to ask an installed smpirun too")
	offer(cmd, "engine", "auspex", "simgrid")
	cmd.Flags().StringVar(&f.timeline, "timeline", "", "write what each rank did when to `FILE`: Paje for .paje, else Chrome trace JSON for Perfetto")
	cmd.Flags().StringVar(&f.name, "name", "", "keep the simulation in the store under this name, for auspex serve to show")
	cmd.Flags().BoolVar(&f.replace, "replace", false, "with --name: take the place of one of the same name")
	cmd.Flags().BoolVar(&f.bounds, "bounds", false, "also estimate what the run takes at least and at most (LogGP) where the trace has more than 100,000 actions")
	cmd.Flags().BoolVar(&f.critical, "critical-path", false, "also say which rank and message each stretch waited for")
	return cmd
}

// simulated is what the command prints with --json.
type simulated struct {
	SimulatedSeconds float64               `json:"simulated_seconds"`
	PerRank          []float64             `json:"per_rank_finish_seconds"`
	Actions          int64                 `json:"actions"`
	WallSeconds      float64               `json:"wall_seconds"`
	Open             int                   `json:"open_receives,omitempty"`
	Unreceived       int                   `json:"unreceived_messages,omitempty"`
	Ranks            []simulate.RankTime   `json:"ranks"`
	Links            []simulate.LinkUse    `json:"links"`
	CriticalPath     []simulate.Stretch    `json:"critical_path,omitempty"`
	SimGrid          *report.SecondOpinion `json:"simgrid,omitempty"`
	Bounds           *simulate.Bounds      `json:"bounds,omitempty"`
}

// manyRanks is from how many ranks on memory counts for more than the time that
// collecting garbage takes: a replay keeps nearly all it allocates.
const manyRanks = 1 << 14

// briefReplay is up to how many actions bounds are estimated unasked: without
// recurring to what repeats they take as long as a replay of all of them.
const briefReplay = 100_000

func (a *app) runSimulate(ctx context.Context, traces string, f simulateFlags) error {
	if f.platform == "" {
		return usagef("simulate needs --platform FILE")
	}
	if f.engine != "auspex" && f.engine != "simgrid" {
		return usagef("--engine is auspex or simgrid, not %q", f.engine)
	}
	start := time.Now()
	var kept *store.Store
	if f.name != "" {
		s, release, err := a.claim(store.Simulations, f.name, f.replace)
		if err != nil {
			return err
		}
		defer release()
		kept = s
	}
	p, err := readPlatform(f.platform)
	if err != nil {
		return err
	}
	options, err := simulateOptions(p, f.config)
	if err != nil {
		return err
	}
	options.CriticalPath = f.critical
	t, err := trace.Open(ctx, traces, f.np)
	if err != nil {
		return err
	}
	if f.speed != "" {
		if !t.Nanoseconds {
			return usagef("--reference-speed: the computation of %s is in flops, not in ns of a machine", traces)
		}
		if options.ReferenceSpeed, err = platform.ParseSpeed(f.speed); err != nil {
			return usagef("--reference-speed: %v", err)
		}
	}
	if t.Nanoseconds && f.speed == "" {
		if note := elsewhere(f.platform, options.Signature); note != "" {
			fmt.Fprintln(a.err, "auspex: note:", note)
		}
	}
	if calls := waits.UntoldOf(t.InCalls(), t.NP()); len(calls) > 0 {
		fmt.Fprintf(a.err, "auspex: note: of %s the trace tells only how long they took, not who waited for whom: they are taken to last as long here\n", waits.UntoldCalls(calls))
	}
	if t.NP() >= manyRanks {
		defer debug.SetGCPercent(debug.SetGCPercent(5))
	}
	hosts, err := placeRanks(p, f.hostfile, t.NP())
	if err != nil {
		return err
	}
	hooks := simulate.Hooks{}
	closeTimeline := func() error { return nil }
	if f.timeline != "" {
		if hooks.Timeline, closeTimeline, err = openTimeline(f.timeline, t.NP()); err != nil {
			return err
		}
	}
	spans := &replay.Spans{}
	if kept != nil {
		hooks.Timeline = both(spans, hooks.Timeline)
	}
	bar := a.startCounter("simulated")
	hooks.Progress = bar.show
	result, err := simulate.Run(ctx, t, p, hosts, options, hooks)
	bar.stop()
	if err := errors.Join(wayOut(ctx, err, t, p, hosts, options), closeTimeline()); err != nil {
		return err
	}
	out := describeSimulation(result, time.Since(start).Seconds())
	if (f.bounds || result.Actions <= briefReplay) && len(p.Changes) == 0 {
		if out.Bounds, err = simulate.Estimate(ctx, t, p, hosts, options); err != nil {
			return err
		}
	}
	if kept != nil {
		k := replay.NewRecord(p, hosts, result, spans)
		k.Name, k.Platform, k.Command = f.name, filepath.Base(f.platform), fmt.Sprintf("auspex simulate --platform %s %s", f.platform, traces)
		if err := kept.PutSimulation(k, f.replace); err != nil {
			return err
		}
	}
	if f.engine == "simgrid" {
		second, err := askSimGrid(ctx, p, t, hosts, f)
		if err != nil {
			return err
		}
		out.SimGrid = second
		if options.Selector == collective.MPICH {
			second.Note = "smpi/coll-selector:mpich is by MPICH's own rules here, which SimGrid follows only in part."
		}
	}
	if a.json {
		return a.printJSON(out)
	}
	a.page().Simulation(result, out.WallSeconds, out.SimGrid, out.Bounds)
	return nil
}

// simulateOptions takes the platform's own configuration first and the
// command line's after it, which so wins.
func simulateOptions(p *platform.Platform, config []string) (simulate.Options, error) {
	options := simulate.Defaults()
	keys := make([]string, 0, len(p.Config))
	for key := range p.Config {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	for _, key := range keys {
		if err := options.Set(key, p.Config[key]); err != nil {
			return options, fmt.Errorf("the platform's configuration: %w", err)
		}
	}
	for _, text := range config {
		key, value, ok := strings.Cut(text, ":")
		if !ok {
			return options, usagef("--cfg %q: write it as key:value", text)
		}
		if err := options.Set(key, value); err != nil {
			return options, usageError{err}
		}
	}
	return options, nil
}

func placeRanks(p *platform.Platform, hostfile string, np int) ([]int, error) {
	if hostfile == "" {
		return platform.Map(platform.AllHosts(p), np), nil
	}
	f, err := os.Open(hostfile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	slots, err := platform.ReadHostfile(hostfile, f, p)
	if err != nil {
		return nil, err
	}
	return platform.Map(slots, np), nil
}

func openTimeline(path string, ranks int) (simulate.Timeline, func() error, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, nil, err
	}
	var timeline interface {
		simulate.Timeline
		io.Closer
	} = simulate.NewChromeTrace(f, ranks)
	if filepath.Ext(path) == ".paje" {
		timeline = simulate.NewPajeTrace(f, ranks)
	}
	return timeline, func() error { return errors.Join(timeline.Close(), f.Close()) }, nil
}

// wayOut adds to a deadlock of a trace of a run that came to its end how large sends
// must be buffered for the replay to end as well.
func wayOut(ctx context.Context, err error, t *trace.Trace, p *platform.Platform, hosts []int, o simulate.Options) error {
	if !t.Nanoseconds || !errors.As(err, new(*simulate.Deadlock)) {
		return err
	}
	_, used, other := simulate.Buffered(ctx, t, p, hosts, o)
	if other != nil {
		return err
	}
	return fmt.Errorf("%w\nThe run that was traced came to its end: with --cfg smpi/send-is-detached-thresh:%d sends below %d bytes go on without their receive, as they did there", err, used.EagerBelow, used.EagerBelow)
}

func describeSimulation(r *simulate.Result, wall float64) simulated {
	out := simulated{SimulatedSeconds: r.Seconds, Actions: r.Actions, WallSeconds: wall, Open: r.Open, Unreceived: r.Unreceived,
		PerRank: make([]float64, 0, len(r.Ranks)), Ranks: r.Ranks, Links: r.Links, CriticalPath: r.CriticalPath}
	for _, rank := range r.Ranks {
		out.PerRank = append(out.PerRank, rank.Finish)
	}
	return out
}

// unknownName says that something is not there and what may have been meant.
func unknownName(what, name, where string, known []string) error {
	message := fmt.Sprintf("%s has no %s %q", where, what, name)
	if near := expr.Suggest(name, known); len(near) > 0 {
		message += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return fmt.Errorf("%s", message)
}
