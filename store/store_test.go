package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"auspex/model"
)

// sample draws an experiment of any shape: sparse rows, holes in ratios,
// names with separators and quotes, repeated runs.
func sample(t *rapid.T) *model.Experiment {
	b := model.NewBuilder()
	regions := rapid.IntRange(1, 12).Draw(t, "regions")
	for i := range regions {
		b.Region(model.Region{
			Name:   fmt.Sprintf("%s#%d", rapid.StringMatching(`[a-z/\\'" é]{0,6}`).Draw(t, "name"), i),
			Parent: rapid.IntRange(model.NoParent, i-1).Draw(t, "parent"),
			Kind:   rapid.SampledFrom([]model.Kind{model.Function, model.MPI, model.Loop}).Draw(t, "kind"),
			File:   rapid.SampledFrom([]string{"", "a.c"}).Draw(t, "file"),
		})
	}
	wtime := b.Metric(model.NewMetric(model.WallTime, "TIME", model.Exclusive))
	ratio := b.Metric(model.Metric{Name: "region", Unit: "ratio", Missing: model.Absent})
	for u := range rapid.IntRange(1, 6).Draw(t, "units") {
		unit := b.Unit(model.Unit{Node: "n'1", Process: u, Thread: u % 2})
		for r := range regions {
			if rapid.Bool().Draw(t, "entered") || r == 0 {
				b.Set(unit, r, wtime, rapid.Float64Range(0, 1e6).Draw(t, "seconds"))
				if rapid.Bool().Draw(t, "has ratio") {
					b.Set(unit, r, ratio, rapid.Float64Range(-1, 1).Draw(t, "ratio"))
				}
			}
		}
	}
	h := model.Header{
		Name: "a b/ü'" + rapid.StringMatching(`[a-z.]{0,5}`).Draw(t, "name"), Program: "p", Command: "p -x",
		Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Format: "csv", Notes: []string{"note"},
		Factors: []model.Factor{model.NewFactor("cpus", "8"), model.NewFactor("net", "GM")},
	}
	e, err := b.Build(h)
	if err != nil {
		t.Fatal(err)
	}
	if rapid.Bool().Draw(t, "repeated") {
		e.Runs = 3
		s := &e.Summaries
		s.Count = make([]int32, s.Rows())
		for range e.Metrics {
			s.Deviation = append(s.Deviation, make([]float64, s.Rows()))
		}
		for i := range s.Count {
			s.Count[i] = int32(1 + i%3)
			s.Deviation[0][i] = float64(i)
			s.Deviation[1][i] = math.NaN()
		}
	}
	return e
}

func TestStoredExperimentComesBackEqual(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := Open(filepath.Join(t.TempDir(), "st'ore"))
		want := sample(rt)
		if err := s.Put(want, false); err != nil {
			rt.Fatal(err)
		}
		stored, err := s.Get(want.Name)
		if err != nil {
			rt.Fatal(err)
		}
		got, err := stored.Load()
		if err != nil {
			rt.Fatal(err)
		}
		if d := cmp.Diff(want, got, cmpopts.EquateNaNs()); d != "" {
			rt.Fatal(d)
		}
		for m := range want.Metrics {
			dense, err := stored.Matrix(m)
			if err != nil {
				rt.Fatal(err)
			}
			if d := cmp.Diff(want.Matrix(m), dense, cmpopts.EquateNaNs()); d != "" {
				rt.Fatal(d)
			}
		}
		os.RemoveAll(s.Dir())
	})
}

