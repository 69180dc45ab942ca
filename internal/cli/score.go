package cli

import (
	"context"

	"github.com/spf13/cobra"

	"auspex/analyze"
)

// scoreFlags are those of score, rank and cmeans.
type scoreFlags struct {
	wordFlags
	metrics []string
	base    string
	by      string
	quality bool
	severe  bool
	top     int
}

func (f *scoreFlags) register(a *app, cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.metrics, "metric", nil, "metric, with shape and weight: wtime, wtime:0.7, imbalance@S:0.3, wtime@trapezoid(0,1,5,9) (repeatable; default: time)")
	cmd.Flags().StringVar(&f.base, "base", "program", "what 1 stands for: program, parent, or another experiment")
	cmd.Flags().StringVar(&f.by, "by", "", "score every call path, function name, unit or summary: path, name, unit or summary (default: path; name where paths hide the heaviest function)")
	offer(cmd, "by", "path", "name", "unit", "summary")
	a.offerNames(cmd, "base", "program", "parent")
	a.offerMetrics(cmd, "metric")
	cmd.Flags().BoolVar(&f.severe, "severity", false, "the metrics are chosen so that a high score is a severe problem")
	cmd.Flags().BoolVar(&f.quality, "quality", false, "the metrics are chosen so that a high score is good")
	cmd.MarkFlagsMutuallyExclusive("severity", "quality")
	topFlag(cmd, &f.top, 15, "how many rows to print")
	f.wordFlags.register(cmd)
}

// kind is what a row is about.
func (f *scoreFlags) kind() analyze.By {
	switch f.by {
	case "", analyze.Paths, analyze.Names:
		return analyze.ByRegion
	}
	return analyze.By(f.by)
}

// rows looks at the regions as asked for.
func (f *scoreFlags) rows(d *analyze.Dataset) (*analyze.Dataset, []string, error) {
	switch f.by {
	case "", analyze.Paths, analyze.Names:
		return by(d, f.by)
	}
	return d, nil, nil
}

// scores computes what the flags ask for.
func (a *app) scores(d *analyze.Dataset, words analyze.Words, f *scoreFlags) (*analyze.Scores, error) {
	metrics, err := f.scoreMetrics(d)
	if err != nil {
		return nil, err
	}
	var base analyze.ScoreBase
	switch f.base {
	case "program":
	case "parent":
		base.Parent = true
	default:
		if base.Other, err = a.dataset(f.base); err == nil {
			base.Other, _, err = base.Other.By(d.ByWord())
		}
		if err != nil {
			return nil, err
		}
	}
	meaning := analyze.Impact
	switch {
	case f.quality:
		meaning = analyze.Quality
	case f.severe:
		meaning = analyze.Severity
	}
	return analyze.Score(d, words, metrics, base, f.kind(), meaning)
}

func (f *scoreFlags) scoreMetrics(d *analyze.Dataset) ([]analyze.ScoreMetric, error) {
	if len(f.metrics) == 0 {
		return analyze.DefaultScoreMetrics(d)
	}
	return parseScoreMetrics(f.metrics)
}

func parseScoreMetrics(texts []string) ([]analyze.ScoreMetric, error) {
	var metrics []analyze.ScoreMetric
	for _, text := range texts {
		m, err := analyze.ParseScoreMetric(text)
		if err != nil {
			return nil, usageError{err}
		}
		metrics = append(metrics, m)
	}
	return metrics, nil
}

// scored makes a command that computes scores and does something with them.
func (a *app) scored(cmd *cobra.Command, answer func(ctx context.Context, d *analyze.Dataset, words analyze.Words, s *analyze.Scores, top int) error) *cobra.Command {
	var flags scoreFlags
	cmd.GroupID = "words"
	cmd.Args = exactly(1, "one experiment")
	cmd.ValidArgsFunction = a.completeNames
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		d, words, err := a.opened(args[0], &flags.wordFlags)
		if err != nil {
			return err
		}
		d, notes, err := flags.rows(d)
		if err != nil {
			return err
		}
		s, err := a.scores(d, words, &flags)
		if err != nil {
			return err
		}
		s.Warnings = append(s.Warnings, notes...)
		return answer(cmd.Context(), d, words, s, flags.top)
	}
	flags.register(a, cmd)
	return cmd
}

func (a *app) scoreCommand() *cobra.Command {
	return a.scored(&cobra.Command{
		Use:   "score [EXPERIMENT]",
		Short: "Give regions or units performance scores between 0 and 1",
		Example: `  auspex score gromacs-16 --metric wtime:0.7 --metric imbalance@S:0.3
  auspex score gromacs-32 --base gromacs-16
  auspex score before --base parent`,
	}, func(_ context.Context, _ *analyze.Dataset, _ analyze.Words, s *analyze.Scores, top int) error {
		if a.json {
			return a.printJSON(s)
		}
		a.page().Scores(s, top)
		return nil
	})
}

func (a *app) rankCommand() *cobra.Command {
	return a.scored(&cobra.Command{
		Use:     "rank [EXPERIMENT]",
		Short:   "Order regions or units by their score, with the metrics that put them there",
		Example: `  auspex rank gromacs-16 --metric wtime:0.7 --metric imbalance:0.3`,
	}, func(_ context.Context, d *analyze.Dataset, words analyze.Words, s *analyze.Scores, top int) error {
		r, err := analyze.Rank(d, words, s)
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(r)
		}
		a.page().Ranking(r, top)
		return nil
	})
}
