package launch

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"auspex/probe"
)

// What measuring took is calls and samples at their prices, and starting and ending,
// of the program's time and its own.
func TestCostIsTold(t *testing.T) {
	p := func() *probe.Process {
		return &probe.Process{
			Price: 50e-9, Own: 2e-3, Sampling: time.Millisecond, Asked: time.Millisecond, SamplePrice: 8e-6,
			Regions: []probe.Region{{Kind: probe.Program}, {Kind: probe.Function}, {Kind: probe.MPICall}},
			Threads: []probe.Thread{{
				Nodes:   []probe.Node{{CPU: 0.5, Parent: -1}, {Region: 1, CPU: 0.4, Calls: 100_000}, {Region: 2, CPU: 0.098, Calls: 7}},
				Samples: 1000, Taken: 1000, Taking: 8e-3, Walking: 8e-3,
			}},
		}
	}
	beyond, within := p(), p()
	beyond.Budget, within.Budget = 0.01, 0.02
	lowered := p()
	lowered.Threads[0].Samples = 2000 // each for two
	for _, c := range []struct {
		processes []*probe.Process
		want      string
	}{
		// 5 ms of probes, 8 of samples and 2 to start, of 998 + 2 ms.
		{[]*probe.Process{p()}, "measuring took about 1.5 % of the CPU time: 100,000 calls of regions, 1,000 samples of stacks, 2.0 ms to start and end; nothing is subtracted"},
		{[]*probe.Process{within}, "measuring took about 1.5 % of the CPU time: 100,000 calls of regions, 1,000 samples of stacks, 2.0 ms to start and end; nothing is subtracted"},
		{[]*probe.Process{beyond}, "measuring took about 1.5 % of the CPU time, more than the 1 % of --overhead: 100,000 calls of regions, 1,000 samples of stacks, 2.0 ms to start and end; nothing is subtracted"},
		{[]*probe.Process{p(), lowered}, "measuring took about 1.5 % of the CPU time: 200,000 calls of regions, 2,000 samples of stacks (one every 1.5ms, not every 1ms: each takes about 8 µs here), 4.0 ms to start and end; nothing is subtracted"},
	} {
		collected := collector{processes: c.processes}
		collected.tellCost()
		if got := strings.Join(collected.notes, "\n"); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

// Where samples would take more than their part, fewer are taken, and that is told:
// a millionth of the run is less than any machine's.
func TestFewerSamples(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"spin.c": `#include <time.h>
int main(void)
{
    clock_t start = clock();
    while (clock() - start < CLOCKS_PER_SEC / 10)
        ;
    return 0;
}
`})
	exe := filepath.Join(dir, "spin")
	mustCompile(t, "gcc", "-O1", filepath.Join(dir, "spin.c"), "-o", exe)
	var out bytes.Buffer
	r := Runner{Command: []string{exe}, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000, Overhead: 1e-6, Out: &out, Err: &out}
	result, err := r.Run(context.Background())
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	notes := strings.Join(result.Experiment.Notes, "\n")
	if strings.Contains(notes, " samples of stacks, ") {
		t.Skipf("what a sample takes could not be tried out: %s", notes)
	}
	if !strings.Contains(notes, "not every 1ms: each takes") {
		t.Errorf("notes: %s", notes)
	}
}
