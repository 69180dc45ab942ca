package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"auspex/internal/testslurm"
	"auspex/sweep"
)

// slurmStudy is a study of 160 short simulations.
func slurmStudy(t *testing.T, dir string) string {
	t.Helper()
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "halo.toml")
	text := fmt.Sprintf(`kind = "simulate"
[point]
trace = "%[1]s/traces/intsort-{np}.txt"
cfg = ["smpi/coll-selector:{selector}", "smpi/bw-factor:0:{bandwidth}"]
[grid]
platform = ["%[1]s/platforms/site1.xml", "%[1]s/platforms/site2.xml"]
np = [2, 4, 8, 16]
selector = ["ompi", "mpich"]
bandwidth = [1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
`, examples)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSweepAsAnArray submits a study to a real Slurm, cancels it in the middle
// and resumes it: each point is done once and none is lost.
func TestSweepAsAnArray(t *testing.T) {
	cluster := testslurm.Start(t, 2)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	dir := t.TempDir()
	store, study := filepath.Join(dir, "store"), slurmStudy(t, dir)
	program, err := exec.LookPath("auspex") // this test's own binary, under that name
	if err != nil {
		t.Fatal(err)
	}
	auspex := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(ctx, program, append(args, "--store", store)...)
		cmd.Env = append(os.Environ(), "SLURM_CONF="+cluster.Conf)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("auspex %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	status := func() sweep.Status {
		t.Helper()
		var s sweep.Status
		if err := json.Unmarshal([]byte(auspex("sweep", "status", "halo", "--json")), &s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	await := func(what string, done func(sweep.Status) bool) sweep.Status {
		t.Helper()
		for {
			s := status()
			if done(s) {
				return s
			}
			select {
			case <-ctx.Done():
				if len(s.Running) > 0 {
					t.Skipf("Slurm still has work after minutes: this machine is too busy")
				}
				logs, _ := exec.Command("sh", "-c", "cat "+store+"/sweeps/halo/logs/* 2>&1 | tail -50").Output()
				t.Fatalf("%s does not come: %+v\n%s", what, s, logs)
			case <-time.After(200 * time.Millisecond):
			}
		}
	}
	script := auspex("sweep", study, "--slurm", "--dry-run", "--tasks", "8", "--at-once", "2")
	if !strings.Contains(script, "#SBATCH --array=0-7%2\n") || !strings.Contains(script, "#SBATCH --mem=") {
		t.Errorf("the script:\n%s", script)
	}
	if s := status(); s.Done != 3 || len(s.Jobs) != 0 {
		t.Errorf("a dry run does three points and submits nothing: %+v", s)
	}
	// The test's node does not say how much memory it has, which Slurm takes as 1 MiB.
	auspex("sweep", study, "--slurm", "--tasks", "8", "--mem", "1")
	await("the first task's work", func(s sweep.Status) bool { return s.Done > 3 })
	auspex("sweep", "cancel", "halo")
	stopped := await("the end of the cancelled job", func(s sweep.Status) bool { return len(s.Running) == 0 })
	if !stopped.Stopped {
		t.Errorf("after cancel: %+v", stopped)
	}
	auspex("sweep", "resume", "halo", "--slurm", "--tasks", "8", "--mem", "1")
	all := await("the last point", func(s sweep.Status) bool { return s.Done == s.Points && len(s.Running) == 0 })
	if all.Points != 160 || all.Failed+all.Missing+all.Twice > 0 || stopped.Done < stopped.Points && len(all.Jobs) != 2 {
		t.Errorf("at the end: %+v", all)
	}
}
