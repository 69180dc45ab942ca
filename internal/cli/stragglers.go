package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"auspex/ingest"
	"auspex/ingest/kineto"
	"auspex/ingest/operations"
	"auspex/internal/crew"
	"auspex/model"
	"auspex/store"
	"auspex/training"
	"auspex/training/kept"
)

func (a *app) stragglersCommand() *cobra.Command {
	var against string
	var top int
	cmd := &cobra.Command{
		Use:     "stragglers [DIR|TRACE…|EXPERIMENT]",
		GroupID: "look",
		Short:   "Which rank of a training job the others wait for, why, and what it costs",
		Long: `Say which rank of a training job the others wait for, what makes it late, and
what the job would gain without.

Give the folder with the ranks' traces (PyTorch's profiler, one file a rank),
the traces themselves, a table of the operations of all workers (Parquet), or
an experiment that was imported from either.`,
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
	topFlag(cmd, &top, 16, "how many ranks and steps to print")
	return cmd
}

// stragglersOf looks for stragglers in an experiment or below paths.
func (a *app) stragglersOf(ctx context.Context, args []string) (*training.Result, error) {
	if len(args) == 1 {
		if _, err := os.Stat(args[0]); errors.Is(err, os.ErrNotExist) {
			job, err := a.trainingJob(args[0])
			if err == nil && job == nil {
				err = fmt.Errorf("experiment %s was not imported from traces of several ranks, or before auspex looked for stragglers: give their folder, or import them again", args[0])
			}
			return job, err
		}
	}
	found, err := ingest.Find(args, "")
	if err != nil {
		return nil, err
	}
	defer found.Close()
	bar := a.startProgress("reading", totalSize(found.Sources))
	defer bar.stop()
	for _, src := range found.Sources {
		src.Progress = bar.add
	}
	job, err := jobOf(ctx, found.Sources, func(*training.Trace) {})
	if err == nil && job == nil {
		err = fmt.Errorf("no trace of PyTorch's profiler and no table of operations in %s", args[0])
	}
	return job, err
}

// jobOf looks for stragglers in traces or in a table of operations; nil where
// the sources are neither. Who wants to look at each trace too is shown it.
func jobOf(ctx context.Context, sources []*ingest.Source, seen func(*training.Trace)) (*training.Result, error) {
	defer sparing(sources)()
	var ranks []*training.Rank
	for _, src := range sources {
		switch src.Format {
		case operations.Name, "parquet":
			if len(sources) > 1 {
				return nil, usagef("give one table of operations: %s and %s are two jobs", sources[0].Given, sources[1].Given)
			}
			table, err := operations.Read(ctx, src.Path, src.Given)
			if err != nil {
				return nil, err
			}
			return training.WhatIf(table)
		case "chrome":
			trace, err := kineto.ReadSource(ctx, src)
			if err != nil {
				return nil, err
			}
			if trace.Rank < 0 {
				trace.Rank = len(ranks)
			}
			seen(trace)
			ranks = append(ranks, training.Summarize(trace))
		}
	}
	if len(ranks) == 0 {
		return nil, nil
	}
	return training.Stragglers(ranks)
}

// largeTraces is from what size on memory counts for more than the time that
// collecting garbage takes: what is read of a trace stays.
const largeTraces = 64 << 20

// sparing makes reading large traces spare memory until the result is called.
func sparing(sources []*ingest.Source) func() {
	if totalSize(sources) < largeTraces {
		return func() {}
	}
	before := debug.SetGCPercent(10)
	return func() { debug.SetGCPercent(before) }
}

// readTrace is what is kept of a trace that was read beside its profile.
type readTrace struct {
	rank   *training.Rank
	device *training.DeviceResult
}

// beside keeps what a trace tells beyond a profile while the profile is read, so
// that it is read once; the result is to be called when it was.
func (j *importJob) beside(src *ingest.Source) func() {
	if src.Format != "chrome" {
		return func() {}
	}
	if j.traces == nil {
		j.traces = map[*ingest.Source]*readTrace{}
	}
	var meanwhile crew.Crew // the profile is built from what was read
	src.Beside = kineto.Beside(src.Given, func(t *training.Trace) {
		meanwhile.Go(func() { j.traces[src] = &readTrace{training.Summarize(t), training.Device(t)} })
	})
	done := sparing([]*ingest.Source{src})
	return func() {
		meanwhile.Wait()
		src.Beside = nil
		done()
	}
}

// trainingAttachment is what the traces of a training job tell beyond a
// profile; nothing for other sources.
func (j *importJob) trainingAttachment(ctx context.Context, sources []*ingest.Source, profile *model.Experiment) ([]store.Attachment, error) {
	switch sources[0].Format {
	case operations.Name:
		sources[0].Progress = nil // the bar has counted it
		job, err := jobOf(ctx, sources, func(*training.Trace) {})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			job = nil // a profile all the same
		}
		return kept.Attachments(telling(job), nil)
	case "chrome":
		return j.keptTraces(sources, profile)
	}
	return nil, nil
}

func (j *importJob) keptTraces(sources []*ingest.Source, profile *model.Experiment) ([]store.Attachment, error) {
	onDevice := slices.ContainsFunc(profile.Regions, func(r model.Region) bool { return r.Kind == model.Kernel })
	if len(sources) < 2 && !onDevice {
		return nil, nil
	}
	var ranks []*training.Rank
	var devices []*training.DeviceResult
	for i, src := range sources {
		trace := j.traces[src]
		if trace == nil {
			continue
		}
		if trace.rank.Number < 0 {
			trace.rank.Number, trace.device.Rank = i, i
		}
		ranks = append(ranks, trace.rank)
		if onDevice {
			devices = append(devices, trace.device)
		}
	}
	var job *training.Result
	if len(ranks) == len(sources) {
		job, _ = training.Stragglers(ranks) // else a profile all the same: one rank twice
	}
	return kept.Attachments(telling(job), devices)
}

// telling is a job where it tells something: of one rank that is what holds it up.
func telling(job *training.Result) *training.Result {
	if job == nil || job.Slowdown == nil && len(job.Holds) == 0 {
		return nil
	}
	return job
}

// trainingJob is what an experiment keeps of its traces; nil where it does not
// come from a training job.
func (a *app) trainingJob(name string) (*training.Result, error) {
	experiment, err := a.openStore().Get(name)
	if err != nil {
		return nil, err
	}
	return kept.Stragglers(experiment)
}
