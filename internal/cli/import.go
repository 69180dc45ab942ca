package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"auspex/ingest"
	"auspex/model"
	"auspex/report"
	"auspex/store"
	"auspex/training/kept"
)

type importFlags struct {
	name, format, factorsFrom string
	factors                   []string
	each, repeats, join       bool
	replace                   bool
	piped                     string // the file that holds what was piped in
}

func (a *app) importCommand() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:     "import PATH…",
		GroupID: "store",
		Short:   "Read profiles of other tools into the store",
		Long: `Read profiles into the store. The format is found from the content.

Several files or a directory make one experiment with many units where they
are parts of one run; profiles that differ in command, size of the job or
launch date, or that hold the same processes, become an experiment each. With
--each every profile does, with --join all are taken for one run, and with
--repeats they become one experiment with mean and spread. - reads a file from
standard input.

Formats: ` + formatList(),
		Example: `  auspex import 16.ppk --name gromacs-16
  auspex import runs.tgz --each --factors-from 'cap{cap}_{code}'
  auspex import run1 run2 run3 --repeats --name lulesh --factor cpus=8
  perf script | auspex import - --name solver`,
		Args: atLeast(1, "at least one file or directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if at := slices.Index(args, "-"); at >= 0 {
				return a.withStandardInput(func(file string) error {
					paths := slices.Clone(args)
					paths[at], f.piped = file, file
					return a.runImport(cmd.Context(), paths, f)
				})
			}
			return a.runImport(cmd.Context(), args, f)
		},
	}
	cmd.Flags().StringVar(&f.name, "name", "", "name of the experiment (default: from the file's name)")
	cmd.Flags().StringVar(&f.format, "format", "", "format, if the content does not show it")
	offerFound(cmd, "format", func([]string) (names []string) {
		for _, f := range ingest.Formats() {
			names = append(names, f.Name)
		}
		return names
	})
	cmd.Flags().StringArrayVar(&f.factors, "factor", nil, "factor `k=v`, a number or a word; repeatable")
	cmd.Flags().StringVar(&f.factorsFrom, "factors-from", "", "take factors from file or folder names, as in 'cap{cap}_{code}'")
	cmd.Flags().BoolVar(&f.each, "each", false, "one experiment for each profile found")
	cmd.Flags().BoolVar(&f.join, "join", false, "the profiles are parts of one run, whatever they say")
	cmd.Flags().BoolVar(&f.repeats, "repeats", false, "the profiles repeat one configuration: keep mean and spread")
	cmd.Flags().BoolVar(&f.replace, "replace", false, "replace an experiment of the same name")
	return cmd
}

// withStandardInput does something with a file that holds what is piped in.
func (a *app) withStandardInput(do func(file string) error) error {
	if in, isFile := a.in.(*os.File); isFile && term.IsTerminal(int(in.Fd())) {
		return usagef("- reads a profile from a pipe, and standard input is a terminal; as in: perf script | auspex import -")
	}
	dir, err := os.MkdirTemp("", "auspex-import-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "stdin")
	file, err := os.Create(name)
	if err == nil {
		_, err = io.Copy(file, a.in)
		err = errors.Join(err, file.Close())
	}
	if err == nil {
		err = do(name)
	}
	if err != nil {
		return renamedError{err, name}
	}
	return nil
}

const standardInput = "standard input"

// renamedError is an error that names a file where standard input is meant.
type renamedError struct {
	error
	file string
}

func (e renamedError) Error() string {
	return strings.ReplaceAll(e.error.Error(), e.file, standardInput)
}
func (e renamedError) Unwrap() error { return e.error }

func formatList() string {
	var names []string
	for _, f := range ingest.Formats() {
		names = append(names, fmt.Sprintf("\n  %-12s %s", f.Name, f.About))
	}
	return strings.Join(names, "")
}

// imported is what the command prints with --json.
type imported struct {
	Experiments []importedExperiment `json:"experiments"`
	Notes       []string             `json:"notes"`
}

type importedExperiment struct {
	Name    string `json:"name"`
	ID      string `json:"id"`
	Format  string `json:"format"`
	Units   int    `json:"units"`
	Regions int    `json:"regions"`
	Metrics int    `json:"metrics"`
	// Incomplete says what is known to be missing.
	Incomplete string `json:"incomplete,omitempty"`
}

func (a *app) runImport(ctx context.Context, paths []string, f importFlags) error {
	if f.each && f.repeats || f.each && f.join || f.repeats && f.join {
		return usagef("--each, --join and --repeats exclude each other")
	}
	var factors []model.Factor
	for _, text := range f.factors {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return usagef("--factor %q: write it as name=value", text)
		}
		factors = append(factors, model.NewFactor(key, value))
	}
	var pattern *ingest.NamePattern
	if f.factorsFrom != "" {
		var err error
		if pattern, err = ingest.ParseNamePattern(f.factorsFrom); err != nil {
			return usageError{err}
		}
	}
	if f.name != "" {
		if err := store.CheckName(f.name); err != nil {
			return usageError{err}
		}
	}
	// What is read is nearly all kept and holds few pointers: collecting
	// garbage often is cheap and keeps the peak near what is kept.
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	found, err := ingest.Find(paths, f.format)
	if err != nil {
		return err
	}
	defer found.Close()
	bar := a.startProgress("reading", totalSize(found.Sources))
	defer bar.stop()
	job := importJob{app: a, flags: f, factors: factors, pattern: pattern, bar: bar, result: imported{Experiments: []importedExperiment{}, Notes: []string{}}}
	job.result.Notes = append(job.result.Notes, found.Notes...)
	if err := job.run(ctx, found.Sources); err != nil {
		return err
	}
	bar.stop()
	return job.print(paths)
}

func (j *importJob) print(paths []string) error {
	if j.json {
		return j.printJSON(j.result)
	}
	const shown = 5
	for i, note := range j.result.Notes {
		if i == shown {
			fmt.Fprintf(j.err, "note: … and %d more\n", len(j.result.Notes)-shown)
			break
		}
		fmt.Fprintln(j.err, "note:", harmless(note))
	}
	p := j.page()
	for _, e := range j.result.Experiments {
		p.Line("imported %s: %s, %s, %s (%s)", p.Strong(e.Name), report.Counted(e.Units, "unit"), report.Counted(e.Regions, "region"), report.Counted(e.Metrics, "metric"), e.Format)
		if e.Incomplete != "" {
			p.Line("incomplete: %s", e.Incomplete)
		}
	}
	if n := len(j.result.Experiments); n == 1 {
		name := j.result.Experiments[0].Name
		p.Line("next: auspex %s %s", j.firstQuestion(name), quoteForShell(name))
	} else {
		p.Line("%d experiments; next: auspex ls", n)
	}
	return nil
}

func quoteForShell(s string) string {
	if !strings.ContainsAny(s, " '\"\\$`&|;<>()*?[]#~!") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// firstQuestion is the command that answers most of an experiment: of a training job
// who is late, or, of one rank, what its device did.
func (a *app) firstQuestion(name string) string {
	e, err := a.openStore().Get(name)
	if err != nil {
		return "show"
	}
	if late, err := kept.Stragglers(e); err == nil && late != nil && late.Slowdown != nil {
		return "stragglers"
	}
	if devices, err := kept.DevicesOf(e); err == nil && devices != nil {
		return "device"
	}
	return "show"
}
