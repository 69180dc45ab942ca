package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"auspex/expr"
	"auspex/internal/mistake"
	"auspex/sweep"
)

type sweepFlags struct {
	jobs          int
	slurm, dryRun bool
	tasks, atOnce int
	time          time.Duration
	memory        int64
	sbatch        []string
}

func (f *sweepFlags) declare(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVar(&f.jobs, "jobs", 0, "points done at once here, or by a task of the array (default: as many as processors; 1 where programs are measured)")
	flags.BoolVar(&f.slurm, "slurm", false, "submit a Slurm job array instead")
	flags.BoolVar(&f.dryRun, "dry-run", false, "with --slurm: print the script and submit nothing")
	flags.IntVar(&f.tasks, "tasks", 0, "with --slurm: tasks of the array (default: so many that each takes about a quarter of an hour)")
	flags.IntVar(&f.atOnce, "at-once", 0, "with --slurm: tasks that run at the same time (default: as many as Slurm lets)")
	flags.DurationVar(&f.time, "time", 0, "with --slurm: time of a task (default: estimated from a few points done here first)")
	flags.Int64Var(&f.memory, "mem", 0, "with --slurm: memory of a task in MiB (default: estimated in the same way)")
	flags.StringArrayVar(&f.sbatch, "sbatch", nil, "with --slurm: a further `OPTION` of sbatch, such as --partition=short; repeatable")
}

func (a *app) sweepCommand() *cobra.Command {
	var f sweepFlags
	cmd := &cobra.Command{
		Use:     "sweep STUDY.toml",
		GroupID: "predict",
		Short:   "Do a study of many points, here or as a Slurm job array",
		Long: `Do every point of a grid over platforms, numbers of processes, compiler levels,
what-if changes, seeds or inputs: each is a predict, a simulate, a whatif or a
run. Results go into the store. Running it again does only what is missing or
failed. See docs/sweep.md for the study's file.`,
		Example: `  auspex sweep study.toml --jobs 2
  auspex sweep study.toml --slurm --tasks 40 --sbatch --partition=short
  auspex sweep table study --next 3`,
		Args: exactly(1, "a study's file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := readStudy(args[0])
			if err != nil {
				return err
			}
			return a.runSweep(cmd.Context(), s, f)
		},
	}
	f.declare(cmd)
	cmd.AddCommand(a.sweepStatus(), a.sweepResume(), a.sweepTable(), a.sweepCancel(), a.sweepWork())
	return cmd
}

// readStudy reads a study; what is wrong in it is a mistake in what was asked for.
func readStudy(path string) (*sweep.Study, error) {
	s, err := sweep.ReadStudy(path)
	if _, inFile := mistake.Find(err); err != nil && inFile {
		return nil, usageError{err}
	}
	return s, err
}

