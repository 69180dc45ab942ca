package launch

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"auspex/probe"
)

// TestStartedByLink: a program is called what it was started as; its memory is its
// own, whoever started it; what a library did that it closed has its name.
func TestStartedByLink(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{
		"inner.c": workingFor + "double inner_work(void) { return work(0.1); }\n",
		"outer.c": `#include <dlfcn.h>
int main(int argc, char **argv)
{
    void *library = dlopen(argv[argc - 1], RTLD_NOW);
    double (*run)(void);
    if (!library)
        return 2;
    *(void **)&run = dlsym(library, "inner_work");
    double x = run();
    return x < 0 || dlclose(library) != 0;
}
`})
	exe, library, link := filepath.Join(dir, "real"), filepath.Join(dir, "inner.so"), filepath.Join(dir, "linked")
	for _, args := range [][]string{{"-g", "-O1", filepath.Join(dir, "outer.c"), "-o", exe, "-ldl"}, {"-g", "-O1", "-shared", "-fPIC", filepath.Join(dir, "inner.c"), "-o", library}} {
		if out, err := command("gcc", args...); err != nil {
			t.Fatal(out)
		}
	}
	if err := os.Symlink(exe, link); err != nil {
		t.Fatal(err)
	}
	mine := make([]byte, 64<<20) // a child of fork has it until it is another program
	for i := range mine {
		mine[i] = 1
	}
	r := Runner{Command: []string{link, library}, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000}
	result, err := r.Run(context.Background())
	if err != nil || result.Status != 0 || mine[0] != 1 {
		t.Fatal(err)
	}
	e := result.Experiment
	if arguments, _ := e.Factor("arguments"); e.Program != "linked" || arguments.Word != library {
		t.Errorf("program %q with %q", e.Program, arguments.Word)
	}
	if cpu := value(t, e, 0, 0, "linked/main/inner_work*", "cpu_time"); cpu < 0.05 {
		t.Errorf("%g s in the closed library", cpu)
	}
	if memory := value(t, e, 0, 0, "linked", "peak_memory"); memory < 1e5 || memory > 32e6 {
		t.Errorf("peak memory %g", memory)
	}
}

// TestCodeOfNoFile: there are no symbols to install of what no file holds.
func TestCodeOfNoFile(t *testing.T) {
	p := &probe.Process{Regions: []probe.Region{{Name: "x", Kind: probe.Program}},
		Threads: []probe.Thread{{Samples: 100, Nodes: []probe.Node{{Parent: -1}}, Steps: []probe.Step{{PC: 5, Parent: -1, Count: 90}}}}}
	c := collector{processes: []*probe.Process{p}, tree: callTree{names: newResolver(), blind: map[string]uint64{noFile: 90}}}
	c.tellSamples()
	if notes := strings.Join(c.notes, "\n"); !strings.Contains(notes, "90 % of the samples are in code that no file holds") || strings.Contains(notes, "install") {
		t.Errorf("notes %q", notes)
	}
}

// TestCostOfCalls: what measuring takes counts calls of MPI and for files, and parallel regions.
func TestCostOfCalls(t *testing.T) {
	p := &probe.Process{Price: 1e-7, CallPrice: 2e-7, FilePrice: 3e-7, TeamPrice: 4e-7, Own: 0.1,
		Regions: []probe.Region{{Name: "x", Kind: probe.Program}, {Name: "f", Kind: probe.Function}, {Name: "MPI_Iprobe", Kind: probe.MPICall}, {Name: "OpenMP parallel", Kind: probe.Parallel}},
		Threads: []probe.Thread{{Files: 2e6, Walking: 0.1, Nodes: []probe.Node{{Parent: -1, CPU: 9.9}, {Region: 1, Calls: 1e6}, {Region: 2, Calls: 1e6}, {Region: 3, Calls: 5e5}}},
			{ID: 1, Nodes: []probe.Node{{Parent: -1}, {Region: 3, Calls: 5e5}}}}} // takes part only
	c := collector{processes: []*probe.Process{p}}
	c.tellCost()
	const want = "measuring took about 13.0 % of the CPU time: 1,000,000 calls of regions, 1,000,000 of MPI, 500,000 parallel regions, 2,000,000 for files, 0 samples of stacks, 100.0 ms to start and end; nothing is subtracted"
	if len(c.notes) != 1 || c.notes[0] != want {
		t.Errorf("notes %q", c.notes)
	}
}

// What ranks do before they call MPI is theirs, and not in starting and ending.
func TestWorkBeforeInit(t *testing.T) {
	eachMPI(t, func(t *testing.T, m mpi) {
		dir := write(t, map[string]string{"late.c": "#include <mpi.h>\n" + workingFor + `
__attribute__((noinline)) double early(void) { return work(0.2); }
int main(int argc, char **argv)
{
    double x = early();
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return x < 0;
}
`})
		exe := filepath.Join(dir, "late")
		mustCompilePlain(t, m.cc, "-g", "-O1", filepath.Join(dir, "late.c"), "-o", exe)
		r := Runner{Command: m.ranks("2", exe), Dir: t.TempDir(), Cache: testCache(), StackRate: 1000}
		result, err := r.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		e := result.Experiment
		for rank := range 2 {
			if took := value(t, e, rank, 0, "late/main/early*", "cpu_time"); took < 0.15 {
				t.Errorf("rank %d was in early for %g s of 0.2 s", rank, took)
			}
		}
	})
}
