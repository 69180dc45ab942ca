package launch

import (
	"slices"
	"strings"
	"testing"

	"auspex/model"
	"auspex/probe"
)

// namelessProcess is a program without symbols, main of which opens a parallel region
// of two threads. The second thread waits in libgomp, and calls MPI from code that was
// made while the program ran. A third thread is its own, and calls MPI, too.
func namelessProcess() *probe.Process {
	const program, gomp = "/nowhere/x", "/nowhere/libgomp.so.1"
	regions := []probe.Region{
		{Name: "x", Kind: probe.Program},
		{Kind: probe.Frame, Object: program, Offset: 0x100},
		{Name: "OpenMP parallel", Kind: probe.Parallel, Object: program, Offset: 0x200},
		{Name: "OpenMP barrier", Kind: probe.Barrier},
		{Kind: probe.Frame, Offset: 0x7f0000000100},
		{Name: "MPI_Barrier", Kind: probe.MPICall},
		{Kind: probe.Frame, Object: program, Offset: 0x300},
	}
	team := []probe.Node{
		{Parent: -1, Calls: 1, Wall: 1, CPU: 1},
		{Parent: 0, Region: 1, Wall: 1, CPU: 1},
		{Parent: 1, Region: 2, Calls: 1, Wall: 1, CPU: 1},
		{Parent: 2, Region: 3, Calls: 1, Wall: 1},
	}
	second := append(slices.Clone(team), probe.Node{Parent: 0, Region: 4, Wall: 1, CPU: 1}, probe.Node{Parent: 4, Region: 5, Calls: 1, Wall: 1, CPU: 1})
	return &probe.Process{
		Rank: 0, Ranks: 1, Sampling: 1e6, Name: "x", Program: program, State: probe.Finished, Regions: regions,
		Objects: []probe.Object{{Path: gomp, Start: 0x1000, End: 0x2000}, {Path: program, Start: 0x2000, End: 0x3000}},
		Threads: []probe.Thread{
			{Nodes: team, Steps: []probe.Step{{PC: 0x2100, Place: 2, Parent: -1, Count: 40}}, Samples: 40},
			{ID: 1, Nodes: second, Steps: []probe.Step{{PC: 0x2100, Place: 2, Parent: -1, Count: 10}, {PC: 0x1100, Place: 2, Parent: -1, Count: 50}}, Samples: 60},
			{ID: 2, Nodes: []probe.Node{{Parent: -1, Calls: 1, Wall: 1, CPU: 1}, {Parent: 0, Region: 6, Wall: 1, CPU: 1}, {Parent: 1, Region: 5, Calls: 1, Wall: 1, CPU: 1}}},
		},
	}
}

// What main calls has one path in all threads, in the trace too; what another thread
// was started with is not main. Code without a file has one name, and threads that wait
// in OpenMP's library are nobody's missing symbols.
func TestNamelessProgram(t *testing.T) {
	p := namelessProcess()
	c := collector{b: model.NewBuilder(), tree: callTree{names: newResolver(), blind: map[string]uint64{}}, where: map[*probe.Process]*spot{}, processes: []*probe.Process{p}}
	c.declare()
	c.process(p, c.grow(p))
	c.tellSamples()
	e, err := c.b.Build(c.header(Run{}))
	if err != nil {
		t.Fatal(err)
	}
	paths := model.Paths(e.Regions)
	for _, want := range []string{"x/main/OpenMP parallel@x+0x200/OpenMP barrier", "x/<unknown>/MPI_Barrier", "x/<x>/MPI_Barrier"} {
		if !slices.Contains(paths, want) {
			t.Errorf("no %s in %q", want, paths)
		}
	}
	if slices.ContainsFunc(paths, func(p string) bool { return strings.Contains(p, "<x>/OpenMP") || strings.Contains(p, "<.>") }) {
		t.Errorf("regions %q", paths)
	}
	if notes := strings.Join(c.notes, "\n"); strings.Contains(notes, "libgomp") || !strings.Contains(notes, "x has no symbols for 50 % of the samples") {
		t.Errorf("notes %q", notes)
	}
	if got := computing(p, &callTree{names: newResolver()}); !slices.Contains(got, "main/OpenMP parallel@x+0x200") {
		t.Errorf("in the trace: %q", got)
	}
}

// A thread of C++ begins in a library that is stripped everywhere: that is no region. What
// a function of the program calls there is.
func TestThreadsBeginInNoRegion(t *testing.T) {
	const library = "/nowhere/libstdc++.so.6"
	p := &probe.Process{
		Rank: -1, Name: "x", Program: "/nowhere/x", Regions: []probe.Region{{Name: "x", Kind: probe.Program}, {Name: "sort", Kind: probe.Function}},
		Objects: []probe.Object{{Path: library, Start: 0x1000, End: 0x2000}, {Path: "/nowhere/x", Start: 0x2000, End: 0x3000}},
		Threads: []probe.Thread{{
			ID: 1, Nodes: []probe.Node{{Parent: -1, Calls: 1}, {Parent: 0, Region: 1, Calls: 1}}, Samples: 3,
			Steps: []probe.Step{
				{PC: 0x1100, Place: 0, Parent: -1}, {PC: 0x2100, Place: 0, Parent: 0, Count: 1}, {PC: 0x1200, Place: 0, Parent: 1, Count: 1},
				{PC: 0x2200, Place: 1, Parent: -1}, {PC: 0x1200, Place: 1, Parent: 3, Count: 1},
			},
		}},
	}
	tree := callTree{names: newResolver(), blind: map[string]uint64{}}
	tree.begin(p, 1)
	var paths []string
	for _, s := range tree.samples(p, p.Threads[0], tree.nodes(p, p.Threads[0]), []int{0, 1}) {
		paths = append(paths, strings.Join(s.at.path(), "/"))
	}
	if want := []string{"x/<x>", "x/<x>/<libstdc++.so.6>", "x/sort/<libstdc++.so.6>"}; !slices.Equal(paths, want) {
		t.Errorf("%q, want %q", paths, want)
	}
}