// openSweep finds a study by its name, or by its file.
func (a *app) openSweep(name string) (*sweep.Folder, *sweep.Study, []sweep.Point, error) {
	kept := a.openStore()
	if filepath.Ext(name) == ".toml" {
		s, err := readStudy(name)
		if err != nil {
			return nil, nil, nil, err
		}
		name = s.Name
	}
	folder, err := sweep.In(kept, name)
	if err != nil {
		return nil, nil, nil, err
	}
	s, err := folder.Study()
	if errors.Is(err, sweep.ErrUnknown) {
		known, _ := sweep.Names(kept)
		message := fmt.Sprintf("there is no sweep %q in the store", name)
		if near := expr.Suggest(name, known); len(near) > 0 {
			message += "; did you mean " + strings.Join(near, " or ") + "?"
		}
		return nil, nil, nil, errors.New(message)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	points, err := s.Points()
	return folder, s, points, err
}

func (a *app) runSweep(ctx context.Context, s *sweep.Study, f sweepFlags) error {
	points, err := s.Points()
	if err != nil {
		return err
	}
	folder, err := sweep.In(a.openStore(), s.Name)
	if err != nil {
		return err
	}
	if err := errors.Join(folder.Plan(s), folder.Go()); err != nil {
		return err
	}
	if f.dryRun && !f.slurm {
		return usagef("--dry-run shows the script of --slurm: give both")
	}
	if f.slurm {
		return a.submitSweep(ctx, folder, s, points, f)
	}
	w := a.sweepWorker(folder, s, points, f.jobs)
	return a.workHere(ctx, w)
}

func (a *app) sweepWorker(folder *sweep.Folder, s *sweep.Study, points []sweep.Point, jobs int) *sweep.Worker {
	if jobs <= 0 {
		jobs = 1 // what is measured is not to be disturbed
		if s.Kind == sweep.Simulate || s.Kind == sweep.Whatif {
			jobs = runtime.GOMAXPROCS(0)
		}
	}
	runner := &pointRunner{app: a}
	return &sweep.Worker{Folder: folder, Study: s, Points: points, Do: runner.do, Jobs: jobs}
}

// swept is what the command prints with --json.
type swept struct {
	Tally  sweep.Tally   `json:"tally"`
	Status *sweep.Status `json:"status,omitempty"` // not told by a task of an array
	Words  string        `json:"words,omitempty"`
}

// workHere does a worker's points and tells what came of it.
func (a *app) workHere(ctx context.Context, w *sweep.Worker) error {
	tally, err := a.work(ctx, w)
	if err != nil {
		return err
	}
	overview, err := w.Folder.Overview(0)
	if err != nil {
		return err
	}
	if a.json {
		err = a.printJSON(swept{tally, overview.Status, overview.Table.Words})
	} else {
		a.page().SweepStatus(overview.Status)
		if overview.Status.Done > 0 {
			a.page().Paragraph(overview.Table.Words)
		}
	}
	return cmp.Or(err, endOf(tally))
}

// work does a worker's points and tells how many: a task of an array tells no
// more, since what the whole study answers costs more than a point or two.
func (a *app) work(ctx context.Context, w *sweep.Worker) (sweep.Tally, error) {
	bar := a.startProgress(w.Study.Name, int64(len(w.Points)))
	w.Progress = func(sweep.Tally) { bar.add(1) }
	tally, err := w.Run(ctx)
	bar.stop()
	if err == nil && !a.json {
		page := a.page()
		page.Line("%d points done now, %d failed", tally.Done, tally.Failed)
		if tally.Busy > 0 {
			page.Line("%d points are being done by others", tally.Busy)
		}
	}
	return tally, err
}

// endOf is the status that a worker ends with.
func endOf(tally sweep.Tally) error {
	if tally.Failed > 0 {
		return statusError{status: exitFailed}
	}
	return nil
}

func (a *app) sweepResume() *cobra.Command {
	var f sweepFlags
	cmd := &cobra.Command{
		Use:     "resume NAME",
		Short:   "Do what is missing or failed of a sweep, as it was last asked for",
		Example: `  auspex sweep resume intsort --jobs 2`,
		Args:    exactly(1, "a sweep's name or file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, s, _, err := a.openSweep(args[0])
			if err != nil {
				return err
			}
			return a.runSweep(cmd.Context(), s, f)
		},
	}
	f.declare(cmd)
	return cmd
}

func (a *app) sweepStatus() *cobra.Command {
	return &cobra.Command{
		Use:     "status NAME",
		Short:   "Tell how far a sweep has come",
		Example: `  auspex sweep status intsort`,
		Args:    exactly(1, "a sweep's name or file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, s, points, err := a.openSweep(args[0])
			if err != nil {
				return err
			}
			status, err := folder.Status(s, points)
			if err != nil {
				return err
			}
			if alive, asked := sweep.Waiting(cmd.Context(), status.Jobs); asked {
				status.Running = append(status.Running, alive...)
			}
			if a.json {
				return a.printJSON(status)
			}
			a.page().SweepStatus(status)
			return nil
		},
	}
}

func (a *app) sweepTable() *cobra.Command {
	var top, next int
	cmd := &cobra.Command{
		Use:     "table NAME",
		Short:   "What a sweep answers: the shortest point, what matters most, where the cliff is",
		Example: `  auspex sweep table intsort`,
		Args:    exactly(1, "a sweep's name or file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, s, points, err := a.openSweep(args[0])
			if err != nil {
				return err
			}
			ledger := folder.Ledger()
			if err := ledger.Refresh(); err != nil {
				return err
			}
			table := sweep.Tabulate(s, points, ledger)
			if next > 0 {
				table.Propose(s, points, ledger, next)
			}
			if a.json {
				return a.printJSON(table)
			}
			a.page().SweepTable(table, top)
			return nil
		},
	}
	topFlag(cmd, &top, 15, "how many rows to print")
	cmd.Flags().IntVar(&next, "next", 0, "also propose N runs that would narrow the answer most")
	return cmd
}

func (a *app) sweepCancel() *cobra.Command {
	return &cobra.Command{
		Use:     "cancel NAME",
		Short:   "Stop a sweep: workers end after the point they are at, and Slurm's jobs are cancelled",
		Example: `  auspex sweep cancel intsort`,
		Args:    exactly(1, "a sweep's name or file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, _, _, err := a.openSweep(args[0])
			if err != nil {
				return err
			}
			cancelled, err := folder.Cancel(cmd.Context())
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string]any{"cancelled_jobs": append([]string{}, cancelled...)})
			}
			a.page().Line("stopped; %d jobs cancelled. auspex sweep resume continues it", len(cancelled))
			return nil
		},
	}
}

func (a *app) sweepWork() *cobra.Command {
	var shares string
	var task, jobs int
	cmd := &cobra.Command{
		Use:    "work NAME",
		Short:  "Do a task of a sweep's job array; its script calls this",
		Hidden: true,
		Args:   exactly(1, "a sweep's name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, s, points, err := a.openSweep(args[0])
			if err != nil {
				return err
			}
			w := a.sweepWorker(folder, s, points, jobs)
			if w.Groups, err = sweep.ReadShare(shares, task); err != nil {
				return err
			}
			w.Task, w.Wait = fmt.Sprint(task), requeueWait
			stop, warned := make(chan struct{}), make(chan os.Signal, 1)
			signal.Notify(warned, syscall.SIGUSR1) // Slurm's word that the time is nearly up
			defer signal.Stop(warned)
			go func() {
				<-warned
				close(stop)
			}()
			w.Stop = stop
			tally, err := a.work(cmd.Context(), w)
			if err == nil && a.json {
				err = a.printJSON(swept{Tally: tally})
			}
			return cmp.Or(err, endOf(tally))
		},
	}
	cmd.Flags().StringVar(&shares, "shares", "", "file that says which points each task does")
	cmd.Flags().IntVar(&task, "task", 0, "the task's number")
	cmd.Flags().IntVar(&jobs, "jobs", 1, "points done at once")
	return cmd
}

// requeueWait is longer than it takes until the claims of a task that died on
// another machine count as left behind.
const requeueWait = 4 * time.Minute
