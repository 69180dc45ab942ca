package cli

import (
	"context"

	"github.com/spf13/cobra"

	"auspex/analyze"
)

func (a *app) cmeansCommand() *cobra.Command {
	var k int
	cmd := a.scored(&cobra.Command{
		Use:   "cmeans [EXPERIMENT]",
		Short: "Divide regions or units into fuzzy clusters by their performance scores",
		Example: `  auspex cmeans gromacs-16 --by unit
  auspex cmeans mpas --metric wtime --metric l1_misses --clusters 3`,
	}, func(ctx context.Context, _ *analyze.Dataset, _ analyze.Words, s *analyze.Scores, top int) error {
		c, err := analyze.FindClusters(ctx, s, k)
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(c)
		}
		a.page().Clusters(c, top)
		return nil
	})
	cmd.Flags().IntVarP(&k, "clusters", "k", 0, "how many (default: the number that suits best)")
	return cmd
}
