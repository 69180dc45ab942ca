package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"auspex/instrument"
	"auspex/model"
	"auspex/trace"
)

// Runner runs a command with the measurement runtime in it.
type Runner struct {
	Command []string
	// Work is the directory the command runs in, empty for this one.
	Work string
	// Dir is where processes write; with several nodes it must be one that
	// all of them see.
	Dir string
	// Cache keeps compiled parts of the runtime.
	Cache string
	// Trace is where the event trace goes, empty for none.
	Trace string
	// Settings are further variables for the environment of the ranks, as
	// name=value.
	Settings []string
	// Answers is for a run in which ranks record what MPI gives them, or one of them is
	// given that alone.
	Answers bool
	// StackRate is how many samples of each thread's stack are taken in a second
	// of its CPU time, 0 for none.
	StackRate float64
	// Overhead is the share of the run that probes may take before the regions
	// that take most are switched off, 0 for no bound.
	Overhead float64
	// Counters are the hardware counters wanted, ours where empty.
	Counters []string
	// Sample is the interval at which each node's CPU utilisation is noted, 0
	// for never.
	Sample time.Duration

	// Foreground is that signals are the command's affair: those sent to this process
	// alone are handed on to it, and it is waited for as long as it takes. Else it is
	// ended when the context is done.
	Foreground bool

	In       io.Reader
	Out, Err io.Writer
}

// Result is a run and what it measured.
type Result struct {
	Status     int // exit status of the command
	Wall       time.Duration
	Experiment *model.Experiment
	Samples    []Sample
	Stops      trace.Stops // of the trace's ranks; nil where they are not known
	// TooShort are rules without the regions that were switched off: their calls
	// are so many and short that the next build had better leave them out.
	TooShort []instrument.Rule
}

// Run runs the command and collects. An error is about what kept it from being
// run or measured; where the command ran, the result holds its exit status
// nevertheless. When the context is done the command is ended (unless it runs in the
// foreground), and what it measured until then is collected.
func (r *Runner) Run(ctx context.Context) (*Result, error) {
	t := inspect(ctx, r.Work, r.Command)
	if t.program != "" && hasThreadSanitizer(t.program) {
		return r.Plain(ctx, fmt.Errorf("%w: %s is built with ThreadSanitizer, which bears no other who watches its threads; build it without", errNothing, filepath.Base(t.program)))
	}
	library, choices, err := r.runtime(ctx, t)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(r.Dir)
	if err != nil {
		return nil, err
	}
	counted, err := countersHere(r.Counters)
	if err != nil {
		return nil, err
	}
	settings := append([]string{"LD_PRELOAD=" + preload(library, t), "AUSPEX_DIR=" + dir, "AUSPEX_COUNTERS=" + counted}, r.Settings...)
	settings = append(settings, choices...)
	known := t.program != "" && !t.shell
	brought := known && t.launcher != noLauncher && t.mpi == "" // it may never call what is measured
	if known && t.launcher == noLauncher {
		settings = append(settings, "AUSPEX_ALONE=1")
	}
	follow := "AUSPEX_FOLLOW=-1" // the target, once it runs
	if known {                   // from its start: it may do much before it calls MPI
		if real, err := filepath.EvalSymlinks(t.program); err == nil {
			settings = append(settings, "AUSPEX_TARGET="+real)
		}
	} else if t.shell && t.launcher == noLauncher {
		follow = "AUSPEX_FOLLOW=0" // it may become the program
	}
	settings = append(settings, follow)
	if r.Trace != "" {
		settings = append(settings, "AUSPEX_TRACE_DIR="+dir, "AUSPEX_TRACE_TIMES=1", "AUSPEX_TRACE_REGIONS=1")
	}
	if r.StackRate > 0 {
		settings = append(settings, fmt.Sprintf("AUSPEX_STACKS_NS=%.0f", 1e9/r.StackRate))
	}
	if r.Overhead > 0 {
		settings = append(settings, fmt.Sprintf("AUSPEX_OVERHEAD=%g", r.Overhead))
	}
	if r.Sample > 0 {
		settings = append(settings, fmt.Sprintf("AUSPEX_SAMPLE_NS=%d", r.Sample.Nanoseconds()))
	}
	command := passOn(r.Command, t, settings)
	stopped := throttledHere()
	started := time.Now()
	w := watch(dir)
	ended, err := r.execute(ctx, command, settings)
	ended.Launched = t.launcher != noLauncher
	deaths := w.end()
	result := &Result{Status: ended.Status, Wall: time.Since(started)}
	if err != nil {
		return nil, err
	}
	// What a command measured before it was interrupted is worth keeping.
	ctx = context.WithoutCancel(ctx)
	run := Run{Command: r.Command, Started: started, Deaths: deaths, BroughtMPI: brought, Ending: ended}
	result.Experiment, result.TooShort, err = Collect(ctx, dir, run)
	if errors.Is(err, errNothing) {
		err = fmt.Errorf("%w: %s", err, whyNothing(r.Command, t))
	}
	if err != nil {
		return result, err
	}
	if note := throttledHere().since(stopped, result.Wall.Seconds()); note != "" {
		result.Experiment.Notes = append(result.Experiment.Notes, note)
	}
	if result.Samples, err = CollectSamples(dir, started); err != nil {
		return result, err
	}
	if r.Trace == "" {
		return result, nil
	}
	if result.Stops, err = WriteTrace(ctx, dir, r.Trace); err != nil {
		result.Experiment.Notes = append(result.Experiment.Notes, model.NoTraceNote+err.Error())
	}
	return result, nil
}

