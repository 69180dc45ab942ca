package analyze

import (
	"math"
	"testing"

	"auspex/account"
	"auspex/model"
)

// threadsOf makes a process with threads that compute, are blocked and live so many in
// one record.
func threadsOf(t *testing.T, work, blocked, lives []float64) *Dataset {
	t.Helper()
	b := model.NewBuilder()
	wall, calls := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive)), b.Metric(model.NewMetric(model.Calls, "", model.Own))
	root := b.Region(model.Region{Name: "prog", Parent: model.NoParent, Kind: model.Block})
	asleep := b.Region(model.Region{Name: model.Blocked, Parent: root, Kind: model.Block})
	for thread := range work {
		u := b.Unit(model.Unit{Thread: thread})
		b.Add(u, root, wall, work[thread])
		b.Add(u, asleep, wall, blocked[thread])
		b.Add(u, root, calls, lives[thread])
	}
	e, err := b.Build(model.Header{Name: "threads"})
	if err != nil {
		t.Fatal(err)
	}
	return dataset(t, e)
}

// A thread that is blocked is not at work; a process that is, others may have to wait for.
func TestBlockedThreadsAreNotAtWork(t *testing.T) {
	d := threadsOf(t, []float64{0.6, 5, 1}, []float64{9.4, 5, 9}, []float64{1, 1, 1})
	times, err := d.Times()
	if err != nil {
		t.Fatal(err)
	}
	if e := times.Efficiency(); e.Communication > 0.51 || e.LoadBalance > 0.45 {
		t.Errorf("%+v", e)
	}
	if one := threadsOf(t, []float64{1}, []float64{9}, []float64{1}); one.Classes[1] != account.Work {
		t.Errorf("a process alone: %v", one.Classes)
	}
}

// Efficiency is said of the threads that do not sleep nearly all the time, beside one of their
// process that does not: so are the shares of units that take part, and how they differ.
func TestSleepersAreLeftOut(t *testing.T) {
	for _, c := range []struct {
		name          string
		work, blocked []float64
		sleepers      int
		balance       Real
	}{
		{"two at work and two that sleep", []float64{9, 9, 0.01, 0}, []float64{1, 1, 9.99, 10}, 2, 1},
		{"one that starts the others", []float64{0.01, 9, 9}, []float64{9.99, 1, 1}, 1, 1},
		{"one that does a little", []float64{9, 9, 0.9}, []float64{1, 1, 9.1}, 0, 0.7},
		{"all sleep", []float64{0.02, 0.01}, []float64{9.98, 9.99}, 0, 0.75},
	} {
		d := threadsOf(t, c.work, c.blocked, make([]float64, len(c.work)))
		times, err := d.Times()
		if err != nil {
			t.Fatal(err)
		}
		if got := times.Efficiency().LoadBalance; times.Sleepers() != c.sleepers || math.Abs(float64(got-c.balance)) > 1e-9 {
			t.Errorf("%s: %d sleep, load balance %v", c.name, times.Sleepers(), got)
		}
		if c.sleepers == 0 {
			continue
		}
		rows, err := d.Rows(ByRegion)
		if err != nil {
			t.Fatal(err)
		}
		part, err := participation(rows, model.Exclusive)
		if err != nil {
			t.Fatal(err)
		}
		uneven, err := imbalance(rows, model.Exclusive)
		if err != nil {
			t.Fatal(err)
		}
		if part[0] != 1 || math.Abs(uneven[0]) > 0.01 {
			t.Errorf("%s: %v take part, imbalance %v", c.name, part[0], uneven[0])
		}
	}
}

// How long threads were in a record that several had, one after the other, says nothing
// of their balance.
func TestThreadsThatPass(t *testing.T) {
	d := threadsOf(t, []float64{1, 9, 2}, []float64{9, 1, 8}, []float64{1, 40, 3})
	times, err := d.Times()
	if err != nil {
		t.Fatal(err)
	}
	if e := times.Efficiency(); !e.LoadBalance.IsMissing() || e.Parallel < 0.39 || e.Parallel > 0.41 {
		t.Errorf("%+v", e)
	}
	ledgers, err := d.Ledgers()
	if err != nil || ledgers[0].Total(account.Imbalance) > 0 {
		t.Errorf("%+v, %v", ledgers, err)
	}
}

// Threads of a program without symbols do the same where they are in the same places
// for about as long: that all of them are blocked now and then, or in <pool>, does not
// make a reader one of the workers.
func TestThreadsWithoutNames(t *testing.T) {
	b := model.NewBuilder()
	wall := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	root := b.Region(model.Region{Name: "pool", Parent: model.NoParent, Kind: model.Block})
	blocked := b.Region(model.Region{Name: model.Blocked, Parent: root, Kind: model.Block})
	main := b.Region(model.Region{Name: "main", Parent: root, Kind: model.Function})
	outer := b.Region(model.Region{Name: "<pool>", Parent: root, Kind: model.Block})
	inner := b.Region(model.Region{Name: "<pool>", Parent: outer, Kind: model.Block})
	for thread, spent := range [][]float64{{0.1, 9, 0.9, 0, 0}, {0.1, 9, 0, 0.9, 0}, {0, 9.4, 0, 0.1, 0.5}, {0, 0.4, 0, 0.1, 9.5}, {0, 3, 0, 0.1, 6.9}} {
		u := b.Unit(model.Unit{Thread: thread})
		for r, v := range map[int]float64{root: spent[0], blocked: spent[1], main: spent[2], outer: spent[3], inner: spent[4]} {
			b.Add(u, r, wall, v)
		}
	}
	e, err := b.Build(model.Header{Name: "pool"})
	if err != nil {
		t.Fatal(err)
	}
	_, roles, err := dataset(t, e).UnitTypes()
	if err != nil || roles[3] != roles[4] || roles[1] == roles[3] || roles[2] == roles[3] {
		t.Errorf("roles %v, %v", roles, err)
	}
}
