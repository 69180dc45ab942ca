package accuracy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stopwatch is preloaded into real runs: rank 0 tells the time between the end
// of MPI_Init and the beginning of MPI_Finalize, which is what a replay gives.
const stopwatch = `#include <mpi.h>
#include <stdio.h>
static double start;
static void begin(void) { PMPI_Barrier(MPI_COMM_WORLD); start = PMPI_Wtime(); }
int MPI_Init(int *argc, char ***argv) { int e = PMPI_Init(argc, argv); begin(); return e; }
int MPI_Init_thread(int *argc, char ***argv, int want, int *have)
{ int e = PMPI_Init_thread(argc, argv, want, have); begin(); return e; }
int MPI_Finalize(void)
{
    double mine = PMPI_Wtime() - start, longest = 0;
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) { fprintf(stderr, "stopwatch %.6f\n", longest); fflush(stderr); }
    return PMPI_Finalize();
}
`

// priority goes before a program on a busy machine.
const priority = "#!/bin/sh\necho -20 > /proc/self/autogroup\nexec nice -n -20 \"$@\"\n"

// bench is where the tests work: the repository, a scratch directory, and the
// program itself.
type bench struct {
	*testing.T
	root, dir, auspex string
	before            string // goes before every program
	watch             string // library with the stopwatch, once it is built
	runs              int    // of what is measured
	levels            []string
}

// newBench skips a part that was not asked for.
func newBench(t *testing.T, part string) *bench {
	asked := strings.Split(os.Getenv("AUSPEX_ACCURACY"), ",")
	if !slices.Contains(asked, part) && !slices.Contains(asked, "all") {
		t.Skip("AUSPEX_ACCURACY does not ask for " + part + "; see the package's comment")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{T: t, root: root, dir: t.TempDir(), runs: 5, levels: []string{"0", "1", "2", "3", "s"}}
	if text := os.Getenv("AUSPEX_ACCURACY_LEVELS"); text != "" {
		b.levels = strings.Split(text, ",")
	}
	if text := os.Getenv("AUSPEX_ACCURACY_RUNS"); text != "" {
		if b.runs, err = strconv.Atoi(text); err != nil || b.runs < 1 {
			t.Fatalf("AUSPEX_ACCURACY_RUNS is %q, not a number of runs", text)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "docs", "accuracy"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.auspex = filepath.Join(b.dir, "auspex")
	if part != "page" {
		b.must(b.root, "go", "build", "-o", b.auspex, "./cmd/auspex")
	}
	if os.Getenv("AUSPEX_ACCURACY_PRIORITY") != "" {
		b.before = b.write("priority", priority, 0o755) + " "
	}
	return b
}

func (b *bench) write(name, text string, mode os.FileMode) string {
	path := filepath.Join(b.dir, name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		b.Fatal(err)
	}
	return path
}

// must runs a command and returns what it printed on both outputs.
func (b *bench) must(dir, command string, args ...string) (out, errs string) {
	b.Helper()
	cmd := exec.Command(command, args...)
	cmd.Dir = dir
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Run(); err != nil {
		b.Fatalf("%s %s: %v\n%s%s", command, strings.Join(args, " "), err, o.String(), e.String())
	}
	return o.String(), e.String()
}

// timed runs a command and returns what its stopwatch says. Some MPIs now and
// then never come out of MPI_Finalize: once the time is told, the command is
// given a few seconds more.
func (b *bench) timed(dir, command string, args ...string) string {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	took, all := "", ""
	for lines := bufio.NewScanner(said); lines.Scan(); {
		all += lines.Text() + "\n"
		if told, ok := strings.CutPrefix(lines.Text(), "stopwatch "); ok {
			took = told
			time.AfterFunc(5*time.Second, cancel)
		}
	}
	if err := cmd.Wait(); took == "" {
		b.Fatalf("%s %s: %v\n%s", command, strings.Join(args, " "), err, all)
	}
	return took
}

// table is a file of docs/accuracy. Its first columns are a row's key.
type table struct {
	*bench
	path string
	keys int
	rows [][]string
}

func (b *bench) table(name string, keys int, header string) *table {
	t := &table{bench: b, path: filepath.Join(b.root, "docs", "accuracy", name), keys: keys}
	data, err := os.ReadFile(t.path)
	if os.IsNotExist(err) {
		data = []byte(header + "\n")
		err = os.WriteFile(t.path, data, 0o644)
	}
	if err == nil {
		t.rows, err = csv.NewReader(bytes.NewReader(data)).ReadAll()
	}
	if err != nil {
		b.Fatal(err)
	}
	t.rows = t.rows[1:]
	return t
}

func (t *table) has(key ...string) bool {
	return slices.ContainsFunc(t.rows, func(r []string) bool { return slices.Equal(r[:t.keys], key) })
}

func (t *table) add(row ...string) {
	t.Helper()
	t.Log(strings.Join(row, " "))
	t.rows = append(t.rows, row)
	f, err := os.OpenFile(t.path, os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := csv.NewWriter(f)
	if err := w.Write(row); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	if err := w.Error(); err != nil {
		t.Fatal(err)
	}
}

func seconds(v float64) string { return fmt.Sprintf("%.6f", v) }

func number(t testing.TB, s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}
