package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"auspex/instrument"
	"auspex/internal/pick"
	"auspex/source"
)

func (a *app) instrumentCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "instrument",
		GroupID: "measure",
		Short:   "Choose the functions and loops that auspex cc measures",
		Args:    exactly(0, "pick or list"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.pickCommand(), a.listRegionsCommand())
	return cmd
}

// choiceFlags say what is ticked to begin with.
type choiceFlags struct {
	regions          string
	minLines         int
	include, exclude []string
}

func (f *choiceFlags) define(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.regions, "regions", "", "functions, loops, all, or a filter `FILE` (default: functions and outer loops)")
	cmd.Flags().IntVar(&f.minLines, "min-lines", 0, fmt.Sprintf("leave smaller regions alone (default %d)", instrument.DefaultMinLines))
	cmd.Flags().StringArrayVar(&f.include, "include", nil, "only functions that fit the glob `FILE:FUNCTION`; repeatable")
	cmd.Flags().StringArrayVar(&f.exclude, "exclude", nil, "no function that fits the glob `FILE:FUNCTION`; repeatable")
}

func (f *choiceFlags) options() (instrument.Options, error) {
	options := instrument.Options{MinLines: f.minLines, Include: f.include, Exclude: f.exclude}
	err := chooseRegions(&options, f.regions)
	return options, err
}

func (a *app) pickCommand() *cobra.Command {
	var f choiceFlags
	var output string
	cmd := &cobra.Command{
		Use:   "pick DIR|FILE…",
		Short: "Tick regions in the terminal and write them as a filter file",
		Long: `Show the files, functions and loops below a directory as a tree. Ticked is what
auspex cc would measure, or what the filter file says if there is one already.

  space    tick or untick; on a file, all of it
  ↑ ↓      move, also k j, page up and down, home, end
  → ←      unfold and fold, also l h; + and - everything
  /        show only files and functions that hold a text; esc shows all again
  n, d     tick nothing, tick the default
  s, enter save and end
  q        end without saving

auspex cc --regions FILE then measures what was ticked and nothing else.`,
		Example: `  auspex instrument pick src
  make CC="auspex cc --regions $PWD/auspex.filter mpicc"`,
		Args: atLeast(1, "a directory or source files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			options, err := f.options()
			if err != nil {
				return err
			}
			return a.runPick(cmd.Context(), args, options, output)
		},
	}
	f.define(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "auspex.filter", "the filter `FILE` to write")
	return cmd
}

func (a *app) runPick(ctx context.Context, paths []string, options instrument.Options, output string) error {
	in, isFile := a.in.(*os.File)
	out, _ := a.out.(*os.File)
	if _, ok := terminal(a.out); !ok || !isFile || !term.IsTerminal(int(in.Fd())) || os.Getenv("TERM") == "dumb" {
		return usagef("auspex instrument pick needs a terminal\nwithout one, `auspex instrument list --rules %s > %s` writes the default choice, a rule a line, to be edited", strings.Join(paths, " "), output)
	}
	if _, err := os.Stat(output); err == nil && options.Filter == nil {
		if err := chooseRegions(&options, output); err != nil {
			return err
		}
	}
	files, err := a.outlines(ctx, paths, options)
	if err != nil {
		return err
	}
	m := pick.New(strings.Join(paths, " "), files)
	err = pick.Run(ctx, in, out, m, func() error { return writeRules(output, m, paths) })
	switch {
	case errors.Is(err, context.Canceled):
		return statusError{status: 130}
	case err != nil:
		return err
	case m.Saved():
		fmt.Fprintf(a.out, "%d regions are in %s; `auspex cc --regions %s COMPILER …` measures them\n", m.Ticked(), output, output)
	}
	return nil
}

// writeRules replaces the file in one step.
func writeRules(output string, m *pick.Model, paths []string) error {
	return writeWhole(output, func(w io.Writer) error { return m.WriteFilter(w, directoryName(paths)) })
}

// directoryName is the last part of where relative names begin.
func directoryName(paths []string) string {
	if dir, err := filepath.Abs(base(paths)); err == nil {
		return filepath.Base(dir)
	}
	return ""
}