// Plain runs the command without measuring it, for a reason that comes back as the
// error: a job that has waited for its turn must not be lost with its measurement.
func (r *Runner) Plain(ctx context.Context, why error) (*Result, error) {
	ended, err := r.execute(ctx, r.Command, nil)
	if err != nil {
		return nil, err
	}
	return &Result{Status: ended.Status}, why
}

// preload puts the runtime before what the user preloads, and after a sanitizer
// of the program's, which wants to be first.
func preload(library string, t target) string {
	list := append(slices.Clone(t.sanitizers), library)
	if others := os.Getenv("LD_PRELOAD"); others != "" {
		list = append(list, others)
	}
	return strings.Join(list, ":")
}

// passOn has the launcher hand our settings to ranks on other nodes. MPICH's
// and Slurm's launchers hand on their whole environment; Open MPI's only what
// it is told to.
func passOn(command []string, t target, settings []string) []string {
	if t.launcher != openMPI {
		return command
	}
	out := append([]string{}, command[:t.launcherAt+1]...)
	for _, s := range settings {
		name, _, _ := strings.Cut(s, "=")
		out = append(out, "-x", name)
	}
	return append(out, command[t.launcherAt+1:]...)
}

// startReason says why a program did not start, without the system's call.
func startReason(program string, err error) error {
	var notRun *exec.Error
	var failed *fs.PathError
	switch {
	case errors.As(err, &notRun) && errors.Is(err, exec.ErrNotFound):
		if info, there := os.Stat(program); there == nil && info.Mode().IsRegular() {
			return fmt.Errorf("no program of that name is in $PATH; the file here is ./%s", program)
		}
		return errors.New("no program of that name is in $PATH")
	case errors.As(err, &failed):
		return failed.Err
	}
	return err
}

// execute runs the command with our settings and waits. When the context of one that
// is not in the foreground is done, it is asked to end, and made to if it does not.
func (r *Runner) execute(ctx context.Context, command, settings []string) (Ending, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r.In, r.Out, r.Err
	cmd.Dir = r.Work
	cmd.Env = append(os.Environ(), settings...)
	var signals *forwarder
	if r.Foreground {
		signals = newForwarder()
		defer signals.stop()
		if err := ctx.Err(); err != nil {
			return Ending{}, err // interrupted before it began
		}
	}
	if err := cmd.Start(); err != nil {
		return Ending{Status: 127}, fmt.Errorf("cannot start %s: %w", command[0], startReason(command[0], err))
	}
	ended := make(chan struct{})
	watched := make(chan struct{})
	if signals != nil {
		signals.to(cmd.Process)
		close(watched)
	} else {
		go func() {
			defer close(watched)
			select {
			case <-ended:
				return
			case <-ctx.Done():
				cmd.Process.Signal(syscall.SIGTERM)
			}
			select {
			case <-ended:
			case <-time.After(10 * time.Second):
				cmd.Process.Kill()
			}
		}()
	}
	err := cmd.Wait()
	end := Ending{PID: cmd.Process.Pid, At: time.Now()}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok {
		end.Signalled = ws.Signaled()
	}
	close(ended)
	<-watched
	end.Status, err = exitStatus(err)
	return end, err
}
