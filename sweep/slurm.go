package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Array is a job array to be submitted.
type Array struct {
	Tasks  int           // how many
	AtOnce int           // that run at the same time, 0 for no bound
	Time   time.Duration // a task may take, 0 for the partition's default
	Memory int64         // a task may hold, in bytes, 0 for the default
	CPUs   int           // a task gets
	Extra  []string      // further options of sbatch
}

// warning is how long before its end a task is told: it finishes the point it
// is at and lets go of the rest.
const warning = 60 * time.Second

// defaultMaxArray is Slurm's own default of MaxArraySize.
const defaultMaxArray = 1001

// MaxArray asks Slurm how many tasks an array may have; where it cannot be
// asked, Slurm's default holds.
func MaxArray(ctx context.Context) int {
	out, err := exec.CommandContext(ctx, "scontrol", "show", "config").Output()
	if err != nil {
		return defaultMaxArray
	}
	for line := range strings.Lines(string(out)) {
		key, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(key) == "MaxArraySize" {
			if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && n > 0 {
				return n
			}
		}
	}
	return defaultMaxArray
}

// Need is what a few points took.
type Need struct {
	Points int
	Point  float64 // seconds of the slowest
	Memory int64   // bytes of the process that did them
}

// Needs looks up what the points that are done took.
func Needs(points []Point, l *Ledger) Need {
	var n Need
	for i := range points {
		if e, known := l.find(points[i].Key); known && e.Error == "" {
			n.Points++
			n.Point, n.Memory = max(n.Point, e.Wall), max(n.Memory, e.Peak)
		}
	}
	return n
}

// Estimate turns what points took into what a task with so many of them needs:
// twice the time as if all took as long as the slowest so far, some minutes
// for starting and ending, and half as much memory again.
func (n Need) Estimate(perTask int) (time.Duration, int64) {
	seconds := 2*n.Point*float64(perTask) + 2*warning.Seconds() + 60
	minutes := math.Ceil(seconds / 60)
	const step = 64 << 20
	memory := (n.Memory*3/2 + 256<<20 + step - 1) / step * step
	return time.Duration(minutes) * time.Minute, memory
}

// Pick chooses points to try first: the ends and the middle of the grid, whose
// needs differ most.
func Pick(points []Point, l *Ledger, count int) []Point {
	var open []Point
	for _, p := range points {
		if !l.done(p.Key) {
			open = append(open, p)
		}
	}
	if len(open) <= count {
		return open
	}
	var picked []Point
	for i := range count {
		picked = append(picked, open[i*(len(open)-1)/max(1, count-1)])
	}
	return picked
}

// Shares deals the pieces of work that are left to tasks, each about as many
// points; there are never more tasks than pieces.
func Shares(points []Point, l *Ledger, tasks int) [][]string {
	left := map[string]int{}
	for i := range points {
		if !l.done(points[i].Key) {
			left[groupOf(points[i].Key)]++
		}
	}
	groups := make([]string, 0, len(left))
	for g := range left {
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b string) int {
		if left[a] != left[b] {
			return left[b] - left[a]
		}
		return strings.Compare(a, b)
	})
	tasks = min(tasks, len(groups))
	shares, loads := make([][]string, tasks), make([]int, tasks)
	for _, g := range groups {
		least := 0
		for t := range loads {
			if loads[t] < loads[least] {
				least = t
			}
		}
		shares[least] = append(shares[least], g)
		loads[least] += left[g]
	}
	return shares
}

// PerTask is the most points that a task has.
func PerTask(points []Point, l *Ledger, shares [][]string) int {
	of := map[string]int{}
	for t, groups := range shares {
		for _, g := range groups {
			of[g] = t
		}
	}
	loads := make([]int, len(shares))
	for i := range points {
		if t, there := of[groupOf(points[i].Key)]; there && !l.done(points[i].Key) {
			loads[t]++
		}
	}
	if len(loads) == 0 {
		return 0
	}
	return slices.Max(loads)
}

// KeepShares writes which task does what, and tells the file.
func (f *Folder) KeepShares(shares [][]string) (string, error) {
	data, err := json.Marshal(shares)
	if err != nil {
		return "", err
	}
	name := filepath.Join("shares", time.Now().UTC().Format("20060102T150405.000000")+".json")
	return filepath.Join(f.Dir, name), f.replace(name, data)
}

// ReadShare tells the pieces of a task.
func ReadShare(file string, task int) ([]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var shares [][]string
	if err := json.Unmarshal(data, &shares); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", file, err)
	}
	if task < 0 || task >= len(shares) {
		return nil, fmt.Errorf("%s has %d shares and none for task %d", file, len(shares), task)
	}
	return append([]string{}, shares[task]...), nil
}

