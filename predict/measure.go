package predict

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"auspex/internal/figure"
	"auspex/launch"
	"auspex/signature"
	"auspex/trace"
)

// workshop is where a request is worked on.
type workshop struct {
	*Request
	dir   string // all that is written is below it
	notes []string
	noted map[string]bool
	// here is the signature of this machine, as it was while the latest traces were
	// taken where Request.Here does not say; nil where none is wanted. there are those
	// of the platforms' nodes, by platform.
	here  *signature.Signature
	there map[*Platform]*signature.Signature
	// early is the trace of a run that came to its end within Whole, of the first
	// level and count.
	early *taken
	// busy is how many cores of this machine were so while the traces of a number of
	// processes were taken, where it is not one for each.
	busy map[int]int
}

func (w *workshop) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !w.noted[text] {
		w.noted[text] = true
		w.notes = append(w.notes, text)
	}
}

// noteOnce is a note whose figures differ from run to run.
func (w *workshop) noteOnce(key, format string, args ...any) {
	if !w.noted[key] {
		w.noted[key] = true
		w.note(format, args...)
	}
}

func (w *workshop) say(format string, args ...any) {
	if w.Say != nil {
		w.Say(fmt.Sprintf(format, args...))
	}
}

// built is the program made for one level, in a copy of the source of its own.
type built struct {
	opt     string
	dir     string
	seconds float64
}

// build copies the tree and runs the build command in it. np matters only where
// the command names it.
func (w *workshop) build(ctx context.Context, opt string, np int, kind string, environment func(root string) ([]string, error)) (*built, error) {
	dir, err := os.MkdirTemp(w.dir, fmt.Sprintf("%s-O%s-", kind, opt))
	if err != nil {
		return nil, err
	}
	dir = filepath.Join(dir, "source")
	if err := copyTree(ctx, w.Source, dir, w.dir); err != nil {
		return nil, fmt.Errorf("copying the source: %w", err)
	}
	var settings []string
	if environment != nil {
		if settings, err = environment(dir); err != nil {
			return nil, err
		}
	}
	command := fill(w.Build, opt, np)
	w.say("building: %s", command)
	start := time.Now()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), settings...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("the build command failed (%w): %s\n%s", err, command, tail(out, 30))
	}
	b := &built{opt: opt, dir: dir, seconds: time.Since(start).Seconds()}
	for line := range strings.Lines(string(out)) {
		// The compilers' stand-in tells where it could not cut loops short.
		if said, ok := strings.CutPrefix(strings.TrimSpace(line), "auspex: "); ok {
			w.note("%s", said)
		}
	}
	return b, nil
}

// tail is the last lines of what a command printed.
func tail(text []byte, n int) string {
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	if len(lines) > n {
		lines = append([]string{"…"}, lines[len(lines)-n:]...)
	}
	return strings.Join(lines, "\n")
}

// said is what a run that failed printed last, and which programs of the source's
// directory it did not have.
func (w *workshop) said(b *built, output []byte) string {
	text := tail(output, 30)
	if list := notMade(w.Source, b.dir); len(list) > 0 {
		text += fmt.Sprintf("\nThe program ran in a copy of %s that lacks what was built there before (%s): have the build command make or copy it.", w.Source, strings.Join(list, ", "))
	}
	return text
}

// taken is what one run gave.
type taken struct {
	*launch.CutTrace
	seconds float64 // run and reading of the trace
	// inflated is by how many seconds pauses may be longer because ranks waited for a
	// core, where calls count as long as they took.
	inflated float64
	// sizesOff is how far the sizes of messages may be off, relative to them, where the
	// trace was made of others.
	sizesOff float64
}

// take runs the program once and reads its traces. Where loops may be cut short
// the program's results are wrong, and so may be its exit status.
func (w *workshop) take(ctx context.Context, b *built, np int, settings []string) (*taken, error) {
	return w.takeAs(ctx, b, np, running{settings: settings})
}

