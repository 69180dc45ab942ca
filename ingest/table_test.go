package ingest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"auspex/ingest/inputtest"
	"auspex/longtable"
	"auspex/model"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestTables: a written table is found and read as what it is, in every form.
func TestTables(t *testing.T) {
	b := model.NewBuilder()
	main := b.Region(model.Region{Name: "main", Kind: model.Function, Parent: model.NoParent})
	loop := b.Region(model.Region{Name: "a/b", Kind: model.Loop, File: "x.c", Line: 3, Parent: main})
	wtime := b.Metric(model.NewMetric(model.WallTime, "TIME", model.Exclusive))
	for p := range 3 {
		unit := b.Unit(model.Unit{Node: "n1", Process: p})
		b.Set(unit, loop, wtime, 0.1*float64(p))
		b.Enter(unit, main)
	}
	want, err := b.Build(model.Header{Name: "run", Program: "prog", Created: time.Unix(1700000000, 0)})
	if err != nil {
		t.Fatal(err)
	}
	want.SetFactor(model.NumberFactor("ranks", 3))
	for _, format := range []longtable.Format{longtable.CSV, longtable.JSONL, longtable.Parquet} {
		var out bytes.Buffer
		if err := longtable.Write(context.Background(), &out, want, format); err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{"table": out.Bytes()}
		if format != longtable.Parquet {
			files["table.gz"] = inputtest.Gzipped(t, out.Bytes())
		}
		for name, content := range files {
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, content, 0o644); err != nil {
				t.Fatal(err)
			}
			got := inputtest.ReadOne(t, formats(), path, string(format))
			ignore := cmpopts.IgnoreFields(model.Header{}, "Format", "Sources")
			if diff := cmp.Diff(want, got, cmpopts.EquateNaNs(), ignore); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", format, name, diff)
			}
		}
	}
}

// TestTableKinds: a table that gives no kinds gets them from the names.
func TestTableKinds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte("region,metric,value\nmain/MPI_Send,wtime,1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	e := inputtest.ReadOne(t, formats(), path, "csv")
	if e.Regions[0].Kind != model.Function || e.Regions[1].Kind != model.MPI || e.Name != "t" {
		t.Errorf("%+v, name %q", e.Regions, e.Name)
	}
}
