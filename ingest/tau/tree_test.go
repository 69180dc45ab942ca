package tau

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"auspex/ingest/input"
	"auspex/ingest/inputtest"
	"auspex/model"
	"pgregory.net/rapid"
)

// profileText makes a profile file of lines `name calls exclusive inclusive
// [groups]`, the fields parted by semicolons, times in microseconds.
func profileText(metric string, functions ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d templated_functions%s\n# Name Calls Subrs Excl Incl ProfileCalls #\n", len(functions), metric)
	for _, f := range functions {
		fields := strings.Split(f, ";")
		groups := "TAU_DEFAULT"
		if len(fields) > 4 {
			groups = fields[4]
		}
		fmt.Fprintf(&b, "\"%s\" %s 0 %s %s 0 GROUP=\"%s\" \n", fields[0], fields[1], fields[2], fields[3], groups)
	}
	b.WriteString("0 aggregates\n0 userevents\n")
	return b.String()
}

// experiment writes files into a directory and reads it.
func experiment(t testing.TB, files map[string]string) (*model.Experiment, error) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, "run", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found, err := input.Find(Formats(), []string{dir}, "")
	if err != nil {
		return nil, err
	}
	if len(found.Sources) != 1 || found.Sources[0].Format != "tau" {
		t.Fatalf("found %+v", found)
	}
	return found.Sources[0].Read(context.Background(), Formats())
}

