package site

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"auspex/internal/testclickhouse"
	"auspex/model"
	"auspex/store"
)

// run makes a small experiment: two nodes, four units, the regions main and
// main/solve, whose time is given.
func run(name string, started time.Time, solve float64, factors ...model.Factor) *model.Experiment {
	e := &model.Experiment{Header: model.Header{Name: name, Program: "solver", Created: started, Format: "csv", Factors: factors, Runs: 1,
		Metrics: []model.Metric{{Name: "wtime", Unit: "s", Scope: model.Exclusive}, {Name: "calls", Scope: model.Own}}}}
	e.Regions = []model.Region{{Name: "main", Kind: "function", Parent: model.NoParent}, {Name: "solve", Kind: "function", File: "s.c", Line: 12, Parent: 0}, {Name: "MPI_Wait", Kind: "mpi", Parent: 1}}
	e.Summaries.Values = make([][]float64, 2)
	for u := range 4 {
		e.Units = append(e.Units, model.Unit{Node: fmt.Sprint("n", u/2), Process: u})
		for r := range e.Regions {
			e.Summaries.Unit, e.Summaries.Region = append(e.Summaries.Unit, int32(u)), append(e.Summaries.Region, int32(r))
			e.Summaries.Values[0] = append(e.Summaries.Values[0], []float64{1, solve, 0.5}[r])
			e.Summaries.Values[1] = append(e.Summaries.Values[1], []float64{1, math.NaN(), 3}[r])
		}
	}
	e.UnitCount, e.RegionCount, e.SummaryCount = len(e.Units), len(e.Regions), e.Summaries.Rows()
	return e
}

var day = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func started(t *testing.T) (*Site, *testclickhouse.Server) {
	t.Helper()
	server := testclickhouse.Start(t)
	if _, err := server.SQL("CREATE DATABASE auspex"); err != nil {
		t.Fatal(err)
	}
	s, err := Open(Scheme + server.Host + "/auspex")
	if err != nil {
		t.Fatal(err)
	}
	return s, server
}

