package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"auspex/model"
	"auspex/replay"
)

// everything fills a store with one thing of each kind.
func everything(t testing.TB, s *Store) {
	t.Helper()
	b := model.NewBuilder()
	for i := range 5 {
		b.Region(model.Region{Name: fmt.Sprint("region", i), Parent: i - 1, Kind: model.Function, File: "a.c", Line: i})
	}
	m := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	for u := range 7 {
		unit := b.Unit(model.Unit{Node: fmt.Sprint("n", u/2), Process: u})
		for r := range 5 {
			b.Set(unit, r, m, float64(u*r)+0.5)
		}
	}
	e, err := b.Build(model.Header{Name: "e", Program: "p", Factors: []model.Factor{model.NewFactor("cpus", "8")}})
	if err != nil {
		t.Fatal(err)
	}
	spans := &replay.Spans{Rank: []int32{0, 1}, Part: []int32{0, 4}, Begin: []float64{0, 1}, End: []float64{1, 2}}
	err = errors.Join(
		s.Put(e, false, Attachment{"cpu.csv", []byte("node,seconds,busy\nn0,0.1,0.5\n")}),
		s.PutPrediction(&Prediction{Name: "p", Body: json.RawMessage(`{"seconds": 12.5}`)}, false),
		s.PutSimulation(&replay.Record{Name: "s", SimulatedSeconds: 3.25, Timeline: spans}, false),
		s.PutVocabulary("v", []byte("[variable]\nlow = 0.25\n"), false),
	)
	if err != nil {
		t.Fatal(err)
	}
}

// answers reads a store by every way there is, each an error or what it says.
func answers(t testing.TB, s *Store, engine *Engine) map[string]any {
	t.Helper()
	all := map[string]any{}
	tell := func(way string, what any, err error) {
		if err != nil {
			all[way] = err
			return
		}
		text, err := json.Marshal(what)
		if err != nil {
			t.Fatal(err)
		}
		all[way] = string(text)
	}
	e, err := s.Get("e")
	tell("header", e, err)
	if err == nil {
		whole, err := e.Load()
		tell("load", whole, err)
		matrix, err := e.Matrix(0)
		tell("matrix", matrix, err)
		attached, err := e.Attachment("cpu.csv")
		tell("attachment", attached, err)
		rows, err := everyRow(engine, e)
		tell("engine", rows, err)
	}
	p, err := s.Prediction("p")
	tell("prediction", p, err)
	r, err := s.Simulation("s")
	tell("simulation", r, err)
	spans, err := s.Timeline("s")
	tell("timeline", spans, err)
	v, err := s.Vocabulary("v")
	tell("vocabulary", v, err)
	return all
}

// everyRow reads all tables with DuckDB.
func everyRow(engine *Engine, e *Experiment) (out []string, err error) {
	for _, table := range []string{"values", "regions", "units"} {
		from, err := e.Table(table)
		if err != nil {
			return nil, err
		}
		rows, err := engine.Query(context.Background(), "SELECT t::VARCHAR FROM "+from+" t")
		if err != nil {
			return nil, err
		}
		for rows.Next() {
			var text sql.NullString
			if err := rows.Scan(&text); err != nil {
				rows.Close()
				return nil, err
			}
			out = append(out, text.String)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// After a bit of any file has flipped, every way of reading says what it said
// before or is an error: none answers differently. AUSPEX_FLIPS says how many
// flips are tried.
func TestNoFlippedBitIsReadInSilence(t *testing.T) {
	s := Open(t.TempDir())
	everything(t, s)
	engine, err := NewEngine(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	want := answers(t, s, engine)
	for way, answer := range want {
		if err, failed := answer.(error); failed {
			t.Fatalf("%s: %v", way, err)
		}
	}
	var files []string
	err = filepath.WalkDir(s.Dir(), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) != 12 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	told := 0
	flips := count("AUSPEX_FLIPS", 120)
	for i := range flips {
		path := files[i%len(files)]
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		bit := random.IntN(8 * len(whole))
		damaged := bytes.Clone(whole)
		damaged[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(path, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		got := answers(t, s, engine)
		for way, answer := range got {
			if err, failed := answer.(error); failed {
				told++
				if text := err.Error(); !strings.Contains(text, "is damaged") && !strings.Contains(text, "newer auspex") {
					t.Errorf("bit %d of %s: %s says %v", bit, path, way, err)
				}
			} else if answer != want[way] {
				t.Errorf("bit %d of %s: %s answers %v, not %v", bit, path, way, answer, want[way])
			}
		}
		if err := os.WriteFile(path, whole, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if told < flips*9/10 {
		t.Errorf("%d flips, %d errors", flips, told)
	}
	if !t.Failed() {
		t.Logf("%d flips in %d files: %d reads were refused, none answered differently", flips, len(files), told)
	}
}

// count is a number from the environment.
func count(variable string, otherwise int) int {
	n := otherwise
	fmt.Sscan(os.Getenv(variable), &n)
	return n
}

// Large files are checked by blocks: a flip in one column is no matter to
// those who read another.
func TestBlocksAreCheckedWhenTheyAreRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	var sum fileSum
	f, err := createSummed(path, func(s fileSum) { sum = s })
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 3*sumBlock+100)
	random := rand.New(rand.NewPCG(3, 4))
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	for from := 0; from < len(data); { // in pieces of any size
		n := min(1+random.IntN(sumBlock*2), len(data)-from)
		if _, err := f.Write(data[from : from+n]); err != nil {
			t.Fatal(err)
		}
		from += n
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if sum.size != int64(len(data)) || len(sum.blocks) != 4 {
		t.Fatalf("%d bytes in %d blocks", sum.size, len(sum.blocks))
	}
	data[sumBlock+5] ^= 4
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := openChecked(path, &sum)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p := make([]byte, 100)
	for offset, want := range map[int64]bool{0: true, sumBlock - 100: true, sumBlock - 50: false, sumBlock + 1000: false, 2 * sumBlock: true, 3 * sumBlock: true} {
		if _, err := r.ReadAt(p, offset); (err == nil) != want {
			t.Errorf("at %d: %v", offset, err)
		}
	}
	if _, err := readChecked(path, &sum); err == nil {
		t.Error("read as a whole")
	}
}

func TestNewerStoresAreRefused(t *testing.T) {
	s := Open(t.TempDir())
	everything(t, s)
	shelf := s.shelf(Experiments)
	r, err := shelf.receipt("e")
	if err != nil {
		t.Fatal(err)
	}
	later := bytes.Replace(r.text(), []byte("version 1\n"), []byte("version 7\nanything else\n"), 1)
	if err := os.WriteFile(shelf.place("e"), later, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get("e"); err == nil || !strings.Contains(err.Error(), "newer auspex (form 7; this one reads up to 1)") {
		t.Errorf("a later receipt: %v", err)
	}
	header := filepath.Join(shelf.folders, r.id, headerFile)
	if err := os.WriteFile(header, []byte(`{"version": 9, "metrics": "elsewhere"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(shelf.place("e"), []byte(r.id+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get("e"); err == nil || !strings.Contains(err.Error(), "newer auspex (form 9") {
		t.Errorf("a later header: %v", err)
	}
	if _, problems, err := s.List(); err != nil || len(problems) != 1 {
		t.Errorf("in a listing: %v, %v", problems, err)
	}
}
