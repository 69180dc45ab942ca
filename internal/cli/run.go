package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"auspex/analyze"
	"auspex/analyze/diagnose"
	"auspex/fuzzy"
	"auspex/ingest"
	"auspex/launch"
	"auspex/model"
	"auspex/probe/counters"
	"auspex/report"
	"auspex/store"
	"auspex/whatif/kept"
)

type runFlags struct {
	name    string
	factors []string
	repeat  int
	replace bool
	keep    bool
	trace   string
	sample  time.Duration
	stacks  float64
	budget  string
	counted []string
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:     "run [flags] -- COMMAND…",
		GroupID: "measure",
		Short:   "Run a program, measure it, store the experiment",
		Long: `Run a command with the measurement runtime preloaded into the processes it
starts, and store what they measured. What the program reads and prints is its
own affair; the exit status is the program's. A program compiled with auspex cc
is measured by functions and loops, any other by its MPI calls and the
computation between them. A run in which ranks died is stored too, and says so.`,
		Example: `  auspex run -- mpirun -n 8 ./solver input.dat
  auspex run --name base --repeat 5 -- mpirun -n 8 ./solver input.dat
  auspex run -- ./sequential`,
		Args: atLeast(1, "a command"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runRun(cmd.Context(), args, f) },
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().StringVar(&f.name, "name", "", "name of the experiment (default: the program's, with a number where it is taken)")
	cmd.Flags().StringArrayVar(&f.factors, "factor", nil, "factor `k=v`, a number or a word; repeatable")
	cmd.Flags().IntVar(&f.repeat, "repeat", 1, "run N times into one experiment with mean and spread")
	cmd.Flags().BoolVar(&f.replace, "replace", false, "replace an experiment of the same name")
	cmd.Flags().StringVar(&f.trace, "trace", "", "also record the event trace and keep it with the experiment, for waits, efficiency and whatif; or into this `FILE`, for auspex simulate")
	cmd.Flags().Lookup("trace").NoOptDefVal = withExperiment
	cmd.Flags().DurationVar(&f.sample, "sample", 0, "also note each node's CPU utilisation at this interval, as cpu.csv in the experiment's directory")
	cmd.Flags().Float64Var(&f.stacks, "sample-stacks", 1000, "samples of each thread's call stack per second of CPU time; 0 for none")
	cmd.Flags().StringVar(&f.budget, "overhead", "2%", "share of the run that probes may take; regions that take more are switched off; 0 for no bound")
	cmd.Flags().StringSliceVar(&f.counted, "counters", nil, "hardware counters `NAME,…`, ours or PAPI's (default: "+strings.Join(counters.Default, ",")+", as far as there are)")
	cmd.Flags().BoolVar(&f.keep, "keep", false, "keep the files that the processes wrote")
	return cmd
}

