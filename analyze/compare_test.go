package analyze

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"auspex/fuzzy"
	"auspex/internal/sample"
	"auspex/model"
)

// other is a program of which only main and MPI_Wait are in sample.Scored.
func other(t testing.TB, name string) *Dataset {
	t.Helper()
	b := model.NewBuilder()
	seconds := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	root := b.Region(model.Region{Name: "main", Parent: model.NoParent})
	for p := range 2 {
		u := b.Unit(model.Unit{Process: p})
		b.Set(u, root, seconds, 1)
		b.Set(u, b.Region(model.Region{Name: "render", Parent: root}), seconds, 5)
		b.Set(u, b.Region(model.Region{Name: "MPI_Wait", Kind: model.MPI, Parent: root}), seconds, 2)
	}
	e, err := b.Build(model.Header{Name: name, Program: "/usr/bin/movie"})
	if err != nil {
		t.Fatal(err)
	}
	return dataset(t, e)
}

func TestCompareRefusesOtherPrograms(t *testing.T) {
	a, b := scored(t, 1), other(t, "movie")
	if _, err := Compare(a, b, ShippedWords(), CompareOptions{Over: OverMean}); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("got %v", err)
	}
	c, err := Compare(a, b, ShippedWords(), CompareOptions{Over: OverMean, Force: true})
	if err != nil || len(c.Warnings) == 0 {
		t.Errorf("%v; warnings %v", err, c)
	}
	if related, err := Related(b, other(t, "later")); err != nil || !related {
		t.Errorf("one program is called two: %v", err)
	}
	renamed := sample.Scored(t, 2)
	renamed.Name, renamed.Program = "renamed", "a.out"
	if related, err := Related(a, dataset(t, renamed)); err != nil || !related {
		t.Errorf("the same regions in another binary are called another program: %v", err)
	}
}

func TestCompareSeveralByAnyMetric(t *testing.T) {
	all, err := CompareAll(scored(t, 1), []*Dataset{scored(t, 2), scored(t, 4)}, ShippedWords(), CompareOptions{Over: OverTotal})
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Others) != 2 || all.Others[1].Runtime.Ratio != 4 || all.Others[1].Metric != "wtime" || all.Others[1].Unit != "s" {
		t.Errorf("%+v", all.Others[1])
	}
	// Misses stay as they are, so misses a second fall to a quarter: 10 misses in
	// 1 s of main become 10 in 4 s.
	c, err := Compare(scored(t, 1), scored(t, 4), ShippedWords(), CompareOptions{Over: OverTotal, Metric: "l2_misses/wtime"})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range c.Regions {
		if r.Region == "main" && (r.A != 10 || r.B != 2.5 || r.Ratio != 0.25) {
			t.Errorf("%+v", r)
		}
	}
	if _, err := Compare(scored(t, 1), scored(t, 4), ShippedWords(), CompareOptions{Over: OverMean, Metric: "nothing"}); err == nil {
		t.Error("an unknown metric was compared")
	}
}

// The elapsed time of scored is 5 s times its scale: 0.5 + 4.5 + 0.25 s on the
// second unit.
func TestCheckElapsedTime(t *testing.T) {
	for require, holds := range map[string]bool{
		"run_seconds IS Z(5.3, 6)":                        true,
		"run_seconds IS Z(4, 5)":                          false,
		"run_seconds IS same COMPARED WITH baseline":      false,
		"run_seconds IS very high COMPARED WITH baseline": true,
	} {
		c, err := fuzzy.ReadContract("perf.toml", []byte("baseline = 'fast'\n[clause.time]\nrequire = '"+require+"'\n"))
		if err != nil {
			t.Fatal(err)
		}
		checked, err := Check(scored(t, 1), ShippedWords(), c, func(string) (*Dataset, error) { return scored(t, 0.2), nil })
		if err != nil {
			t.Fatal(err)
		}
		if checked.Holds == nil || *checked.Holds != holds {
			t.Errorf("%s: %+v", require, checked.Clauses)
		}
	}
}

