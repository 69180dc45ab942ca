package cli

import (
	"github.com/spf13/cobra"

	"auspex/analyze"
)

func (a *app) compareCommand() *cobra.Command {
	var o analyze.CompareOptions
	var over, baseline, byWord string
	var top int
	var flags wordFlags
	cmd := &cobra.Command{
		Use:     "compare A B [EXPERIMENT…]",
		GroupID: "look",
		Short:   "Set experiments against the first, or against a chosen one",
		Example: `  auspex compare gromacs-16 gromacs-32 --over max
  auspex compare gromacs-2 gromacs-4 gromacs-8 gromacs-16 --baseline gromacs-4
  auspex compare before after --metric imbalance`,
		Args:              atLeast(2, "two experiments or more"),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Over = analyze.Over(over)
			if err := analyze.CheckOver(o.Over); err != nil {
				return usageError{err}
			}
			words, err := flags.words()
			if err != nil {
				return err
			}
			base, others, err := a.compared(args, baseline)
			if err != nil {
				return err
			}
			kept, err := a.kept(base, others[0])
			if err != nil {
				return err
			}
			sets, note, err := analyze.ByAll(append([]*analyze.Dataset{base}, others...), byWord)
			if err != nil {
				return usageError{err}
			}
			all, err := analyze.CompareAll(sets[0], sets[1:], words, o)
			if err != nil {
				return err
			}
			if note != "" {
				all.Others[0].Warnings = append(all.Others[0].Warnings, note)
			}
			if len(others) > 1 {
				if a.json {
					return a.printJSON(all)
				}
				a.page().Comparisons(all, top)
				return nil
			}
			if a.json {
				return a.printJSON(compared{all.Others[0], kept})
			}
			page := a.page()
			page.Comparison(all.Others[0], top)
			if kept != nil {
				page.Heading("What was promised")
				page.Paragraph(kept.Words)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&over, "over", string(analyze.OverMean), "sum up the units by mean, max or total")
	cmd.Flags().StringVar(&o.Metric, "metric", "", "metric or expression to compare regions by (default: time)")
	cmd.Flags().StringVar(&baseline, "baseline", "", "experiment that the others are set against (default: the first)")
	offer(cmd, "over", string(analyze.OverMean), string(analyze.OverMax), string(analyze.OverTotal))
	a.offerMetrics(cmd, "metric")
	a.offerNames(cmd, "baseline")
	cmd.Flags().BoolVar(&o.Force, "force", false, "compare programs that have nothing in common")
	topFlag(cmd, &top, 15, "how many regions")
	byFlag(cmd, &byWord)
	flags.register(cmd)
	return cmd
}

// compared opens the baseline and those that are set against it, each once.
func (a *app) compared(names []string, baseline string) (base *analyze.Dataset, others []*analyze.Dataset, err error) {
	if baseline == "" {
		baseline = names[0]
	}
	if base, err = a.dataset(baseline); err != nil {
		return nil, nil, err
	}
	seen := map[string]bool{baseline: true}
	for _, name := range names {
		if seen[name] {
			continue
		}
		seen[name] = true
		d, err := a.dataset(name)
		if err != nil {
			return nil, nil, err
		}
		others = append(others, d)
	}
	if len(others) == 0 { // with itself: nothing differs
		others = append(others, base)
	}
	return base, others, nil
}