func (a *app) runRun(ctx context.Context, command []string, f runFlags) error {
	command = f.traceFile(command)
	if len(command) == 0 {
		return usagef("run needs a command")
	}
	if strings.HasPrefix(command[0], "-") && f.trace != "" {
		return usagef("%s stands where the command begins: write run's flags before --trace FILE, or --trace=FILE", command[0])
	}
	if f.repeat < 1 {
		return usagef("--repeat needs a number from 1 on, not %d", f.repeat)
	}
	if f.stacks < 0 || f.stacks > 20000 {
		return usagef("--sample-stacks needs a rate from 0 to 20000 in a second, not %g", f.stacks)
	}
	if _, _, err := (counters.Processor{}).Choose(f.counted); err != nil {
		return usageError{fmt.Errorf("--counters: %w", err)}
	}
	if f.repeat > 1 && f.trace != "" && f.trace != withExperiment {
		return usagef("--trace FILE is of one run: leave --repeat or the file out")
	}
	var factors []model.Factor
	for _, text := range f.factors {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return usagef("--factor %q: write it as name=value", text)
		}
		factors = append(factors, model.NewFactor(key, value))
	}
	s := a.openStore()
	if f.name != "" {
		if err := store.CheckName(f.name); err != nil {
			return usageError{err}
		}
		if _, err := s.Get(f.name); err == nil && !f.replace {
			return fmt.Errorf("%w: %s; choose another with --name, or give --replace", store.ErrExists, f.name)
		}
	}
	var runs []*model.Experiment
	var last *launch.Result
	var traces keptTraces
	for range f.repeat {
		result, err := a.measure(ctx, s.Dir(), command, f, &traces)
		if err != nil && result != nil {
			return a.unmeasured(result.Status, err)
		}
		if err != nil {
			return err
		}
		runs, last = append(runs, result.Experiment), result
		if result.Status != 0 || ctx.Err() != nil {
			break // it failed, or was interrupted and saw to that itself
		}
	}
	e := runs[0]
	if short := len(runs) < f.repeat; short && last.Status != 0 {
		e.Notes = append(e.Notes, fmt.Sprintf("%d of %d runs were made: the last ended with status %d", len(runs), f.repeat, last.Status))
	} else if short {
		e.Notes = append(e.Notes, fmt.Sprintf("%d of %d runs were made: the last was interrupted", len(runs), f.repeat))
	} else if last.Status != 0 && e.Incomplete == "" { // who died is told there
		e.Notes = append(e.Notes, fmt.Sprintf("the command ended with status %d: it may not have done all of its work", last.Status))
	}
	if len(runs) > 1 {
		var err error
		if e, err = ingest.Repeats(runs); err != nil {
			return a.unmeasured(last.Status, errors.Join(err, a.keepEach(s, runs, factors, f)))
		}
	}
	for _, factor := range factors {
		e.SetFactor(factor)
	}
	if f.name != "" {
		e.Name = f.name
	}
	if err := putUnderFreeName(s, e, f, append(samples(last.Samples), traces.attachment()...)); err != nil {
		return a.unmeasured(last.Status, err)
	}
	if note := keepShort(s, e, last.TooShort); note != "" {
		e.Notes = append(e.Notes, note)
	}
	if err := a.tellRun(ctx, e, last.Status); err != nil {
		return err
	}
	if last.Status != 0 {
		return exitError(last.Status)
	}
	return nil
}

// keepEach stores runs that do not make one experiment together: what was
// measured is not thrown away.
func (a *app) keepEach(s *store.Store, runs []*model.Experiment, factors []model.Factor, f runFlags) error {
	base := runs[0].Name
	if f.name != "" {
		base = f.name
	}
	var names []string
	for i, e := range runs {
		for _, factor := range factors {
			e.SetFactor(factor)
		}
		e.Name = fmt.Sprintf("%s-run%d", base, i+1)
		if err := putUnderFreeName(s, e, runFlags{}, nil); err != nil {
			return err
		}
		names = append(names, e.Name)
	}
	return fmt.Errorf("the runs are kept apart: %s", strings.Join(names, ", "))
}

// samples is the CPU utilisation of nodes as a table, nothing where none was
// taken.
func samples(list []launch.Sample) []store.Attachment {
	if len(list) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("node,seconds,busy\n")
	for _, sample := range list {
		fmt.Fprintf(&b, "%s,%.3f,%.4f\n", sample.Node, sample.At.Seconds(), sample.Busy)
	}
	return []store.Attachment{{Name: "cpu.csv", Data: []byte(b.String())}}
}

// measure runs the command once.
func (a *app) measure(ctx context.Context, storeDir string, command []string, f runFlags, traces *keptTraces) (result *launch.Result, err error) {
	runner := launch.Runner{Command: command, Cache: cacheDir(), Sample: f.sample, StackRate: f.stacks, Counters: f.counted, Foreground: true, In: a.in, Out: a.out, Err: a.err}
	parent := filepath.Join(storeDir, "running")
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return runner.Plain(ctx, err)
	}
	dir, err := os.MkdirTemp(parent, "run-")
	if err != nil {
		return runner.Plain(ctx, err)
	}
	if !f.keep {
		defer os.RemoveAll(dir)
	}
	if f.trace == withExperiment {
		f.trace = filepath.Join(dir, kept.TraceName)
		defer func() { traces.add(f.trace, result) }()
	}
	if runner.Overhead, err = share("--overhead", f.budget); err != nil {
		return nil, err
	}
	runner.Dir, runner.Trace = dir, f.trace
	result, err = runner.Run(ctx)
	if err == nil && f.trace != "" && asynchronousPeers(result.Experiment) {
		result.Experiment.Notes = append(result.Experiment.Notes, "no trace is kept: messages of which the newest wins are not in it, and how many iterations peers make depends on their delays; auspex p2p predict replays such runs")
		err = os.Remove(f.trace)
	}
	return result, err
}

