package cli

import (
	"github.com/spf13/cobra"

	"auspex/analyze"
	"auspex/analyze/scaling"
	"auspex/report"
	"auspex/whatif/kept"
)

func (a *app) scalingCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:     "scaling EXPERIMENT…",
		GroupID: "look",
		Short:   "Say how a program scales over runs with different numbers of processes or threads",
		Long: `Set runs of one program on different numbers of processes, of threads or of both
against each other: whether the problem grew with them, speedup and efficiency,
what is lost to load balance, communication and computation, which regions do not
scale, and from five sizes on a model of the growth with what to expect of larger
ones.`,
		Example:           `  auspex scaling gromacs-2 gromacs-4 gromacs-8 gromacs-16 gromacs-32`,
		Args:              atLeast(2, "at least two experiments"),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			var sets []*analyze.Dataset
			for _, name := range args {
				d, err := a.dataset(name)
				if err != nil {
					return err
				}
				sets = append(sets, d)
			}
			found, err := scaling.Of(cmd.Context(), sets, force)
			if err != nil {
				return err
			}
			for i := range found.Runs {
				r := &found.Runs[i]
				e, err := a.experiment(r.Name)
				if err != nil {
					return err
				}
				parts, _, note, err := kept.CommunicationOf(cmd.Context(), e)
				if err != nil {
					return err
				}
				if s := analyze.Real(parts.Serialization); s > 0 && !r.Communication.IsMissing() {
					r.Serialization, r.Transfer = s, r.Communication/s
				}
				if cores := analyze.Real(parts.Cores); cores > 0 {
					r.Cores = &cores
				}
				found.Warnings = append(found.Warnings, note...)
			}
			found.Words = report.ScalingWords(found)
			if a.json {
				return a.printJSON(found)
			}
			a.page().Scaling(found)
			return nil
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "also runs of programs that have nothing in common")
	return cmd
}
