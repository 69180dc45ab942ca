package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"auspex/analyze"
	"auspex/fuzzy"
	"auspex/report"
)

// exitBroken and exitCannotJudge are for gates: a broken contract is a
// failure, one that cannot be judged is a mistake in its use.
const (
	exitBroken      = exitFailed
	exitCannotJudge = exitUsage
)

func (a *app) checkCommand() *cobra.Command {
	var flags wordFlags
	var file, baseline, against string
	cmd := &cobra.Command{
		Use:     "check [EXPERIMENT] --contract FILE",
		GroupID: "words",
		Short:   "Hold an experiment against a contract in words; exits 1 when it is broken, 2 when it cannot be judged",
		Example: `  auspex check nightly --contract perf.toml
  auspex check nightly --contract perf.toml --baseline last-release`,
		Args:              exactly(1, "one experiment"),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if against != "" && (against != "site" || baseline != "") {
				return usagef("--against takes the word site, and no --baseline beside it")
			}
			checked, err := a.check(cmd.Context(), args[0], file, baseline, against != "", &flags)
			if err != nil {
				return statusError{exitCannotJudge, err}
			}
			if a.json {
				err = a.printJSON(checked)
			} else {
				a.page().Checked(checked)
			}
			switch {
			case err != nil:
				return err
			case checked.Holds == nil:
				return statusError{status: exitCannotJudge}
			case !*checked.Holds:
				return statusError{status: exitBroken}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&file, "contract", "", "TOML file of the contract")
	cmd.Flags().StringVar(&baseline, "baseline", "", "experiment that clauses are compared with (default: the contract's own)")
	cmd.Flags().StringVar(&against, "against", "", "`site`: clauses are compared with last month's runs of the program on as many units, at the site of --store or $"+siteVariable)
	if err := cmd.MarkFlagRequired("contract"); err != nil {
		panic(err) // a flag that was not defined above
	}
	flags.register(cmd)
	return cmd
}

func (a *app) check(ctx context.Context, name, file, baseline string, atSite bool, flags *wordFlags) (*analyze.Checked, error) {
	words, err := flags.words()
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	contract, err := fuzzy.ReadContract(file, data)
	if err != nil {
		return nil, err
	}
	if baseline != "" {
		contract.Baseline = baseline
	}
	d, err := a.dataset(name)
	if err != nil {
		return nil, err
	}
	open := a.dataset
	if atSite {
		contract.Baseline = "last month's runs at the site"
		open = func(string) (*analyze.Dataset, error) { return a.siteBaseline(ctx, d) }
	}
	checked, err := analyze.Check(d, words, contract, open)
	if err != nil {
		return nil, err
	}
	report.FillClauseWords(checked)
	return checked, nil
}
