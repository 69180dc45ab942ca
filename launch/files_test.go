package launch

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"auspex/account"
	"auspex/model"
	"auspex/probe"
)

// TestTimeInFilesIsNotSharedOut: samples show where CPU time went; the time in calls
// for files stays theirs, and blocked time does not hold it a second time.
func TestTimeInFilesIsNotSharedOut(t *testing.T) {
	p := &probe.Process{
		Rank: 0, Ranks: 1, Sampling: 1e6, Name: "x", Program: "/nowhere/x", State: probe.Finished,
		Regions: []probe.Region{{Name: "x", Kind: probe.Program}, {Name: "fsync", Kind: probe.FileCall}},
		Threads: []probe.Thread{{
			Nodes: []probe.Node{
				{Parent: -1, Calls: 1, Wall: 4, CPU: 2, Blocked: 2, IOTime: 0.5},
				{Parent: 0, Region: 1, Calls: 3, Wall: 6, CPU: 1, Blocked: 5, IOTime: 6},
			},
			Steps: []probe.Step{{PC: 1, Parent: -1, Count: 100}}, Samples: 100,
		}},
	}
	c := collector{b: model.NewBuilder(), tree: callTree{names: newResolver(), blind: map[string]uint64{}}, where: map[*probe.Process]*spot{}, processes: []*probe.Process{p}}
	c.declare()
	c.process(p, c.grow(p))
	e, err := c.b.Build(c.header(Run{}))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]float64{"x/fsync": 6, "x/<blocked>": 2, "x/*": 9.5} {
		if got := value(t, e, 0, 0, path, "wtime"); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %g s, want %g", path, got, want)
		}
	}
	classes, sum := account.Sort(e.Regions, nil), 0.0
	for row := range e.Summaries.Rows() {
		if classes[e.Summaries.Region[row]] == account.InOut {
			sum += e.Summaries.Values[0][row]
		}
	}
	if sum != 6 {
		t.Errorf("%g s are input and output, want 6", sum)
	}
}

// TestFilesAreRegions: a call for a file is a region below its caller, whose time is
// the call's, however short the calls are.
func TestFilesAreRegions(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"files.c": `#include <fcntl.h>
#include <unistd.h>
static char big[1 << 22];
__attribute__((noinline)) static int save(int f)
{
    for (int i = 0; i < 20; i++)
        if (pwrite(f, big, sizeof big, 0) < 0 || fdatasync(f) != 0)
            return 1;
    return 0;
}
__attribute__((noinline)) static int log_lines(int f)
{
    int n = 0;
    for (int i = 0; i < 20000; i++)
        n += write(f, "line\n", 5) != 5;
    return n;
}
int main(int argc, char **argv)
{
    int f = open(argv[argc - 1], O_CREAT | O_RDWR, 0644);
    return save(f) + log_lines(f);
}
`})
	exe := filepath.Join(dir, "files")
	if out, err := command("gcc", "-g", "-O1", filepath.Join(dir, "files.c"), "-o", exe); err != nil {
		t.Fatal(out)
	}
	r := Runner{Command: []string{exe, filepath.Join(dir, "data")}, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000}
	result, err := r.Run(context.Background())
	if err != nil || result.Status != 0 {
		t.Fatal(err)
	}
	e := result.Experiment
	// What is done at once counts with the next call that is not.
	writes, syncs := value(t, e, 0, 0, "main/save/pwrite", "calls"), value(t, e, 0, 0, "main/save/fdatasync", "calls")
	if writes < 1 || syncs < 20 || writes+syncs != 40 {
		t.Errorf("%g writes, %g times written out", writes, syncs)
	}
	if calls := value(t, e, 0, 0, "main/log_lines/write", "calls"); calls < 10000 || calls > 20000 {
		t.Errorf("%g short calls", calls)
	}
	for _, path := range []string{"main/save/pwrite", "main/save/fdatasync", "main/log_lines/write"} {
		wall, io := value(t, e, 0, 0, path, "wtime"), value(t, e, 0, 0, path, "io_time")
		// A sample right before or after the call is of a function of that name, too.
		if wall <= 0 || wall < io-1e-9 || wall > 1.1*io+0.005 {
			t.Errorf("%s: %g s, %g of them in files", path, wall, io)
		}
	}
}