// asynchronousPeers tells whether a run had messages of which the newest wins, as
// the library of P2PSAP tells the probe: no trace describes it.
func asynchronousPeers(e *model.Experiment) bool {
	mpi, ok := e.Factor("mpi")
	return ok && mpi.Word == "P2PSAP asynchronous"
}

// unmeasured says why a program that ran has left no experiment. The exit status
// is the program's all the same: it did its work.
func (a *app) unmeasured(status int, why error) error {
	words := why.Error()
	if !strings.HasPrefix(words, "nothing was measured") {
		words = "not measured: " + words
	}
	if a.json {
		if err := a.printJSON(ran{Status: status, Notes: []string{words}}); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(a.err, "auspex:", words)
	}
	if status != 0 {
		return exitError(status)
	}
	return nil
}

// share reads a part of the whole, as 2% or 0.02.
func share(flag, text string) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0 && v <= 1) {
		return 0, usagef("%s %q: write a share such as 2%%", flag, text)
	}
	return v, nil
}

// putUnderFreeName stores an experiment; one that the user did not name gets
// a number where its program's name is taken.
func putUnderFreeName(s *store.Store, e *model.Experiment, f runFlags, attached []store.Attachment) error {
	base := e.Name
	for n := 2; ; n++ {
		err := analyze.Put(s, e, f.replace && f.name != "", attached...)
		if f.name != "" || !errors.Is(err, store.ErrExists) {
			return err
		}
		e.Name = fmt.Sprintf("%s-%d", base, n)
	}
}

// ran is what the command prints with --json.
type ran struct {
	Name       string   `json:"name"`
	ID         string   `json:"id"`
	Status     int      `json:"status"`
	Units      int      `json:"units"`
	Regions    int      `json:"regions"`
	Runs       int      `json:"runs"`
	Incomplete string   `json:"incomplete"`
	Notes      []string `json:"notes"`
	Words      string   `json:"words"`
}

// tellRun says what was measured, on standard error: standard output is the
// program's.
func (a *app) tellRun(ctx context.Context, e *model.Experiment, status int) error {
	told := ran{Name: e.Name, ID: e.ID, Status: status, Units: len(e.Units), Regions: len(e.Regions), Runs: max(e.Runs, 1),
		Incomplete: e.Incomplete, Notes: append([]string{}, e.Notes...), Words: a.diagnosis(ctx, e)}
	if a.json {
		return a.printJSON(told)
	}
	p := &report.Page{Out: forPeople(a.err)}
	p.Line("auspex: measured %s: %s, %s; next: auspex show %[1]s", quoteForShell(e.Name), report.Counted(len(e.Units), "unit"), report.Counted(len(e.Regions), "region"))
	if e.Incomplete != "" {
		p.Line("auspex: incomplete: %s", e.Incomplete)
	}
	for _, note := range e.Notes {
		p.Line("auspex: note: %s", note)
	}
	if told.Words != "" {
		p.Paragraph(told.Words)
	}
	return nil
}

// diagnosis says in words what is wrong with an experiment, nothing where it
// cannot be told. One that is at hand is not read again.
func (a *app) diagnosis(ctx context.Context, e *model.Experiment) string {
	stored := func() (*store.Experiment, error) { return a.experiment(e.Name) }
	words := analyze.Words{Vocabulary: new(fuzzy.Vocabulary)} // they compare units
	if len(e.Units) > 1 {
		words = analyze.ShippedWords()
	}
	d, ok := analyze.InMemory(e)
	if !ok {
		again, err := stored()
		if err != nil {
			return ""
		}
		if d, err = analyze.Open(again); err != nil {
			return ""
		}
	}
	found, err := diagnose.Run(ctx, d, words, diagnose.Options{})
	if err != nil {
		return ""
	}
	var answers *kept.Answers
	if found, err = withTrace(ctx, found, func() (*kept.Answers, error) {
		again, err := stored()
		answers = kept.AnswersOf(again)
		return answers, err
	}); err != nil {
		return ""
	}
	if answers != nil {
		answers.Prepare(ctx)
	}
	return report.DiagnosisWords(found)
}
