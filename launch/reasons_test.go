package launch

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"auspex/model"
	"auspex/probe"
)

// unmeasured runs a command of which nothing can be measured, and returns why.
func unmeasured(t *testing.T, words ...string) (status int, printed, why string) {
	t.Helper()
	var out bytes.Buffer
	r := Runner{Command: words, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000, Out: &out, Err: &out}
	result, err := r.Run(t.Context())
	if result == nil || !errors.Is(err, errNothing) {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return result.Status, out.String(), err.Error()
}

// TestWhyNothing: only reasons that may be so are given.
func TestWhyNothing(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"x.c": "int main(void) { return 3; }\n"})
	exe, static := filepath.Join(dir, "x"), filepath.Join(dir, "static")
	mustCompilePlain(t, "gcc", filepath.Join(dir, "x.c"), "-o", exe)
	mustCompilePlain(t, "gcc", "-static", filepath.Join(dir, "x.c"), "-o", static)
	for _, c := range []struct {
		command []string
		status  int
		want    string
	}{
		{[]string{"make", "--version"}, 0, "make runs other programs"},
		{[]string{"sh", "-c", "exit 3"}, 3, "sh runs other programs"},
		{[]string{static}, 3, "linked statically"},
		{[]string{"env", "LD_PRELOAD=", exe}, 3, "write LD_PRELOAD= before auspex run"},
		{[]string{"env", "-i", exe}, 3, "its environment was cleared on the way"},
	} {
		if _, err := exec.LookPath(c.command[0]); err != nil {
			continue
		}
		status, _, why := unmeasured(t, c.command...)
		if status != c.status || !strings.Contains(why, c.want) || strings.Contains(why, "MPI calls") {
			t.Errorf("%v: status %d, %s", c.command, status, why)
		}
	}
	if why := unloadable(exe); why != "" {
		t.Error(why)
	}
	if os.Getuid() != 0 {
		return
	}
	if err := errors.Join(os.Chown(exe, 65534, 0), os.Chmod(exe, 0o755|os.ModeSetuid)); err != nil {
		t.Fatal(err)
	}
	if _, _, why := unmeasured(t, exe); !strings.Contains(why, "setuid") {
		t.Error(why)
	}
}

// TestTellUnmeasured: what ended early is told, and is no death; so are threads that
// no sample came to.
func TestTellUnmeasured(t *testing.T) {
	process := func(rank int, state probe.State, cpu float64, samples uint64) *probe.Process {
		return &probe.Process{Program: "/bin/x", Rank: rank, Ranks: 2, State: state, Sampling: time.Millisecond, Regions: []probe.Region{{Kind: probe.Program}},
			Threads: []probe.Thread{{ID: 1, Samples: samples, Nodes: []probe.Node{{Parent: -1, CPU: cpu}}}}}
	}
	c := collector{b: model.NewBuilder(), processes: []*probe.Process{process(0, probe.Confined, 2, 0), process(1, probe.Confined, 2, 5)}}
	c.tellUnmeasured()
	want := []string{
		"x forbade itself system calls (seccomp): it is measured until then",
		"no sample came to thread 1 of rank 0 in 2 s of CPU time: in which functions it went is not known",
	}
	if strings.Join(c.notes, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", c.notes)
	}
	if said := c.incomplete(nil); said != "" {
		t.Error(said)
	}
}

// TestReplaced: a program that becomes another one was not killed, and where that cannot be
// measured a note says so.
func TestReplaced(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"x.c": `#include <unistd.h>
int main(int argc, char **argv)
{
    char *none[] = {"no", NULL};
    execv("/no/such/program", none);
    execl(argv[argc - 1], "hello", (char *)0);
    return 9;
}
`, "hello.c": `#include <stdio.h>
int main(void) { return puts("hello") < 0; }
`})
	exe, hello := filepath.Join(dir, "x"), filepath.Join(dir, "hello")
	mustCompilePlain(t, "gcc", filepath.Join(dir, "x.c"), "-o", exe)
	for how, told := range map[string]bool{"-O1": false, "-static": true} {
		mustCompilePlain(t, "gcc", how, filepath.Join(dir, "hello.c"), "-o", hello)
		var out bytes.Buffer
		r := Runner{Command: []string{exe, hello}, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000, Out: &out, Err: &out}
		result, err := r.Run(t.Context())
		if err != nil || result.Status != 0 || out.String() != "hello\n" || result.Experiment.Incomplete != "" {
			t.Fatalf("%s: %v: %q, %+v", how, err, out.String(), result)
		}
		if notes := strings.Join(result.Experiment.Notes, "\n"); strings.Contains(notes, "x became another program (exec), which was not measured") != told {
			t.Errorf("%s: notes %q", how, notes)
		}
	}
}

// TestFollows: what a script of a shell becomes is measured, from whatever wrapper; what it
// runs beside itself is not.
func TestFollows(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"solve.c": workingFor + `int main(void) { return work(0.2) < 0; }
`, "script": "#!/bin/sh\ntrue | cat\nexec ./solve\n", "outer": "#!/bin/bash\nexec ./script\n", "beside": "#!/bin/sh\n./solve\ntrue\n", "launcher": "#!/bin/sh\nexec mpirun.mpich -n 1 ./solve\n"})
	mustCompilePlain(t, "gcc", "-g", "-O1", filepath.Join(dir, "solve.c"), "-o", filepath.Join(dir, "solve"))
	for _, name := range []string{"script", "outer", "beside", "launcher"} {
		if err := os.Chmod(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range []string{"./script", "./outer", "sh -c ./script;true", "env A=1 ./outer", "./beside", "./launcher"} {
		words := strings.SplitN(command, " ", 3)
		r := Runner{Command: words, Work: dir, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000}
		result, err := r.Run(t.Context())
		if command == "./beside" || command == "./launcher" || strings.HasSuffix(command, ";true") {
			if !errors.Is(err, errNothing) {
				t.Errorf("%s: %v", command, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", command, err)
			continue
		}
		e := result.Experiment
		if cpu := value(t, e, 0, 0, "work", "cpu_time"); len(e.Units) != 1 || cpu < 0.15 {
			t.Errorf("%s: %d units, %g s in work; %q", command, len(e.Units), cpu, e.Notes)
		}
	}
}
