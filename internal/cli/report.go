package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"auspex/web"
)

func (a *app) reportCommand() *cobra.Command {
	var output string
	var sources []string
	cmd := &cobra.Command{
		Use:     "report NAME…",
		GroupID: "look",
		Short:   "Write what the page shows of experiments as one file that opens anywhere",
		Long: `Write what the page shows of experiments, predictions and kept simulations as one
file: it opens from disk, needs no network and prints well.`,
		Example: `  auspex report before after -o report.html
  auspex report gromacs-16 -o report.html --source ~/src/gromacs`,
		Args:              atLeast(1, "at least one experiment"),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			notes, size, err := a.writeReport(cmd.Context(), args, output, sources)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string]any{"report": output, "bytes": size, "notes": append([]string{}, notes...)})
			}
			for _, note := range notes {
				fmt.Fprintln(a.err, "not in the report:", note)
			}
			a.page().Line("%s", output)
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "report.html", "file to write")
	cmd.Flags().StringArrayVar(&sources, "source", nil, "directory whose source files are shown (repeatable)")
	return cmd
}

// writeReport writes beside the place and renames, so that a file of the name
// is whole at any time.
func (a *app) writeReport(ctx context.Context, names []string, path string, sources []string) (notes []string, size int64, err error) {
	server, err := web.New(web.Config{Store: a.openStore(), Version: version, Sources: sources, Token: web.NewToken(), Defects: a.err})
	if err != nil {
		return nil, 0, err
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".auspex-report-")
	if err != nil {
		return nil, 0, err
	}
	defer os.Remove(file.Name()) // gone by then when all went well
	buffered := bufio.NewWriter(file)
	notes, err = server.WriteReport(ctx, buffered, names)
	if err := errors.Join(err, buffered.Flush(), file.Chmod(0o644), file.Close()); err != nil {
		return nil, 0, err
	}
	info, err := os.Stat(file.Name())
	if err != nil {
		return nil, 0, err
	}
	return notes, info.Size(), os.Rename(file.Name(), path)
}
