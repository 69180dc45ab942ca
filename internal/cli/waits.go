package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"auspex/waits"
	"auspex/whatif/kept"
)

func (a *app) waitsCommand() *cobra.Command {
	var np, top int
	cmd := &cobra.Command{
		Use:     "waits [EXPERIMENT|TRACE]",
		GroupID: "look",
		Short:   "Where ranks wait for one another, and for what",
		Long: `Waiting by pattern and call path, with its causes: what the late rank spent
longer than the waiting one since the two last synchronised, by region, and what
it had to wait for itself, which is passed on to the causes of that. Times come
from the trace where it has them (Paraver, OTF2), else from a replay.`,
		Example: `  auspex waits solver
  auspex waits run8.prv.gz --json`,
		Args:              exactly(1, "an experiment or a trace"),
		ValidArgsFunction: a.completeNamesOrFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := a.waitsOf(cmd.Context(), args[0], np)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(r)
			}
			a.page().Waits(r, top)
			return nil
		},
	}
	cmd.Flags().IntVar(&np, "np", 0, "number of ranks (default: as many as there are traces)")
	topFlag(cmd, &top, 15, "how many rows")
	return cmd
}

// waitsOf is what an experiment keeps, or a trace tells.
func (a *app) waitsOf(ctx context.Context, name string, np int) (*waits.Report, error) {
	if answers := a.answersOf(name); answers != nil {
		if r, err := answers.Waits(ctx); !errors.Is(err, kept.ErrNoTrace) {
			return r, err
		}
	}
	t, err := a.openTraced(ctx, name, np)
	if err != nil {
		return nil, err
	}
	return t.Waits(ctx)
}
