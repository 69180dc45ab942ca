package cli

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"auspex/analyze"
	"auspex/report"
	"auspex/store"
)

func (a *app) listCommand() *cobra.Command {
	var predictions bool
	cmd := &cobra.Command{
		Use:     "ls",
		GroupID: "store",
		Aliases: []string{"list"},
		Short:   "List the experiments and predictions in the store",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			// A listing lives for a moment and needs little: collecting
			// garbage on the way would cost a fifth of its time.
			defer debug.SetGCPercent(debug.SetGCPercent(400))
			if predictions {
				return a.listPredictions()
			}
			headers, problems, err := a.openStore().List()
			if err != nil {
				return err
			}
			for _, problem := range problems {
				fmt.Fprintln(a.err, "auspex:", problem)
			}
			if a.json {
				return a.printJSON(analyze.List(headers, problems))
			}
			stored, err := a.openStore().Predictions()
			if err != nil {
				return err
			}
			if len(headers) == 0 && len(stored) == 0 {
				fmt.Fprintf(a.err, "the store %s is empty; `auspex import PATH` fills it\n", a.openStore().Dir())
				return nil
			}
			if len(headers) > 0 {
				a.page().Listing(headers)
			}
			if len(stored) > 0 {
				return a.listPredictions()
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&predictions, "predictions", false, "only the predictions")
	return cmd
}

func (a *app) removeCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "rm NAME…",
		GroupID:           "store",
		Short:             "Remove experiments, predictions and simulations",
		Args:              atLeast(1, "at least one name"),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range args {
				if err := a.remove(name); err != nil {
					return err
				}
			}
			if a.json {
				return a.printJSON(map[string]any{"removed": args})
			}
			return nil
		},
	}
}

// remove deletes what a name stands for: an experiment, a prediction with the
// replays behind it, or a simulation.
func (a *app) remove(name string) error {
	s := a.openStore()
	err := s.Remove(name)
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if r, _, err := a.storedPrediction(name); err == nil {
		for _, p := range r.Predictions {
			if err := s.RemoveSimulation(report.ReplayName(name, p.Platform, p.NP, p.Opt)); err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
		}
	}
	if err := s.RemovePrediction(name); !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err := s.RemoveSimulation(name); !errors.Is(err, store.ErrNotFound) {
		return err
	}
	_, err = a.experiment(name) // says what there is instead
	return err
}

func (a *app) collectCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "gc",
		GroupID: "store",
		Short:   "Remove what interrupted imports left behind",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			removed, err := a.openStore().Collect()
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string]any{"removed": append([]string{}, removed...)})
			}
			a.page().Line("removed %d leftovers", len(removed))
			return nil
		},
	}
}
