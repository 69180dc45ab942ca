package cli

import (
	"github.com/spf13/cobra"

	"auspex/analyze"
)

func (a *app) classifyCommand() *cobra.Command {
	var flags wordFlags
	var metric, across, byWord string
	var terms, regions []string
	var top int
	cmd := &cobra.Command{
		Use:     "classify [EXPERIMENT]",
		GroupID: "words",
		Short:   "Say how far every region deserves words such as low, medium and high",
		Example: `  auspex classify gromacs-16
  auspex classify mpas --metric l1_misses/instructions
  auspex classify gromacs-16 --metric imbalance --term 'very high' --term 'not low'`,
		Args:              exactly(1, "one experiment"),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, words, err := a.opened(args[0], &flags)
			if err != nil {
				return err
			}
			d, notes, err := by(d, byWord)
			if err != nil {
				return err
			}
			c, err := analyze.Classify(d, words, metric, terms, regions, analyze.Across(across))
			if err != nil {
				return err
			}
			c.Warnings = append(c.Warnings, notes...)
			if a.json {
				return a.printJSON(c)
			}
			a.page().Classification(c, top)
			return nil
		},
	}
	cmd.Flags().StringVar(&metric, "metric", analyze.TimeShare, "metric or expression of metrics")
	cmd.Flags().StringArrayVar(&terms, "term", nil, "a phrase such as 'very high' (repeatable; default: all terms of the metric)")
	cmd.Flags().StringVar(&across, "across", string(analyze.AcrossMean), "what becomes of the units: mean, max or each")
	cmd.Flags().StringArrayVar(&regions, "region", nil, "only these regions: a path, a name or a pattern of either (repeatable)")
	offer(cmd, "across", string(analyze.AcrossMean), string(analyze.AcrossMax), string(analyze.AcrossEach))
	a.offerMetrics(cmd, "metric")
	a.offerRegions(cmd, "region", "")
	byFlag(cmd, &byWord)
	topFlag(cmd, &top, 15, "how many rows to print")
	flags.register(cmd)
	return cmd
}
