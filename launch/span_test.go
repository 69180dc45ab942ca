package launch

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"auspex/probe"
	"auspex/trace"
)

// TestSpan: what a rank does after its last communication is part of the program,
// what a process without MPI waits for is, too.
func TestSpan(t *testing.T) {
	regions := []probe.Region{{Name: "p", Kind: probe.Program}, {Name: "MPI_Finalize", Kind: probe.Compute}, {Name: "MPI_Finalize", Kind: probe.MPICall}}
	thread := probe.Thread{Nodes: []probe.Node{{Region: 0, Parent: -1, Wall: 0.5, CPU: 0.1}, {Region: 1, Parent: 0, Wall: 2, CPU: 2}, {Region: 2, Parent: 0, Wall: 4, CPU: 1}}}
	p := probe.Process{MPI: "some", InMPI: 2 * time.Second, Regions: regions, Threads: []probe.Thread{thread}}
	if got := took(&p); got != 2 {
		t.Errorf("a rank took %g s", got)
	}
	alone := probe.Process{Regions: regions[:1], Threads: []probe.Thread{{Nodes: thread.Nodes[:1]}}}
	if got := took(&alone); got != 0.5 {
		t.Errorf("a program without MPI took %g s", got)
	}
}

// TestBeside: computation of threads and children that are not measured is told, and
// parallel regions in which a thread had no core.
func TestBeside(t *testing.T) {
	p := probe.Process{
		CPU: 3 * time.Second, Children: time.Second, Own: 0.25,
		Regions: []probe.Region{{Kind: probe.Program}, {Kind: probe.Parallel}, {Kind: probe.Loop}, {Kind: probe.Barrier}},
		Threads: []probe.Thread{{Nodes: []probe.Node{
			{Region: 0, Parent: -1, Wall: 4, CPU: 0.25}, {Region: 1, Parent: 0, Wall: 1, CPU: 0.25},
			{Region: 2, Parent: 1, Wall: 1, CPU: 0.5}, {Region: 3, Parent: 1, Wall: 2, CPU: 0.25, Blocked: 0.75},
		}}},
	}
	if got, want := beside(&p), (Beside{Threads: 1.5, Children: 1, Parallel: 2, Ran: 0.75, OffCore: 6}); got != want {
		t.Errorf("%+v, not %+v", got, want)
	}
	if got := beside(&probe.Process{CPU: time.Millisecond}); got != (Beside{}) {
		t.Errorf("next to nothing is %+v", got)
	}
}

// TestAloneSleeps: the trace of a program without MPI holds the time in which it
// slept, joined its threads and waited for a child.
func TestAloneSleeps(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"s.c": `#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static char state[64];
static void *rest(void *p) /* from when the first thread waits for it */
{
    char text[256] = "";
    do {
        usleep(1000);
        int f = open(state, O_RDONLY);
        text[read(f, text, sizeof text - 1)] = 0;
        close(f);
    } while (!strstr(text, ") S"));
    usleep(30000);
    return p;
}
int main(void)
{
    pthread_t other;
    snprintf(state, sizeof state, "/proc/%d/stat", getpid());
    usleep(30000);
    pthread_create(&other, 0, rest, 0);
    pthread_join(other, 0);
    if (fork() == 0) {
        rest(0);
        _exit(0);
    }
    wait(0);
    return 0;
}
`})
	exe := filepath.Join(dir, "s")
	if out, err := command("gcc", "-pthread", filepath.Join(dir, "s.c"), "-o", exe); err != nil {
		t.Fatal(out)
	}
	var out bytes.Buffer
	to := t.TempDir()
	r := Runner{Command: []string{exe}, Dir: to, Cache: testCache(), Settings: []string{"AUSPEX_TRACE_DIR=" + to, "AUSPEX_TRACE_TIMES=1"}, Out: &out, Err: &out}
	if result, err := r.Run(context.Background()); err != nil || result.Status != 0 {
		t.Fatalf("%v\n%s", err, out.String())
	}
	got, _, err := collectTrace(context.Background(), to)
	if err != nil {
		t.Fatal(err)
	}
	slept, c := 0.0, got.Cursor(0)
	for a := (trace.Action{}); c.Next(&a); {
		if a.Kind == trace.Sleep {
			slept += a.Value
		}
	}
	least := 0.085
	if _, err := os.Stat("/proc/thread-self/schedstat"); err != nil {
		least = 0.055 // waiting for a child is not told from waiting for a core
	}
	if slept < least {
		t.Errorf("of 0.09 s of waiting the trace holds %.3g", slept)
	}
}
