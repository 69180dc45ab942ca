package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"auspex/whatif"
	"auspex/whatif/kept"
)

// changeFlags are the changes that can be asked for, in the order they are
// applied.
var changeFlags = []struct{ name, about string }{
	{"faster", "make a region N times as fast: `REGION=2`"},
	{"balance", "give every rank the mean of a `REGION`, or of all work"},
	{"remove", "leave out the computation of a `REGION`"},
	{"like-median", "make a slow `RANK` like the median of the others"},
	{"network", "`ideal`, bandwidth=2x or latency=0"},
	{"collective", "`CALL=ALGORITHM`, such as allreduce=ring; on a platform also default, ompi or mpich"},
	{"eager", "send messages below this many `BYTES` without waiting for their receiver"},
	{"hosts", "other processors: `speed=1.5x`"},
	{"ranks-per-node", "with --platform: put `N` ranks on each host"},
	{"cores", "`enough`: no rank waits for a core"},
	{"noise", "`none`: stretches of equal work take as long each time"},
}

func (a *app) whatifCommand() *cobra.Command {
	values := make([][]string, len(changeFlags))
	var f platformFlags
	var top int
	cmd := &cobra.Command{
		Use:     "whatif [EXPERIMENT|TRACE] [changes]",
		GroupID: "predict",
		Short:   "What a change would bring, before anyone makes it",
		Long: `Replay a run's trace with changes and tell the new time, the gain, an interval
and what limits the program then. Changes combine. Without changes: try what
could be changed and list it by gain, with what the others still bring after the
first, and the lost time shared among its causes so that it adds up.

An experiment without a trace gets a bound: no change of a region can gain more
than this.`,
		Example: `  auspex whatif solver
  auspex whatif solver --balance loop@241
  auspex whatif run8.prv.gz --faster push_particles=2 --network ideal
  auspex whatif list.txt --platform cluster.xml --ranks-per-node 2`,
		Args:              exactly(1, "an experiment or a trace"),
		ValidArgsFunction: a.completeNamesOrFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			var changes []whatif.Change
			for i, flag := range changeFlags {
				for _, v := range values[i] {
					ch, err := whatif.ParseChange(flag.name, v)
					if err != nil {
						return usageError{err}
					}
					changes = append(changes, ch)
				}
			}
			return a.runWhatif(cmd.Context(), args[0], changes, f, top)
		},
	}
	for i, flag := range changeFlags {
		cmd.Flags().StringArrayVar(&values[i], flag.name, nil, flag.about)
		if words := whatif.Offers(flag.name); words != nil {
			offer(cmd, flag.name, words...)
		}
	}
	a.offerRegions(cmd, "faster", "=")
	a.offerRegions(cmd, "balance", "")
	a.offerRegions(cmd, "remove", "")
	f.declare(cmd)
	topFlag(cmd, &top, 15, "how many opportunities")
	return cmd
}

func (a *app) runWhatif(ctx context.Context, name string, changes []whatif.Change, f platformFlags, top int) error {
	if answers := a.answersOf(name); answers != nil && len(changes) == 0 && f.platform == "" {
		l, err := answers.Opportunities(ctx)
		if err == nil {
			return a.tellOpportunities(l, name, top)
		}
		if !errors.Is(err, kept.ErrNoTrace) {
			return err
		}
	}
	t, err := a.openTraced(ctx, name, f.np)
	if errors.Is(err, kept.ErrNoTrace) {
		return a.bound(t, changes, top)
	}
	if err != nil {
		return err
	}
	c, err := a.whatifCase(ctx, t, f)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		l, err := c.Opportunities(ctx)
		if err != nil {
			return err
		}
		return a.tellOpportunities(l, name, top)
	}
	answer, err := c.Price(ctx, changes)
	if err != nil {
		return err
	}
	answer.Name = name
	if t.Data != nil && (f.platform == "" || answer.Measured) {
		if err := a.promise(t, c, answer, changes); err != nil {
			return err
		}
	}
	return a.tellPrice(t, answer)
}

func (a *app) tellOpportunities(l *whatif.List, name string, top int) error {
	l.Name = name
	if a.json {
		return a.printJSON(l)
	}
	a.page().Opportunities(l, top)
	return nil
}

// whatifCase makes the case of a run.
func (a *app) whatifCase(ctx context.Context, t *traced, f platformFlags) (*whatif.Case, error) {
	p, err := t.replayable(ctx)
	if err != nil {
		return nil, err
	}
	setup := t.Setup()
	if f.platform != "" {
		if setup.Machine, err = readMachine(f, p.NP()); err != nil {
			return nil, err
		}
		if t.Timed == nil {
			setup.Notes = nil // they are of cores that were shared
		}
		if host := t.ranOn(setup.Machine.Options.MeasuredOn); host != "" {
			setup.Notes = append(slices.Clone(setup.Notes), fmt.Sprintf("%s was calibrated on %s, a host of this run: the time that was measured counts, and what the platform's replay does not tell of it is taken to stay", setup.Machine.Name, host))
		} else {
			setup.Measured = 0 // the run was elsewhere
			if note := elsewhere(setup.Machine.Name, setup.Machine.Options.Signature); note != "" && p.Nanoseconds {
				setup.Notes = append(slices.Clone(setup.Notes), note)
			}
		}
	}
	return whatif.New(ctx, setup)
}

// ranOn is a host of these that the run was on, "" for none.
func (t *traced) ranOn(hosts []string) string {
	if t.Data != nil {
		of, _ := t.Data.Factor("hosts")
		for _, h := range strings.Split(of.Word, ",") {
			if h != "" && slices.Contains(hosts, h) {
				return h
			}
		}
	}
	return ""
}

func (a *app) tellPrice(t *traced, answer *whatif.Answer) error {
	if a.json {
		return a.printJSON(answer)
	}
	a.page().Priced(answer)
	return nil
}
