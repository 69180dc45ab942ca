package simulate

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"auspex/platform"
	"auspex/trace"
)

// oddOptions are some of those that programs meet seldom.
var oddOptions = []string{
	"network/model:CM02", "network/crosstraffic:0", "smpi/send-is-detached-thresh:1000", "smpi/async-small-thresh:1000",
	"smpi/or:0:1e-6:1e-10", "smpi/os:0:2e-6:0", "smpi/ois:0:1e-6:0", "smpi/coll-selector:mpich", "auspex/overlap:no",
	"auspex/sendbuffer:100000", "auspex/inorder:yes", "auspex/leaves:100000", "auspex/burst:100000", "auspex/cold:0:1e-6:1e-9",
}

// tampered writes a case's traces, changed a little, into a folder: each rank's by
// itself, and all in one file in which ranks take turns at random.
func tampered(t *testing.T, rng *rand.Rand, from, to string, np int) (list, merged string) {
	t.Helper()
	var files, all []string
	var left [][]string
	data, err := os.ReadFile(filepath.Join(from, "list.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for rank, name := range strings.Fields(string(data))[:np] {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		changed := string(text)
		if rng.IntN(np) == 0 {
			changed = mutate(rng, changed)
		}
		var own []string
		for line := range strings.Lines(changed) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, fmt.Sprint(rank, " ")) {
				own = append(own, line)
			}
		}
		files, left = append(files, fmt.Sprintf("own%d.txt", rank)), append(left, own)
		write(t, filepath.Join(to, files[rank]), own)
	}
	for len(left) > 0 {
		i := rng.IntN(len(left))
		if len(left[i]) == 0 {
			left = append(left[:i], left[i+1:]...)
			continue
		}
		all, left[i] = append(all, left[i][0]), left[i][1:]
	}
	list, merged = filepath.Join(to, "list.txt"), filepath.Join(to, "merged.txt")
	write(t, list, files)
	write(t, merged, all)
	return list, merged
}