// Shares in a comparison are of the first run, so that no rows of a table take
// more than all of it, however different the second is: 90 % and 10 % there, the
// other way round here.
func TestSharesOfAComparisonAreOfOneRun(t *testing.T) {
	run := func(name string, solve, write float64) *Dataset {
		b := model.NewBuilder()
		seconds := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
		u := b.Unit(model.Unit{})
		b.Set(u, b.Region(model.Region{Name: "solve", Parent: model.NoParent}), seconds, solve)
		b.Set(u, b.Region(model.Region{Name: "write", Parent: model.NoParent}), seconds, write)
		e, err := b.Build(model.Header{Name: name, Program: "p"})
		if err != nil {
			t.Fatal(err)
		}
		return dataset(t, e)
	}
	c, err := Compare(run("a", 9, 1), run("b", 1, 9), ShippedWords(), CompareOptions{Over: OverMean})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range c.Regions {
		if want := map[string]Real{"solve": 0.9, "write": 0.1}[r.Region]; r.Share != want {
			t.Errorf("%s takes %v of the first run, not %v", r.Region, r.Share, want)
		}
	}
}

// TestCompareRenamedProgram: a program under another name is compared below its name.
func TestCompareRenamedProgram(t *testing.T) {
	run := func(name, program string, solve float64) *Dataset {
		b := model.NewBuilder()
		seconds := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
		u := b.Unit(model.Unit{})
		root := b.Region(model.Region{Name: program, Parent: model.NoParent})
		b.Set(u, b.Region(model.Region{Name: "solve", Parent: root}), seconds, solve)
		b.Set(u, b.Region(model.Region{Name: "<" + program + ">", Parent: root}), seconds, 1)
		b.Set(u, b.Region(model.Region{Name: program + " only", Parent: root}), seconds, 0.5)
		e, err := b.Build(model.Header{Name: name, Program: "bin/" + program})
		if err != nil {
			t.Fatal(err)
		}
		return dataset(t, e)
	}
	c, err := Compare(run("a", "solver", 2), run("b", "solver_new", 3), ShippedWords(), CompareOptions{Over: OverMean})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][2]Real{}
	for _, r := range c.Regions {
		if got[r.Region] = [2]Real{r.A, r.B}; r.Share.IsMissing() {
			t.Errorf("%s has no share", r.Region)
		}
	}
	want := map[string][2]Real{"solver/solve": {2, 3}, "solver/<solver>": {1, 1}, "solver/solver only": {0.5, 0}, "solver/solver_new only": {0, 0.5}}
	for region, values := range want {
		if got[region] != values {
			t.Errorf("%s: %v, want %v", region, got[region], values)
		}
	}
	if len(got) != len(want) || !strings.Contains(strings.Join(c.Warnings, ""), "called solver in a and solver_new in b") {
		t.Errorf("%v, %q", got, c.Warnings)
	}
}

// What only one of the experiments has is told of, and so is a function that others
// call there.
func TestCompareTellsOfMissingRegions(t *testing.T) {
	build := func(name string, paths map[string]float64) *Dataset {
		b := model.NewBuilder()
		seconds := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
		unit := b.Unit(model.Unit{})
		for _, path := range slices.Sorted(maps.Keys(paths)) {
			parent := model.NoParent
			for _, part := range model.SplitPath(path) {
				parent = b.Region(model.Region{Name: part, Parent: parent})
			}
			b.Set(unit, parent, seconds, paths[path])
		}
		e, err := b.Build(model.Header{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return dataset(t, e)
	}
	before := build("before", map[string]float64{"main/solve": 10, "main/post": 3, "main/scan": 2, "main/once": 0.001})
	after := build("after", map[string]float64{"main/solve": 10, "main/post_v2": 3, "main/phase/scan": 2})
	c, err := Compare(before, after, ShippedWords(), CompareOptions{Over: OverMean})
	if err != nil {
		t.Fatal(err)
	}
	only := map[string]string{}
	for _, r := range c.Regions {
		only[r.Region] = r.Only
	}
	if only["main/solve"] != "" || only["main/post"] != "before" || only["main/post_v2"] != "after" {
		t.Errorf("%v", only)
	}
	want := "only before has main/post and main/scan; only after has main/post_v2 and main/phase/scan. What was renamed or is called by others is not compared with what it was; --by name compares scan, whoever calls it"
	if len(c.Warnings) != 1 || c.Warnings[0] != want {
		t.Errorf("%q", c.Warnings)
	}
}
