package cli

import "github.com/spf13/cobra"

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
			t, err := a.openTraced(cmd.Context(), args[0], np)
			if err != nil {
				return err
			}
			r, err := t.Waits(cmd.Context())
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
