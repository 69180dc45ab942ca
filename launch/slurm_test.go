package launch

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"auspex/internal/testslurm"
)

// slurmTask is set in jobs of this file's tests: what to measure there.
const slurmTask = "AUSPEX_TEST_SLURM_TASK"

// TestSlurmTask is no test of its own: a job runs it, in whose allocation it
// measures a step, and says what came of it.
func TestSlurmTask(t *testing.T) {
	exe := os.Getenv(slurmTask)
	if exe == "" {
		t.Skip("not in a job")
	}
	result, _ := measure(t, "srun", "--mpi=pmi2", exe)
	fmt.Printf("ranks %g reduced %g status %d\n", ranksOf(result), sumOfCall(t, result.Experiment, 1, "MPI_Allreduce", "calls"), result.Status)
}

func ranksOf(r *Result) float64 {
	f, _ := r.Experiment.Factor("ranks")
	return f.Number
}

func TestSlurm(t *testing.T) {
	if os.Getenv(slurmTask) != "" {
		t.Skip("in a job")
	}
	need(t, "mpicc.mpich")
	cluster := testslurm.Start(t, 4)
	t.Setenv("SLURM_CONF", cluster.Conf)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	dir := write(t, map[string]string{"ring.c": ringC})
	exe := filepath.Join(dir, "ring")
	mustCompile(t, "mpicc.mpich", "-w", filepath.Join(dir, "ring.c"), "-o", exe)

	run := func(t *testing.T, command ...string) (*Result, error) {
		t.Helper()
		var out bytes.Buffer
		r := Runner{Command: command, Dir: t.TempDir(), Cache: testCache(), Out: &out, Err: &out}
		result, err := r.Run(ctx)
		if result == nil {
			t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out.String())
		}
		if result.Status != 0 {
			t.Errorf("%s: status %d\n%s", strings.Join(command, " "), result.Status, out.String())
		}
		return result, err
	}
	whole := func(t *testing.T, r *Result) {
		t.Helper()
		if ranks := ranksOf(r); ranks != 2 {
			t.Errorf("%g ranks", ranks)
		}
		for rank := range 2 {
			expect(t, r.Experiment, rank, "main/MPI_Allreduce", map[string]float64{"calls": 1})
		}
	}
	t.Run("pmi2", func(t *testing.T) {
		r, err := run(t, "srun", "--mpi=pmi2", "-n", "2", exe)
		if err != nil {
			t.Fatal(err)
		}
		whole(t, r)
	})
	// What lies beside srun is another MPI's compiler, as a rule.
	t.Run("behind a shell", func(t *testing.T) {
		r, err := run(t, "srun", "--mpi=pmi2", "-n", "2", "sh", "-c", exe+"; true")
		if err != nil {
			t.Fatal(err)
		}
		whole(t, r)
	})
	t.Run("singletons", func(t *testing.T) {
		alone := filepath.Join(dir, "alone")
		text := "#include <mpi.h>\nint main(int argc, char **argv)\n{\n    double a = 1, b;\n    MPI_Init(&argc, &argv);\n    MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);\n    MPI_Finalize();\n    return 0;\n}\n"
		if err := os.WriteFile(alone+".c", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		mustCompile(t, "mpicc.mpich", alone+".c", "-o", alone)
		r, err := run(t, "srun", "--mpi=none", "-n", "2", alone)
		if err != nil {
			t.Fatal(err)
		}
		whole(t, r)
		if notes := strings.Join(r.Experiment.Notes, "\n"); !strings.Contains(notes, "did not know of one another") {
			t.Errorf("notes: %s", notes)
		}
	})
	t.Run("export none", func(t *testing.T) {
		_, err := run(t, "srun", "--mpi=pmi2", "--export=NONE", "-n", "2", exe)
		if err == nil || !strings.Contains(err.Error(), "--export=NONE") {
			t.Errorf("%v", err)
		}
	})
	t.Run("array", func(t *testing.T) {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		out := t.TempDir()
		script := fmt.Sprintf("#!/bin/sh\n%s=%s exec %s -test.run '^TestSlurmTask$'\n", slurmTask, exe, self)
		if _, err := cluster.Submit(ctx, script, "--array=1-2", "-n", "2", "--output="+filepath.Join(out, "%a")); err != nil {
			t.Fatal(err)
		}
		for _, task := range []string{"1", "2"} {
			got, err := os.ReadFile(filepath.Join(out, task))
			if err != nil || !strings.Contains(string(got), "ranks 2 reduced 1 status 0") {
				t.Errorf("task %s: %v\n%s", task, err, got)
			}
		}
	})
}
