package testslurm

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestOneNodeRunsStepsAndArrays(t *testing.T) {
	c := Start(t, 4)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	out, err := c.Command(ctx, "srun", "-n", "3", "sh", "-c", "echo $SLURM_PROCID of $SLURM_NTASKS").CombinedOutput()
	if err != nil {
		t.Fatalf("srun: %v: %s\n%s", err, out, c.logs())
	}
	for _, want := range []string{"0 of 3", "1 of 3", "2 of 3"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("srun said %q, not %q", out, want)
		}
	}
	dir := t.TempDir()
	if _, err := c.Submit(ctx, "#!/bin/sh\necho $SLURM_ARRAY_TASK_ID\n", "--array=1-2", "--output="+filepath.Join(dir, "%a")); err != nil {
		t.Fatalf("%v\n%s", err, c.logs())
	}
	for _, task := range []string{"1", "2"} {
		got, err := os.ReadFile(filepath.Join(dir, task))
		if err != nil || strings.TrimSpace(string(got)) != task {
			t.Errorf("task %s of the array wrote %q: %v", task, got, err)
		}
	}
}

// Whoever starts a Slurm in a test is left with none afterwards, jobs included.
func TestNothingIsLeft(t *testing.T) {
	var conf string
	t.Run("cluster", func(t *testing.T) {
		c := Start(t, 2)
		conf = c.Conf
		cmd := c.Command(t.Context(), "sbatch", "--output=/dev/null", "--wrap", "sleep 600")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("sbatch: %v: %s", err, out)
		}
	})
	if conf == "" {
		t.Skip("no Slurm")
	}
	left := leftOf(conf)
	for end := time.Now().Add(30 * time.Second); len(left) > 0 && time.Now().Before(end); left = leftOf(conf) {
		time.Sleep(100 * time.Millisecond) // a process that was killed takes its time
	}
	if len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// leftOf are the command lines of the processes that know a cluster.
func leftOf(conf string) []string {
	var left []string
	processes, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range processes {
		env, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(env), "SLURM_CONF="+conf) {
			words, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
			left = append(left, string(words))
		}
	}
	return left
}
