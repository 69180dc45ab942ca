package cli

import (
	"github.com/spf13/cobra"

	"auspex/analyze"
	"auspex/fuzzy"
)

func (a *app) similarCommand() *cobra.Command {
	var flags wordFlags
	var o analyze.SimilarOptions
	var metrics []string
	var distance, over string
	var top int
	cmd := &cobra.Command{
		Use:     "similar [BASE] [EXPERIMENT…]",
		GroupID: "words",
		Short:   "Say how alike units, regions or experiments perform, and which factors matter",
		Long: `Say how alike things perform, from 0 to 1.

  similar EXPERIMENT --region R              the units in one region
  similar EXPERIMENT --region R --region S   regions of one experiment
  similar BASE EXPERIMENT…                   experiments against a base, with the
                                             factors that changed beside them`,
		Example: `  auspex similar gromacs-16 --region do_nonbonded
  auspex similar gromacs-2 gromacs-4 gromacs-8 gromacs-16 gromacs-32 --factor CPUs
  auspex similar mpas --region adv --region coriolis --metric wtime --metric l1_misses`,
		Args:              atLeast(1, "an experiment"),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			words, err := flags.words()
			if err != nil {
				return err
			}
			if o.Distance, err = fuzzy.ParseDistance(distance); err != nil {
				return usageError{err}
			}
			if o.Over = analyze.Over(over); analyze.CheckOver(o.Over) != nil {
				return usageError{analyze.CheckOver(o.Over)}
			}
			if o.Metrics, err = parseScoreMetrics(metrics); err != nil {
				return err
			}
			datasets, err := a.datasets(args)
			if err != nil {
				return err
			}
			if len(datasets) > 1 {
				return a.similarExperiments(words, datasets, o, top)
			}
			return a.similarWithin(words, datasets[0], o, top)
		},
	}
	cmd.Flags().StringArrayVar(&metrics, "metric", nil, "metric, with shape and weight: wtime, wtime@S, imbalance:0.3 (repeatable; default: time)")
	cmd.Flags().StringArrayVar(&o.Regions, "region", nil, "a region's path, its name, or a glob of either (repeatable)")
	cmd.Flags().StringArrayVar(&o.Factors, "factor", nil, "a factor to compare (repeatable; default: those of the vocabulary, else numbers that vary)")
	cmd.Flags().StringVar(&distance, "distance", fuzzy.Euclidean.String(), "euclidean, manhattan, minkowski(p), correlation or chi-square")
	cmd.Flags().StringVar(&over, "over", string(analyze.OverMean), "across experiments, sum up the units by mean, max or total")
	offer(cmd, "over", string(analyze.OverMean), string(analyze.OverMax), string(analyze.OverTotal))
	offer(cmd, "distance", "euclidean", "manhattan", "minkowski(", "correlation", "chi-square")
	a.offerMetrics(cmd, "metric")
	a.offerRegions(cmd, "region", "")
	cmd.Flags().BoolVar(&o.PaperBase, "paper-base", false, "score against the base's values, not the largest: what is slower than the base looks like it")
	topFlag(cmd, &top, 15, "how many rows to print")
	flags.register(cmd)
	return cmd
}

func (a *app) similarExperiments(words analyze.Words, datasets []*analyze.Dataset, o analyze.SimilarOptions, top int) error {
	e, err := analyze.SimilarExperiments(words, datasets, o)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(e)
	}
	a.page().ExperimentSimilarity(e, top)
	return nil
}

// similarWithin compares units where one region is named, else regions.
func (a *app) similarWithin(words analyze.Words, d *analyze.Dataset, o analyze.SimilarOptions, top int) error {
	chosen, err := analyze.ChosenRegions(d, o.Regions)
	switch {
	case err != nil:
		return err
	case len(chosen) == 0:
		return usagef("name other experiments to compare %s with, or regions of it with --region", d.Name)
	case len(chosen) == 1:
		u, err := analyze.SimilarUnits(d, words, chosen[0], o)
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(u)
		}
		a.page().UnitSimilarity(u, top)
		return nil
	}
	r, err := analyze.SimilarRegions(d, words, o)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(r)
	}
	a.page().RegionSimilarity(r)
	return nil
}
