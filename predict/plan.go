package predict

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"auspex/instrument"
	"auspex/launch"
)

// plan is which loops are cut short.
type plan struct {
	cuts    []instrument.LoopCut
	loops   []LoopUse
	seconds float64 // that the static analysis took
	shims   string  // directory that stands before the compilers' own
	// preprocess is set where loops are told by line, in preprocessed text.
	preprocess bool
}

// plan builds the program once to see which sources it is made of, and decides
// loop by loop which may be cut short.
func (w *workshop) plan(ctx context.Context) (*plan, error) {
	p := &plan{preprocess: !w.AsWritten}
	if w.Method == Simple {
		return p, nil
	}
	p.shims = filepath.Join(w.dir, "compilers")
	if err := writeShims(p.shims, w.Compiler); err != nil {
		return nil, err
	}
	look := launch.Plan{Record: filepath.Join(w.dir, "sources"), Preprocess: p.preprocess}
	_, err := w.build(ctx, w.Levels[0], w.Counts[0], "look", func(root string) ([]string, error) {
		look.Root = root
		return p.environment(root, look)
	})
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(look.Record)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	names := recorded(string(text))
	start := time.Now()
	if err := p.choose(ctx, w, &look, names); err != nil {
		return nil, err
	}
	p.seconds = time.Since(start).Seconds()
	if len(names) == 0 {
		w.note("The build command called no compiler by a name known here, so no loop could be cut short.")
	}
	if len(p.cuts) == 0 && w.Method == Threshold {
		return nil, p.nothing()
	}
	return p, nil
}

// recorded are the sources that a build compiled, each once; a name may hold blanks.
func recorded(text string) []string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
	return slices.Compact(slices.Sorted(slices.Values(lines)))
}

// environment is what makes a build in a directory follow a plan.
func (p *plan) environment(root string, what launch.Plan) ([]string, error) {
	file := filepath.Join(filepath.Dir(root), "plan.json")
	if err := what.Write(file); err != nil {
		return nil, err
	}
	return []string{"PATH=" + p.shims + string(os.PathListSeparator) + os.Getenv("PATH"), "AUSPEX_PLAN=" + file}, nil
}

// forBuild is the environment of a build with loops cut short.
func (p *plan) forBuild(root string) ([]string, error) {
	return p.environment(root, launch.Plan{Root: root, Loops: p.cuts, Preprocess: p.preprocess})
}

// nothing is the error that no loop may be cut short, with what kept the first from it.
func (p *plan) nothing() error {
	for _, l := range p.loops {
		if l.Reason != "" {
			return fmt.Errorf("%w\n%s:%d, the first loop, may not be: %s", errNothing, l.File, l.Line, l.Reason)
		}
	}
	return errNothing
}

func (p *plan) cutting() bool { return len(p.cuts) > 0 }

// settings tell the runtime what to do about loops.
func (p *plan) settings(r *Request) []string {
	if !p.cutting() {
		return nil
	}
	settings := []string{fmt.Sprintf("AUSPEX_EPSILON=%g", r.Epsilon)}
	if r.Settle > 0 {
		settings = append(settings, fmt.Sprintf("AUSPEX_SETTLE=%g", r.Settle.Seconds()))
	}
	if r.Paper {
		settings = append(settings, "AUSPEX_PAPER=1")
	}
	return settings
}

// abandon gives all cuts up.
func (p *plan) abandon(why string) {
	p.cuts = nil
	for i := range p.loops {
		if p.loops[i].Method == Threshold {
			p.loops[i].Method, p.loops[i].Reason, p.loops[i].Cuts = Simple, why, nil
		}
	}
}

// record adds what became of the loops in runs of one level and count: of the
// rank where most was run, of those that cut it short where one did.
func (p *plan) record(list []*taken, opt string, np int) {
	for i := range p.loops {
		use := &p.loops[i]
		if use.Method != Threshold {
			continue
		}
		cut := Cut{NP: np, Opt: opt}
		why, met, short := launch.WasCut, false, false
		for _, t := range list {
			for _, c := range t.Cuts {
				if c.Loop != use.number {
					continue
				}
				// A rank that cut it short goes before one that had too little of it.
				if !met || c.Skipped > 0 && !short || (c.Skipped > 0) == short && c.Ran >= cut.Ran {
					cut.Ran, cut.Iterations, cut.Added, why = c.Ran, c.Ran+c.Skipped, c.Added/1e9, c.Why
				}
				met, short = true, short || c.Skipped > 0
				cut.Deviation = max(cut.Deviation, c.Deviation)
				if len(c.Means) > len(cut.Curve) {
					cut.Curve = curve(c.Means)
				}
			}
		}
		if met {
			cut.Why = whys[why]
			cut.Levels = levels(cut.Curve)
			use.Cuts = append(use.Cuts, cut)
		}
	}
}

var whys = map[launch.Why]string{
	launch.TooShort:  "it was over before its time could have settled",
	launch.Moving:    "the time of an iteration did not settle",
	launch.Touching:  "it touched new memory to the end",
	launch.Otherwise: "its iterations communicate in different ways",
	launch.NotAll:    "it did not settle on all ranks",
	launch.TooFine:   "an iteration takes hardly longer than a check",
}

// uses are the loops with what became of them.
func (p *plan) uses() []LoopUse {
	for i := range p.loops {
		if l := &p.loops[i]; l.Method == Threshold && len(l.Cuts) == 0 {
			l.Reason = "It ran only inside a loop that was watched, or never, or was not rewritten."
		}
	}
	return p.loops
}