// base is the directory that names are written from: the one that was given,
// or the current one.
func base(paths []string) string {
	if len(paths) == 1 {
		if info, err := os.Stat(paths[0]); err == nil && info.IsDir() {
			return paths[0]
		}
	}
	return "."
}

func (a *app) listRegionsCommand() *cobra.Command {
	var f choiceFlags
	var summary, rules bool
	cmd := &cobra.Command{
		Use:     "list DIR|FILE…",
		Aliases: []string{"plan"},
		Short:   "List what could be measured, what is chosen, and why the rest is not",
		Example: `  auspex instrument list src
  auspex instrument list --summary src
  auspex instrument list --rules src > auspex.filter`,
		Args: atLeast(1, "a directory or source files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			options, err := f.options()
			if err != nil {
				return err
			}
			a.leaveShort(&options)
			files, err := a.outlines(cmd.Context(), args, options)
			if err != nil {
				return err
			}
			atLeastLines := options.MinLines
			if atLeastLines == 0 {
				atLeastLines = instrument.DefaultMinLines
			}
			counts := instrument.Count(files, atLeastLines)
			switch {
			case rules:
				return pick.New("", files).WriteFilter(a.out, directoryName(args))
			case a.json && summary:
				return a.printJSON(map[string]any{"languages": counts})
			case a.json:
				return a.printJSON(map[string]any{"files": files, "languages": counts})
			case summary:
				a.page().Regions(counts, atLeastLines)
			default:
				a.page().RegionTree(files)
			}
			return nil
		},
	}
	f.define(cmd)
	cmd.Flags().BoolVar(&summary, "summary", false, "only count, by language")
	cmd.Flags().BoolVar(&rules, "rules", false, "print the choice as a filter file")
	cmd.MarkFlagsMutuallyExclusive("summary", "rules")
	return cmd
}

// outlines reads all sources in the given places. Files keep the names by
// which they were found, or, below the one directory given, from there on. A
// file that cannot be read is named and left out.
func (a *app) outlines(ctx context.Context, paths []string, options instrument.Options) ([]*instrument.Outline, error) {
	sources, err := findSources(ctx, paths)
	if err != nil {
		return nil, err
	}
	if len(sources) == 0 {
		return nil, fmt.Errorf("no C, C++ or Fortran sources in %s", strings.Join(paths, " "))
	}
	from := base(paths)
	bar := a.startProgress("reading sources", int64(len(sources)))
	defer bar.stop()
	result := make([]*instrument.Outline, len(sources))
	problems := make([]error, len(sources))
	var workers sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				result[i], problems[i] = outline(ctx, from, sources[i], options)
				bar.add(1)
			}
		})
	}
	for i := range sources {
		next <- i
	}
	close(next)
	workers.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var files []*instrument.Outline
	for i, o := range result {
		if problems[i] != nil {
			fmt.Fprintln(a.err, "auspex:", problems[i])
			continue
		}
		files = append(files, o)
	}
	return files, nil
}

func outline(ctx context.Context, from, path string, options instrument.Options) (*instrument.Outline, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	name := path
	if below, err := filepath.Rel(from, path); err == nil && !strings.HasPrefix(below, "..") {
		name = filepath.ToSlash(below)
	}
	parsed, err := source.Parse(ctx, name, text, source.Options{OpenMP: true})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if options.Path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	return instrument.NewOutline(parsed, options), nil
}

// findSources gives the files named and the sources below the directories
// named, but for hidden ones.
func findSources(ctx context.Context, paths []string) ([]string, error) {
	var list []string
	for _, root := range paths {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			hidden := strings.HasPrefix(entry.Name(), ".") && path != root && entry.Name() != ".."
			language, _ := source.Detect(path)
			switch {
			case entry.IsDir() && hidden:
				return filepath.SkipDir
			case entry.Type()&fs.ModeSymlink != 0 && path != root:
				return nil // the file it leads to is found where it lies
			case !entry.IsDir() && (path == root || !hidden && language != source.Unknown):
				list = append(list, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}
