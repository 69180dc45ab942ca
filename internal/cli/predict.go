package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"auspex/platform"
	"auspex/predict"
	"auspex/replay"
	"auspex/report"
	"auspex/store"
)

type predictFlags struct {
	platforms               []string
	hostfile, source        string
	build, run              string
	counts, levels          string
	extrapolate             string
	settle, whole           time.Duration
	method, speed           string
	config                  []string
	runs, validateRuns      int
	epsilon                 float64
	strict, fixed, validate bool
	alone                   bool
	cpp, paper              bool
	vouched                 []string
	validateCommand         string
	cores, input, name      string
	replace                 bool
	timeout                 time.Duration
	signatureFlags
}

func (a *app) predictCommand() *cobra.Command {
	var f predictFlags
	cmd := &cobra.Command{
		Use:     "predict --platform FILE --build COMMAND --run COMMAND",
		GroupID: "predict",
		Short:   "Predict how long a program takes on other machines",
		Long: `Build a program in a copy of its source for every compiler level, run it here
for every number of processes while what it computes and sends is recorded, and
replay that on every platform.

The threshold method cuts loops short where the rest of the program does not
notice, and estimates what their other iterations take. Whatever such a run prints
is wrong and not shown. auto does so where it may and measures all else whole.`,
		Example: `  auspex predict --platform site1.xml --np 2,4,8,16 --opt 0,1,2,3,s \
      --build 'mpicc -O{opt} is.c -o is' --run 'mpirun -n {np} ./is'
  auspex predict --platform a.xml --platform b.xml --build 'make CFLAGS=-O{opt}' --run ./laplace`,
		Args: exactly(0, "no arguments, only flags"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.runPredict(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.platforms, "platform", nil, "platform file; repeatable (required)")
	flags.StringVar(&f.build, "build", "", "build command; {opt} stands for the level, {np} for the number of processes (required)")
	flags.StringVar(&f.run, "run", "", "run command; {np} stands for the number of processes (required)")
	flags.StringVar(&f.counts, "np", "1", "numbers of processes, with commas")
	flags.StringVar(&f.extrapolate, "extrapolate", "", "further numbers of processes, which are not run: made of those of --np, where the program lets one see how")
	flags.StringVar(&f.levels, "opt", "2", "compiler levels, with commas: 0, 1, 2, 3, s, or others the compiler knows after -O")
	flags.StringVar(&f.method, "method", "auto", "simple, threshold or auto")
	offer(cmd, "method", string(predict.Auto), string(predict.Simple), string(predict.Threshold))
	flags.StringVar(&f.source, "source", ".", "the source tree; commands run at its top, in a copy")
	flags.StringVar(&f.hostfile, "hostfile", "", "where the ranks run, a host or host:n a line (default: every host in turn)")
	flags.StringArrayVar(&f.config, "cfg", nil, "SimGrid option `key:value` for the replay; repeatable")
	flags.StringVar(&f.speed, "reference-speed", "", "flop/s that this machine counts as (default: the first platform's first host)")
	f.signatureFlags.define(flags)
	flags.IntVar(&f.runs, "runs", predict.AFew, "traces taken of each level and number of processes; their median counts (default: 3 of a program of seconds, up to 7 where they differ)")
	flags.Lookup("runs").DefValue = "0" // which the help leaves out: the text says it
	flags.BoolVar(&f.alone, "alone", false, "measure computation of one rank of each kind run alone, with what MPI gave it among all: where more ranks run here than there are cores")
	flags.Float64Var(&f.epsilon, "epsilon", 2, "how closely, in per cent, the time of an iteration must have settled before its loop is cut short")
	flags.DurationVar(&f.settle, "settle", time.Second, "how long a loop is watched at least before it is cut short")
	flags.DurationVar(&f.whole, "whole", 20*time.Second, "measure all of a program that ends within this time, with --method auto")
	flags.BoolVar(&f.strict, "strict", false, "cut only loops with independent iterations short")
	flags.BoolVar(&f.fixed, "assume-fixed-communication", false, "vouch that sizes of messages that a loop computes stay those of its first iteration")
	flags.BoolVar(&f.cpp, "cpp", true, "read C and C++ sources as the compiler's preprocessor gives them, so that loops and calls in macros are seen")
	flags.StringArrayVar(&f.vouched, "vouch", nil, "cut the loop at `FILE:LINE` short on your word, whatever the analysis says; its last iteration is run, too; repeatable")
	flags.BoolVar(&f.paper, "paper", false, "the threshold rule in the paper's form (equations 1 to 4): the mean of all iterations from the first on")
	flags.BoolVar(&f.validate, "validate", false, "also run the program as it is, and report the error")
	flags.IntVar(&f.validateRuns, "validate-runs", 1, "how many times; the median counts")
	flags.StringVar(&f.validateCommand, "validate-command", "", "run this there instead of --run; {platform} stands for the platform file")
	flags.StringVar(&f.cores, "pin", "", "keep runs to these processors, as taskset lists them: 0,1")
	flags.StringVar(&f.input, "stdin", "", "file that every run reads (a program that reads is refused without)")
	flags.DurationVar(&f.timeout, "timeout", 0, "end a run that takes longer")
	flags.StringVar(&f.name, "name", "", "keep the predictions in the store under this name")
	flags.BoolVar(&f.replace, "replace", false, "replace predictions of the same name")
	return cmd
}

func (a *app) runPredict(ctx context.Context, f predictFlags) error {
	r, err := a.predictRequest(f)
	if err != nil {
		return err
	}
	var replays []*replay.Record
	var kept *store.Store
	if f.name != "" {
		var release func()
		if kept, release, err = a.claim(store.Predictions, f.name, f.replace); err != nil {
			return err
		}
		defer release()
		r.Watch = watchReplays(f.name, &replays)
	}
	found, err := predict.Run(ctx, r)
	if errors.As(err, new(predict.Misuse)) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	report.FillPredictionWords(found)
	if f.name != "" {
		for _, k := range replays { // in place of what an earlier prediction of the name left
			if err := kept.PutSimulation(k, true); err != nil {
				return err
			}
		}
		if err := keepPrediction(kept, f, found); err != nil {
			return err
		}
	}
	if a.json {
		return a.printJSON(found)
	}
	a.page().Predictions(found)
	return nil
}

// keepPrediction stores a report under the name that was given.
func keepPrediction(s *store.Store, f predictFlags, r *predict.Report) error {
	body, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return s.PutPrediction(&store.Prediction{Name: f.name, Created: time.Now().UTC(), Body: body}, f.replace)
}

// storedPrediction reads a report from the store.
func (a *app) storedPrediction(name string) (*predict.Report, *store.Prediction, error) {
	p, err := a.openStore().Prediction(name)
	if err != nil {
		return nil, nil, err
	}
	r := &predict.Report{}
	if err := json.Unmarshal(p.Body, r); err != nil || len(r.Predictions) == 0 {
		return nil, nil, fmt.Errorf("the prediction %q is damaged; remove it with `auspex rm`", name)
	}
	return r, p, nil
}

// showPrediction shows a prediction, if there is one of the name and no
// experiment.
func (a *app) showPrediction(name string) (shown bool, err error) {
	if _, err := a.openStore().Get(name); !errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	r, _, err := a.storedPrediction(name)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return false, nil
	case err != nil:
		return false, err
	case a.json:
		return true, a.printJSON(r)
	}
	a.page().Predictions(r)
	return true, nil
}

// listPredictions lists what the store holds of them.
func (a *app) listPredictions() error {
	names, err := a.openStore().Predictions()
	if err != nil {
		return err
	}
	list := []report.ListedPrediction{}
	for _, name := range names {
		r, p, err := a.storedPrediction(name)
		if err != nil {
			fmt.Fprintln(a.err, "auspex:", err)
			continue
		}
		best := &r.Predictions[r.Best]
		list = append(list, report.ListedPrediction{Name: name, Created: p.Created, Program: r.Program, Count: len(r.Predictions),
			Platform: best.Platform, NP: best.NP, Opt: best.Opt, Predicted: best.Predicted})
	}
	if a.json {
		return a.printJSON(map[string]any{"predictions": list})
	}
	a.page().PredictionList(list)
	return nil
}

func (a *app) predictRequest(f predictFlags) (predict.Request, error) {
	r := predict.Request{
		Source: f.source, Build: f.build, Run: f.run, Method: predict.Method(f.method), Runs: f.runs, Epsilon: f.epsilon / 100, Settle: f.settle, Whole: f.whole,
		Strict: f.strict, AssumeFixed: f.fixed, AsWritten: !f.cpp, Vouched: f.vouched, Paper: f.paper, ValidateCommand: f.validateCommand, Cores: f.cores, Input: f.input,
		Cache: cacheDir(), Timeout: f.timeout, Alone: f.alone,
	}
	switch {
	case len(f.platforms) == 0 || f.build == "" || f.run == "":
		return r, usagef("predict needs --platform FILE, --build COMMAND and --run COMMAND")
	case r.Method != predict.Simple && r.Method != predict.Threshold && r.Method != predict.Auto:
		return r, usagef("--method is simple, threshold or auto, not %q", f.method)
	case f.runs < 1 && f.runs != predict.AFew || f.validateRuns < 1:
		return r, usagef("--runs and --validate-runs want numbers from 1 on")
	case !(f.epsilon > 0 && f.epsilon < 100):
		return r, usagef("--epsilon needs a percentage between 0 and 100, not %v", f.epsilon)
	case f.settle <= 0:
		return r, usagef("--settle needs a time such as 1s, not %v", f.settle)
	}
	if f.validate || f.validateCommand != "" {
		r.Validate = f.validateRuns
	}
	var err error
	if r.Counts, err = processCounts("np", f.counts); err != nil {
		return r, err
	}
	if f.extrapolate != "" {
		if r.Extrapolate, err = processCounts("extrapolate", f.extrapolate); err != nil {
			return r, err
		}
	}
	for _, level := range strings.Split(f.levels, ",") {
		if level = strings.TrimPrefix(strings.TrimSpace(level), "-O"); !compilerLevel(level) {
			return r, usagef("--opt needs compiler levels with commas between, such as 0,1,2,3,s, not %q", f.levels)
		}
		r.Levels = append(r.Levels, level)
	}
	if f.speed != "" {
		speed, err := platform.ParseSpeed(f.speed)
		if err != nil {
			return r, usagef("--reference-speed: %v", err)
		}
		r.ReferenceSpeed = speed
	}
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	r.Compiler = []string{self, "cc"}
	for _, path := range f.platforms {
		p, err := a.predictPlatform(path, f)
		if err != nil {
			return r, err
		}
		r.Platforms = append(r.Platforms, p)
	}
	if err := f.signatureFlags.read(&r); err != nil {
		return r, err
	}
	if _, onTerminal := terminal(a.err); onTerminal {
		r.Say = func(text string) { fmt.Fprintln(a.err, "auspex:", text) }
	}
	return r, nil
}

// compilerLevel tells whether something may stand behind a compiler's -O: a number or
// a word.
func compilerLevel(level string) bool {
	return level != "" && (strings.Trim(level, "0123456789") == "" || strings.Trim(level, "abcdefghijklmnopqrstuvwxyz") == "")
}

// processCounts reads numbers of processes.
func processCounts(flag, text string) ([]int, error) {
	var counts []int
	for _, word := range strings.Split(text, ",") {
		np, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || np < 1 {
			return nil, usagef("--%s needs numbers from 1 on with commas between, not %q", flag, text)
		}
		counts = append(counts, np)
	}
	return counts, nil
}

func (a *app) predictPlatform(path string, f predictFlags) (predict.Platform, error) {
	p, err := readPlatform(path)
	if err != nil {
		return predict.Platform{}, err
	}
	out := predict.Platform{Name: filepath.Clean(path), Platform: p}
	if out.Options, err = simulateOptions(p, f.config); err != nil {
		return out, err
	}
	if f.hostfile != "" {
		file, err := os.Open(f.hostfile)
		if err != nil {
			return out, err
		}
		defer file.Close()
		if out.Slots, err = platform.ReadHostfile(f.hostfile, file, p); err != nil {
			return out, err
		}
	}
	return out, nil
}