func mustPush(t *testing.T, s *Site, items ...Item) []Pushed {
	t.Helper()
	done, err := s.Push(t.Context(), items)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// TestSite goes through all that a site is asked, on one engine: starting it
// takes seconds.
func TestSite(t *testing.T) {
	s, server := started(t)
	if _, err := s.List(); err == nil || !strings.Contains(err.Error(), "auspex push") {
		t.Errorf("a site without tables: %v", err)
	}
	t.Run("round trip", func(t *testing.T) { testRoundTrip(t, s) })
	t.Run("half a push", func(t *testing.T) { testHalfAPush(t, s, server) })
	t.Run("history", func(t *testing.T) { testHistory(t, s) })
	t.Run("digest", func(t *testing.T) { testDigest(t, s) })
	t.Run("losses", func(t *testing.T) { testLosses(t, s) })
	t.Run("odd names", func(t *testing.T) { testOddNames(t, s) })
	t.Run("wire", func(t *testing.T) { testWire(t, server) })
	t.Run("gc", func(t *testing.T) { testCollect(t, s, server) })
	t.Run("newer tables", func(t *testing.T) {
		if _, err := server.SQL("INSERT INTO auspex.auspex_version VALUES (99)"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Push(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "newer auspex") {
			t.Errorf("tables of form 99: %v", err)
		}
	})
}

func testRoundTrip(t *testing.T, s *Site) {
	e := run("one", day, 2, model.NewFactor("user", "ann"), model.NewFactor("n", "100"))
	attached := []store.Attachment{{Name: "cpu.csv", Data: []byte("a,b\n\x00\xff")}}
	first := mustPush(t, s, Item{e, attached})
	if first[0].There || first[0].Values != 24 {
		t.Errorf("%+v", first)
	}
	if again := mustPush(t, s, Item{e, attached}, Item{e, attached}); !again[0].There || !again[1].There || again[0].ID != first[0].ID {
		t.Errorf("the same again: %+v", again)
	}
	remote := store.OpenRemote(s)
	names, err := remote.Names()
	if err != nil || len(names) != 1 || names[0] != "one" {
		t.Fatalf("%q, %v", names, err)
	}
	got, err := remote.Get("one")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := got.Load()
	if err != nil {
		t.Fatal(err)
	}
	want := *e
	want.ID = first[0].ID
	if diff := cmp.Diff(&want, whole, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("it comes back different:\n%s", diff)
	}
	data, err := got.Attachment("cpu.csv")
	if err != nil || string(data) != "a,b\n\x00\xff" {
		t.Errorf("attachment %q, %v", data, err)
	}
	if _, err := got.Attachment("no.csv"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an attachment that is not there: %v", err)
	}
	if _, err := remote.Get("two"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an experiment that is not there: %v", err)
	}
	if err := remote.Put(e, true); err == nil {
		t.Error("a site was written to past push")
	}
	// Another of the same name is the newer one; the older has its id.
	s.now = func() time.Time { return time.Now().Add(time.Hour) }
	defer func() { s.now = time.Now }()
	mustPush(t, s, Item{run("one", day.Add(time.Hour), 3), nil})
	if names, err = remote.Names(); err != nil || len(names) != 2 || names[1] != "one@"+first[0].ID[:8] {
		t.Fatalf("%q, %v", names, err)
	}
	for _, name := range []string{names[1], first[0].ID} {
		if old, err := remote.Get(name); err != nil || old.ID != first[0].ID {
			t.Errorf("%s: %v, %v", name, old, err)
		}
	}
}

// testHalfAPush breaks pushes off at every statement, before and after it was
// done: nothing half is ever seen, and the next try succeeds.
func testHalfAPush(t *testing.T, s *Site, server *testclickhouse.Server) {
	defer server.Fail(nil)
	for i := range 6 {
		for _, done := range []bool{false, true} {
			e := run(fmt.Sprintf("half-%d-%v", i, done), day, float64(i+1))
			seen := 0
			server.Fail(func(statement string, after bool) bool {
				if !strings.HasPrefix(statement, "INSERT") || after != done {
					return false
				}
				seen++
				return seen == i+1
			})
			_, err := s.Push(t.Context(), []Item{{e, []store.Attachment{{Name: "a.txt", Data: []byte("x")}}}})
			server.Fail(nil)
			visible := i == 5 && done // only then the last row is there
			if err == nil {
				t.Errorf("push %d was broken off and says nothing", i)
			}
			_, err = store.OpenRemote(s).Get(e.Name)
			if visible != (err == nil) {
				t.Errorf("broken off at statement %d (done: %v): visible is %v, %v", i, done, err == nil, err)
			}
			pushed := mustPush(t, s, Item{e, []store.Attachment{{Name: "a.txt", Data: []byte("x")}}})
			if pushed[0].There != visible {
				t.Errorf("the next try: %+v", pushed)
			}
			got, err := store.OpenRemote(s).Get(e.Name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := got.Load(); err != nil {
				t.Errorf("after the next try: %v", err)
			}
		}
	}
}

func testHistory(t *testing.T, s *Site) {
	var items []Item
	for i := range 20 {
		solve, commit := 5.0, "aaaa"
		if i >= 12 {
			solve, commit = 7.5, "bbbb"
		}
		e := run(fmt.Sprintf("nightly-%02d", i), day.AddDate(0, 0, i), solve*(1+0.01*float64(i%3)), model.NewFactor("commit", commit), model.NewFactor("module", "mpi/4"))
		e.Program = "nightly"
		items = append(items, Item{e, nil})
	}
	mustPush(t, s, items...)
	h, err := s.History(t.Context(), "nightly", "solve", DefaultMetric, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Points) != 20 || len(h.Turns) != 1 || h.Turns[0].At != 12 || strings.Join(h.Turns[0].What, "") != "commit aaaa → bbbb" {
		t.Fatalf("%+v", h)
	}
	if !strings.Contains(h.Words, "on 2026-03-13 from 5.0") || !strings.Contains(h.Words, "with commit aaaa → bbbb") {
		t.Error(h.Words)
	}
	if h, err = s.History(t.Context(), "nightly", "MPI_Wait", DefaultMetric, 4); err != nil || len(h.Turns) != 0 || !strings.Contains(h.Words, "no change") {
		t.Errorf("a region that stayed the same: %+v, %v", h, err)
	}
	if _, err = s.History(t.Context(), "nightly", "nowhere", DefaultMetric, 0); err == nil {
		t.Error("a region that is not there has a history")
	}
	id, of, err := s.Baseline(t.Context(), "nightly", 4, day.AddDate(0, 0, 12), "nightly-12")
	if err != nil || of != 12 {
		t.Fatalf("%s of %d, %v", id, of, err)
	}
	if e, err := store.OpenRemote(s).Get(id); err != nil || e.Program != "nightly" || e.Created.After(day.AddDate(0, 0, 12)) {
		t.Errorf("the baseline is %+v, %v", e, err)
	}
	if _, _, err := s.Baseline(t.Context(), "nightly", 5, day, ""); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a baseline of nothing: %v", err)
	}
}

func testDigest(t *testing.T, s *Site) {
	d, err := s.Digest(t.Context(), day.AddDate(0, 0, 12).Add(time.Hour)) // holds the first slow run
	if err != nil {
		t.Fatal(err)
	}
	if d.Runs != 1 || len(d.Slower) != 1 || d.Slower[0].Program != "nightly" || d.Slower[0].Earlier != 12 {
		t.Errorf("%+v", d)
	}
	if !strings.Contains(d.Words, "longer than any of 12 runs") {
		t.Error(d.Words)
	}
	if d, err = s.Digest(t.Context(), day.AddDate(1, 0, 0)); err != nil || d.Runs != 0 || d.Words != "No run was pushed that started on this day." {
		t.Errorf("an empty day: %+v, %v", d, err)
	}
	losses, err := s.Losses(t.Context(), "user", "", day.AddDate(-1, 0, 0), day.AddDate(1, 0, 0))
	if err != nil || len(losses) != 2 {
		t.Fatalf("%+v, %v", losses, err)
	}
	own, err := s.Losses(t.Context(), "program", "ann", day.AddDate(-1, 0, 0), day.AddDate(1, 0, 0))
	if err != nil || len(own) != 1 || own[0].Runs != 1 || math.Abs(own[0].NodeHours-2*3.5/3600) > 1e-12 || math.Abs(own[0].Share-0.5/3.5) > 1e-12 {
		t.Errorf("ann's own: %+v, %v", own, err)
	}
}

// testOddNames pushes what would be orders if it were pasted into SQL.
func testOddNames(t *testing.T, s *Site) {
	for _, name := range []string{`'; DROP TABLE experiments; --`, `a\'b`, `{x:String}`, "ünï", `"quoted" \`} {
		e := run(name, day, 1)
		e.Program, e.Regions[1].Name, e.Metrics[1].Name = name, name, name
		mustPush(t, s, Item{e, nil})
		got, err := store.OpenRemote(s).Get(name)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		whole, err := got.Load()
		if err != nil || whole.Regions[1].Name != name || whole.Program != name {
			t.Errorf("%q comes back as %+v, %v", name, whole, err)
		}
		if _, err := s.History(t.Context(), name, name, DefaultMetric, 0); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// testLosses plants programs and users whose losses are known: who loses most
// node-hours comes first, be his share small.
func testLosses(t *testing.T, s *Site) {
	from := day.AddDate(2, 0, 0)
	var items []Item
	plant := func(program, user string, runs int, solve, wait float64) {
		for i := range runs {
			e := run(fmt.Sprint(program, user, i), from.Add(time.Duration(i)*time.Hour), solve, model.NewFactor("user", user))
			e.Program = program
			for row := range e.Summaries.Unit {
				if e.Summaries.Region[row] == 2 {
					e.Summaries.Values[0][row] = wait
				}
			}
			items = append(items, Item{e, nil})
		}
	}
	plant("big", "ann", 5, 99, 10)  // 5 runs, 2 nodes, 110 s of which 10 wait
	plant("bad", "bob", 2, 1, 8)    // 2 runs, 10 s of which 8 wait
	plant("good", "bob", 3, 59, 0)  // 60 s, nothing lost
	plant("big", "carl", 1, 99, 10) // of the same program
	mustPush(t, s, items...)
	hours := func(runs, seconds float64) float64 { return runs * 2 * seconds / 3600 }
	want := func(by, of string, expected ...Loss) {
		t.Helper()
		got, err := s.Losses(t.Context(), by, of, from, from.AddDate(0, 0, 1))
		if err != nil || len(got) != len(expected) {
			t.Fatalf("%+v, %v", got, err)
		}
		for i, e := range expected {
			if g := got[i]; g.Who != e.Who || g.Runs != e.Runs || math.Abs(g.NodeHours-e.NodeHours) > 1e-9 || math.Abs(g.Lost-e.Lost) > 1e-9 || math.Abs(g.Share-e.Lost/e.NodeHours) > 1e-9 {
				t.Errorf("by %s of %q: %+v, not %+v", by, of, g, e)
			}
		}
	}
	want("program", "", Loss{Who: "big", Runs: 6, NodeHours: hours(6, 110), Lost: hours(6, 10)}, Loss{Who: "bad", Runs: 2, NodeHours: hours(2, 10), Lost: hours(2, 8)}, Loss{Who: "good", Runs: 3, NodeHours: hours(3, 60)})
	want("user", "", Loss{Who: "ann", Runs: 5, NodeHours: hours(5, 110), Lost: hours(5, 10)}, Loss{Who: "bob", Runs: 5, NodeHours: hours(2, 10) + hours(3, 60), Lost: hours(2, 8)}, Loss{Who: "carl", Runs: 1, NodeHours: hours(1, 110), Lost: hours(1, 10)})
	want("program", "bob", Loss{Who: "bad", Runs: 2, NodeHours: hours(2, 10), Lost: hours(2, 8)}, Loss{Who: "good", Runs: 3, NodeHours: hours(3, 60)})
	if d, err := s.Digest(t.Context(), from.AddDate(0, 0, 1)); err != nil || d.Runs != 11 || d.Programs != 3 || d.Losses[0].Who != "big" || len(d.Slower) != 0 {
		t.Errorf("%+v, %v", d, err)
	}
}