func TestTAUTree(t *testing.T) {
	for _, test := range []struct {
		name      string
		functions []string
		want      map[string]float64 // exclusive
		note      string
	}{
		{
			"flat",
			[]string{"main;1;10;30", "work;2;20;20"},
			map[string]float64{"main": 10, "work": 20}, "",
		},
		{
			"passes of a loop are one region",
			[]string{"main;1;10;60", "loop [0];1;20;20", "loop [1];1;30;30"},
			map[string]float64{"main": 10, "loop": 50}, "numbered passes of loops (loop [n]): 2",
		},
		{
			"functions that are the end of a path are dropped",
			[]string{"main;1;10;60", "f;2;20;50", "g;3;30;30", "main => f;2;20;50", "main => f => g;3;30;30"},
			map[string]float64{"main": 10, "main/f": 20, "main/f/g": 30}, "",
		},
		{
			"a function without a path is a root",
			[]string{"main;1;10;30", "f;2;20;20", "main => f;2;20;20", "atexit;1;5;5"},
			map[string]float64{"main": 10, "main/f": 20, "atexit": 5}, "",
		},
		{
			"rows of zeros are no rows",
			[]string{"main;1;10;30", "f;0;0;0", "main => f;0;0;0", "g;2;20;20", "main => g;2;20;20"},
			map[string]float64{"main": 10, "main/g": 20}, "",
		},
		{
			"a main that calls itself",
			[]string{"main;3;30;60", "f;3;30;50", "main => f;3;30;50", "main => f => main;2;20;20"},
			map[string]float64{"main": 10, "main/f": 30, "main/f/main": 20}, "",
		},
		{
			"depth 2: paths go below the only path to their caller",
			[]string{"main;1;10;60", "f;2;20;50", "g;3;30;30", "h;1;5;5",
				"main => f;2;20;50", "f => g;3;30;30", "g => h;1;5;5"},
			map[string]float64{"main": 10, "main/f": 20, "main/f/g": 30, "main/f/g/h": 5}, "",
		},
		{
			"depth 2: several callers cannot be told apart",
			[]string{"main;1;10;60", "a;1;1;9", "b;1;2;8", "f;2;20;50", "g;3;30;30",
				"main => a;1;1;9", "main => b;1;2;8", "a => f;1;8;8", "b => f;1;12;12", "f => g;3;30;30"},
			map[string]float64{"main": 10, "main/a": 1, "main/b": 2, "main/a/f": 8, "main/b/f": 12, "f/g": 30},
			"call paths cut by TAU_CALLPATH_DEPTH that have several callers: 1",
		},
		{
			"depth 3: the whole beginning decides",
			[]string{"main;1;1;9", "a;1;1;9", "b;1;1;9", "f;1;1;9", "g;1;1;9",
				"main => a;1;1;9", "main => b;1;1;9", "main => a => f;1;2;9", "main => b => f;1;3;9", "a => f => g;1;4;9", "b => f => g;1;5;9"},
			map[string]float64{"main": 1, "main/a": 1, "main/b": 1, "main/a/f": 2, "main/b/f": 3, "main/a/f/g": 4, "main/b/f/g": 5}, "",
		},
		{
			"depth 2: recursion",
			[]string{"main;1;10;60", "f;5;20;50", "main => f;1;5;50", "f => f;4;15;15"},
			map[string]float64{"main": 10, "main/f": 5, "main/f/f": 15}, "",
		},
		{
			"depth 2: callers in a circle that nobody enters",
			[]string{"f;1;10;30", "g;1;20;20", "f => g;1;20;20", "g => f;1;10;10"},
			map[string]float64{"g/f": 10, "g/f/g": 20}, "call paths cut by TAU_CALLPATH_DEPTH that have several callers: 1",
		},
		{
			"phases",
			[]string{"main;1;10;90", "step 1;1;1;40;TAU_PHASE", "step 2;1;2;30;TAU_PHASE", "solve;2;60;60",
				"main => step 1;1;1;40;TAU_PHASE", "main => step 2;1;2;30;TAU_PHASE", "step 1 => solve;1;39;39", "step 2 => solve;1;21;21"},
			map[string]float64{"main": 10, "main/step 1": 1, "main/step 1/solve": 39, "main/step 2": 2, "main/step 2/solve": 21}, "",
		},
		{
			"samples share out the time of their context",
			[]string{"main;1;100;150", "f;1;50;50", "main => f;1;50;50",
				"[CONTEXT] main;7;0;70;TAU_SAMPLE_CONTEXT", "[SAMPLE] g [{a.c} {7}];4;40;40", "[SAMPLE] h [{a.c} {9}];3;30;30",
				"main => [CONTEXT] main;7;0;70", "main => [CONTEXT] main => [SAMPLE] g [{a.c} {7}];3;30;30",
				"main => [CONTEXT] main => [SAMPLE] g [{a.c} {8}];1;10;10", "main => [CONTEXT] main => [SAMPLE] h [{a.c} {9}];3;30;30"},
			map[string]float64{"main": 30, "main/f": 50, "main/g": 40, "main/h": 30}, "samples share out",
		},
		{
			"samples that claim more than was measured",
			[]string{"main;1;50;100", "f;1;50;50", "main => f;1;50;50",
				"main => [CONTEXT] main => [SAMPLE] g;6;60;60", "main => [CONTEXT] main => [SAMPLE] h;4;40;40"},
			map[string]float64{"main": 0, "main/f": 50, "main/g": 30, "main/h": 20}, "samples share out",
		},
		{
			"samples with stacks, summaries and call sites",
			[]string{"main;1;100;150", "f [{f.c} {3}];1;50;50", "main => f [{f.c} {3}];1;50;50",
				"[CALLSITE] f;1;50;50;TAU_CALLSITE", "main => [CALLSITE] f [@] main [{m.c} {4}];1;50;50;TAU_CALLSITE",
				"main => [CONTEXT] main => [UNWIND] m.c.3 [@] main [{m.c} {3}] => [UNWIND] a.c.7 [@] g [{a.c} {7}] => [SAMPLE] h [{a.c} {9}];3;30;30",
				"main => [CONTEXT] main => [UNWIND] m.c.3 [@] main [{m.c} {3}];3;0;30",
				"main => [CONTEXT] main => [SAMPLE] main [{m.c} {5}];2;20;20",
				"main => [CONTEXT] main => [SUMMARY] k [{k.c}] => [SAMPLE] k [{k.c} {1}];1;10;10",
				"main => [CONTEXT] main => [SAMPLE] k [{k.c} {1}];1;10;10"},
			map[string]float64{"main": 60, "main/f": 50, "main/g/h": 30, "main/k": 10}, "samples share out",
		},
		{
			"samples in a profile without call paths",
			[]string{".TAU application;1;74;76", "compile;1;2;2", "[SAMPLE] UNRESOLVED libc.so;2;60;60",
				".TAU application => [CONTEXT] .TAU application;2;0;90",
				".TAU application => [CONTEXT] .TAU application => [SAMPLE] UNRESOLVED libc.so;2;60;60"},
			map[string]float64{".TAU application": 14, "compile": 2, "UNRESOLVED libc.so": 60}, "samples share out",
		},
		{
			"functions of one name and several places",
			[]string{"init [{a.c} {3,1}-{4,1}];1;1;1", "init [{b.c} {5,1}-{9,1}];1;2;2", "Loop: f [{dir/a.c} {7,2}-{8,9}];1;3;3", "Loop: f [{dir/a.c} {10,2}-{11,9}];1;4;4"},
			map[string]float64{"init [a.c:3]": 1, "init [b.c:5]": 2, "Loop: f [a.c:7]": 3, "Loop: f [a.c:10]": 4}, "",
		},
		{
			"quotes, slashes and blanks in names",
			[]string{`operator"" _km(x);1;1;1`, `  a/b\c  ;1;2;2`, ` => ;1;3;3`},
			map[string]float64{`operator"" _km(x)`: 1, `a\/b\\c`: 2, `=>`: 3}, "",
		},
		{
			"negative times of overhead compensation",
			[]string{"main;1;-3;20", "f;1;20;20"},
			map[string]float64{"main": 0, "f": 20}, "overhead compensation: 1",
		},
		{
			"throttled functions",
			[]string{"main;1;3;20", "f [THROTTLED];100001;20;20;TAU_DISABLE"},
			map[string]float64{"main": 3, "f": 20}, "functions throttled by TAU: 1",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, err := experiment(t, map[string]string{"profile.0.0.0": profileText("_MULTI_TIME", test.functions...)})
			if err != nil {
				t.Fatal(err)
			}
			got := inputtest.ValuesOf(t, e, 0, model.WallTime, model.Exclusive)
			if !maps.Equal(got, test.want) {
				t.Errorf("exclusive times are\n%v, should be\n%v", got, test.want)
			}
			if !strings.Contains(strings.Join(e.Notes, "\n"), test.note) || (test.note == "") != (len(e.Notes) == 0) {
				t.Errorf("notes are %q, should hold %q", e.Notes, test.note)
			}
		})
	}
}

