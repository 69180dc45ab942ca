package launch

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestInspect(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"x.c": "int main(void) { return 0; }\n", "run.sh": "#!/bin/sh\nexec \"$@\"\n"})
	t.Chdir(dir)
	if out, err := command("gcc", "x.c", "-o", "x"); err != nil {
		t.Fatal(out)
	}
	// A directory and a host of a program's name must not be taken for one.
	if err := os.Mkdir("sort", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		command  string
		needs    string
		launcher launcher
		program  string // in dir
	}{
		{"./x in.dat", "", noLauncher, "x"},
		{"x in.dat", "", noLauncher, "x"},
		{"taskset 1 ./x", "taskset", noLauncher, "x"},
		{"env A=1 nice ./x", "", noLauncher, "x"},
		{"mpirun.mpich -n 4 ./x ./y", "mpirun.mpich", hydra, "x"},
		{"mpiexec.mpich -hosts sort -n 4 ./x", "mpiexec.mpich", hydra, "x"},
		{"mpirun.openmpi --oversubscribe -n 4 ./x", "mpirun.openmpi", openMPI, "x"},
		{"nice mpirun.openmpi -n 4 ./x", "mpirun.openmpi", openMPI, "x"},
		{"mpirun.mpich -n 4 ./run.sh", "mpirun.mpich", hydra, ""},
		{"./run.sh -n 4", "", noLauncher, ""},
	} {
		t.Run(test.command, func(t *testing.T) {
			if test.needs != "" {
				need(t, test.needs)
			}
			got := inspect(context.Background(), "", strings.Fields(test.command))
			want := ""
			if test.program != "" {
				want = filepath.Join(dir, test.program)
			}
			if got.launcher != test.launcher || got.program != want {
				t.Errorf("launcher %q, program %q", got.launcher, got.program)
			}
		})
	}
}

// What a program loads is asked of its loader, but where that is clear.
func TestNeedsOnlyTheCompilers(t *testing.T) {
	need(t, "gcc")
	t.Setenv("LD_PRELOAD", "")
	dir := write(t, map[string]string{"x.c": "int other(void);\nint main(void) { return 0; }\n", "other.c": "int other(void) { return 1; }\n"})
	t.Chdir(dir)
	for _, made := range []string{"-shared -fPIC other.c -o libother.so", "x.c -lm -o alone", "-Wl,--no-as-needed x.c ./libother.so -o more"} {
		if out, err := command("gcc", strings.Fields(made)...); err != nil {
			t.Fatal(out)
		}
	}
	if !needsOnlyTheCompilers("alone") {
		t.Error("a program with the C library is not known for one")
	}
	for _, name := range []string{"more", "x.c", "none"} {
		if needsOnlyTheCompilers(name) {
			t.Errorf("%s is taken for a program that loads nothing else", name)
		}
	}
	t.Setenv("LD_PRELOAD", filepath.Join(dir, "libother.so"))
	if needsOnlyTheCompilers("alone") {
		t.Error("what is preloaded is overlooked")
	}
}

// A script between the launcher and the program is no obstacle.
func TestScriptBetween(t *testing.T) {
	eachMPI(t, func(t *testing.T, m mpi) {
		dir := write(t, map[string]string{"ring.c": ringC, "run.sh": "#!/bin/sh\nexec \"$@\"\n"})
		exe, script := filepath.Join(dir, "ring"), filepath.Join(dir, "run.sh")
		if err := os.Chmod(script, 0o777); err != nil {
			t.Fatal(err)
		}
		mustCompile(t, m.cc, "-std=c99", "-O2", "-Wno-stringop-overflow", filepath.Join(dir, "ring.c"), "-o", exe)
		r, _ := measure(t, m.ranks("2", script, exe)...)
		if len(r.Experiment.Units) != 2 {
			t.Errorf("%d units", len(r.Experiment.Units))
		}
		expect(t, r.Experiment, 0, "ring/main", map[string]float64{"calls": 1})
	})
}
