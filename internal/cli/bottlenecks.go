package cli

import (
	"github.com/spf13/cobra"

	"auspex/analyze"
)

func (a *app) bottlenecksCommand() *cobra.Command {
	var flags wordFlags
	var o analyze.BottleneckOptions
	var metric, negligible, byWord string
	var severity []string
	var top int
	cmd := &cobra.Command{
		Use:     "bottlenecks [EXPERIMENT]",
		GroupID: "words",
		Short:   "Find regions above a threshold, how severe they are, and what is close to it",
		Example: `  auspex bottlenecks gromacs-16
  auspex bottlenecks gromacs-16 --metric time_share --threshold 0.1
  auspex bottlenecks 3dpic --metric L2_TCM/L2_TCA --threshold 0.7 --severity 'low=Z(0.7,0.8)' \
      --severity 'medium=Pi(0.85,0.1)' --severity 'high=S(0.9,1)' --negligible 'triangle(0.65,0.7,0.75)'`,
		Args:              exactly(1, "one experiment"),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("metric") && !cmd.Flags().Changed("threshold") {
				return usagef("--metric %s needs --threshold: the value above which a region is a bottleneck", metric)
			}
			words, err := flags.words()
			if err != nil {
				return err
			}
			for _, text := range severity {
				term, err := analyze.ParseSeverity(text)
				if err != nil {
					return usageError{err}
				}
				o.Severity = append(o.Severity, term)
			}
			if negligible != "" {
				if o.Negligible, err = analyze.ShapeOf(negligible); err != nil {
					return usageError{err}
				}
			}
			d, err := a.dataset(args[0])
			if err != nil {
				return err
			}
			word := byWord
			if word == string(analyze.BySummary) {
				word, o.By = analyze.Paths, analyze.BySummary
			}
			d, notes, err := by(d, word)
			if err != nil {
				return err
			}
			b, err := analyze.FindBottlenecks(d, words, metric, o)
			if err != nil {
				return err
			}
			b.Warnings = append(b.Warnings, notes...)
			if a.json {
				return a.printJSON(b)
			}
			a.page().Bottlenecks(b, top)
			return nil
		},
	}
	cmd.Flags().StringVar(&metric, "metric", analyze.TimeShare, "metric or expression of metrics")
	a.offerMetrics(cmd, "metric")
	cmd.Flags().Float64Var(&o.Threshold, "threshold", 0.1, "what is above it is a bottleneck")
	cmd.Flags().Float64Var(&o.Upper, "upper", 0, "where severity is full (default: the end of the metric's universe, or the largest value)")
	cmd.Flags().StringArrayVar(&severity, "severity", nil, "a word and its shape, such as 'high=S(0.9,1)' (repeatable; default: severe, an S from threshold to upper)")
	cmd.Flags().StringVar(&negligible, "negligible", "", "shape of what is close to the threshold (default: a Pi around it)")
	cmd.Flags().BoolVar(&o.NoBand, "no-negligible", false, "search for what is above the threshold only")
	cmd.MarkFlagsMutuallyExclusive("negligible", "no-negligible")
	byFlag(cmd, &byWord)
	cmd.Flags().Lookup("by").Usage = "search every call path, function name or summary: path, name or summary (default: path; name where paths hide the heaviest function)"
	topFlag(cmd, &top, 15, "how many rows to print")
	flags.register(cmd)
	return cmd
}
