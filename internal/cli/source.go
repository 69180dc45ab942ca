package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"auspex/depend"
	"auspex/report"
	"auspex/source"
)

func (a *app) sourceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "source",
		GroupID: "predict",
		Short:   "Look at source code: what is in it, which loops are independent",
		Args:    exactly(0, "tree or loops"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	tree := &cobra.Command{
		Use:     "tree FILE…",
		Short:   "Show procedures, loops and MPI calls with their lines",
		Example: `  auspex source tree examples/laplace/laplace.c`,
		Args:    atLeast(1, "source files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := parseSources(cmd.Context(), args)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string]any{"files": report.SourceTree(files)})
			}
			a.page().SourceTree(report.SourceTree(files))
			return nil
		},
	}
	loops := &cobra.Command{
		Use:   "loops FILE…",
		Short: "Tell of every loop whether its iterations are independent, and why",
		Long: `Tell of every loop whether its iterations are independent, and why.

  independent  no iteration needs another one
  reduction    they meet only in sums, products, extremes and the like
  carried      an iteration may need what another one did
  unknown      not understood; counts as dependent

Files given together are one program: a call finds its procedure in any of
them. A call of what is in none of them may change anything.`,
		Example: `  auspex source loops examples/laplace/laplace.c`,
		Args:    atLeast(1, "source files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := parseSources(cmd.Context(), args)
			if err != nil {
				return err
			}
			list := depend.New(files...).Loops()
			if a.json {
				return a.printJSON(map[string]any{"loops": append([]depend.Loop{}, list...)})
			}
			a.page().SourceLoops(list)
			return nil
		},
	}
	cmd.AddCommand(tree, loops)
	return cmd
}

func parseSources(ctx context.Context, paths []string) ([]*source.File, error) {
	var files []*source.File
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		f, err := source.Parse(ctx, path, text, source.Options{})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		files = append(files, f)
	}
	return files, nil
}
