package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"auspex/internal/scratch"
	"auspex/replay"
	"auspex/store"
)

func (a *app) removeCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "rm NAME…",
		GroupID:           "store",
		Short:             "Remove experiments, predictions and simulations",
		Example:           `  auspex rm before after`,
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
			if err := s.RemoveSimulation(replay.Name(name, p.Platform, p.NP, p.Opt)); err != nil && !errors.Is(err, store.ErrNotFound) {
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
		Short:   "Remove what interrupted commands left behind",
		Example: `  auspex gc`,
		Long: `Remove what interrupted imports, runs, predictions and simulations left behind,
in the store and in the temporary directory, and what was replaced more than ten
minutes ago. What living processes are writing stays.`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			removed, err := a.openStore().Collect()
			if err != nil {
				return err
			}
			dropped, err := scratch.Collect()
			if err != nil {
				return err
			}
			removed = append(removed, dropped...)
			if a.json {
				return a.printJSON(map[string]any{"removed": append([]string{}, removed...)})
			}
			a.page().Line("removed %d leftovers", len(removed))
			return nil
		},
	}
}
