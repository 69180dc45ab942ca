package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"auspex/store"
	"auspex/sweep"
)

// TestWarnedTaskEndsAfterItsPoint sends a task of an array the signal that Slurm
// sends before its time is up: it ends after the point it is at, and the same
// task started again, as after a requeue, does the rest, each point once.
func TestWarnedTaskEndsAfterItsPoint(t *testing.T) {
	dir := t.TempDir()
	study := filepath.Join(dir, "slow.toml")
	const points = 4
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	platform, err := os.ReadFile(filepath.Join(examples, "platforms", "site1.xml"))
	if err != nil {
		t.Fatal(err)
	}
	// A point begins by reading its platform, which is a pipe: it goes on when
	// this test lets it.
	text := fmt.Sprintf("kind = \"simulate\"\n[point]\ntrace = %q\nnp = 2\nplatform = \"p-{n}\"\n[grid]\nn = {from = 0, to = %d}\n", filepath.Join(examples, "traces", "intsort-2.txt"), points-1)
	if err := os.WriteFile(study, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	pipe := func(i int) string { return filepath.Join(dir, fmt.Sprint("p-", i)) }
	for i := range points {
		if err := syscall.Mkfifo(pipe(i), 0o666); err != nil {
			t.Skip(err)
		}
	}
	s, err := sweep.ReadStudy(study)
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(dir, "store")
	folder, err := sweep.In(store.Open(kept), s.Name)
	if err != nil {
		t.Fatal(err)
	}
	if err := folder.Plan(s); err != nil {
		t.Fatal(err)
	}
	all, err := s.Points()
	if err != nil {
		t.Fatal(err)
	}
	shares, err := folder.KeepShares(sweep.Shares(all, folder.Ledger(), 1))
	if err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath("auspex")
	if err != nil {
		t.Fatal(err)
	}
	work := func() *exec.Cmd {
		cmd := exec.Command(program, "sweep", "work", "slow", "--store", kept, "--shares", shares, "--task", "0", "--json")
		cmd.WaitDelay = time.Minute
		return cmd
	}
	begun := map[int]*os.File{}
	look := func() {
		for i := range points {
			if begun[i] == nil { // opening it succeeds when somebody reads
				if f, err := os.OpenFile(pipe(i), os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
					begun[i] = f
				}
			}
		}
	}
	goOn := func() {
		for _, f := range begun {
			f.Write(platform) // again for one that has gone on, which is no harm
			f.Close()
		}
	}
	cmd := work()
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for look(); len(begun) == 0; look() {
		select {
		case err := <-ended:
			t.Fatalf("it ended without a point: %v\n%s", err, out.String())
		case <-time.After(10 * time.Millisecond):
		}
	}
	if err := cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	for running := true; running; { // a point that began before the word got through may end too
		goOn()
		look()
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v\n%s", err, out.String())
			}
			running = false
		case <-time.After(100 * time.Millisecond):
		}
	}
	var said swept
	if err := json.Unmarshal([]byte(out.String()), &said); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if len(begun) == points {
		t.Skip("the word came through only when all was begun: this machine is too busy")
	}
	if !said.Tally.Stopped || said.Tally.Done != len(begun) || said.Tally.Left != points-len(begun) || said.Tally.Failed > 0 {
		t.Errorf("warned with %d begun: %+v", len(begun), said.Tally)
	}
	for i := range points { // a file like any other
		if err := errors.Join(os.Remove(pipe(i)), os.WriteFile(pipe(i), platform, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := work().CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	st, err := folder.Status(s, all)
	if err != nil || st.Done != points || st.Twice+st.Failed+st.Missing > 0 {
		t.Errorf("%+v, %v", st, err)
	}
}

// TestArrayLimit asks a Slurm that takes few tasks, one that says nothing, and
// none at all.
func TestArrayLimit(t *testing.T) {
	dir := t.TempDir()
	study := slurmStudy(t, dir)
	path := os.Getenv("PATH")
	for _, c := range []struct{ scontrol, tasks, want string }{
		{"echo 'MaxArraySize            = 4'", "50", "#SBATCH --array=0-3\n"},
		{"echo 'MaxArraySize            = 5000'", "50", "#SBATCH --array=0-49\n"},
		{"echo nothing", "50", "#SBATCH --array=0-49\n"},
		{"exit 1", "50", "#SBATCH --array=0-49\n"},
		{"", "50", "#SBATCH --array=0-49\n"},
	} {
		bin := t.TempDir()
		if c.scontrol != "" {
			if err := os.WriteFile(filepath.Join(bin, "scontrol"), []byte("#!/bin/sh\n"+c.scontrol+"\n"), 0o777); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", bin+":"+path)
		} else {
			t.Setenv("PATH", bin) // nodes have no scontrol at times
		}
		text := said("sweep", study, "--slurm", "--dry-run", "--tasks", c.tasks, "--store", filepath.Join(dir, "store"))
		if !strings.Contains(text, c.want) || !strings.HasSuffix(text, "[status 0]") {
			t.Errorf("scontrol does %q: %s", c.scontrol, text)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if text := said("sweep", study, "--slurm", "--store", filepath.Join(dir, "store")); !strings.Contains(text, "there is no sbatch here") {
		t.Errorf("without Slurm: %s", text)
	}
}