func write(t *testing.T, path string, lines []string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(strings.Join(append(lines, "# end"), "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestSameByEveryWay replays tampered cases under odd options in every way that there
// is: the answers are the same to the bit, whatever the form of the trace and whoever
// watches; times add up, the critical path has no gap, the bounds hold. What one way
// refuses all do. AUSPEX_MUTATIONS says how many.
func TestSameByEveryWay(t *testing.T) {
	n := 120
	if s := os.Getenv("AUSPEX_MUTATIONS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	rng := rand.New(rand.NewPCG(23, 5))
	dirs, ran := cases(t, "dev"), 0
	for i := range n {
		dir, to := dirs[rng.IntN(len(dirs))], t.TempDir()
		c := readCase(t, dir)
		if files, _ := filepath.Glob(filepath.Join(dir, "r*.txt")); len(files) < c.NP {
			continue // its ranks share a file
		}
		if rng.IntN(2) == 0 {
			c.Cfg = append(c.Cfg, oddOptions[rng.IntN(len(oddOptions))])
		}
		list, merged := tampered(t, rng, dir, to, c.NP)
		if everyWay(t, fmt.Sprintf("%d: %s %v", i, c.Name, c.Cfg), dir, list, merged, c) {
			ran++
		}
	}
	if ran < n/4 {
		t.Errorf("only %d of %d were replayed", ran, n)
	}
}

// everyWay replays a tampered case; false where it is refused.
func everyWay(t *testing.T, name, dir, list, merged string, c refCase) bool {
	t.Helper()
	p, hosts, o := placed(t, dir, c)
	tr, err := trace.Open(t.Context(), list, c.NP)
	if err != nil {
		return false
	}
	other, err := trace.Open(t.Context(), merged, c.NP)
	if err != nil {
		t.Fatalf("%s: in one file: %v", name, err)
	}
	var file bytes.Buffer
	if err := trace.Write(&file, tr); err != nil {
		t.Fatal(err)
	}
	compact, err := trace.Read("compact", &file)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	every, watched := o, o
	every.EveryIteration, watched.CriticalPath = true, true
	want := map[bool]string{}
	refused := false
	for i, way := range []struct {
		what  string
		tr    *trace.Trace
		o     Options
		hooks Hooks
	}{
		{"as it is", tr, o, Hooks{}}, {"every iteration", tr, every, Hooks{}}, {"in one file", other, o, Hooks{}}, {"compact", compact, o, Hooks{}},
		{"compact, every iteration", compact, every, Hooks{}}, {"with a timeline", tr, o, Hooks{Timeline: recorder{}}}, {"with its path", tr, watched, Hooks{}},
	} {
		r, err := Run(context.Background(), way.tr, p, hosts, way.o, way.hooks)
		if i == 0 {
			refused = err != nil
		}
		if refused != (err != nil) {
			t.Errorf("%s: %s: %v", name, way.what, err)
		}
		if err != nil {
			continue
		}
		skips := !way.o.EveryIteration && !way.o.CriticalPath && way.hooks.Timeline == nil
		if got := digest(r); want[skips] == "" {
			want[skips] = got
		} else if want[skips] != got {
			t.Errorf("%s: %s: %.17g s, another answer", name, way.what, r.Seconds)
		}
		addsUp(t, name+": "+way.what, r)
		if i == 0 {
			within(t, name, tr, p, hosts, o, r.Seconds)
		}
	}
	return !refused
}

// placed reads a case's platform, hosts and options.
func placed(t *testing.T, dir string, c refCase) (*platform.Platform, []int, Options) {
	t.Helper()
	xml, err := os.ReadFile(filepath.Join(dir, "platform.xml"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := platform.Read("platform.xml", bytes.NewReader(xml))
	if err != nil {
		t.Fatal(err)
	}
	names, err := os.ReadFile(filepath.Join(dir, "hostfile"))
	if err != nil {
		t.Fatal(err)
	}
	slots, err := platform.ReadHostfile("hostfile", bytes.NewReader(names), p)
	if err != nil {
		t.Fatal(err)
	}
	o := Defaults()
	for key, value := range p.Config {
		if err := o.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	for _, option := range c.Cfg {
		key, value, _ := strings.Cut(strings.TrimPrefix(option, "--cfg="), ":")
		if err := o.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	return p, platform.Map(slots, c.NP), o
}

// addsUp holds the parts of ranks' times to their whole, and the path to the run.
func addsUp(t *testing.T, name string, r *Result) {
	t.Helper()
	for rank, x := range r.Ranks {
		if sum := x.Compute + x.Sleep + x.Send + x.Recv + x.Wait + x.Collective; math.Abs(sum-x.Finish) > 1e-9*(1+x.Finish) {
			t.Errorf("%s: the parts of rank %d add up to %g of %g s", name, rank, sum, x.Finish)
		}
	}
	at := 0.0
	for _, s := range r.CriticalPath {
		if math.Abs(s.Begin-at) > 1e-8*(1+at) || s.End < s.Begin {
			t.Errorf("%s: the path has a gap from %g to %g", name, at, s.Begin)
		}
		at = s.End
	}
	if r.CriticalPath != nil && math.Abs(at-r.Seconds) > 1e-8*(1+at) {
		t.Errorf("%s: the path ends at %g of %g s", name, at, r.Seconds)
	}
}

// within holds the bounds to a replay.
func within(t *testing.T, name string, tr *trace.Trace, p *platform.Platform, hosts []int, o Options, seconds float64) {
	t.Helper()
	b, err := Estimate(context.Background(), tr, p, hosts, o)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	} else if b.Lower > seconds*(1+1e-5)+1e-9 || b.Upper > 0 && b.Upper < seconds*(1-1e-5)-1e-9 {
		t.Errorf("%s: %v s is not from %v to %v", name, seconds, b.Lower, b.Upper)
	}
}