func (w *workshop) takeAs(ctx context.Context, b *built, np int, how running) (*taken, error) {
	how.traced = true
	cutting := len(how.settings) > 0 && !how.answers
	command := fill(w.Run, b.opt, np)
	w.say("measuring %s%s: %s", processes(np), atLevel(b.opt), command)
	result, dir, output, err := w.launch(ctx, b, command, how)
	if dir != "" {
		defer os.RemoveAll(dir)
	}
	if err != nil {
		return nil, err
	}
	// Before the exit status: what a replay cannot follow, it cannot follow
	// either when it goes wrong, and then it is likely why.
	whole, err := w.look(result, np)
	if err != nil {
		return nil, err
	}
	beside, err := launch.LookBeside(dir)
	if err != nil {
		return nil, err
	}
	w.noteBeside(beside)
	if w.Input == "" && launch.AskedForInput(dir) {
		return nil, fmt.Errorf("the program reads standard input, and there was none: give a file with --stdin: %s\n%s", command, tail(output, 30))
	}
	failed := fmt.Errorf("the program ended with status %d when measured: %s\n%s", result.Status, command, w.said(b, output))
	if result.Status != 0 && (!cutting || result.Status >= 128) {
		return nil, failed
	}
	start := time.Now()
	t, err := launch.CollectCutTrace(ctx, dir)
	if result.Status != 0 {
		if err != nil || !slices.ContainsFunc(t.Cuts, func(c launch.LoopCut) bool { return c.Skipped > 0 }) {
			return nil, failed
		}
		w.note("With its loops cut short the program ended with status %d, as one does that finds its results wrong.", result.Status)
	}
	if err != nil {
		return nil, fmt.Errorf("%w\n%s\n%s", err, command, tail(output, 30))
	}
	if t.NP() != np {
		return nil, fmt.Errorf("the program ran with %d ranks, not with %d: %s", t.NP(), np, command)
	}
	if err := w.noteLost(dir, t); err != nil {
		return nil, err
	}
	out := &taken{CutTrace: t, seconds: result.Wall.Seconds() + time.Since(start).Seconds()}
	if whole {
		out.inflated = inflated(t.Trace, beside.OffCore)
	}
	return out, nil
}

// running is how a command is run: with which settings of the measurement runtime, with
// a trace, and with one that records or answers.
type running struct {
	settings        []string
	traced, answers bool
}

// launch runs a command in a build with the measurement runtime in it, and gives
// the directory that the processes wrote into.
func (w *workshop) launch(ctx context.Context, b *built, command string, how running) (*launch.Result, string, []byte, error) {
	dir, err := os.MkdirTemp(w.dir, "run-")
	if err != nil {
		return nil, "", nil, err
	}
	var input io.Reader
	if w.Input != "" {
		file, err := os.Open(w.Input)
		if err != nil {
			return nil, dir, nil, err
		}
		defer file.Close()
		input = file
	}
	list := words(command)
	if w.Cores != "" {
		list = append([]string{"taskset", "-c", w.Cores}, list...)
	}
	output := &keeper{}
	if w.Timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, w.Timeout)
		defer cancel()
		ctx = limited
	}
	settings := how.settings
	if how.traced {
		settings = append([]string{"AUSPEX_TRACE_DIR=" + dir, "AUSPEX_TRACE_TIMES=1"}, settings...)
	}
	runner := launch.Runner{Command: list, Work: b.dir, Dir: dir, Cache: w.Cache, Settings: settings, Answers: how.answers, In: input, Out: output, Err: output}
	result, err := runner.Run(ctx)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, dir, nil, fmt.Errorf("the program was ended after %v: %s\n%s", w.Timeout, command, tail(output.text(), 30))
	case ctx.Err() != nil:
		return nil, dir, nil, ctx.Err()
	case err != nil && result != nil && result.Status != 0:
		return nil, dir, nil, fmt.Errorf("the program ended with status %d: %s\n%s", result.Status, command, w.said(b, output.text()))
	case err != nil:
		return nil, dir, nil, fmt.Errorf("%w\n%s\n%s", err, command, w.said(b, output.text()))
	}
	return result, dir, output.text(), nil
}

