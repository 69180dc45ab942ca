package analyze

import (
	"context"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"auspex/internal/sample"
	"auspex/model"
	"auspex/perfql"
)

// recursive is main > loop [1] > f > f, and loop [2] > g > f: one second in each
// region on either of two units, so that f takes three seconds of its own, and
// inclusively three as well: two in loop [1], where it is in itself, and one below g.
func recursive(t testing.TB) *Dataset {
	t.Helper()
	b := model.NewBuilder()
	seconds := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	region := func(name string, parent int) int { return b.Region(model.Region{Name: name, Parent: parent}) }
	root := region("main", model.NoParent)
	one, two := region("loop [1]", root), region("loop [2]", root)
	f := region("f", one)
	inner := region("f", f)
	g := region("g", two)
	all := []int{root, one, two, f, inner, g, region("f", g)}
	for p := range 2 {
		u := b.Unit(model.Unit{Process: p})
		for _, r := range all {
			b.Set(u, r, seconds, 1)
		}
	}
	e, err := b.Build(model.Header{Name: "recursive"})
	if err != nil {
		t.Fatal(err)
	}
	return dataset(t, e)
}

func TestByName(t *testing.T) {
	d, err := recursive(t).ByName()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][2]float64{"main": {1, 7}, "loop": {2, 6}, "f": {3, 3}, "g": {1, 2}}
	if len(d.Regions) != len(want) {
		t.Errorf("regions %v", d.Paths)
	}
	for r, path := range d.Paths {
		for i, scope := range []string{".exc", ".inc"} {
			m, err := d.Matrix("wtime" + scope)
			if err != nil {
				t.Fatal(err)
			}
			if got := m.At(1, r); got != want[path][i] {
				t.Errorf("wtime%s of %s is %v, want %v", scope, path, got, want[path][i])
			}
		}
	}
	s, err := Summarise(d, 2)
	if err != nil {
		t.Fatal(err)
	}
	if s.By != Names || s.Heaviest[0].Region != "f" || math.Abs(float64(s.Covered)-5./7) > 1e-12 {
		t.Errorf("%s first, by %s, covering %v", s.Heaviest[0].Region, s.By, s.Covered)
	}
	answer, err := Query(context.Background(), sharedEngine, mustParse(t, "wtime is S(0, 3) BY name"), ShippedWords(), searched(recursive(t)))
	if err != nil {
		t.Fatal(err)
	}
	if answer.By != "name" || *answer.Rows[0].Region != "f" || answer.Rows[0].Metrics["wtime"] != 6 {
		t.Errorf("by %s: %+v", answer.By, answer.Rows[0])
	}
}

// Loops are parts of their functions: those of two functions that have a line in common
// stay apart, two of one function are one, and the times that loops were entered are no
// calls.
func TestLoopsByName(t *testing.T) {
	b := model.NewBuilder()
	seconds := b.Metric(model.NewMetric(model.WallTime, "s", model.Exclusive))
	calls := b.Metric(model.NewMetric(model.Calls, "count", model.Exclusive))
	region := func(name string, kind model.Kind, line, parent int) int {
		return b.Region(model.Region{Name: name, Kind: kind, File: "x.c", Line: line, Parent: parent})
	}
	u := b.Unit(model.Unit{})
	add := func(name string, kind model.Kind, line, parent int, time, entered float64) int {
		r := region(name, kind, line, parent)
		b.Set(u, r, seconds, time)
		b.Set(u, r, calls, entered)
		return r
	}
	root := add("main", model.Function, 1, model.NoParent, 0, 1)
	f := add("f", model.Function, 10, root, 1, 2)
	add("loop@12", model.Loop, 12, f, 3, 50)
	nested := add("loop@14", model.Loop, 14, f, 2, 60)
	add("loop@15", model.Loop, 15, nested, 1, 70)
	g := add("g", model.Function, 10, root, 1, 4)
	add("loop@12", model.Loop, 12, g, 5, 80)
	add("h:loop@30", model.Loop, 30, root, 2, 90)
	add("main loop", model.Loop, 31, root, 1, 9)
	e, err := b.Build(model.Header{Name: "loops"})
	if err != nil {
		t.Fatal(err)
	}
	d, err := dataset(t, e).ByName()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][4]float64{"main": {0, 16, 1, 1}, "f": {7, 7, 2, 10}, "g": {6, 6, 4, 10}, "h": {2, 2, 0, 30}, "main loop": {1, 1, 9, 31}}
	if len(d.Paths) != len(want) {
		t.Errorf("regions %v", d.Paths)
	}
	for r, name := range d.Paths {
		got := [4]float64{3: float64(d.Regions[r].Line)}
		for i, metric := range []string{"wtime.exc", "wtime.inc", "calls.exc"} {
			m, err := d.Matrix(metric)
			if err != nil {
				t.Fatal(err)
			}
			got[i] = m.At(0, r)
		}
		if got != want[name] || name != "main loop" && d.Regions[r].Kind != model.Function {
			t.Errorf("%s: %v, want %v, a %s", name, got, want[name], d.Regions[r].Kind)
		}
	}
	s, err := Summarise(d, 1)
	if err != nil {
		t.Fatal(err)
	}
	if s.Heaviest[0].Region != "f" {
		t.Errorf("%s is the heaviest", s.Heaviest[0].Region)
	}
}

