package analyze

import (
	"slices"
	"testing"

	"auspex/model"
)

// Threads are compared with those that they are in a team with: not with the worker
// of another team that the same thread opened, and those of teams inside others with
// nobody.
func TestThreadsOfDifferentTeams(t *testing.T) {
	b := model.NewBuilder()
	wall, calls := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive)), b.Metric(model.NewMetric(model.Calls, "", model.Own))
	program := b.Region(model.Region{Name: "program", Kind: model.Block, Parent: model.NoParent})
	parallel := func(parent int, line string) (team, work int) {
		team = b.Region(model.Region{Name: model.ParallelRegion + line, Kind: model.Block, Parent: parent})
		return team, b.Region(model.Region{Name: "work", Kind: model.Function, Parent: team})
	}
	one, inOne := parallel(program, "a.c:1")
	two, inTwo := parallel(program, "a.c:2")
	nested, inNested := parallel(one, "a.c:3")
	unit := func(thread int, seconds float64, teams ...int) {
		u := b.Unit(model.Unit{Process: 0, Thread: thread})
		b.Set(u, program, wall, 0)
		for _, r := range teams {
			b.Set(u, r, calls, 5)
			b.Set(u, r+1, wall, seconds)
		}
	}
	if inOne != one+1 || inTwo != two+1 || inNested != nested+1 {
		t.Fatal("regions are not numbered in order")
	}
	unit(0, 1, one, two)
	unit(1, 3, one, nested)
	unit(2, 2, two)
	unit(3, 9, nested)
	unit(4, 1, nested)
	unit(5, 3, one)
	e, err := b.Build(model.Header{Name: "teams", Runs: 1})
	if err != nil {
		t.Fatal(err)
	}
	d := inMemory(e)
	_, roles, err := d.UnitTypes()
	if err != nil {
		t.Fatal(err)
	}
	if want := []Role{Main, Worker, Worker + 1, Apart, Apart, Worker}; !slices.Equal(roles, want) {
		t.Errorf("roles %v, want %v", roles, want)
	}
	ledgers, err := d.Ledgers()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range ledgers[0].Spreads {
		if s.Slowest == 3 || s.Slowest == 4 {
			t.Errorf("a thread of an inner team is said to have more work: %+v", s)
		}
	}
}