// keeper keeps the end of what a program prints: its results are of no
// interest, its last words are.
type keeper struct{ kept []byte }

const keeperSize = 1 << 16

func (k *keeper) Write(p []byte) (int, error) {
	k.kept = append(k.kept, p...)
	if len(k.kept) > 2*keeperSize {
		k.kept = bytes.Clone(k.kept[len(k.kept)-keeperSize:])
	}
	return len(p), nil
}

func (k *keeper) text() []byte { return k.kept }

// inflated is by how much the pauses of a rank may be longer at most because ranks
// waited for a core, all of them together for so many seconds.
func inflated(t *trace.Trace, offCore float64) (most float64) {
	for rank := range t.NP() {
		most = max(most, min(paused(t, rank), offCore))
	}
	return most
}

// look finds what a replay will not know of, in what was measured beside the
// trace; whole tells whether some calls count as long as they took.
func (w *workshop) look(r *launch.Result, np int) (whole bool, err error) {
	e := r.Experiment
	for _, region := range e.Regions {
		name, _, _ := strings.Cut(region.Name, "@")
		if strings.HasPrefix(name, "MPI_Comm_spawn") {
			return false, fmt.Errorf("the program starts further processes with %s, which a replay cannot follow", name)
		}
		if strings.HasPrefix(name, "MPI_File_") { // no action of a trace stands for them
			whole = true
			w.note("The program uses MPI's files: on every platform the calls count as long as they took here, waiting for other ranks and for a core included.")
		}
	}
	threads := 0
	for _, u := range e.Units {
		threads = max(threads, u.Thread+1)
	}
	if threads > 1 {
		w.note("Ranks have %d threads: in the replay those of a parallel region share the cores of their host. Where the rank communicates within the region, or a loop around it is cut short, it counts as long as the rank's first thread computes or waits in it.", threads)
		if cores := runtime.NumCPU(); threads*np > cores {
			w.note("%d ranks of %d threads share the %d cores here. What the last thread of a region had no core for does not count; barriers within regions may count too long.", np, threads, cores)
		}
	}
	return whole, nil
}

// muchLost is the share of a run without MPI from which on it is told that the trace
// does not hold it.
const muchLost = 0.1

// noteLost tells of time of a program without MPI that is neither computation nor a
// pause in its trace.
func (w *workshop) noteLost(dir string, t *launch.CutTrace) error {
	took, alone, err := launch.SpanAlone(dir)
	if err != nil || !alone || slices.ContainsFunc(t.Cuts, func(c launch.LoopCut) bool { return c.Skipped > 0 }) {
		return err
	}
	lost := took - computed(t.Trace, 0)/1e9 - paused(t.Trace, 0)
	if lost > muchLost*took {
		w.noteOnce("lost", "For %s of the %s of a run here the program neither computed nor is known to have been blocked: it waited for a core, which does not count.", figure.Seconds(lost, 3), figure.Seconds(took, 3))
	}
	return nil
}

// noteBeside tells of computation that the trace holds as pauses, and of parallel
// regions that took longer than they count.
func (w *workshop) noteBeside(b launch.Beside) {
	if b.Threads > 0 {
		w.noteOnce("threads", "Ranks have threads of their own, whose computation (%s of CPU time on the rank with most) is not in the trace: waiting for them counts as long as it took here, on every platform.", figure.Seconds(b.Threads, 3))
	}
	if b.Children > 0 {
		w.noteOnce("children", "The program has children, whose computation (%s of CPU time) is not in the trace: waiting for them counts as long as it took here, on every platform.", figure.Seconds(b.Children, 3))
	}
	if b.Parallel > 0 {
		w.noteOnce("parallel", "At work in parallel regions a rank's first thread had a core for %s of %s, since others ran on its core. Waiting for a core does not count.", figure.Seconds(b.Ran, 3), figure.Seconds(b.Parallel, 3))
	}
}