// Script is the job array's script. auspex is the program and store the
// store's directory, both as the nodes see them.
func (f *Folder) Script(name string, a Array, auspex, store, shares string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("#!/bin/sh")
	line("#SBATCH --job-name=%s", jobName(name))
	array := fmt.Sprintf("0-%d", a.Tasks-1)
	if a.AtOnce > 0 {
		array += fmt.Sprintf("%%%d", a.AtOnce)
	}
	line("#SBATCH --array=%s", array)
	line("#SBATCH --ntasks=1")
	line("#SBATCH --cpus-per-task=%d", max(1, a.CPUs))
	if a.Time > 0 {
		line("#SBATCH --time=%s", slurmTime(a.Time))
	}
	if a.Memory > 0 {
		line("#SBATCH --mem=%dM", a.Memory>>20)
	}
	line("#SBATCH --requeue")
	line("#SBATCH --open-mode=append")
	line("#SBATCH --signal=B:USR1@%d", int(warning.Seconds()))
	line("#SBATCH --output=%s", filepath.Join(f.Dir, "logs", "%A_%a.log"))
	for _, extra := range a.Extra {
		line("#SBATCH %s", extra)
	}
	line("")
	line("# One process does all points of the task. It takes the place of this shell, so")
	line("# the warning before the time is up reaches it: it ends after the point it is at.")
	line("exec %s sweep work %s --store %s --shares %s --task \"$SLURM_ARRAY_TASK_ID\" --jobs %d",
		quote(auspex), quote(name), quote(store), quote(shares), max(1, a.CPUs))
	return b.String()
}

// jobName is what Slurm takes as a job's name without quotes.
func jobName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '_'
	}, name)
}

func slurmTime(d time.Duration) string {
	minutes := int(math.Ceil(d.Minutes()))
	return fmt.Sprintf("%d-%02d:%02d:00", minutes/1440, minutes/60%24, minutes%60)
}

// quote writes a word for the shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Job is an array that was submitted.
type Job struct {
	ID        string    `json:"id"`
	Tasks     int       `json:"tasks"`
	Submitted time.Time `json:"submitted"`
}

// Submit hands a script to Slurm.
func (f *Folder) Submit(ctx context.Context, script string, tasks int) (*Job, error) {
	cmd := exec.CommandContext(ctx, "sbatch", "--parsable")
	cmd.Stdin = strings.NewReader(script)
	var out, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &wrong
	if err := cmd.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return nil, errors.New("there is no sbatch here: submit from a machine that has Slurm, or leave --slurm out")
		}
		return nil, fmt.Errorf("sbatch refuses the job: %s", strings.TrimSpace(wrong.String()+" "+err.Error()))
	}
	id, _, _ := strings.Cut(strings.TrimSpace(out.String()), ";")
	job := &Job{ID: id, Tasks: tasks, Submitted: time.Now().UTC()}
	data, err := json.Marshal(job)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(f.Dir, "jobs.jsonl"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	_, err = file.Write(append(data, '\n'))
	return job, errors.Join(err, file.Close())
}

// Jobs lists the arrays that were submitted.
func (f *Folder) Jobs() ([]Job, error) {
	data, err := os.ReadFile(filepath.Join(f.Dir, "jobs.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var jobs []Job
	for line := range bytes.Lines(data) {
		var j Job
		if json.Unmarshal(line, &j) == nil {
			jobs = append(jobs, j)
		}
	}
	return jobs, err
}

// Waiting asks Slurm which of the jobs it still knows; asked is false where
// it cannot be asked.
func Waiting(ctx context.Context, jobs []Job) (alive []string, asked bool) {
	for _, j := range jobs {
		out, err := exec.CommandContext(ctx, "squeue", "--noheader", "--format=%i", "--jobs="+j.ID).Output()
		if errors.Is(err, exec.ErrNotFound) {
			return nil, false
		}
		asked = true
		if err == nil && len(bytes.TrimSpace(out)) > 0 { // an old job is an error
			alive = append(alive, j.ID)
		}
	}
	return alive, asked
}

// Cancel stops the workers everywhere and takes the jobs from Slurm.
func (f *Folder) Cancel(ctx context.Context) (cancelled []string, err error) {
	if err := f.Stop(); err != nil {
		return nil, err
	}
	jobs, err := f.Jobs()
	if err != nil {
		return nil, err
	}
	alive, _ := Waiting(ctx, jobs)
	for _, id := range alive {
		if out, failed := exec.CommandContext(ctx, "scancel", id).CombinedOutput(); failed != nil {
			err = errors.Join(err, fmt.Errorf("scancel %s: %s", id, strings.TrimSpace(string(out)+" "+failed.Error())))
			continue
		}
		cancelled = append(cancelled, id)
	}
	return cancelled, err
}
