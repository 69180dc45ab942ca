package vcluster

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A program of a made-up MPI that is done and never leaves MPI_Finalize is ended;
// as long as another one computes, nothing is.
func TestProgramThatNeverLeaves(t *testing.T) {
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip(err)
	}
	l := up(t, cluster(2, "1Gbps"))
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	mpi := write("mpi.c", "#include <unistd.h>\nint MPI_Init(int *c, char ***v) { (void)c; (void)v; return 0; }\nint MPI_Finalize(void) { for (;;) pause(); }\n")
	program := write("program.c", "#include <unistd.h>\nint MPI_Init(int *, char ***);\nint MPI_Finalize(void);\nint main(int c, char **v) { MPI_Init(&c, &v); if (c > 1) pause(); return MPI_Finalize(); }\n")
	for _, args := range [][]string{
		{"-shared", "-fPIC", mpi, "-o", filepath.Join(dir, "libmpi.so")},
		{program, "-o", filepath.Join(dir, "program"), "-L" + dir, "-lmpi", "-Wl,-rpath," + dir},
	} {
		if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	start := func(host int, words string) *exec.Cmd {
		cmd := l.Command(t.Context(), []string{l.agent(), l.Hosts[host].Address, filepath.Join(dir, "program") + words})
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	wait := func(state string, n int) {
		for tries := 0; len(l.alive(state)) != n; tries++ {
			if tries == 1200 {
				t.Fatalf("%d processes are %s, not %d", len(l.alive(state)), state, n)
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	computing, done := start(0, " x"), start(1, "")
	wait("running", 1)
	wait("leaving", 1)
	if stuck := l.stuck(0); len(stuck) > 0 {
		t.Errorf("%v is ended while another computes", stuck)
	}
	if err := syscall.Kill(l.alive("running")[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	computing.Wait()
	if stuck := l.stuck(time.Hour); len(stuck) > 0 {
		t.Errorf("%v is ended too soon", stuck)
	}
	if ended := l.EndLeaving(t.Context(), time.Millisecond); ended != 1 {
		t.Errorf("%d processes were ended", ended)
	}
	if err := done.Wait(); err == nil {
		t.Error("it left by itself")
	}
}
