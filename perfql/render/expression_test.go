package render

import (
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
	"pgregory.net/rapid"

	"auspex/expr"
)

func TestSQLText(t *testing.T) {
	ident := func(name string) (string, error) {
		if name == "zz" {
			return "", errors.New("unknown")
		}
		return name, nil
	}
	n, _ := expr.Parse("a/b")
	got, err := expression(n, ident)
	if want := "CASE WHEN isFinite((a / CASE WHEN isFinite(b) THEN b END)) THEN (a / CASE WHEN isFinite(b) THEN b END) END"; err != nil || got != want {
		t.Errorf("got %s, %v", got, err)
	}
	if got, err := looseExpression(n, ident); err != nil || got != "(a / b)" {
		t.Errorf("got %s, %v", got, err)
	}
	n, _ = expr.Parse("a/zz")
	if _, err := expression(n, ident); err == nil {
		t.Error("an unknown metric was accepted")
	}
	n, _ = expr.Parse(strings.Repeat("a/(", 60) + "b" + strings.Repeat(")", 60))
	if _, err := expression(n, ident); err == nil {
		t.Error("a text of 2^60 bytes was rendered")
	}
}

// TestSQLAgreesWithEval computes random trees over the same awkward values
// here and in DuckDB.
func TestSQLAgreesWithEval(t *testing.T) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	values := []float64{0, 1, -1, 3, 0.1, 1e-320, 1e300, -1e300, math.NaN(), math.Inf(1), math.Inf(-1)}
	cols := map[string][]float64{}
	var b strings.Builder
	for i, x := range values {
		for j, y := range values {
			z := values[(i*7+j*3)%len(values)]
			cols["a"], cols["b"], cols["c"] = append(cols["a"], x), append(cols["b"], y), append(cols["c"], z)
			if b.Len() > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "(%d,'%v'::DOUBLE,'%v'::DOUBLE,'%v'::DOUBLE)", len(cols["a"])-1, x, y, z)
		}
	}
	rows := len(cols["a"])
	// NaN is written as NULL in some rows: both are missing.
	if _, err := db.Exec("CREATE TABLE t AS SELECT i, a, CASE WHEN i%2=0 AND isnan(b) THEN NULL ELSE b END b, c FROM (VALUES " + b.String() + ") v(i,a,b,c)"); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		n, err := expr.Parse(drawExpression(t, 4))
		if err != nil {
			t.Fatal(err)
		}
		want, err := expr.Eval(n, rows, func(name string) ([]float64, error) { return cols[name], nil })
		if err != nil {
			t.Fatal(err)
		}
		text, err := expression(n, func(name string) (string, error) { return name, nil })
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, 0, rows)
		res, err := db.Query("SELECT " + text + " FROM t ORDER BY i")
		if err != nil {
			t.Fatalf("%s: %v", n, err)
		}
		defer res.Close()
		for res.Next() {
			var v sql.NullFloat64
			if err := res.Scan(&v); err != nil {
				t.Fatal(err)
			}
			if !v.Valid {
				v.Float64 = math.NaN()
			}
			got = append(got, v.Float64)
		}
		if len(got) != rows {
			t.Fatalf("%d rows, want %d: %v", len(got), rows, res.Err())
		}
		for i := range got {
			if got[i] != want[i] && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
				t.Fatalf("%s, a=%v b=%v c=%v: SQL %v, Eval %v", n, cols["a"][i], cols["b"][i], cols["c"][i], got[i], want[i])
			}
		}
	})
}

// drawExpression draws an expression as people write it.
func drawExpression(t *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 9).Draw(t, "kind")
	switch {
	case depth == 0 || kind < 2:
		return rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name")
	case kind < 3:
		return rapid.SampledFrom([]string{"0", "1", "0.1", "3", "1e300", "1e-300"}).Draw(t, "number")
	case kind < 4:
		return "(-" + drawExpression(t, depth-1) + ")"
	}
	return "(" + drawExpression(t, depth-1) + rapid.SampledFrom([]string{"+", "-", "*", "/"}).Draw(t, "op") + drawExpression(t, depth-1) + ")"
}
