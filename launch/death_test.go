package launch

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// dieC ends one rank in a way chosen by the first argument.
const dieC = `#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static double spin(int n)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        s += i * 0.5;
        s *= 0.999;
    }
    return s;
}

static void fall(char how)
{
    volatile int *nowhere = 0;
    if (how == 'k') kill(getpid(), SIGKILL);
    if (how == 'a') MPI_Abort(MPI_COMM_WORLD, 5);
    if (how == 's') *nowhere = 1;
    if (how == 'e') exit(3);
}

int main(int argc, char **argv)
{
    int rank;
    double s = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 20; i++) {
        s += spin(10000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 1)
        fall(argv[1][0]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%g\n", s);
    MPI_Finalize();
    return 0;
}
`

func TestOneRankDies(t *testing.T) {
	tests := []struct {
		name, how, want string
		ranks           int
	}{
		{"killed", "k", "rank 1 was killed in die/main/fall", 8},
		{"aborted", "a", "rank 1 called MPI_Abort(5) in die/main/fall/MPI_Abort", 4},
		{"segmentation fault", "s", "rank 1 was ended by SIGSEGV in die/main/fall", 4},
		{"exit", "e", "rank 1 exited with status 3 in die/main/fall", 4},
	}
	eachMPI(t, func(t *testing.T, m mpi) {
		dir := write(t, map[string]string{"die.c": dieC})
		exe := filepath.Join(dir, "die")
		mustCompile(t, m.cc, "-O1", filepath.Join(dir, "die.c"), "-o", exe)
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				r, _ := measure(t, m.ranks(strconv.Itoa(test.ranks), exe, test.how)...)
				if r.Status == 0 {
					t.Error("the exit status is 0")
				}
				e := r.Experiment
				if !strings.HasPrefix(e.Incomplete, test.want) {
					t.Errorf("incomplete: %q, want %q", e.Incomplete, test.want)
				}
				for rank := range test.ranks {
					expect(t, e, rank, "spin", map[string]float64{"calls": 20})
				}
				for rank := range test.ranks {
					// The others may or may not have reached the last one.
					if calls := value(t, e, rank, 0, "MPI_Barrier", "calls"); calls < 20 || calls > 21 || rank == 1 && calls != 20 {
						t.Errorf("rank %d entered %g barriers", rank, calls)
					}
				}
			})
		}
	})
}

// Interrupting a run keeps what was measured until then.
func TestInterrupted(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"long.c": `#include <stdio.h>
#include <unistd.h>
static void wait_long(const char *mark)
{
    fclose(fopen(mark, "w"));
    sleep(100);
}

int main(int argc, char **argv)
{
    wait_long(argv[argc - 1]);
    return 0;
}
`})
	exe := filepath.Join(dir, "long")
	mustCompile(t, "gcc", "-O0", filepath.Join(dir, "long.c"), "-o", exe)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	mark := filepath.Join(dir, "waits")
	r := Runner{Command: []string{exe, mark}, Dir: t.TempDir(), Cache: testCache()}
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(mark); err == nil {
				cancel()
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	result, err := r.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	const want = "was ended by SIGTERM in long/main/wait_long"
	if result.Status != 128+15 || !strings.Contains(result.Experiment.Incomplete, want) {
		t.Errorf("status %d, incomplete %q", result.Status, result.Experiment.Incomplete)
	}
}

// onNode stands in for ssh: it runs a command under another host name.
const onNode = `#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1; shift
exec unshare --uts sh -c 'hostname "$0"; eval "exec $*"' "$host" "$@"
`

// Ranks of several nodes write into one directory.
func TestSeveralNodes(t *testing.T) {
	m := mpis[0]
	need(t, m.cc, m.run[0], "unshare")
	if out, err := command("unshare", "--uts", "hostname", "elsewhere"); err != nil {
		t.Skipf("no other host names here: %s", out)
	}
	dir := write(t, map[string]string{"ring.c": ringC, "on-node": onNode})
	exe := filepath.Join(dir, "ring")
	mustCompile(t, m.cc, "-std=c99", "-O2", "-Wno-stringop-overflow", filepath.Join(dir, "ring.c"), "-o", exe)
	if out, err := command("chmod", "+x", filepath.Join(dir, "on-node")); err != nil {
		t.Fatal(out)
	}
	var out bytes.Buffer
	r := Runner{
		Command: []string{m.run[0], "-launcher", "ssh", "-launcher-exec", filepath.Join(dir, "on-node"), "-hosts", "one,two", "-n", "4", exe},
		Dir:     t.TempDir(), Cache: testCache(), Sample: 10 * time.Millisecond, Out: &out, Err: &out,
	}
	result, err := r.Run(t.Context())
	if err != nil || result.Status != 0 {
		t.Fatalf("%v\n%s", err, out.String())
	}
	nodes := map[string]int{}
	for _, u := range result.Experiment.Units {
		nodes[u.Node]++
	}
	if nodes["one"] != 2 || nodes["two"] != 2 || result.Experiment.Incomplete != "" {
		t.Errorf("ranks by node: %v; incomplete %q", nodes, result.Experiment.Incomplete)
	}
	if f, _ := result.Experiment.Factor("nodes"); f.Number != 2 {
		t.Errorf("%v nodes", f)
	}
	sampled := map[string]bool{}
	for _, s := range result.Samples {
		sampled[s.Node] = true
	}
	if len(sampled) != 2 {
		t.Errorf("samples of %v", sampled)
	}
}
