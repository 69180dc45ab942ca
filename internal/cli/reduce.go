package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"auspex/report"
	"auspex/rough"
)

func (a *app) reduceCommand() *cobra.Command {
	var decision string
	var ignore []string
	cmd := &cobra.Command{
		Use:     "reduce TABLE.csv",
		GroupID: "words",
		Short:   "Find out which attributes of a decision table decide, with rough sets: core, reducts, rules",
		Long: `Find out which attributes of a decision table decide, with rough sets. The table
is CSV: a line of names, then a line an object; - reads it from standard input.

A reduct is a smallest set of attributes that tells apart all rows with different
decisions that can be told apart; the core is what every reduct has.`,
		Example: `  auspex reduce processes.csv --decision kind --ignore process
  auspex reduce weather.csv`,
		Args: exactly(1, "one table"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := reduceTable(cmd.Context(), cmd.InOrStdin(), args[0], decision, ignore)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(r)
			}
			a.page().Reduction(r)
			return nil
		},
	}
	cmd.Flags().StringVar(&decision, "decision", "", "column that is to be explained (default: the last)")
	cmd.Flags().StringArrayVar(&ignore, "ignore", nil, "column to leave out, such as a name (repeatable)")
	return cmd
}

func reduceTable(ctx context.Context, stdin io.Reader, name, decision string, ignore []string) (*report.Reduction, error) {
	in := stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	sheet, err := rough.ReadSheet(in, decision, ignore)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	found, err := rough.Reduce(ctx, sheet.Table)
	if err != nil {
		return nil, err
	}
	rules, err := rough.Rules(sheet.Table, found.Chosen)
	if err != nil {
		return nil, err
	}
	return report.NewReduction(sheet, found, rules), nil
}