// A function may be a root in one thread and called in another.
func TestTAUThreadsWithRootsOfTheirOwn(t *testing.T) {
	e, err := experiment(t, map[string]string{
		"profile.0.0.0": profileText("", "main;1;10;30", "work;1;20;20", "main => work;1;20;20"),
		"profile.0.0.1": profileText("", "work;1;25;25"),
		"profile.0.0.2": profileText("", "work;0;0;0"),
	})
	if err != nil {
		t.Fatal(err)
	}
	for unit, want := range []map[string]float64{
		{"main": 10, "main/work": 20}, {"work": 25}, {},
	} {
		if got := inputtest.ValuesOf(t, e, unit, model.WallTime, model.Exclusive); !maps.Equal(got, want) {
			t.Errorf("unit %v: %v, should be %v", e.Units[unit], got, want)
		}
	}
	if len(e.Units) != 3 {
		t.Errorf("units are %v", e.Units)
	}
}

func TestTAUKinds(t *testing.T) {
	e, err := experiment(t, map[string]string{"profile.0.0.0": profileText("",
		"main;1;10;30", "MPI_Send();1;1;1;TAU_CALLPATH|MPI", "my_send;1;1;1;MPI | TAU_DEFAULT", "mpi_recv_;1;1;1;",
		"shmem_put;1;1;1;TAU_SHMEM", "Loop: f [{a.c} {1,2}-{3,4}];1;1;1", "barrier enter/exit [OpenMP location: file:a.f90 <132, 153>];1;1;1;OpenMP",
		"fwrite();1;1;1;TAU_IO", "iteration;1;1;1;TAU_PHASE|TAU_USER")})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]model.Region{
		"main": {Kind: model.Function}, "MPI_Send": {Kind: model.MPI}, "my_send": {Kind: model.MPI},
		"mpi_recv_": {Kind: model.MPI}, "shmem_put": {Kind: model.Comm}, "Loop: f": {Kind: model.Loop, File: "a.c", Line: 1},
		"barrier enter/exit": {Kind: model.Barrier, File: "a.f90", Line: 132}, "fwrite()": {Kind: model.IO}, "iteration": {Kind: model.User},
	}
	for _, r := range e.Regions {
		w := want[r.Name]
		if w.Name, w.Parent = r.Name, model.NoParent; r != w {
			t.Errorf("region %+v, should be %+v", r, w)
		}
	}
}

