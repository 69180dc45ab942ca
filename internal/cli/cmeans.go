package cli

import (
	"github.com/spf13/cobra"

	"auspex/analyze"
)

func (a *app) cmeansCommand() *cobra.Command {
	var flags scoreFlags
	var k int
	cmd := &cobra.Command{
		Use:     "cmeans EXPERIMENT",
		GroupID: "words",
		Short:   "Divide regions or units into fuzzy clusters by their performance scores",
		Example: `  auspex cmeans gromacs-16 --by unit
  auspex cmeans mpas --metric wtime --metric l1_misses --clusters 3`,
		Args:              exactly(1, "one experiment"),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, words, err := a.opened(args[0], &flags.wordFlags)
			if err != nil {
				return err
			}
			s, err := a.scores(d, words, &flags)
			if err != nil {
				return err
			}
			c, err := analyze.FindClusters(cmd.Context(), s, k)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(c)
			}
			a.page().Clusters(c, flags.top)
			return nil
		},
	}
	cmd.Flags().IntVarP(&k, "clusters", "k", 0, "how many (default: the number that suits best)")
	flags.register(cmd)
	return cmd
}
