package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"auspex/analyze"
	"auspex/model"
	"auspex/report"
	"auspex/store"
	job "auspex/training/kept"
	"auspex/view"
	"auspex/whatif/kept"
)

func (a *app) showCommand() *cobra.Command {
	var regions, units, metrics bool
	var metric, byWord string
	var top int
	var least string
	var flags wordFlags
	cmd := &cobra.Command{
		Use:     "show [EXPERIMENT]",
		GroupID: "look",
		Short:   "Show an experiment: efficiency and the heaviest regions; or a prediction or a replay",
		Example: `  auspex show gromacs-16
  auspex show gromacs-16 --regions --metric wtime --least 1%
  auspex show gromacs-16 --units
  auspex show gromacs-16 --by name`,
		Args:              exactly(1, "one experiment"),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, flag := range []string{"metric", "least"} {
				if cmd.Flags().Changed(flag) && !regions {
					return usagef("--%s is for the region tree: add --regions", flag)
				}
			}
			if cmd.Flags().Changed("top") && (regions || units || metrics) {
				return usagef("--top is for the heaviest regions; with --regions, --least 1%% leaves out what is below that share")
			}
			if shown, err := a.showPrediction(args[0]); shown || err != nil {
				return err
			}
			if shown, err := a.showSimulation(args[0]); shown || err != nil {
				return err
			}
			d, _, err := a.opened(args[0], &flags)
			if err != nil {
				return err
			}
			d, notes, err := by(d, byWord)
			if err != nil {
				return err
			}
			switch {
			case regions:
				from, err := share("--least", least)
				if err != nil {
					return err
				}
				return a.showTree(d, metric, from)
			case units:
				return a.showUnits(d)
			case metrics:
				return a.showMetrics(d)
			}
			s, err := analyze.Summarise(d, top)
			if err != nil {
				return err
			}
			s.Warnings = append(s.Warnings, notes...)
			e, err := a.experiment(args[0])
			if err != nil {
				return err
			}
			parts, traced, note, err := kept.CommunicationOf(cmd.Context(), e)
			if err != nil {
				return err
			}
			s.Efficiency.Split(parts.Serialization, parts.Cores)
			if job.Has(e) {
				s.OfRanks()
			}
			s.Warnings = append(s.Warnings, note...)
			if a.json {
				return a.printJSON(report.Tell(s, traced, job.Has(e)))
			}
			page := a.page()
			page.Summary(s)
			var heaviest []string
			for _, r := range s.Heaviest {
				heaviest = append(heaviest, r.Region)
			}
			return drawHeat(page, d, s.TimeMetric, model.Exclusive, heaviest, nil)
		},
	}
	cmd.Flags().BoolVar(&regions, "regions", false, "the region tree instead")
	cmd.Flags().BoolVar(&units, "units", false, "the processing units instead")
	cmd.Flags().BoolVar(&metrics, "metrics", false, "the metrics instead")
	cmd.MarkFlagsMutuallyExclusive("regions", "units", "metrics")
	cmd.Flags().StringVar(&metric, "metric", "", "metric for --regions (default: time)")
	cmd.Flags().StringVar(&least, "least", "0%", "with --regions: leave out what is below this share of the program")
	a.offerMetrics(cmd, "metric")
	topFlag(cmd, &top, 15, "how many regions")
	byFlag(cmd, &byWord)
	flags.registerVocabulary(cmd)
	return cmd
}

// showSimulation shows a replay that is kept, where no experiment has the name.
func (a *app) showSimulation(name string) (shown bool, err error) {
	if _, err := a.openStore().Get(name); !errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	k, err := a.openStore().Simulation(name)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return false, nil
	case err != nil:
		return false, err
	case a.json:
		return true, a.printJSON(k)
	}
	a.page().KeptSimulation(k)
	return true, nil
}

// drawHeat draws some regions × units on a terminal, and nothing elsewhere.
func drawHeat(page *report.Page, d *analyze.Dataset, metric string, scope model.Scope, regions []string, kinds []int) error {
	const rows = 12
	cols := page.HeatColumns()
	if cols == 0 || metric == "" || len(d.Units) < 2 || len(regions) == 0 {
		return nil
	}
	h, err := view.RegionHeatmap(d, metric, scope, regions[:min(rows, len(regions))], cols)
	if err != nil {
		return err
	}
	page.Heat(h, kinds)
	return nil
}

func (a *app) showTree(d *analyze.Dataset, metric string, least float64) error {
	nodes, name, err := analyze.Tree(d, metric, least)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"name": d.Name, "metric": name, "tree": nodes})
	}
	a.page().Tree(nodes, name)
	return nil
}

func (a *app) showUnits(d *analyze.Dataset) error {
	units, err := analyze.UnitTimes(d)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"name": d.Name, "units": units})
	}
	a.page().Units(units)
	return nil
}

func (a *app) showMetrics(d *analyze.Dataset) error {
	metrics, err := analyze.MetricInfos(d)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"name": d.Name, "metrics": metrics})
	}
	a.page().Metrics(metrics)
	return nil
}
