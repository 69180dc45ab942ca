package launch

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
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
	// What is done at once counts with the next call that is not: writes with the call that
	// writes them out, the file's opening with the first write.
	writes, syncs, opened := value(t, e, 0, 0, "main/save/pwrite", "calls"), value(t, e, 0, 0, "main/save/fdatasync", "calls"), 0.0
	if slices.ContainsFunc(model.Paths(e.Regions), func(p string) bool { return strings.HasSuffix("/"+p, "/main/open") }) {
		opened = value(t, e, 0, 0, "main/open", "calls")
	}
	if writes < 1 || syncs < 20 || opened > 1 || opened+writes+syncs != 41 {
		t.Errorf("opened %g times, %g writes, %g times written out", opened, writes, syncs)
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

// TestNamesAreFileCalls: opening and naming files is input and output as moving bytes is,
// with the results and errors that it has without; waiting for the other end of a pipe is
// not.
func TestNamesAreFileCalls(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"names.c": `#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
__attribute__((noinline)) static int make(void)
{
    for (int i = 0; i < 2000; i++) {
        int f = open("made", O_CREAT | O_EXCL | O_WRONLY, 0640);
        if (f < 0 || close(f) != 0 || rename("made", "named") != 0 || unlink("named") != 0)
            return 1;
    }
    return 0;
}
__attribute__((noinline)) static int look(void)
{
    struct stat s;
    int f = openat(AT_FDCWD, "kept", O_CREAT | O_WRONLY, 0604);
    if (f < 0 || fstat(f, &s) != 0 || (s.st_mode & 0777) != 0604 || close(f) != 0)
        return 2;
    errno = 0;
    if (open("none", O_RDONLY) != -1 || errno != ENOENT || fopen("none", "r") || unlink("none") != -1)
        return 3;
    FILE *kept = fopen("kept", "w");
    return !kept || fputs("x", kept) < 0 || fclose(kept) != 0 || truncate("kept", 0) != 0 ? 4 : 0;
}
__attribute__((noinline)) static int wait_for_end(void)
{
    if (mkfifo("pipe", 0600) != 0)
        return 5;
    if (fork() == 0) {
        usleep(100000);
        _exit(open("pipe", O_WRONLY) < 0);
    }
    return open("pipe", O_RDONLY) < 0 ? 6 : 0;
}
int main(int argc, char **argv)
{
    if (chdir(argv[argc - 1]) != 0)
        return 7;
    umask(0);
    int m = make(), l = look(), w = wait_for_end();
    return m ? m : l ? l : w;
}
`})
	exe := filepath.Join(dir, "names")
	for _, flags := range [][]string{{"-O1"}, {"-O2", "-D_FORTIFY_SOURCE=2", "-D_FILE_OFFSET_BITS=64"}} {
		if out, err := command("gcc", append(flags, "-g", filepath.Join(dir, "names.c"), "-o", exe)...); err != nil {
			t.Fatal(out)
		}
		there := t.TempDir()
		r := Runner{Command: []string{exe, there}, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000}
		result, err := r.Run(context.Background())
		if err != nil || result.Status != 0 {
			t.Fatalf("%v: status %d, %v", flags, result.Status, err)
		}
		e := result.Experiment
		paths, made, waited := model.Paths(e.Regions), 0.0, 0.0
		column := slices.IndexFunc(e.Metrics, func(m model.Metric) bool { return m.Name == model.IOTime })
		for row := range e.Summaries.Rows() {
			of := e.Summaries.Values[column][row]
			switch path := paths[e.Summaries.Region[row]]; {
			case strings.Contains(path, "/make/"):
				made += of
			case strings.Contains(path, "wait_for_end"):
				waited += of
			}
		}
		if made <= 0 || waited > 0.05 {
			t.Errorf("%v: %g s in making files, %g s in waiting for a pipe", flags, made, waited)
		}
	}
}
