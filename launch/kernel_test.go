package launch

import (
	"strings"
	"testing"
	"time"

	"auspex/probe"
)

// TestKernelIsTold: CPU time of the kernel is told where samples share it out, and not
// what calls for files have counted.
func TestKernelIsTold(t *testing.T) {
	for _, c := range []struct {
		system, files float64
		want          string
	}{{0.5, 0, "50 % of the CPU time was spent in the kernel"}, {0.5, 0.3, "20 % of the CPU time"}, {0.5, 0.45, ""}, {0.05, 0, ""}} {
		p := &probe.Process{Sampling: time.Millisecond, User: time.Duration((1 - c.system) * 1e9), System: time.Duration(c.system * 1e9),
			Regions: []probe.Region{{Name: "x", Kind: probe.Program}, {Name: "write", Kind: probe.FileCall}},
			Threads: []probe.Thread{{Nodes: []probe.Node{{Parent: -1, CPU: 1 - c.files}, {Region: 1, CPU: c.files}}}}}
		k := collector{processes: []*probe.Process{p}}
		k.tellKernel()
		if notes := strings.Join(k.notes, "\n"); notes == "" != (c.want == "") || !strings.Contains(notes, c.want) {
			t.Errorf("%+v: notes %q", c, notes)
		}
	}
}

// TestChildrenOfSleepers: what children did is held against CPU time, however long
// their parent slept.
func TestChildrenOfSleepers(t *testing.T) {
	for children, told := range map[time.Duration]bool{600 * time.Millisecond: true, 5 * time.Millisecond: false, 20 * time.Millisecond: false} {
		p := &probe.Process{Name: "sleeps", Elapsed: 10 * time.Second, Children: children, Threads: []probe.Thread{{Nodes: []probe.Node{{Parent: -1, CPU: 0.5}}}}}
		c := collector{processes: []*probe.Process{p}}
		if c.tellChildren(); (len(c.notes) > 0) != told {
			t.Errorf("%v: notes %q", children, c.notes)
		}
	}
}
