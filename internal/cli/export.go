package cli

import (
	"io"

	"github.com/spf13/cobra"

	"auspex/longtable"
)

func (a *app) exportCommand() *cobra.Command {
	var to, output string
	cmd := &cobra.Command{
		Use:     "export [EXPERIMENT]",
		GroupID: "store",
		Short:   "Write an experiment as a long table",
		Example: `  auspex export gromacs-16 --to csv > gromacs-16.csv
  auspex export gromacs-16 --to parquet -o gromacs-16.parquet`,
		Args:              exactly(1, "one experiment"),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			format := longtable.Format(to)
			switch format {
			case longtable.CSV, longtable.JSONL, longtable.Parquet:
			default:
				return usagef("--to takes csv, jsonl or parquet, not %q", to)
			}
			if _, isTerminal := terminal(a.out); isTerminal && output == "" && format == longtable.Parquet {
				return usagef("Parquet is not for a terminal: give -o FILE or a pipe")
			}
			stored, err := a.experiment(args[0])
			if err != nil {
				return err
			}
			whole, err := stored.Load()
			if err != nil {
				return err
			}
			write := func(w io.Writer) error { return longtable.Write(cmd.Context(), w, whole, format) }
			if output == "" {
				return write(a.out)
			}
			if err := writeWhole(output, write); err != nil || !a.json {
				return err
			}
			return a.printJSON(map[string]any{"experiment": stored.Name, "to": to, "file": output})
		},
	}
	cmd.Flags().StringVar(&to, "to", "csv", "csv, jsonl or parquet")
	offer(cmd, "to", "csv", "jsonl", "parquet")
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write (default: standard output)")
	return cmd
}
