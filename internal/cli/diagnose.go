package cli

import (
	"math"
	"slices"

	"github.com/spf13/cobra"

	"auspex/analyze/diagnose"
	"auspex/model"
	"auspex/report"
)

func (a *app) diagnoseCommand() *cobra.Command {
	var o diagnose.Options
	var flags wordFlags
	cmd := &cobra.Command{
		Use:     "diagnose [EXPERIMENT]",
		GroupID: "look",
		Short:   "Say which processes differ, where and why",
		Example: `  auspex diagnose gromacs-16
  auspex diagnose lulesh-64 --region-of LagrangeElements
  auspex diagnose mpas --units threads --show-table`,
		Args:              exactly(1, "one experiment"),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := diagnose.CheckLevel(o.Level); err != nil {
				return usageError{err}
			}
			if o.Radius < 0 || math.IsNaN(o.Radius) || math.IsInf(o.Radius, 0) {
				return usagef("the radius is a distance above 0, not %g", o.Radius)
			}
			if cmd.Flags().Changed("min-pts") && o.MinPts < 1 {
				return usagef("MinPts is a number of units from 1 on, not %d", o.MinPts)
			}
			d, words, err := a.opened(args[0], &flags)
			if err != nil {
				return err
			}
			stored, err := a.experiment(args[0])
			if err != nil {
				return err
			}
			found, err := fullDiagnosis(cmd.Context(), stored, d, words, o)
			if err != nil {
				return err
			}
			found.Words = report.DiagnosisWords(found)
			if o.Metric == "" && o.RegionOf == "" && (o.Level == "" || o.Level == diagnose.Processes) {
				job, err := a.trainingJob(args[0])
				if err != nil {
					return err
				}
				if job != nil && job.Tells() {
					found.Training(job, d, words)
				}
			}
			if a.json {
				return a.printJSON(found)
			}
			page := a.page()
			page.Diagnosis(found)
			var named []string
			for _, c := range found.Causes {
				named = append(named, c.Region)
			}
			for _, c := range found.CCR {
				if !slices.Contains(named, c.Region) {
					named = append(named, c.Region)
				}
			}
			var kinds []int
			if len(found.Kinds) > 1 {
				kinds = found.KindsOfUnits(d)
			}
			return drawHeat(page, d, found.Metric, model.Inclusive, named, kinds)
		},
	}
	cmd.Flags().StringVar((*string)(&o.Level), "units", "", "compare processes, threads or nodes (default: processes, or threads where only those differ)")
	cmd.Flags().StringVar(&o.Metric, "metric", "", "compare by this metric (default: the best time metric)")
	cmd.Flags().BoolVar(&o.WithMPI, "with-mpi", false, "count time in communication too")
	cmd.Flags().StringVar(&o.RegionOf, "region-of", "", "start the search below this region")
	offer(cmd, "units", string(diagnose.Processes), string(diagnose.Threads), string(diagnose.Nodes))
	a.offerMetrics(cmd, "metric")
	a.offerRegions(cmd, "region-of", "")
	cmd.Flags().Float64Var(&o.Radius, "radius", 0, "units linked by steps up to this, in the metric's unit, are of one kind (default: found in the data)")
	cmd.Flags().IntVar(&o.MinPts, "min-pts", 0, "units, itself included, that a unit needs within the radius to make a kind of several (default 2: pairs can be kinds)")
	cmd.Flags().BoolVar(&o.Table, "show-table", false, "show the decision tables")
	cmd.Flags().BoolVar(&o.Matrix, "show-matrix", false, "show the discernibility matrices too")
	flags.registerVocabulary(cmd)
	return cmd
}
