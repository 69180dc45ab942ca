package cli

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"auspex/ingest"
	"auspex/ingest/input"
	"auspex/ingest/kineto"
	"auspex/training"
	"auspex/training/kept"
)

func (a *app) deviceCommand() *cobra.Command {
	var against, overlay string
	var steps []int
	var top int
	cmd := &cobra.Command{
		Use:     "device [TRACE…|EXPERIMENT]",
		GroupID: "look",
		Short:   "What the accelerators did: computing, communicating, copying, idle and why; two traces compared",
		Long: `Say what the accelerators did in traces of PyTorch's profiler: how long they
computed, communicated, did both at once, copied and were idle, step by step;
which kernels, operators and modules took the time; how kernels were launched,
how long the streams' queues were, and how fast copies went. An experiment that
was imported from such traces keeps this, the longest 50 rows of each table.

With --against, two traces are compared by operator, also of different devices.
With --overlay, a copy of the trace is written for Perfetto or Chrome, with
queues, bandwidths and memory as counters and the critical path as a thread.`,
		Example: `  auspex device rank0.json.gz
  auspex device traces/ --step 12,13
  auspex device job
  auspex device h100.json.gz --against mi300.json.gz`,
		Args: atLeast(1, "a trace of PyTorch's profiler"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if overlay != "" {
				return a.overlay(cmd.Context(), args, overlay, steps)
			}
			if against != "" {
				return a.compareDevices(cmd.Context(), args, against, steps, top)
			}
			all, err := a.devicesOf(cmd.Context(), args, steps)
			if err != nil {
				return err
			}
			devices := all.Devices
			if a.json {
				return a.printJSON(all)
			}
			for i, d := range devices {
				if len(devices) > 1 {
					if i > 0 {
						a.page().Line("")
					}
					a.page().Line("%s", a.page().Strong(fmt.Sprintf("Rank %d", d.Rank)))
				}
				a.page().Device(d, top)
			}
			if len(devices) > 1 {
				a.page().KernelsAcross(all.Across, top)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&against, "against", "", "compare with this `TRACE`")
	cmd.Flags().IntSliceVar(&steps, "step", nil, "look at these `STEPS` only")
	cmd.Flags().StringVar(&overlay, "overlay", "", "write the trace with counters and the critical path to this `FILE` (.json or .json.gz)")
	topFlag(cmd, &top, 10, "how many rows of each table to print")
	return cmd
}

// devicesOf says what devices did, of traces or of an experiment that kept it.
func (a *app) devicesOf(ctx context.Context, paths []string, steps []int) (*kept.Devices, error) {
	if len(paths) == 1 {
		if _, err := os.Stat(paths[0]); errors.Is(err, os.ErrNotExist) {
			return a.keptDevices(paths[0], steps)
		}
	}
	devices, err := a.devicesIn(ctx, paths, steps)
	if err != nil {
		return nil, err
	}
	return kept.NewDevices(devices), nil
}

// devicesIn reads traces and says what their devices did; what was noted of a trace as
// it was read is no part of the answer.
func (a *app) devicesIn(ctx context.Context, paths []string, steps []int) ([]*training.DeviceResult, error) {
	var devices []*training.DeviceResult
	err := eachTrace(ctx, paths, steps, func(t *training.Trace) error {
		for _, note := range t.Notes {
			fmt.Fprintf(a.err, "note: %s: %s\n", t.File, note)
		}
		devices = append(devices, training.Device(t))
		return nil
	})
	return devices, err
}

// keptDevices is what an experiment keeps of its devices.
func (a *app) keptDevices(name string, steps []int) (*kept.Devices, error) {
	experiment, err := a.openStore().Get(name)
	if err != nil {
		return nil, err
	}
	devices, err := kept.DevicesOf(experiment)
	switch {
	case err != nil:
		return nil, err
	case devices == nil:
		return nil, fmt.Errorf("experiment %s keeps nothing of what devices did: give the traces it was imported from, or import them again if they have kernels", name)
	case len(steps) > 0:
		return nil, usagef("--step takes the steps out of traces: give those that %s was imported from", name)
	}
	return devices, nil
}

// eachTrace hands on the traces below some paths, of some steps or all.
func eachTrace(ctx context.Context, paths []string, steps []int, use func(*training.Trace) error) error {
	found, err := ingest.Find(paths, "")
	if err != nil {
		return err
	}
	defer found.Close()
	defer sparing(found.Sources)()
	n := 0
	for _, src := range found.Sources {
		if src.Format != "chrome" {
			continue
		}
		trace, err := kineto.ReadSource(ctx, src)
		if err != nil {
			return err
		}
		if trace.Rank < 0 {
			trace.Rank = n
		}
		if len(steps) > 0 {
			if trace = trace.Within(steps); trace == nil {
				return fmt.Errorf("%s: the trace has none of the steps %v", src.Given, steps)
			}
		}
		n++
		if err := use(trace); err != nil {
			return err
		}
	}
	if n == 0 {
		return fmt.Errorf("no trace of PyTorch's profiler in %s", paths[0])
	}
	return nil
}

// overlay writes one trace with what was found in it.
func (a *app) overlay(ctx context.Context, paths []string, to string, steps []int) error {
	var traces []*training.Trace
	err := eachTrace(ctx, paths, steps, func(t *training.Trace) error {
		traces = append(traces, t)
		return nil
	})
	if err != nil {
		return err
	}
	if len(traces) != 1 {
		return usagef("--overlay takes one trace, not %d", len(traces))
	}
	file, err := os.Create(to)
	if err != nil {
		return err
	}
	defer file.Close()
	var out io.WriteCloser = file
	if strings.HasSuffix(to, ".gz") {
		out = gzip.NewWriter(file)
	}
	if err := training.Overlay(out, traces[0]); err != nil {
		return err
	}
	if out != file {
		if err := out.Close(); err != nil {
			return err
		}
	}
	return file.Close()
}

// compareDevices compares two traces; what an experiment keeps of one is not all
// of it.
func (a *app) compareDevices(ctx context.Context, paths []string, against string, steps []int, top int) error {
	devices, err := a.devicesIn(ctx, paths, steps)
	if err != nil {
		return err
	}
	others, err := a.devicesIn(ctx, []string{against}, steps)
	if err != nil {
		return fmt.Errorf("--against: %w", err)
	}
	if len(devices) != 1 || len(others) != 1 {
		return usagef("--against compares one trace with one other")
	}
	c := training.Compare(devices[0], others[0], input.Label(paths[0]), input.Label(against))
	if a.json {
		return a.printJSON(c)
	}
	a.page().TraceComparison(c, top)
	return nil
}