// drawnCall is a node of a random call tree.
type drawnCall struct {
	name     string
	time     float64
	children []*drawnCall
}

func drawCalls(rt *rapid.T, name string, depth int, calls *[]*drawnCall) *drawnCall {
	c := &drawnCall{name: name, time: float64(rapid.IntRange(1, 100).Draw(rt, "time"))}
	*calls = append(*calls, c)
	if depth < 6 {
		for _, child := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "MPI_Send"}), 0, 3, rapid.ID[string]).Draw(rt, "calls") {
			c.children = append(c.children, drawCalls(rt, child, depth+1, calls))
		}
	}
	return c
}

// entries writes the call tree as TAU would with that call path depth: flat
// sums and paths cut to their end.
func (c *drawnCall) entries(stack []string, depth int, into map[string]float64) {
	stack = append(slices.Clone(stack), c.name)
	into[c.name] += c.time
	if len(stack) > 1 && depth > 1 {
		into[strings.Join(stack[max(0, len(stack)-depth):], " => ")] += c.time
	}
	for _, child := range c.children {
		child.entries(stack, depth, into)
	}
}

func (c *drawnCall) paths(stack []string, into map[string]float64) {
	stack = append(slices.Clone(stack), c.name)
	into[model.JoinPath(stack...)] += c.time
	for _, child := range c.children {
		child.paths(stack, into)
	}
}

// Whole call paths come back as the tree they were made from; whatever depth
// they are cut to, no time is lost or counted twice.
func TestTAUTreeKeepsTheTime(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var calls []*drawnCall
		main := drawCalls(rt, "main", 1, &calls)
		depth := rapid.IntRange(1, 8).Draw(rt, "depth")
		entries := map[string]float64{}
		main.entries(nil, depth, entries)
		data := newData()
		thread := data.thread(tauID{})
		thread.metrics = []int32{data.metric("TIME")}
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			thread.function = append(thread.function, data.function(tauFunction{name: name}))
			thread.calls = append(thread.calls, 1)
			thread.values = append(thread.values, entries[name], math.NaN())
		}
		e, err := data.build(context.Background(), &input.Source{Given: "drawn"})
		if err != nil {
			rt.Fatal(err)
		}
		e.Name = "drawn"
		if err := e.Check(); err != nil {
			rt.Fatal(err)
		}
		got := inputtest.ValuesOf(t, e, 0, model.WallTime, model.Exclusive)
		var total, want float64
		for _, v := range got {
			total += v
		}
		for _, c := range calls {
			want += c.time
		}
		if math.Abs(total-want) > 1e-6*want {
			rt.Errorf("depth %d: %g of %g microseconds: %v", depth, total, want, got)
		}
		if depth > 6 {
			whole := map[string]float64{}
			main.paths(nil, whole)
			if !maps.Equal(got, whole) {
				rt.Errorf("tree is %v, should be %v", got, whole)
			}
		}
	})
}

func TestTAUSignatures(t *testing.T) {
	for name, want := range map[string]string{
		"void solve(int, double *) C": "solve", "char *name(void) C": "name", "main C": "main C",
		"void f(int)": "void f(int)", "SOLVE": "SOLVE", "(*)(int) C": "(*)(int) C",
	} {
		if got := withoutSignature(name); got != want {
			t.Errorf("%q became %q, want %q", name, got, want)
		}
	}
}

// TestTAUNumberedPasses: the passes of a loop are one region with their sum; a
// lone number and a name that is taken stay.
func TestTAUNumberedPasses(t *testing.T) {
	n := names{partOf: map[string]int32{}}
	for _, name := range []string{"main", "loop [0]", "loop [1]", "loop [12]", "array [3]", "solve [1]", "solve [2]", "solve", "f [x]", "g []"} {
		n.part(name)
	}
	n.setLabels()
	if folded := n.foldPhases(); folded != 3 {
		t.Errorf("%d names folded, not 3", folded)
	}
	for i, want := range []string{"main", "loop", "loop", "loop", "array [3]", "solve [1]", "solve [2]", "solve", "f [x]", "g []"} {
		if n.parts[i].label != want {
			t.Errorf("%q is called %q, not %q", n.parts[i].text, n.parts[i].label, want)
		}
	}
}
