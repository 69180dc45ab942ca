package cli

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"auspex/ingest"
	"auspex/model"
	"auspex/report"
	"auspex/store"
)

type importFlags struct {
	name, format, factorsFrom string
	factors                   []string
	each, repeats, join       bool
	replace                   bool
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
--repeats they become one experiment with mean and spread.

Formats: ` + formatList(),
		Example: `  auspex import 16.ppk --name gromacs-16
  auspex import runs.tgz --each --factors-from 'cap{cap}_{code}'
  auspex import run1 run2 run3 --repeats --name lulesh --factor cpus=8`,
		Args: atLeast(1, "at least one file or directory"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runImport(cmd.Context(), args, f) },
	}
	cmd.Flags().StringVar(&f.name, "name", "", "name of the experiment (default: from the file's name)")
	cmd.Flags().StringVar(&f.format, "format", "", "format, if the content does not show it")
	cmd.Flags().StringArrayVar(&f.factors, "factor", nil, "factor `k=v`, a number or a word; repeatable")
	cmd.Flags().StringVar(&f.factorsFrom, "factors-from", "", "take factors from file or folder names, as in 'cap{cap}_{code}'")
	cmd.Flags().BoolVar(&f.each, "each", false, "one experiment for each profile found")
	cmd.Flags().BoolVar(&f.join, "join", false, "the profiles are parts of one run, whatever they say")
	cmd.Flags().BoolVar(&f.repeats, "repeats", false, "the profiles repeat one configuration: keep mean and spread")
	cmd.Flags().BoolVar(&f.replace, "replace", false, "replace an experiment of the same name")
	return cmd
}

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
	}
	if n := len(j.result.Experiments); n == 1 {
		p.Line("next: auspex show %s", quoteForShell(j.result.Experiments[0].Name))
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
