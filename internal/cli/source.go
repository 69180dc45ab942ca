package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"auspex/depend"
	"auspex/report"
	"auspex/source"
)

func (a *app) sourceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "source",
		GroupID: "predict",
		Short:   "Look at source code: what is in it, which loops are independent, what depends on what",
		Args:    exactly(0, "tree, loops or sdg"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	tree := &cobra.Command{
		Use:     "tree FILE…",
		Short:   "Show procedures, loops and MPI calls with their lines",
		Example: `  auspex source tree examples/laplace/laplace.c`,
		Args:    atLeast(1, "source files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := parseSources(cmd.Context(), args, "")
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
	var safety bool
	var cpp string
	var rules depend.Rules
	loops := &cobra.Command{
		Use:   "loops FILE…",
		Short: "Tell of every loop whether its iterations are independent, and why",
		Long: `Tell of every loop whether its iterations are independent, and why.

  independent  no iteration needs another one
  reduction    they meet only in sums, products, extremes and the like
  carried      an iteration may need what another one did
  unknown      not understood; counts as dependent

Files given together are one program: a call finds its procedure in any of
them. A call of what is in none of them may change anything.

With --cpp the files go through that compiler's preprocessor first, so that
loops made by macros are seen; lines are still those of the files.`,
		Example: `  auspex source loops examples/laplace/laplace.c
  auspex source loops --cpp 'mpicc -Iinclude' solver.c`,
		Args: atLeast(1, "source files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := parseSources(cmd.Context(), args, cpp)
			if err != nil {
				return err
			}
			program := depend.New(files...)
			list := []report.JudgedLoop{}
			for _, l := range program.Loops() {
				if !slices.Contains(args, l.File) {
					continue // of a header
				}
				judged := report.JudgedLoop{Loop: l}
				if safety || rules != (depend.Rules{}) {
					answer := program.Safe(l, rules)
					judged.Safety = &answer
				}
				list = append(list, judged)
			}
			if a.json {
				return a.printJSON(map[string]any{"loops": list})
			}
			a.page().SourceLoops(list)
			return nil
		},
	}
	loops.Flags().BoolVar(&safety, "safety", false, "also say whether the loop may be cut short without the rest of the program noticing")
	loops.Flags().StringVar(&cpp, "cpp", "", "expand macros with this compiler and its flags, such as 'mpicc -Iinclude'")
	loops.Flags().BoolVar(&rules.Strict, "strict", false, "may be cut short: only if iterations are independent, too (implies --safety)")
	loops.Flags().BoolVar(&rules.FixedCommunication, "assume-fixed-communication", false, "may be cut short: I vouch that communication in the loop is the same in every iteration (implies --safety)")
	cmd.AddCommand(tree, loops, a.sourceGraphCommand())
	return cmd
}

func (a *app) sourceGraphCommand() *cobra.Command {
	var dot bool
	var from string
	cmd := &cobra.Command{
		Use:   "sdg FILE…",
		Short: "Print the system dependence graph, or a slice of it",
		Long: `Print the system dependence graph: which statements decide whether others run
(control), which values go where (data), and what calls hand over (call, in,
out). --dot is for Graphviz.

With --slice, only what a line, or a variable on it, depends on. Without --dot
and --json the lines of the slice are shown.`,
		Example: `  auspex source sdg examples/laplace/laplace.c --dot | dot -Tsvg > laplace.svg
  auspex source sdg examples/laplace/laplace.c --slice 103:sum`,
		Args: atLeast(1, "source files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !dot && !a.json && from == "" {
				return usagef("auspex source sdg needs --dot, --json or --slice LINE[:VARIABLE]")
			}
			files, err := parseSources(cmd.Context(), args, "")
			if err != nil {
				return err
			}
			graph := depend.New(files...).Graph()
			if from != "" {
				if graph, err = sliceOf(graph, args[0], from); err != nil {
					return err
				}
			}
			switch {
			case a.json:
				return a.printJSON(graph)
			case dot:
				return graph.WriteDot(a.out)
			}
			a.page().SourceSlice(graph, files)
			return nil
		},
	}
	cmd.Flags().BoolVar(&dot, "dot", false, "print for Graphviz")
	cmd.Flags().StringVar(&from, "slice", "", "only what LINE[:VARIABLE] of the first file depends on")
	return cmd
}

// sliceOf reads LINE[:VARIABLE] and cuts the graph down to it.
func sliceOf(graph *depend.Graph, file, from string) (*depend.Graph, error) {
	number, variable, _ := strings.Cut(from, ":")
	line, err := strconv.Atoi(number)
	if err != nil || line < 1 {
		return nil, usagef("--slice takes LINE or LINE:VARIABLE, not %q", from)
	}
	var start []int
	for _, id := range graph.At(line, variable) {
		if graph.Nodes[id].File == file {
			start = append(start, id)
		}
	}
	switch {
	case len(start) > 0:
		return graph.Slice(start), nil
	case variable != "" && len(graph.At(line, "")) > 0:
		return nil, fmt.Errorf("line %d of %s neither reads nor writes %q", line, file, variable)
	}
	return nil, fmt.Errorf("no statement begins on line %d of %s", line, file)
}

// parseSources reads source files, through a preprocessor if cpp is not empty.
func parseSources(ctx context.Context, paths []string, cpp string) ([]*source.File, error) {
	var files []*source.File
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err == nil && cpp != "" {
			text, err = preprocess(ctx, cpp, path)
		}
		if err != nil {
			return nil, err
		}
		f, err := source.Parse(ctx, path, text, source.Options{Preprocessed: cpp != "", Language: headerOf(path)})
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// headerOf is the language of a header by its name. Builds compile none, so package
// source does not tell.
func headerOf(path string) source.Language {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".h":
		return source.C
	case ".hh", ".hpp", ".hxx", ".h++", ".tpp", ".ipp", ".cuh":
		return source.CXX
	}
	return source.Unknown
}

// preprocess expands the macros of a file with a compiler.
func preprocess(ctx context.Context, compiler, path string) ([]byte, error) {
	flags := " -E"
	if lang, _ := source.Detect(path); lang == source.Fortran {
		flags = " -cpp -E"
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", compiler+flags+` "$1"`, "sh", path)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s%s %s: %w\n%s", compiler, flags, path, err, bytes.TrimSpace(complaints.Bytes()))
	}
	if len(text) == 0 {
		return nil, fmt.Errorf("%s%s %s wrote nothing; give the compiler and its -I and -D flags without -o", compiler, flags, path)
	}
	return text, nil
}
