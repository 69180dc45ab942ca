package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"auspex/ingest"
	"auspex/ingest/kineto"
	"auspex/ingest/operations"
	"auspex/training"
)

func (a *app) stragglersCommand() *cobra.Command {
	var against string
	var top int
	cmd := &cobra.Command{
		Use:     "stragglers DIR|TRACE…|EXPERIMENT",
		GroupID: "look",
		Short:   "Which rank of a training job the others wait for, why, and what it costs",
		Long: `Say which rank of a training job the others wait for, what makes it late, and
what the job would gain without.

Give the folder with the ranks' traces (PyTorch's profiler, one file a rank),
the traces themselves, a table of the operations of all workers (Parquet), or
an experiment that was imported from either and whose files are still there.`,
		Example: `  auspex stragglers traces/
  auspex stragglers job.parquet --json
  auspex stragglers today/ --against yesterday/`,
		Args: atLeast(1, "a folder, traces, or an experiment"),
		RunE: func(cmd *cobra.Command, args []string) error {
			result, err := a.stragglersOf(cmd.Context(), args)
			if err != nil {
				return err
			}
			if against != "" {
				before, err := a.stragglersOf(cmd.Context(), []string{against})
				if err != nil {
					return fmt.Errorf("--against: %w", err)
				}
				result.Against(before)
			}
			if a.json {
				return a.printJSON(result)
			}
			a.page().Stragglers(result, top)
			return nil
		},
	}
	cmd.Flags().StringVar(&against, "against", "", "an earlier run of the job (`DIR` or experiment), for slowness that all ranks share")
	cmd.Flags().IntVar(&top, "top", 16, "how many ranks and steps to print")
	return cmd
}

// stragglersOf reads a job and looks for stragglers.
func (a *app) stragglersOf(ctx context.Context, args []string) (*training.Result, error) {
	sources, done, err := a.traceSources(args)
	if err != nil {
		return nil, err
	}
	defer done()
	bar := a.startProgress("reading", totalSize(sources))
	defer bar.stop()
	if sources[0].Format == operations.Name || sources[0].Format == "parquet" {
		if len(sources) > 1 {
			return nil, usagef("give one table of operations: %s and %s are two jobs", sources[0].Given, sources[1].Given)
		}
		table, err := operations.Read(ctx, sources[0].Path, sources[0].Given)
		if err != nil {
			return nil, err
		}
		return training.WhatIf(table)
	}
	var ranks []*training.Rank
	for _, src := range sources {
		src.Progress = bar.add
		trace, err := kineto.ReadSource(ctx, src)
		if err != nil {
			return nil, err
		}
		if trace.Rank < 0 {
			trace.Rank = len(ranks)
			trace.Notes = append(trace.Notes, "the trace does not say its rank; it is taken by the order of the files")
		}
		ranks = append(ranks, training.Summarize(trace))
	}
	return training.Stragglers(ranks)
}

// traceSources finds the traces below paths, or those that an experiment was
// imported from.
func (a *app) traceSources(args []string) ([]*ingest.Source, func() error, error) {
	paths := args
	if len(args) == 1 {
		if _, err := os.Stat(args[0]); errors.Is(err, os.ErrNotExist) {
			experiment, err := a.openStore().Get(args[0])
			if err != nil {
				return nil, nil, fmt.Errorf("%s is neither a file or folder nor an experiment: %w", args[0], err)
			}
			paths = experiment.Sources
			for _, path := range paths {
				if _, err := os.Stat(path); err != nil {
					return nil, nil, fmt.Errorf("experiment %s was imported from %s, which is not there any more: give the folder of its traces", args[0], path)
				}
			}
		}
	}
	found, err := ingest.Find(paths, "")
	if err != nil {
		return nil, nil, err
	}
	var traces []*ingest.Source
	for _, src := range found.Sources {
		switch src.Format {
		case "chrome", "parquet":
			traces = append(traces, src)
		}
	}
	if len(traces) == 0 {
		found.Close()
		return nil, nil, fmt.Errorf("no trace of PyTorch's profiler and no table of operations in %s", paths[0])
	}
	return traces, found.Close, nil
}
