package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"auspex/ingest"
	"auspex/ingest/input"
	"auspex/ingest/kineto"
	"auspex/training"
)

func (a *app) deviceCommand() *cobra.Command {
	var against string
	var top int
	cmd := &cobra.Command{
		Use:     "device TRACE…",
		GroupID: "look",
		Short:   "What the accelerators did: computing, communicating, copying, idle and why; two traces compared",
		Long: `Say what the accelerators did in traces of PyTorch's profiler: how long they
computed, communicated, did both at once, copied and were idle, step by step;
which kernels, operators and modules took the time; how kernels were launched,
how long the streams' queues were, and how fast copies went.

With --against, two traces are compared by operator, also of different devices.`,
		Example: `  auspex device rank0.json.gz
  auspex device h100.json.gz --against mi300.json.gz`,
		Args: atLeast(1, "a trace of PyTorch's profiler"),
		RunE: func(cmd *cobra.Command, args []string) error {
			devices, err := devicesOf(cmd.Context(), args)
			if err != nil {
				return err
			}
			if against != "" {
				return a.compareDevices(cmd.Context(), devices, args[0], against, top)
			}
			if a.json {
				return a.printJSON(struct {
					Devices []*training.DeviceResult `json:"devices"`
				}{devices})
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
			return nil
		},
	}
	cmd.Flags().StringVar(&against, "against", "", "compare with this `TRACE`")
	cmd.Flags().IntVar(&top, "top", 10, "how many rows of each table to print")
	return cmd
}

// devicesOf reads traces and says what their devices did.
func devicesOf(ctx context.Context, paths []string) ([]*training.DeviceResult, error) {
	found, err := ingest.Find(paths, "")
	if err != nil {
		return nil, err
	}
	defer found.Close()
	defer sparing(found.Sources)()
	var devices []*training.DeviceResult
	for _, src := range found.Sources {
		if src.Format != "chrome" {
			continue
		}
		trace, err := kineto.ReadSource(ctx, src)
		if err != nil {
			return nil, err
		}
		if trace.Rank < 0 {
			trace.Rank = len(devices)
		}
		devices = append(devices, training.Device(trace))
	}
	if len(devices) == 0 {
		return nil, fmt.Errorf("no trace of PyTorch's profiler in %s", paths[0])
	}
	return devices, nil
}

func (a *app) compareDevices(ctx context.Context, devices []*training.DeviceResult, name, against string, top int) error {
	others, err := devicesOf(ctx, []string{against})
	if err != nil {
		return fmt.Errorf("--against: %w", err)
	}
	if len(devices) != 1 || len(others) != 1 {
		return usagef("--against compares one trace with one other")
	}
	c := training.Compare(devices[0], others[0], input.Label(name), input.Label(against))
	if a.json {
		return a.printJSON(c)
	}
	a.page().TraceComparison(c, top)
	return nil
}