func mustParse(t testing.TB, text string) *perfql.Query {
	t.Helper()
	q, err := perfql.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// Folding loses no time, the program's efficiency stays as it is, and a query by
// name gives what Rows computes.
func TestByNameProperties(t *testing.T) {
	dir := t
	rapid.Check(t, func(t *rapid.T) {
		scope := rapid.SampledFrom([]model.Scope{model.Exclusive, model.Inclusive}).Draw(t, "scope")
		e := sample.Random(t, scope)
		taken := map[int]bool{} // parents with a region of that name
		for r := range e.Regions {
			if p := e.Regions[r].Parent; rapid.Bool().Draw(t, "renamed") && !taken[p] {
				e.Regions[r].Name, taken[p] = "same", true
			}
		}
		d := dataset(dir, e)
		flat, err := d.ByName()
		if err != nil {
			t.Fatal(err)
		}
		before, err := d.RegionShares()
		if err != nil {
			t.Fatal(err)
		}
		after, err := flat.RegionShares()
		if err != nil {
			t.Fatal(err)
		}
		if a, b := Total(before), Total(after); math.Abs(a-b) > 1e-9 {
			t.Fatalf("shares of %v became %v", a, b)
		}
		for _, metric := range []string{"wtime", "wtime.inc", "time_share", "imbalance", "lost", "mpi_share", "hit_ratio"} {
			rows, err := flat.Rows(ByRegion)
			if err != nil {
				t.Fatal(err)
			}
			want, err := rows.Column(metric)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := Query(context.Background(), sharedEngine, mustParse(dir, metric+" is not singleton(-1) BY name"), ShippedWords(), searched(d))
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]Real{}
			for _, row := range answer.Rows {
				got[*row.Region] = row.Metrics[metric]
			}
			for i, v := range want {
				g, there := got[flat.Paths[i]]
				if v != v || !there && v == 0 {
					continue
				}
				if !there || math.Abs(float64(g)-v) > 1e-9*max(1, math.Abs(v)) {
					t.Fatalf("%s of %s: the query says %v (%v), rows %v", metric, flat.Paths[i], g, there, v)
				}
			}
		}
	})
}

// A program whose functions are spread over many callers is shown by name; one
// whose paths say enough is not.
func TestSplitByPaths(t *testing.T) {
	for _, c := range []struct {
		callers int
		want    bool
	}{{3, false}, {100, true}} {
		b := model.NewBuilder()
		seconds := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
		u := b.Unit(model.Unit{})
		root := b.Region(model.Region{Name: "main", Parent: model.NoParent})
		for i := range c.callers {
			caller := b.Region(model.Region{Name: fmt.Sprint("caller", i), Parent: root})
			b.Set(u, b.Region(model.Region{Name: "kernel", Parent: caller}), seconds, 1)
		}
		e, err := b.Build(model.Header{Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		d := dataset(t, e)
		shown, note, err := d.By("")
		if err != nil {
			t.Fatal(err)
		}
		if (shown.ByWord() == Names) != c.want || (note != "") != c.want {
			t.Errorf("%d callers: by %s, %q", c.callers, shown.ByWord(), note)
		}
		if asked, _, err := d.By(Paths); err != nil || asked.ByWord() != Paths {
			t.Errorf("asked for paths: %v", err)
		}
		answer, err := Query(context.Background(), sharedEngine, mustParse(t, "wtime is S(0, 1)"), ShippedWords(), searched(d))
		if err != nil {
			t.Fatal(err)
		}
		if (answer.By == "name") != c.want || len(answer.Warnings) > 0 != c.want {
			t.Errorf("%d callers: the query answers by %s, %v", c.callers, answer.By, answer.Warnings)
		}
	}
	if _, _, err := recursive(t).By("file"); err == nil {
		t.Error("regions by file were shown")
	}
}

// Another function's only path is the heaviest: that no path takes 5 % of the run
// would not be true.
func TestSplitBesideAHeavyPath(t *testing.T) {
	b := model.NewBuilder()
	seconds := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	u := b.Unit(model.Unit{})
	root := b.Region(model.Region{Name: "main", Parent: model.NoParent})
	b.Set(u, b.Region(model.Region{Name: "MPI_Recv", Parent: root}), seconds, 3)
	for i := range 4 {
		caller := b.Region(model.Region{Name: fmt.Sprint("caller", i), Parent: root})
		b.Set(u, b.Region(model.Region{Name: "kernel", Parent: caller}), seconds, 2)
	}
	e, err := b.Build(model.Header{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	shown, note, err := dataset(t, e).By("")
	if err != nil || shown.ByWord() != Names || note != "the heaviest function is split over several call paths, so rows are by name; --by path shows the paths" {
		t.Errorf("by %s, %q: %v", shown.ByWord(), note, err)
	}
}

func TestFlatName(t *testing.T) {
	for name, want := range map[string]string{"loop [12]": "loop", "ProfilerStep#7": "ProfilerStep", "f": "f", "[3]": "[3]", "Loop: f [{a.c} {1,2}]": "Loop: f [{a.c} {1,2}]", "a[i]": "a[i]"} {
		if got := FlatName(name); got != want {
			t.Errorf("%q becomes %q, not %q", name, got, want)
		}
	}
}
