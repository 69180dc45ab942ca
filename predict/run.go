package predict

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"auspex/internal/scratch"
)

// Run predicts. What it writes goes below a temporary directory that it removes.
func Run(ctx context.Context, r Request) (*Report, error) {
	if r.Runs == 0 {
		r.Runs = 1
	}
	if r.Epsilon <= 0 {
		r.Epsilon = 0.02
	}
	if r.Method == "" {
		r.Method = Auto
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	if r.Alone {
		r.Method = Simple // a rank alone goes through the whole program
	}
	if !strings.Contains(r.Build+r.Run, "{opt}") {
		r.Levels = []string{""} // whichever it is, nobody said
	}
	given := r.ReferenceSpeed > 0
	if !given {
		r.ReferenceSpeed = r.Platforms[0].ReferenceSpeed()
		if r.CountsAs > 0 {
			r.ReferenceSpeed = r.CountsAs
		}
	}
	source, err := filepath.Abs(r.Source)
	if err != nil {
		return nil, err
	}
	r.Source = source
	if info, err := os.Stat(source); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is no directory: --source names the tree that the build command runs in", r.Source)
	}
	if r.Input != "" {
		if r.Input, err = filepath.Abs(r.Input); err != nil {
			return nil, err
		}
	}
	dir, err := scratch.Dir("predict")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	w := &workshop{Request: &r, dir: dir, noted: map[string]bool{}, here: r.Here, busy: map[int]int{}}
	if err := w.signatures(given); err != nil {
		return nil, err
	}
	return w.predict(ctx)
}

func (w *workshop) predict(ctx context.Context) (*Report, error) {
	report := &Report{Program: w.program(), Build: w.Build, Run: w.Run, Method: w.Method, ReferenceSpeed: w.ReferenceSpeed, Scaled: len(w.there) > 0}
	plan, err := w.plan(ctx)
	if err != nil {
		return nil, err
	}
	if err := w.wholly(ctx, plan); err != nil {
		return nil, err
	}
	for _, opt := range w.Levels {
		if err := w.level(ctx, plan, opt, report); err != nil {
			return nil, err
		}
	}
	report.Loops = plan.uses()
	if err := w.cutAny(report); err != nil {
		return nil, err
	}
	for i, p := range report.Predictions {
		if p.Predicted < report.Predictions[report.Best].Predicted {
			report.Best = i
		}
	}
	if report.Notes = w.notes; report.Notes == nil {
		report.Notes = []string{}
	}
	return report, nil
}

// level predicts for one compiler level.
func (w *workshop) level(ctx context.Context, plan *plan, opt string, report *Report) error {
	var program, plain *built
	perCount := strings.Contains(w.Build, "{np}")
	var measured [][]*taken
	for _, np := range w.Counts {
		var err error
		if program == nil || perCount {
			if program, err = w.buildFor(ctx, plan, opt, np); err != nil {
				return err
			}
		}
		traces, err := w.takeAll(ctx, plan, program, np)
		if err != nil {
			return err
		}
		if w.Alone && np > 1 {
			if traces, err = w.alone(ctx, program, np, traces, report); err != nil {
				return err
			}
		}
		traces = w.handedOut(traces, np)
		if len(w.Extrapolate) > 0 {
			measured = append(measured, traces)
		}
		var normal *normal
		if w.Validate > 0 && w.ValidateCommand == "" {
			if plain == nil || perCount {
				if plain, err = w.plainBuild(ctx, plan, program, opt, np); err != nil {
					return err
				}
			}
			if normal, err = w.validate(ctx, plain, np, ""); err != nil {
				return err
			}
			if np > 1 {
				w.note("The measured times are those of this machine, so they are not held against what was predicted for the platforms; --validate-command runs the program there.")
			}
		}
		for i := range w.Platforms {
			p := &w.Platforms[i]
			prediction, err := w.replay(ctx, p, traces, opt, np)
			if err != nil {
				return err
			}
			prediction.Build = program.seconds
			if w.Validate > 0 && w.ValidateCommand != "" {
				if plain == nil || perCount {
					if plain, err = w.plainBuild(ctx, plan, program, opt, np); err != nil {
						return err
					}
				}
				if normal, err = w.validate(ctx, plain, np, p.Name); err != nil {
					return err
				}
			}
			w.compare(&prediction, normal, p)
			report.Predictions = append(report.Predictions, prediction)
		}
	}
	for _, np := range w.Extrapolate {
		if err := w.beyond(ctx, measured, opt, np, report); err != nil {
			return err
		}
	}
	return nil
}

// beyond predicts for more processes than were run, if it can be told what they
// would do.
func (w *workshop) beyond(ctx context.Context, measured [][]*taken, opt string, np int, report *Report) error {
	slices.SortFunc(measured, func(a, b []*taken) int { return a[0].NP() - b[0].NP() })
	traces, err := w.extrapolated(measured, np)
	if err != nil {
		w.note("There is no prediction for %s%s, since it cannot be determined what they would do: %s.", processes(np), atLevel(opt), firstLine(err))
		return nil
	}
	for i := range w.Platforms {
		prediction, err := w.replay(ctx, &w.Platforms[i], traces, opt, np)
		if err != nil {
			return err
		}
		prediction.Extrapolated = true
		report.Predictions = append(report.Predictions, prediction)
	}
	return nil
}

