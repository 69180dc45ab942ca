package cli

import (
	"github.com/spf13/cobra"

	"auspex/analyze"
)

func (a *app) compareCommand() *cobra.Command {
	var over string
	var top int
	cmd := &cobra.Command{
		Use:               "compare A B",
		GroupID:           "look",
		Short:             "Set experiment B against experiment A",
		Example:           `  auspex compare gromacs-16 gromacs-32 --over max`,
		Args:              exactly(2, "two experiments"),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := analyze.CheckOver(analyze.Over(over)); err != nil {
				return usageError{err}
			}
			first, err := a.dataset(args[0])
			if err != nil {
				return err
			}
			second, err := a.dataset(args[1])
			if err != nil {
				return err
			}
			c, err := analyze.Compare(first, second, analyze.Over(over))
			if err != nil {
				return err
			}
			kept, err := a.kept(first, second)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(compared{c, kept})
			}
			page := a.page()
			page.Comparison(c, top)
			if kept != nil {
				page.Heading("What was promised")
				page.Paragraph(kept.Words)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&over, "over", string(analyze.OverMean), "sum up the units by mean, max or total")
	cmd.Flags().IntVar(&top, "top", 15, "how many regions")
	return cmd
}
