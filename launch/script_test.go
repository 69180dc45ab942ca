package launch

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"auspex/model"
)

// TestInterpreter: a script's program is the one that its first line names.
func TestInterpreter(t *testing.T) {
	need(t, "perl")
	dir := write(t, map[string]string{
		"direct.pl": "#!/usr/bin/perl -w\nprint 1;\n", "env.pl": "#!/usr/bin/env perl\nprint 1;\n", "job.sh": "#!/bin/sh\ntrue\n",
		"text": "perl\n", "none.pl": "#!/no/such/interpreter\n", "empty.pl": "#!\n", "plain.pl": "#!/usr/bin/perl\n",
	})
	for name, want := range map[string]target{
		"direct.pl": {program: "perl"}, "env.pl": {program: "perl"}, "job.sh": {program: "sh", shell: true},
		"text": {}, "none.pl": {}, "empty.pl": {}, "plain.pl": {},
	} {
		file := filepath.Join(dir, name)
		if name != "plain.pl" { // which nobody may execute
			if err := os.Chmod(file, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		got := inspect(context.Background(), dir, []string{"./" + name, "-n", "3"})
		if got.program != "" {
			got.program = filepath.Base(got.program)
		}
		if got.program != want.program || got.shell != want.shell {
			t.Errorf("%s: %q, shell %v", name, got.program, got.shell)
		}
	}
}

// workingFor is a function in C that computes for so many seconds.
const workingFor = `#include <time.h>
__attribute__((noinline)) static double work(double s)
{
    double x = 0;
    for (clock_t end = clock() + (clock_t)(s * CLOCKS_PER_SEC); clock() < end;)
        for (int i = 0; i < 10000; i++)
            x += i;
    return x;
}
`

// TestNoMPIUnderLauncher: what a launcher starts is measured also where it never
// calls MPI, and nobody says that it did.
func TestNoMPIUnderLauncher(t *testing.T) {
	eachMPI(t, func(t *testing.T, m mpi) {
		dir := write(t, map[string]string{"alone.c": workingFor + `int main(void) { return work(0.2) < 0; }
`})
		exe := filepath.Join(dir, "alone")
		if out, err := command("gcc", "-g", "-O1", filepath.Join(dir, "alone.c"), "-o", exe); err != nil {
			t.Fatal(out)
		}
		var out bytes.Buffer
		r := Runner{Command: m.ranks("2", exe), Dir: t.TempDir(), Cache: testCache(), StackRate: 1000, Out: &out, Err: &out}
		result, err := r.Run(context.Background())
		if err != nil || result.Status != 0 {
			t.Fatalf("%v\n%s", err, out.String())
		}
		x := result.Experiment
		if notes := strings.Join(x.Notes, "\n"); len(x.Units) != 2 || strings.Contains(notes, "MPI") {
			t.Errorf("%d units; notes %q", len(x.Units), notes)
		}
		named := false
		for i := range x.Regions {
			named = named || x.Regions[i].Name == "work"
		}
		if !named {
			t.Errorf("`work` is not among the %d regions", len(x.Regions))
		}
	})
}

// TestStrippedIsOneTree: in a program without symbols that is started by a relative
// path, calls of MPI are found below the same main as what samples show.
func TestStrippedIsOneTree(t *testing.T) {
	eachMPI(t, func(t *testing.T, m mpi) {
		dir := write(t, map[string]string{"bare.c": `#include <mpi.h>
#include <time.h>
int main(int argc, char **argv)
{
    volatile double x = 0;
    MPI_Init(&argc, &argv);
    for (clock_t end = clock() + CLOCKS_PER_SEC / 5; clock() < end;)
        for (int i = 0; i < 10000; i++)
            x += i;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
`})
		if out, err := command(m.cc, "-O1", "-s", filepath.Join(dir, "bare.c"), "-o", filepath.Join(dir, "bare")); err != nil {
			t.Fatal(out)
		}
		var out bytes.Buffer
		r := Runner{Command: m.ranks("1", "./bare"), Work: dir, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000, Out: &out, Err: &out}
		result, err := r.Run(context.Background())
		if err != nil || result.Status != 0 {
			t.Fatalf("%v\n%s", err, out.String())
		}
		for _, path := range model.Paths(result.Experiment.Regions) {
			if strings.Contains(path, "MPI_") && !strings.HasPrefix(path, "bare/main/") {
				t.Errorf("%s is not below main", path)
			}
		}
	})
}

// TestChildrenAreTold: what goes on after a fork is not measured, and that is said
// where it computes; where it does not, there is nothing to say.
func TestChildrenAreTold(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"forks.c": workingFor + `#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    double x = work(0.1);
    if (fork() == 0)
        _exit(work(atof(argv[argc - 1])) < 0);
    return wait(NULL) < 0 || x < 0;
}
`})
	exe := filepath.Join(dir, "forks")
	if out, err := command("gcc", "-O1", filepath.Join(dir, "forks.c"), "-o", exe); err != nil {
		t.Fatal(out)
	}
	for seconds, told := range map[string]bool{"0.3": true, "0": false} {
		var out bytes.Buffer
		r := Runner{Command: []string{exe, seconds}, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000, Out: &out, Err: &out}
		result, err := r.Run(context.Background())
		if err != nil || result.Status != 0 {
			t.Fatalf("%v\n%s", err, out.String())
		}
		if notes := strings.Join(result.Experiment.Notes, "\n"); strings.Contains(notes, "children of forks used 0.3") != told {
			t.Errorf("a child that computes for %s s: notes %q", seconds, notes)
		}
	}
}
