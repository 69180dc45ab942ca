package launch

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"auspex/probe"
)

// aProcess is one that computed for a while in its first thread.
func aProcess(pid int, state probe.State, after time.Duration) *probe.Process {
	host, _ := os.Hostname()
	return &probe.Process{
		Host: host, PID: pid, Rank: -1, State: state, Name: "work", Started: time.Unix(1000, 0).Add(after), Elapsed: time.Second,
		Regions: []probe.Region{{Name: "work", Kind: probe.Program}},
		Threads: []probe.Thread{{Left: true, Seen: time.Second, Nodes: []probe.Node{{Parent: -1, Wall: 1, CPU: 1}}}},
	}
}

// TestEndNotSeen: a process that left no word of its end was killed only where a
// signal is known to have ended it; its threads lived until its end.
func TestEndNotSeen(t *testing.T) {
	end := Ending{PID: 7, At: time.Unix(1003, 0), Status: 4}
	tests := []struct {
		name  string
		pid   int
		end   func(*Ending)
		state probe.State
		wall  float64
	}{
		{"it ended by itself", 7, func(*Ending) {}, probe.Finished, 3},
		{"a signal ended it", 7, func(e *Ending) { e.Signalled = true }, probe.Running, 3},
		{"a child of the command", 8, func(*Ending) {}, probe.Finished, 1},
		{"a rank of a run that failed", 8, func(e *Ending) { e.Launched = true }, probe.Running, 1},
		{"a rank of a run that did not", 8, func(e *Ending) { e.Launched, e.Status = true, 0 }, probe.Finished, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e, p := end, aProcess(test.pid, probe.Running, 0)
			test.end(&e)
			c := collector{processes: []*probe.Process{p}, where: map[*probe.Process]*spot{}}
			c.settle(e)
			if wall := p.Threads[0].Nodes[0].Wall; p.State != test.state || wall != test.wall {
				t.Errorf("state %d, %g s; want %d, %g s", p.State, wall, test.state, test.wall)
			}
			told, killed := strings.Contains(strings.Join(c.notes, "\n"), "the end of work was not seen"), c.incomplete(nil) != ""
			if told == (test.state == probe.Running) || killed != (test.state == probe.Running) {
				t.Errorf("notes %q, incomplete %q", c.notes, c.incomplete(nil))
			}
		})
	}
}

// TestOneAfterTheOther: the programs of one process are one unit; without exec two
// processes of one number are two.
func TestOneAfterTheOther(t *testing.T) {
	for _, state := range []probe.State{probe.Replaced, probe.Finished} {
		c := collector{processes: []*probe.Process{aProcess(7, state, 0), aProcess(7, state, time.Second), aProcess(7, probe.Finished, 2*time.Second), aProcess(9, probe.Finished, time.Hour)}}
		c.keepRanks(Run{})
		c.settle(Ending{})
		want := map[probe.State]int{probe.Replaced: 2, probe.Finished: 4}[state]
		if c.ranks() != want || c.processes[3].Rank != want-1 || c.incomplete(nil) != "" {
			t.Errorf("state %d: %d ranks, the last is %d; want %d", state, c.ranks(), c.processes[3].Rank, want)
		}
		if said := strings.Contains(strings.Join(c.notes, "\n"), "3 programs one after the other"); said != (state == probe.Replaced) {
			t.Errorf("state %d: notes %q", state, c.notes)
		}
	}
}

// TestThreadsLeftAtTheEnd: what a thread did that lives when the process ends counts,
// in whatever way it ends.
func TestThreadsLeftAtTheEnd(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"left.c": workingFor + `#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile int done;
static void *works(void *p)
{
    done = work(0.2) != 0;
    pause();
    return p;
}
int main(int argc, char **argv)
{
    pthread_t other;
    if (argc < 2 || pthread_create(&other, NULL, works, NULL) != 0)
        return 2;
    while (!done)
        usleep(1000);
    switch (argv[1][0]) {
    case 'r': return 0;
    case 'x': _exit(3);
    case 'E': _Exit(3);
    case 'q': quick_exit(3);
    case 'e': execl("/bin/true", "true", (char *)0);
    default: syscall(SYS_exit_group, 4);
    }
}
`})
	exe := filepath.Join(dir, "left")
	if out, err := command("gcc", "-g", "-O1", filepath.Join(dir, "left.c"), "-o", exe, "-pthread"); err != nil {
		t.Fatal(out)
	}
	for how, note := range map[string]string{"r": "", "x": "", "E": "", "q": "", "e": "process 0 ran 2 programs one after the other (exec): left, true", "g": "the end of left was not seen"} {
		t.Run(how, func(t *testing.T) {
			r := Runner{Command: []string{exe, how}, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000}
			result, err := r.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			e := result.Experiment
			if cpu := value(t, e, 0, 1, "left*", "cpu_time"); cpu < 0.15 || cpu > 0.25 {
				t.Errorf("the thread has %g s of CPU time", cpu)
			}
			if notes := strings.Join(e.Notes, "\n"); e.Incomplete != "" || note == "" && strings.Contains(notes, " end of left ") || !strings.Contains(notes, note) {
				t.Errorf("incomplete %q, notes %q", e.Incomplete, notes)
			}
		})
	}
}
