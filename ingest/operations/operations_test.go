package operations

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"auspex/ingest/input"
	"auspex/model"
	"auspex/training"
)

type row struct {
	DPRank   int32   `parquet:"dp_rank"`
	Stage    int32   `parquet:"stage"`
	Rank     int64   `parquet:"rank"`
	Step     int64   `parquet:"step"`
	OpType   string  `parquet:"optype,dict"`
	Start    float64 `parquet:"start_ts"`
	Duration float64 `parquet:"duration"`
	Seq      int64   `parquet:"seq_id"`
	Chunk    *int64  `parquet:"mc,optional"`
	Whole    float64 `parquet:"gmc"`
}

func write(t testing.TB, rows []row) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func file(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// rows is one step of two data-parallel ranks on one stage.
func rows() []row {
	var list []row
	for d := range int32(2) {
		at := 0.0
		for _, kind := range []string{"forward-compute", "backward-compute", "optimizer"} {
			time := 1 + float64(d)
			list = append(list, row{DPRank: d, Rank: int64(d), Step: 7, OpType: kind, Start: at, Duration: time})
			at += time
		}
	}
	return list
}

func TestRead(t *testing.T) {
	path := file(t, "trace-x.parquet", write(t, rows()))
	table, err := Read(t.Context(), path, "trace-x.parquet")
	if err != nil {
		t.Fatal(err)
	}
	if table.Len() != 6 || table.Workers() != 2 || table.DataShards != 1 {
		t.Errorf("%d operations of %d workers, %d shards", table.Len(), table.Workers(), table.DataShards)
	}
	r, err := training.WhatIf(table)
	if err != nil {
		t.Fatal(err)
	}
	// Rank 1 takes 6 s, ideally all take the mean, 4.5 s.
	if math.Abs(*r.Slowdown-6/4.5) > 1e-6 || len(r.Steps) != 1 || r.Steps[0].Step != 7 {
		t.Errorf("S %v, steps %+v", *r.Slowdown, r.Steps)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "meta-x.yaml"), []byte("dp_size: 2\ndsp_size: 4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if table, err = Read(t.Context(), path, "trace-x.parquet"); err != nil || table.DataShards != 4 {
		t.Errorf("shards: %d, %v", table.DataShards, err)
	}
}

// TestExperiment: the profile of a table has a process a worker, a region a kind,
// and one for the time without operations.
func TestExperiment(t *testing.T) {
	path := file(t, "x.parquet", write(t, rows()))
	src := &input.Source{Format: Name, Path: path, Given: "x.parquet", Label: "x"}
	e, err := src.Read(t.Context(), Formats())
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Units) != 2 || len(e.Regions) != 4 || e.Regions[0].Kind != model.Function || e.Regions[3].Kind != model.Idle {
		t.Errorf("%d units, regions %+v", len(e.Units), e.Regions)
	}
}

func TestBadTables(t *testing.T) {
	whole := write(t, rows())
	half := rows()
	half[3].Whole = 0.5
	negative := rows()
	negative[2].Duration = -1
	for name, data := range map[string][]byte{
		"empty": nil, "text": []byte("dp_rank,stage\n0,0\n"), "cut": whole[:len(whole)/2],
		"no rows": write(t, nil), "half a chunk": write(t, half), "negative": write(t, negative),
		"other columns": otherColumns(t),
	} {
		path := file(t, "bad.parquet", data)
		if _, err := Read(t.Context(), path, "bad.parquet"); err == nil || !strings.Contains(err.Error(), "bad.parquet") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read(t.Context(), "nowhere.parquet", "nowhere.parquet"); err == nil {
		t.Error("a file that is not there was read")
	}
}

func otherColumns(t testing.TB) []byte {
	var b bytes.Buffer
	if err := parquet.Write(&b, []struct{ Region string }{{"main"}}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// FuzzRead: no table makes the reader or the replay panic.
func FuzzRead(f *testing.F) {
	f.Add(write(f, rows()))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := Read(t.Context(), file(t, "x.parquet", data), "x.parquet")
		if err != nil || table.Len() > 1<<16 {
			return
		}
		training.WhatIf(table)
	})
}

// TestKindsOfOperations: gradients that are synchronised are communication, and what
// is not known counts as work, with a note.
func TestKindsOfOperations(t *testing.T) {
	const table = `dp_rank,stage,step,start_us,optype,dur_us
0,0,0,0,forward-compute,100000
0,0,0,100000,grads-sync,310000
0,0,0,410000,shuffle,10000
1,0,0,0,forward-compute,400000
1,0,0,400000,grads-sync,10000
1,0,0,410000,shuffle,10000
`
	path := file(t, "a.csv", []byte(table))
	e, err := ReadExperiment(t.Context(), &input.Source{Path: path, Given: path})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range e.Regions {
		if got, want := r.Kind == model.Comm, r.Name == "grads-sync"; got != want {
			t.Errorf("%s is of kind %s", r.Name, r.Kind)
		}
	}
	if want := "operations of these kinds count as work, for it is not known what they do: shuffle"; len(e.Notes) != 1 || e.Notes[0] != want {
		t.Errorf("notes %q, want %q", e.Notes, want)
	}
}
