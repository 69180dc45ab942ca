package cli

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"auspex/store"
)

func (a *app) listCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "ls",
		GroupID: "store",
		Aliases: []string{"list"},
		Short:   "List the experiments in the store",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			// A listing lives for a moment and needs little: collecting
			// garbage on the way would cost a fifth of its time.
			defer debug.SetGCPercent(debug.SetGCPercent(400))
			headers, problems, err := a.openStore().List()
			if err != nil {
				return err
			}
			for _, problem := range problems {
				fmt.Fprintln(a.err, "auspex:", problem)
			}
			if a.json {
				rows := []listed{}
				for _, h := range headers {
					row := listed{Name: h.Name, ID: h.ID, Units: h.UnitCount, Regions: h.RegionCount, Created: h.Created, Format: h.Format,
						Runs: h.Runs, Incomplete: h.Incomplete, Metrics: []string{}, Factors: map[string]any{}}
					for _, m := range h.Metrics {
						row.Metrics = append(row.Metrics, m.Column())
					}
					for _, f := range h.Factors {
						row.Factors[f.Name] = f.Value()
					}
					rows = append(rows, row)
				}
				return a.printJSON(map[string]any{"experiments": rows})
			}
			if len(headers) == 0 {
				fmt.Fprintf(a.err, "the store %s is empty; `auspex import PATH` fills it\n", a.openStore().Dir())
				return nil
			}
			a.page().Listing(headers)
			return nil
		},
	}
}

// listed is an experiment as `ls --json` prints it.
type listed struct {
	Name       string         `json:"name"`
	ID         string         `json:"id"`
	Units      int            `json:"units"`
	Regions    int            `json:"regions"`
	Metrics    []string       `json:"metrics"`
	Created    time.Time      `json:"created"`
	Format     string         `json:"format"`
	Runs       int            `json:"runs"`
	Factors    map[string]any `json:"factors"`
	Incomplete string         `json:"incomplete,omitempty"`
}

func (a *app) removeCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "rm EXPERIMENT…",
		GroupID:           "store",
		Short:             "Remove experiments",
		Args:              atLeast(1, "at least one experiment"),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range args {
				err := a.openStore().Remove(name)
				if errors.Is(err, store.ErrNotFound) {
					_, err = a.experiment(name) // says what there is instead
				}
				if err != nil {
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
