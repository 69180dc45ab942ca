package cli

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"auspex/sweep"
)

// firstPoints is how many are done here before an array is submitted, to tell
// what its tasks need.
const firstPoints = 3

// taskTime is what a task is to take where nobody says how many there are.
const taskTime = 15 * time.Minute

// submitSweep makes the script of a job array and hands it to Slurm.
func (a *app) submitSweep(ctx context.Context, folder *sweep.Folder, s *sweep.Study, points []sweep.Point, f sweepFlags) error {
	ledger := folder.Ledger()
	if err := ledger.Refresh(); err != nil {
		return err
	}
	need := sweep.Needs(points, ledger)
	if need.Points == 0 && (f.time == 0 || f.memory == 0) {
		w := a.sweepWorker(folder, s, sweep.Pick(points, ledger, firstPoints), 1)
		tally, err := w.Run(ctx)
		if err != nil {
			return err
		}
		if err := ledger.Refresh(); err != nil {
			return err
		}
		if need = sweep.Needs(points, ledger); need.Points == 0 {
			return fmt.Errorf("all of the %d points that were tried first failed; auspex sweep status %s says why. --time and --mem submit anyway", tally.Failed, quoteForShell(s.Name))
		}
	}
	array := sweep.Array{Tasks: f.tasks, AtOnce: f.atOnce, CPUs: max(1, f.jobs), Extra: f.sbatch}
	left := 0
	for _, groups := range sweep.Shares(points, ledger, len(points)) {
		left += len(groups)
	}
	if left == 0 {
		a.page().Line("all points are done; auspex sweep table %s shows them", quoteForShell(s.Name))
		return nil
	}
	if array.Tasks <= 0 {
		array.Tasks = max(1, int(math.Ceil(need.Point*float64(len(points))/taskTime.Seconds())))
	}
	shares := sweep.Shares(points, ledger, min(array.Tasks, sweep.MaxArray(ctx)))
	array.Tasks = len(shares)
	array.Time, array.Memory = need.Estimate(sweep.PerTask(points, ledger, shares))
	if f.time > 0 {
		array.Time = f.time
	}
	if f.memory > 0 {
		array.Memory = f.memory << 20
	}
	file, err := folder.KeepShares(shares)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(a.openStore().Dir())
	if err != nil {
		return err
	}
	script := folder.Script(s.Name, array, self, dir, file)
	if f.dryRun {
		fmt.Fprint(a.out, script)
		return nil
	}
	job, err := folder.Submit(ctx, script, array.Tasks)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(job)
	}
	a.page().Line("submitted job %s with %d tasks; auspex sweep status %s says how far it is", job.ID, job.Tasks, quoteForShell(s.Name))
	return nil
}
