package launch

import (
	"bytes"
	"os"
	"runtime"
	"strings"
	"testing"

	"auspex/probe"
)

// TestBoundThreads: threads that share what the launcher bound their rank to are told
// where the machine has a core for each, and only where they waited for one.
func TestBoundThreads(t *testing.T) {
	host, err := os.Hostname()
	if err != nil || runtime.NumCPU() < 2 {
		t.Skip("no name, or a single core")
	}
	rank := func(cores []int, threads ...[2]float64) *probe.Process { // CPU time, and that in queues
		p := &probe.Process{Host: host, Cores: cores, Sampling: 1e6, MPI: "Open MPI v4.1.4"}
		for i, x := range threads {
			p.Threads = append(p.Threads, probe.Thread{ID: i, Nodes: []probe.Node{{Wall: x[0] + x[1] + 1e-9, CPU: x[0], Blocked: 1e-9}}})
		}
		return p
	}
	elsewhere := rank([]int{0}, [2]float64{1, 1}, [2]float64{1, 1})
	elsewhere.Host = "another"
	for _, c := range []struct {
		name string
		of   *probe.Process
		want bool
	}{
		{"two threads on a core", rank([]int{0}, [2]float64{1, 1}, [2]float64{1, 1}), true},
		{"on two cores", rank([]int{0, 1}, [2]float64{1, 1}, [2]float64{1, 1}), false},
		{"one of them does next to nothing", rank([]int{0}, [2]float64{1, 1}, [2]float64{0.01, 0}), false},
		{"they work by turns", rank([]int{0}, [2]float64{1, 0.01}, [2]float64{1, 0.01}), false},
		{"more threads than this machine has cores", rank([]int{0}, make([][2]float64, runtime.NumCPU()+1)...), false},
		{"cores are not known", rank(nil, [2]float64{1, 1}, [2]float64{1, 1}), false},
		{"on another host", elsewhere, false},
	} {
		for i := range c.of.Threads {
			if c.name == "more threads than this machine has cores" {
				c.of.Threads[i].Nodes[0] = probe.Node{Wall: 2, CPU: 1, Blocked: 1e-9}
			}
		}
		collect := collector{processes: []*probe.Process{c.of}}
		collect.tellBound([]string{"mpirun"})
		if told := strings.Contains(strings.Join(collect.notes, ""), "the 2 threads of rank 0 shared 1 of "); told != c.want {
			t.Errorf("%s: %q", c.name, collect.notes)
		}
	}
	two := collector{processes: []*probe.Process{rank([]int{0}), rank([]int{1})}}
	if n := cores(two.processes); n != 2 {
		t.Errorf("two ranks with a core each have %d", n)
	}
	two.processes[1] = rank([]int{0})
	if n := cores(two.processes); n != 1 {
		t.Errorf("two ranks on the same core have %d", n)
	}
	two.processes[1] = elsewhere
	if n := cores(two.processes); n != 0 {
		t.Errorf("two hosts may be one machine, and have %d cores", n)
	}
	two.processes[1] = rank(nil)
	if n := cores(two.processes); n != 0 {
		t.Errorf("of one rank the cores are not known, and they are %d", n)
	}
}

// TestBoundByTheLauncher: the whole of it, with Open MPI's own binding.
func TestBoundByTheLauncher(t *testing.T) {
	need(t, "mpicc.openmpi", "mpirun.openmpi")
	if runtime.NumCPU() < 2 {
		t.Skip("a single core")
	}
	dir := write(t, map[string]string{"hybrid.c": `#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    double s = 0;
    MPI_Init(&argc, &argv);
#pragma omp parallel for reduction(+ : s) num_threads(2)
    for (long i = 0; i < 200000000; i++)
        s += 1.0 / (1.0 + i);
    printf("%g\n", s);
    MPI_Finalize();
    return 0;
}
`})
	exe := dir + "/hybrid"
	mustCompile(t, "mpicc.openmpi", "-g", "-O1", "-fopenmp", dir+"/hybrid.c", "-o", exe)
	for bind, want := range map[string]float64{"core": 1, "none": float64(runtime.NumCPU())} {
		var out bytes.Buffer
		r := Runner{Command: []string{"mpirun.openmpi", "--allow-run-as-root", "--bind-to", bind, "-n", "1", exe}, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000, Out: &out, Err: &out}
		result, err := r.Run(t.Context())
		if err != nil || result.Status != 0 {
			t.Fatalf("%v\n%s", err, out.String())
		}
		cores, ok := result.Experiment.Factor("cores")
		if !ok || cores.Number != want {
			t.Errorf("--bind-to %s: %v cores, want %v", bind, cores.Number, want)
		}
		told := strings.Contains(strings.Join(result.Experiment.Notes, "\n"), "the launcher bound them there. mpirun --map-by slot:PE=2")
		if told != (bind == "core") {
			t.Errorf("--bind-to %s: %q", bind, result.Experiment.Notes)
		}
	}
}