// takeAll takes the traces of one level and count. Where the program does not
// stand having its loops cut short, it is measured simply.
func (w *workshop) takeAll(ctx context.Context, plan *plan, program *built, np int) ([]*taken, error) {
	var list []*taken
	same := true
	if w.early != nil {
		list, w.early = append(list, w.early), nil
	}
	between := w.watchMachine(np)
	for !w.enough(list, plan) {
		if err := between.look(ctx); err != nil {
			return nil, err
		}
		t, err := w.take(ctx, program, np, plan.settings(w.Request))
		if err == nil {
			t, err = w.unwatched(ctx, plan, program, np, t)
		}
		if err != nil && ctx.Err() == nil && plan.cutting() && w.Method == Auto {
			w.note("With its loops cut short the program did not come to its end on %s%s, so it was measured simply: %s", processes(np), atLevel(program.opt), firstLine(err))
			plan.abandon(fmt.Sprintf("With loops cut short the program did not come to its end: %s", firstLine(err)))
			if program, err = w.buildFor(ctx, plan, program.opt, np); err != nil {
				return nil, err
			}
			list = nil
			continue
		}
		if err != nil {
			return nil, err
		}
		t.seconds += plan.seconds
		if len(list) > 0 && same {
			if where := differ(list[0].Trace, t.Trace, cameFirst); where != "" {
				w.note("The program does not do the same in every run (%s): its predictions are those of the runs that were measured.", where)
				same = false // where is said once
			}
		}
		list = append(list, t)
	}
	if err := between.look(ctx); err != nil {
		return nil, err
	}
	w.here = between.signature(w.here)
	plan.record(list, program.opt, np)
	return list, nil
}

// wholly gives up cutting loops short where a program comes to its end soon enough
// without.
func (w *workshop) wholly(ctx context.Context, plan *plan) error {
	if w.Method != Auto || w.Whole <= 0 || !plan.cutting() || w.Timeout > 0 && w.Timeout < w.Whole {
		return nil
	}
	program, err := w.build(ctx, w.Levels[0], w.Counts[0], "whole", nil)
	if err != nil {
		return err
	}
	limited := *w.Request
	limited.Timeout = w.Whole
	apart := &workshop{Request: &limited, dir: w.dir, noted: map[string]bool{}}
	early, err := apart.take(ctx, program, w.Counts[0], nil)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil: // it takes longer, or fails, which the run that counts will tell
		return nil
	}
	for _, said := range apart.notes { // this run counts, so what was seen in it does
		w.note("%s", said)
	}
	maps.Copy(w.noted, apart.noted) // and is not told again with other figures
	early.seconds += plan.seconds
	w.early = early
	plan.abandon(fmt.Sprintf("The program came to its end within %v, so all of it was measured.", w.Whole))
	return nil
}

// few and briefly are what AFew means: traces at most, and seconds after which no
// further one is begun; many and long are the same where the traces disagree.
const few, briefly, many, long = 3, 6.0, 7, 15.0

// disagree is how far the least and the most computation of traces lie apart,
// relative to the middle, for them to disagree.
const disagree = 0.05

// enough tells whether as many traces have been taken as are wanted.
func (w *workshop) enough(list []*taken, plan *plan) bool {
	if w.Runs != AFew {
		return len(list) >= w.Runs
	}
	spent, most := 0.0, make([]float64, 0, len(list))
	for _, t := range list {
		spent += t.seconds
		most = append(most, t.longest())
	}
	if len(list) == 0 || plan.cutting() {
		return len(list) > 0
	}
	next := spent + spent/float64(len(list))
	if len(list) >= few {
		return len(list) >= many || next > long || slices.Max(most)-slices.Min(most) <= disagree*median(most)
	}
	return next > briefly
}

// longest is the computation of the rank that computes most, in ns.
func (t *taken) longest() (most float64) {
	for rank := range t.NP() {
		most = max(most, computed(t.Trace, rank))
	}
	return most
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// buildFor builds the program that is measured.
func (w *workshop) buildFor(ctx context.Context, plan *plan, opt string, np int) (*built, error) {
	if !plan.cutting() {
		return w.build(ctx, opt, np, "simple", nil)
	}
	return w.build(ctx, opt, np, "threshold", plan.forBuild)
}

// plainBuild is the program as it is; the one that was measured simply is that.
func (w *workshop) plainBuild(ctx context.Context, plan *plan, program *built, opt string, np int) (*built, error) {
	if !plan.cutting() {
		return program, nil
	}
	return w.build(ctx, opt, np, "plain", nil)
}

// took is about how long the iterations of a loop that ran took together.
func (c *Cut) took() float64 {
	if len(c.Curve) == 0 {
		return 0
	}
	return float64(c.Ran) * c.Curve[len(c.Curve)-1].Seconds
}

// cutAny is an error where the threshold rule was asked for and cut nothing.
func (w *workshop) cutAny(report *Report) error {
	if w.Method != Threshold || slices.ContainsFunc(report.Predictions, func(p Prediction) bool { return p.Method == Threshold }) {
		return nil
	}
	var longest *LoopUse
	took := 0.0
	for i, l := range report.Loops {
		if n := len(l.Cuts); n > 0 && l.Cuts[n-1].Why != "" && (longest == nil || l.Cuts[n-1].took() > took) {
			longest, took = &report.Loops[i], l.Cuts[n-1].took()
		}
	}
	if longest != nil {
		c := longest.Cuts[len(longest.Cuts)-1]
		return fmt.Errorf("no loop was cut short: %s:%d, which took longest, ran all its %d iterations, since %s; --epsilon and --settle say how long a loop is watched, --method auto measures the program simply",
			longest.File, longest.Line, c.Iterations, c.Why)
	}
	return errNothing
}

var errNothing = errors.New("there is no loop in this program that may be cut short; --method auto measures it simply")
