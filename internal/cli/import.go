package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"auspex/ingest"
	"auspex/model"
	"auspex/store"
)

type importFlags struct {
	name, format, factorsFrom string
	factors                   []string
	each, repeats, replace    bool
}

func (a *app) importCommand() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:     "import PATH…",
		GroupID: "store",
		Short:   "Read profiles of other tools into the store",
		Long: `Read profiles into the store. The format is found from the content.

Several files or a directory make one experiment with many units; with --each
every profile becomes an experiment of its own, and with --repeats they become
one experiment with mean and spread.

Formats: ` + formatList(),
		Example: `  auspex import 16.ppk --name gromacs-16
  auspex import runs.tgz --each --factors-from 'cap{cap}_{code}'
  auspex import run1 run2 run3 --repeats --name lulesh --factor cpus=8`,
		Args: atLeast(1, "at least one file or directory"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runImport(cmd.Context(), args, f) },
	}
	cmd.Flags().StringVar(&f.name, "name", "", "name of the experiment (default: from the file's name)")
	cmd.Flags().StringVar(&f.format, "format", "", "format, where the content does not tell")
	cmd.Flags().StringArrayVar(&f.factors, "factor", nil, "factor `k=v`, a number or a word; may be given again")
	cmd.Flags().StringVar(&f.factorsFrom, "factors-from", "", "take factors from file or folder names, as in 'cap{cap}_{code}'")
	cmd.Flags().BoolVar(&f.each, "each", false, "one experiment for each profile found")
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
	if f.each && f.repeats {
		return usagef("--each and --repeats exclude each other")
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

type importJob struct {
	*app
	flags   importFlags
	factors []model.Factor
	pattern *ingest.NamePattern
	bar     *progressBar
	matched int // sources whose name fitted the pattern
	result  imported
}

func (j *importJob) run(ctx context.Context, sources []*ingest.Source) error {
	var parts []*model.Experiment
	for _, src := range sources {
		if err := ctx.Err(); err != nil {
			return err
		}
		src.Progress = j.bar.add
		part, err := ingest.Read(ctx, src)
		if err != nil {
			return err
		}
		j.nameFactors(part, src)
		if !j.flags.each {
			parts = append(parts, part)
			continue
		}
		if j.flags.name != "" && len(sources) > 1 {
			part.Name = j.flags.name + "-" + src.Label
		} else if j.flags.name != "" {
			part.Name = j.flags.name
		}
		if err := j.put(part); err != nil {
			return err
		}
	}
	if j.pattern != nil && j.matched == 0 {
		return usagef("no file or folder name fits --factors-from %q; the first is %s", j.flags.factorsFrom, sources[0].Given)
	}
	if j.flags.each {
		return nil
	}
	whole, err := combine(parts, j.flags.repeats)
	if err != nil {
		return err
	}
	if j.flags.name != "" {
		whole.Name = j.flags.name
	} else if len(sources) > 1 {
		whole.Name = commonName(sources)
	}
	attached, err := trainingAttachment(ctx, sources)
	if err != nil {
		return err
	}
	return j.put(whole, attached...)
}

func combine(parts []*model.Experiment, repeats bool) (*model.Experiment, error) {
	if repeats {
		return ingest.Repeats(parts)
	}
	return ingest.Join(parts)
}

func (j *importJob) nameFactors(e *model.Experiment, src *ingest.Source) {
	if j.pattern == nil {
		return
	}
	factors, err := j.pattern.Factors(src.Given)
	if err != nil {
		j.result.Notes = append(j.result.Notes, err.Error())
		return
	}
	j.matched++
	for _, factor := range factors {
		e.SetFactor(factor)
	}
}

func (j *importJob) put(e *model.Experiment, attached ...store.Attachment) error {
	for _, factor := range j.factors {
		e.SetFactor(factor)
	}
	if err := j.openStore().Put(e, j.flags.replace, attached...); err != nil {
		if errors.Is(err, store.ErrExists) {
			return fmt.Errorf("%w; choose another with --name, or give --replace", err)
		}
		return err
	}
	j.result.Experiments = append(j.result.Experiments, importedExperiment{
		Name: e.Name, ID: e.ID, Format: e.Format, Units: len(e.Units), Regions: len(e.Regions), Metrics: len(e.Metrics),
	})
	j.result.Notes = append(j.result.Notes, e.Notes...)
	return nil
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
		fmt.Fprintln(j.err, "note:", note)
	}
	p := j.page()
	for _, e := range j.result.Experiments {
		p.Line("imported %s: %d units, %d regions, %d metrics (%s)", p.Strong(e.Name), e.Units, e.Regions, e.Metrics, e.Format)
	}
	if n := len(j.result.Experiments); n == 1 {
		p.Line("next: auspex show %s", quoteForShell(j.result.Experiments[0].Name))
	} else {
		p.Line("%d experiments; next: auspex ls", n)
	}
	return nil
}

// commonName names an experiment of many files after the folder they share.
func commonName(sources []*ingest.Source) string {
	dir := filepath.Dir(sources[0].Given)
	for _, src := range sources[1:] {
		for !strings.HasPrefix(src.Given+"/", dir+"/") && dir != "." && dir != "/" {
			dir = filepath.Dir(dir)
		}
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return filepath.Base(dir)
}

func totalSize(sources []*ingest.Source) int64 {
	var total int64
	for _, src := range sources {
		filepath.Walk(src.Path, func(_ string, info os.FileInfo, err error) error {
			if err == nil && info.Mode().IsRegular() {
				total += info.Size()
			}
			return nil
		})
	}
	return total
}

func quoteForShell(s string) string {
	if !strings.ContainsAny(s, " '\"\\$`&|;<>()*?[]#~!") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
