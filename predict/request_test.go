package predict

import (
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"auspex/platform"
)

func TestWords(t *testing.T) {
	for _, test := range []struct {
		command string
		want    []string
	}{
		{"mpirun -n 4 ./is A", []string{"mpirun", "-n", "4", "./is", "A"}},
		{`./p 'two words' "and three"`, []string{"./p", "two words", "and three"}},
		{"./p  ''", []string{"./p", ""}},
		{"cd build && ./p", []string{"sh", "-c", "cd build && ./p"}},
		{"OMP_NUM_THREADS=1 ./p", []string{"sh", "-c", "OMP_NUM_THREADS=1 ./p"}},
		{"./p > out", []string{"sh", "-c", "./p > out"}},
		{"./p 'never closed", []string{"sh", "-c", "./p 'never closed"}},
		{`./p "$HOME"`, []string{"sh", "-c", `./p "$HOME"`}},
	} {
		if got := words(test.command); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.command, got, test.want)
		}
	}
}

// What can be known to be wrong is said before anything is built.
func TestBadRequests(t *testing.T) {
	apart, err := platform.Read("apart.xml", strings.NewReader(`<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/></zone></platform>`))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		change func(*Request)
		want   string
	}{
		{"no build", func(r *Request) { r.Build = "" }, "no build command"},
		{"no run", func(r *Request) { r.Run = " " }, "no run command"},
		{"no platform", func(r *Request) { r.Platforms = nil }, "no platform"},
		{"levels all the same", func(r *Request) { r.Build, r.Levels = "make", []string{"0", "3"} }, "write {opt}"},
		{"counts all the same", func(r *Request) { r.Counts = []int{2} }, "write {np}"},
		{"too many processes", func(r *Request) { r.Run, r.Counts = "mpirun -n {np} ./p", []int{5} }, "room for 4 processes"},
		{"hosts without a way", func(r *Request) {
			r.Run, r.Counts = "mpirun -n {np} ./p", []int{2}
			r.Platforms = []Platform{{Name: "apart", Platform: apart}}
		}, "no route from a to b"},
		{"no source", func(r *Request) { r.Source += "/nowhere" }, "nowhere"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := request(t, map[string]string{"p.c": "int main(void) { return 0; }"})
			said := false
			r.Say = func(string) { said = true }
			test.change(&r)
			_, err := Run(context.Background(), r)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
			if said {
				t.Error("work was begun")
			}
		})
	}
}

// The paper's equations, by hand: traces in 30 s and replays in 2 s, on 8
// processes that take 10 s.
func TestCost(t *testing.T) {
	c := Cost{Obtain: 30, Simulation: 2}
	if got := slowdown(c.total(), 10, 8); math.Abs(got-0.4) > 1e-12 || math.Abs(gain(got)-2.5) > 1e-12 {
		t.Errorf("slowdown %v, gain %v", got, gain(got))
	}
	// (9) + 2·(10), over 3 topologies: (30 + 2 + 2 + 2)/3
	if got := perPrediction(30, 2, 3); math.Abs(got-12) > 1e-12 {
		t.Errorf("a prediction costs %v", got)
	}
	if slowdown(1, 0, 1) != 0 || gain(0) != 0 {
		t.Error("nothing took any time, and yet there is a slowdown")
	}
}

func TestCopyTree(t *testing.T) {
	need(t, "gcc")
	from := tree(t, map[string]string{"a.c": "int main(void) { return 0; }", "deep/er/b.h": "x", ".git/config": "x", ".auspex/names/n": "x", "temp/scratch": "x"})
	for _, args := range [][]string{{"-o", "prog", "a.c"}, {"-c", "-o", "a.o", "a.c"}, {"-shared", "-fPIC", "-o", "libv.so.1", "a.c"}} {
		cmd := exec.Command("gcc", args...)
		cmd.Dir = from
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if err := os.Symlink("a.c", filepath.Join(from, "link.c")); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "copy")
	if err := copyTree(context.Background(), from, to, filepath.Join(from, "temp")); err != nil {
		t.Fatal(err)
	}
	if got, want := listing(t, to), "/a.c /deep /deep/er /deep/er/b.h /libv.so.1 /link.c"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	a, _ := os.Stat(filepath.Join(from, "a.c"))
	b, _ := os.Stat(filepath.Join(to, "a.c"))
	if !a.ModTime().Equal(b.ModTime()) {
		t.Error("make would take the copy for changed")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := copyTree(ctx, from, filepath.Join(t.TempDir(), "none"), ""); err == nil {
		t.Error("the context was over, and yet a tree was copied")
	}
}
