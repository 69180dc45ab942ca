package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"auspex/web"
)

func (a *app) reportCommand() *cobra.Command {
	var output string
	var sources []string
	cmd := &cobra.Command{
		Use:     "report [NAME…]",
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

func (a *app) writeReport(ctx context.Context, names []string, path string, sources []string) (notes []string, size int64, err error) {
	server, err := web.New(web.Config{Store: a.openStore(), Version: version, Sources: sources, Token: web.NewToken(), Defects: a.err})
	if err != nil {
		return nil, 0, err
	}
	var written byteCount
	err = writeWhole(path, func(w io.Writer) error {
		notes, err = server.WriteReport(ctx, io.MultiWriter(w, &written), names)
		return err
	})
	return notes, int64(written), err
}

// byteCount counts the bytes that are written to it.
type byteCount int64

func (c *byteCount) Write(p []byte) (int, error) {
	*c += byteCount(len(p))
	return len(p), nil
}