func small(t testing.TB, name string) *model.Experiment {
	t.Helper()
	b := model.NewBuilder()
	r := b.Region(model.Region{Name: "main", Parent: model.NoParent})
	m := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	b.Set(b.Unit(model.Unit{}), r, m, 1)
	e, err := b.Build(model.Header{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestNamesAreUniqueUnlessReplaced(t *testing.T) {
	s := Open(t.TempDir())
	if err := s.Put(small(t, "x"), false); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(small(t, "x"), false); !errors.Is(err, ErrExists) {
		t.Fatalf("second put: %v, want ErrExists", err)
	}
	if err := s.Put(small(t, "x"), true); err != nil {
		t.Fatal(err)
	}
	// What was replaced stays for those who read it, and goes after that.
	for _, want := range []int{2, 1} {
		entries, _ := os.ReadDir(s.shelf(Experiments).folders)
		if len(entries) != want {
			t.Fatalf("%d experiment folders, want %d", len(entries), want)
		}
		makeOld(t, s)
		if _, err := s.Collect(); err != nil {
			t.Fatal(err)
		}
	}
}

// makeOld lets everything in a store have lain there for long.
func makeOld(t *testing.T, s *Store) {
	t.Helper()
	old := time.Now().Add(-48 * time.Hour)
	err := filepath.WalkDir(s.Dir(), func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, old, old))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOddNames(t *testing.T) {
	s := Open(t.TempDir())
	for _, name := range []string{".", "..", ".hidden", "a/../../b", "50 %", "名前"} {
		if err := s.Put(small(t, name), false); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := s.Get(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"", "-x", "a\nb", string(make([]byte, 300))} {
		if err := s.Put(small(t, name), false); err == nil {
			t.Errorf("%q was accepted", name)
		}
	}
	if _, err := os.Stat(filepath.Join(s.Dir(), "..", "b")); err == nil {
		t.Error("a name climbed out of the store")
	}
}

func TestManyWritersAtOnce(t *testing.T) {
	s := Open(t.TempDir())
	var wg sync.WaitGroup
	wins := make([]error, 8)
	for i := range wins {
		wg.Go(func() {
			wins[i] = s.Put(small(t, "same"), false)
			if err := s.Put(small(t, fmt.Sprint("own", i)), false); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	won := 0
	for _, err := range wins {
		if err == nil {
			won++
		} else if !errors.Is(err, ErrExists) {
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d writers own one name", won)
	}
	headers, problems, err := s.List()
	if len(headers) != 9 || problems != nil || err != nil {
		t.Errorf("%d experiments, %v, %v", len(headers), problems, err)
	}
}

func TestCollectSparesTheLivingAndTheNamed(t *testing.T) {
	s := Open(t.TempDir())
	if err := s.Put(small(t, "kept"), false); err != nil {
		t.Fatal(err)
	}
	shelf := s.shelf(Experiments)
	living := filepath.Join(shelf.folders, temporaryName("x"))
	dead := filepath.Join(shelf.folders, fmt.Sprintf(".tmp-%d-%s-%s", 1<<30, hostname(), newID()))
	young := filepath.Join(shelf.folders, "young")
	orphan := filepath.Join(shelf.folders, "orphan")
	for _, dir := range []string{living, dead, young, orphan} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-time.Hour)
	os.Chtimes(orphan, old, old)
	dangling := shelf.place("dangling")
	os.WriteFile(dangling, []byte("gone\n"), 0o666)
	if _, err := s.Collect(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{living: true, young: true, dead: false, orphan: false, dangling: false} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: there %v, want %v", filepath.Base(path), err == nil, want)
		}
	}
	if _, err := s.Get("kept"); err != nil {
		t.Error(err)
	}
}

func TestDamagedFilesAreErrors(t *testing.T) {
	s := Open(t.TempDir())
	if err := s.Put(small(t, "x"), false); err != nil {
		t.Fatal(err)
	}
	e, err := s.Get("x")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(e.folder.dir, "values.parquet")
	whole, _ := os.ReadFile(path)
	for n := 0; n < len(whole); n += 7 {
		os.WriteFile(path, whole[:n], 0o666)
		if fresh, err := s.Get("x"); err != nil {
			t.Fatal(err)
		} else if _, err := fresh.Load(); err == nil {
			t.Fatalf("cut to %d of %d bytes and still read", n, len(whole))
		}
	}
}

func TestEngineReadsWhatWasStored(t *testing.T) {
	s := Open(filepath.Join(t.TempDir(), "it's"))
	if err := s.Put(small(t, "x"), false); err != nil {
		t.Fatal(err)
	}
	e, _ := s.Get("x")
	engine, err := NewEngine(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	table := func(name string) string {
		sql, err := e.Table(name)
		if err != nil {
			t.Fatal(err)
		}
		return sql
	}
	rows, err := engine.Query(context.Background(), fmt.Sprintf(
		`SELECT r.path, v."wtime.exc" FROM %s v JOIN %s r ON v.region = r.id JOIN %s u ON v.unit = u.id`,
		table("values"), table("regions"), table("units")))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if !rows.Next() {
		t.Fatal("no rows")
	}
	var path string
	var seconds float64
	if err := rows.Scan(&path, &seconds); err != nil || path != "main" || seconds != 1 {
		t.Fatal(path, seconds, err)
	}
}
