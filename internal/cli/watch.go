package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"auspex/analyze"
	"auspex/analyze/diagnose"
	"auspex/ingest"
	"auspex/internal/mistake"
	"auspex/report"
	"auspex/store"
	"auspex/training"
	"auspex/training/kept"
)

type watchFlags struct {
	command string
	every   time.Duration
	once    bool
}

func (a *app) watchCommand() *cobra.Command {
	var f watchFlags
	cmd := &cobra.Command{
		Use:     "watch DIR",
		GroupID: "look",
		Short:   "Look at traces as they come, and say when a straggler appears",
		Long: `Look again and again at a folder into which a training job writes its traces,
and print a line when a straggler appears, changes or is gone. Every folder
below is a job of its own. The folder may also be a store: each experiment that
comes, of MPI programs too, is diagnosed, with a line where its processes
differ.

--exec runs a command for each line, with AUSPEX_RANK, AUSPEX_REGION,
AUSPEX_LOST_SHARE, AUSPEX_JOB and AUSPEX_WORDS in its environment.`,
		Example: `  auspex watch traces/
  auspex watch traces/ --exec 'notify "$AUSPEX_WORDS"'`,
		Args: exactly(1, "one folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.every <= 0 {
				return usagef("--every needs a time such as 10s")
			}
			info, err := os.Stat(args[0])
			if err != nil || !info.IsDir() {
				return usagef("%s is not a folder", args[0])
			}
			return a.watch(cmd.Context(), args[0], f)
		},
	}
	cmd.Flags().StringVar(&f.command, "exec", "", "run this `COMMAND` with sh for each line")
	cmd.Flags().DurationVar(&f.every, "every", 10*time.Second, "how often to look")
	cmd.Flags().BoolVar(&f.once, "once", false, "look once and end")
	return cmd
}

// seenJob is a job as it was when it was looked at last.
type seenJob struct {
	files   string // names, sizes and times
	verdict string
	partial bool // a file could not be read, as it may still be written
}

func (a *app) watch(ctx context.Context, dir string, f watchFlags) error {
	seen := map[string]*seenJob{}
	for first := true; ; first = false {
		if err := a.lookAgain(ctx, dir, f, seen); err != nil {
			return err
		}
		if first && len(seen) == 0 && ctx.Err() == nil {
			if err := a.nothingToWatch(dir, f); err != nil {
				return err
			}
		}
		if f.once {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil // a watch ends by being interrupted
		case <-time.After(f.every):
		}
	}
}

// nothingToWatch says that there is nothing yet; to a script that looks once, too.
func (a *app) nothingToWatch(dir string, f watchFlags) error {
	words := fmt.Sprintf("there are no traces below %s yet, nor experiments", dir)
	fmt.Fprintf(a.err, "auspex: %s\n", words)
	if a.json && f.once {
		return json.NewEncoder(a.out).Encode(change{dir, []training.Straggler{}, words})
	}
	return nil
}

