package launch

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"auspex/instrument"
	"auspex/model"
)

// hostileBuilds are places and ways of building that make measuring hard: after
// each the program must be there, run as it would without, and be stored.
var hostileBuilds = []struct {
	name  string
	build func(t *testing.T, dir string) // makes dir/x of dir/src/x.c
}{
	{name: "no place for temporary files", build: func(t *testing.T, dir string) {
		before := os.Getenv("TMPDIR")
		t.Setenv("TMPDIR", filepath.Join(dir, "nowhere"))
		// gcc itself needs none with -pipe; without a place for copies the original is compiled.
		status, _, errs := compile(t, "gcc", "-pipe", "-c", filepath.Join(dir, "src", "x.c"), "-o", filepath.Join(dir, "x.o"))
		if status != 0 || !strings.Contains(errs, "nothing is instrumented") {
			t.Fatalf("status %d: %s", status, errs)
		}
		t.Setenv("TMPDIR", before)
		mustCompile(t, "gcc", filepath.Join(dir, "x.o"), "-o", filepath.Join(dir, "x"))
	}},
	{name: "unwritable cache", build: func(t *testing.T, dir string) {
		var said bytes.Buffer
		c := Compiler{Real: []string{"gcc", filepath.Join(dir, "src", "x.c"), "-o", filepath.Join(dir, "x")}, Options: instrument.Options{MinLines: 2}, Cache: "/proc/nowhere", Out: &said, Err: &said}
		if status, err := c.Run(context.Background()); err != nil || status != 0 {
			t.Fatalf("%v, status %d: %s", err, status, said.String())
		}
	}},
	{name: "make -j8 with dependencies", build: func(t *testing.T, dir string) {
		need(t, "make")
		var rule strings.Builder
		rule.WriteString("all: x\nx: main.o")
		for i := range 12 {
			n := string(rune('a' + i))
			writeFile(t, filepath.Join(dir, "src", n+".c"), "int "+n+"(int i)\n{\n    return i + 1;\n}\n")
			rule.WriteString(" " + n + ".o")
		}
		rule.WriteString("\n\t$(CC) -o ../x $^\nmain.o: x.c\n\t$(CC) -MD -c x.c -o main.o\n%.o: %.c\n\t$(CC) -MD -c $< -o $@\n-include *.d\n")
		writeFile(t, filepath.Join(dir, "src", "Makefile"), rule.String())
		self := wrapper(t, dir)
		for range 2 { // the second time nothing is to be done, by what -MD wrote
			out, err := exec.Command("make", "-s", "-j8", "-C", filepath.Join(dir, "src"), "CC="+self+" gcc").CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
		text, err := os.ReadFile(filepath.Join(dir, "src", "a.d"))
		if err != nil || !strings.Contains(string(text), "a.o: a.c") {
			t.Errorf("%v: a.d is %q", err, text)
		}
	}},
	{name: "ccache", build: func(t *testing.T, dir string) {
		need(t, "ccache")
		t.Setenv("CCACHE_DIR", filepath.Join(dir, "cache"))
		for range 2 {
			mustCompile(t, "ccache", "gcc", "-c", filepath.Join(dir, "src", "x.c"), "-o", filepath.Join(dir, "x.o"))
		}
		mustCompile(t, "gcc", filepath.Join(dir, "x.o"), "-o", filepath.Join(dir, "x"))
	}},
}

const hostileSource = `#include <stdio.h>
static int work(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += i;
    return s;
}
int main(void) { printf("%d\n", work(5)); return 3; }
`

func TestHostileBuilds(t *testing.T) {
	for _, h := range hostileBuilds {
		t.Run(h.name, func(t *testing.T) {
			need(t, "gcc")
			dir := write(t, map[string]string{"src/x.c": hostileSource})
			h.build(t, dir)
			var out bytes.Buffer
			r := Runner{Command: []string{filepath.Join(dir, "x")}, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000, Out: &out, Err: os.Stderr}
			result, err := r.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if result.Status != 3 || out.String() != "10\n" {
				t.Errorf("status %d, printed %q", result.Status, out.String())
			}
		})
	}
}

// clang as the compiler of an MPI.
func TestClangAsMPICompiler(t *testing.T) {
	need(t, "clang")
	for _, m := range mpis {
		t.Run(m.name, func(t *testing.T) {
			need(t, m.cc, m.run[0])
			t.Setenv("MPICH_CC", "clang")
			t.Setenv("OMPI_CC", "clang")
			dir := write(t, map[string]string{"ring.c": ringC})
			exe := filepath.Join(dir, "ring")
			if out, err := command(m.cc, "-w", filepath.Join(dir, "ring.c"), "-o", exe); err != nil {
				t.Skipf("%s does not take clang: %s", m.cc, out)
			}
			if status, out, errs := compile(t, m.cc, "-w", "-g", filepath.Join(dir, "ring.c"), "-o", exe); status != 0 {
				t.Fatal(out + errs)
			}
			os.Unsetenv("MPICH_CC")
			os.Unsetenv("OMPI_CC")
			r, _ := measure(t, m.ranks("2", exe)...)
			expect(t, r.Experiment, 0, "exchange/MPI_Waitall", map[string]float64{"calls": 10, "bytes_received": 8000})
		})
	}
}

// Threads that call MPI at once are counted apart.
func TestThreadMultiple(t *testing.T) {
	eachMPI(t, func(t *testing.T, m mpi) {
		dir := write(t, map[string]string{"many.c": `#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
static int me;
static void *work(void *p)
{
    int tag = *(int *)p, in = -1;
    for (int i = 0; i < 20; i++)
        MPI_Sendrecv(&tag, 1, MPI_INT, 1 - me, tag, &in, 1, MPI_INT, 1 - me, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return in == tag ? p : NULL;
}
int main(int argc, char **argv)
{
    int given, id[3] = {1, 2, 3}, good = 0;
    pthread_t t[3];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
    if (given < MPI_THREAD_MULTIPLE)
        return 77;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, &id[i]);
    for (int i = 0; i < 3; i++) {
        void *p;
        pthread_join(t[i], &p);
        good += p != NULL;
    }
    MPI_Finalize();
    return good != 3;
}
`})
		exe := filepath.Join(dir, "many")
		mustCompile(t, m.cc, "-g", "-pthread", filepath.Join(dir, "many.c"), "-o", exe)
		r, out := measure(t, m.ranks("2", exe)...)
		if r.Status == 77 {
			t.Skip("this MPI has no MPI_THREAD_MULTIPLE")
		}
		if r.Status != 0 {
			t.Fatalf("status %d: %s", r.Status, out)
		}
		total := 0.0
		for _, u := range r.Experiment.Units {
			if u.Process == 0 && u.Thread > 0 {
				total += value(t, r.Experiment, 0, u.Thread, "work/loop@8/MPI_Sendrecv", "calls")
			}
		}
		if total != 60 {
			t.Errorf("three threads made %g calls, want 60", total)
		}
	})
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// wrapper is a command that stands for `auspex cc`: this test's own program.
func wrapper(t *testing.T, dir string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "auspex-cc")
	writeFile(t, path, "#!/bin/sh\nAUSPEX_TEST_AS=cc exec "+self+" \"$@\"\n")
	if err := os.Chmod(path, 0o777); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestMain compiles or measures where a test calls it for that.
func TestMain(m *testing.M) {
	ctx := context.Background()
	var status int
	var err error
	switch os.Getenv("AUSPEX_TEST_AS") {
	case "cc":
		c := Compiler{Real: os.Args[1:], Options: instrument.Options{MinLines: 2}, Cache: testCache(), In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
		status, err = c.Run(ctx)
	case "run":
		r := Runner{Command: os.Args[1:], Dir: os.Getenv("AUSPEX_TEST_DIR"), Cache: testCache(), StackRate: 1000, Overhead: 1, Out: os.Stdout, Err: os.Stderr}
		var result *Result
		if result, err = r.Run(ctx); result != nil {
			status = result.Status
		}
		if err == nil {
			for _, path := range model.Paths(result.Experiment.Regions) {
				fmt.Fprintln(os.Stderr, "region", path)
			}
		}
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = max(status, 1)
	}
	os.Exit(status)
}