// lookAgain looks at the jobs whose files have changed and have stopped
// changing.
func (a *app) lookAgain(ctx context.Context, dir string, f watchFlags, seen map[string]*seenJob) error {
	if _, err := os.Stat(filepath.Join(dir, "names")); err == nil {
		return a.newExperiments(ctx, store.Open(dir), f, seen)
	}
	jobs, err := traceFolders(dir)
	if err != nil {
		return err
	}
	for _, job := range jobs {
		before := seen[job.dir]
		if before == nil {
			before = &seenJob{}
			seen[job.dir] = before
		}
		still := before.files == job.files
		if still && !before.partial {
			continue
		}
		before.files = job.files
		// What cannot be read and has not grown since will not: whoever wrote
		// it is gone, and the other ranks are looked at without it.
		result, unread, err := watchedJob(ctx, job.dir, still || f.once)
		if ctx.Err() != nil {
			return nil
		}
		before.partial = err != nil && !still
		for _, u := range unread {
			fmt.Fprintf(a.err, "auspex: left out until it changes: %v\n", u)
		}
		if err != nil || result == nil {
			continue
		}
		if verdict := verdictOf(result); verdict != before.verdict {
			quiet := before.verdict == "" && len(result.Stragglers) == 0
			before.verdict = verdict
			if !quiet {
				if err := a.tellChange(ctx, f, change{job.dir, result.Stragglers, result.Words}, environmentOf(result)...); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// watchedJob looks at the job of a folder. With final, files that cannot be read
// are left out and told; otherwise one is an error.
func watchedJob(ctx context.Context, dir string, final bool) (result *training.Result, unread []error, err error) {
	found, err := ingest.Find([]string{dir}, "")
	if err != nil {
		if final {
			unread = append(unread, err)
		}
		return nil, unread, err
	}
	defer found.Close()
	sources := found.Sources
	for {
		result, err = jobOf(ctx, sources, func(*training.Trace) {})
		if err == nil || !final || ctx.Err() != nil {
			return result, unread, err
		}
		unread = append(unread, err)
		place, _ := mistake.Find(err)
		bad := slices.IndexFunc(sources, func(src *ingest.Source) bool { return src.Given == place.File })
		if bad < 0 || len(sources) == 1 {
			return nil, unread, err
		}
		sources = slices.Delete(slices.Clone(sources), bad, bad+1)
	}
}

// newExperiments diagnoses the experiments of a store that were not there when
// it was looked at last.
func (a *app) newExperiments(ctx context.Context, s *store.Store, f watchFlags, seen map[string]*seenJob) error {
	names, err := s.Names()
	if err != nil {
		return err
	}
	for _, name := range names {
		key := "experiment " + name
		if seen[key] != nil || ctx.Err() != nil {
			continue
		}
		seen[key] = &seenJob{}
		experiment, err := s.Get(name)
		if err != nil {
			continue // removed meanwhile
		}
		if job, err := kept.Stragglers(experiment); err == nil && job != nil {
			if len(job.Stragglers) > 0 {
				err = a.tellChange(ctx, f, change{name, job.Stragglers, job.Words}, environmentOf(job)...)
			}
			if err != nil {
				return err
			}
			continue
		}
		d, err := analyze.Open(experiment)
		if err != nil {
			return err
		}
		found, err := fullDiagnosis(ctx, experiment, d, analyze.ShippedWords(), diagnose.Options{})
		if err != nil || len(found.Kinds) < 2 && !found.Continuum {
			continue // nothing stands out, or there is nothing to compare
		}
		c := change{Job: name, Stragglers: []training.Straggler{}, Words: report.DiagnosisWords(found)}
		region := ""
		if len(found.CCCR) > 0 {
			region = found.CCCR[0]
		}
		if err := a.tellChange(ctx, f, c, "AUSPEX_REGION="+region, fmt.Sprintf("AUSPEX_LOST_SHARE=%.4g", float64(found.LostShare))); err != nil {
			return err
		}
	}
	return nil
}

// verdictOf is what must change for a line to be worth printing.
func verdictOf(r *training.Result) string {
	parts := []string{"looked"}
	for _, s := range r.Stragglers {
		parts = append(parts, fmt.Sprintf("%d %s %s", s.Rank, s.Region, s.Cause))
	}
	return strings.Join(parts, "\n")
}

// change is what watch prints with --json, one object a line.
type change struct {
	Job        string               `json:"job"`
	Stragglers []training.Straggler `json:"stragglers"`
	Words      string               `json:"words"`
}

func (a *app) tellChange(ctx context.Context, f watchFlags, c change, environment ...string) error {
	if a.json {
		if err := json.NewEncoder(a.out).Encode(c); err != nil {
			return err
		}
	} else {
		a.page().Line("%s: %s", c.Job, c.Words)
	}
	if f.command == "" {
		return nil
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", f.command)
	cmd.Stdout, cmd.Stderr = a.out, a.err
	cmd.WaitDelay = time.Second // what the hook leaves running does not hold up an interrupt
	cmd.Env = append(os.Environ(), "AUSPEX_RANK=", "AUSPEX_REGION=", "AUSPEX_LOST_SHARE=", "AUSPEX_JOB="+c.Job, "AUSPEX_WORDS="+c.Words)
	cmd.Env = append(cmd.Env, environment...)
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		fmt.Fprintf(a.err, "auspex: --exec: %v\n", err)
	}
	return nil
}

// environmentOf tells a hook of the worst straggler.
func environmentOf(r *training.Result) []string {
	if len(r.Stragglers) == 0 {
		return nil
	}
	s := r.Stragglers[0]
	return []string{"AUSPEX_RANK=" + strconv.Itoa(s.Rank), "AUSPEX_REGION=" + s.Region, fmt.Sprintf("AUSPEX_LOST_SHARE=%.4g", s.Share)}
}

// traceFolder is a folder with traces in it.
type traceFolder struct{ dir, files string }

// traceFolders lists the folders below that hold files which may be traces.
func traceFolders(dir string) ([]traceFolder, error) {
	var folders []traceFolder
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return nil // what cannot be read now may be readable later
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil
		}
		var files []string
		for _, e := range entries {
			name := strings.TrimSuffix(e.Name(), ".gz")
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() && (strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".parquet")) {
				files = append(files, fmt.Sprint(e.Name(), info.Size(), info.ModTime().UnixNano()))
			}
		}
		if len(files) > 0 {
			slices.Sort(files)
			folders = append(folders, traceFolder{path, strings.Join(files, "\n")})
		}
		return nil
	})
	return folders, err
}
