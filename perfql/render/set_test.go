package render

import (
	"database/sql"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"auspex/fuzzy"
)

// drawPhrase draws a phrase as people write it.
func drawPhrase(t *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	switch {
	case depth == 0 || kind < 2:
		return rapid.SampledFrom([]string{"linear(-3, 9)", "linear(8, 1)", "S(0, 5)", "S(2, 3)@9", "Z(-4, 4)", "triangle(0, 2, 6)", "triangle(0, 0, 6)",
			"trapezoid(-9, -5, 2, 5)", "trapezoid(1, 1, 2, 2)", "Pi(2, 2)", "Pi(1, 9)@5", "gaussian(1, 0.5)", "singleton(3)",
			"points(0 0, 1 0.5, 1 1, 4 0.2)"}).Draw(t, "shape")
	case kind < 5:
		return string(rapid.SampledFrom(fuzzy.Modifiers()).Draw(t, "modifier")) + " (" + drawPhrase(t, depth-1) + ")"
	}
	word := rapid.SampledFrom([]string{" and ", " or "}).Draw(t, "word")
	return "(" + drawPhrase(t, depth-1) + ")" + word + "(" + drawPhrase(t, depth-1) + ")"
}

func bindPhrase(t interface{ Fatalf(string, ...any) }, text, logic string) fuzzy.Set {
	p, err := fuzzy.ParsePhrase(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	l, err := fuzzy.ParseLogic(logic)
	if err != nil {
		t.Fatalf("%v", err)
	}
	s, err := fuzzy.Bind(p, l, nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

// TestSQLAgreesWithDegree computes random phrases here and in DuckDB, over
// values that include missing ones, both infinities and the knots.
func TestSQLAgreesWithDegree(t *testing.T) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var xs []float64
	for i := -160; i <= 160; i++ {
		xs = append(xs, float64(i)/8, float64(i)/8+0.0371)
	}
	xs = append(xs, math.Inf(1), math.Inf(-1), 1e300, -1e300, 1e-300, math.NaN(), math.NaN())
	var b strings.Builder
	for i, x := range xs {
		text := fmt.Sprintf("'%v'::DOUBLE", x)
		if i == len(xs)-1 {
			text = "NULL"
		}
		fmt.Fprintf(&b, ",(%d, %s)", i, text)
	}
	if _, err := db.Exec("CREATE TABLE t AS SELECT * FROM (VALUES " + b.String()[1:] + ") v(i, x)"); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		// Several phrases make one round trip to the database.
		var sets []fuzzy.Set
		var columns []string
		for range 4 {
			s := bindPhrase(t, drawPhrase(t, 2), rapid.SampledFrom([]string{"min", "product", "compensatory"}).Draw(t, "logic"))
			text, err := set(s, "CASE WHEN isnan(x) THEN NULL ELSE x END")
			if err != nil {
				continue
			}
			sets, columns = append(sets, s), append(columns, text)
		}
		if len(sets) == 0 {
			return
		}
		rows, err := db.Query("SELECT i, " + strings.Join(columns, ", ") + " FROM t")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		n := 0
		for ; rows.Next(); n++ {
			var i int
			got := make([]sql.NullFloat64, len(sets))
			into := []any{&i}
			for k := range got {
				into = append(into, &got[k])
			}
			if err := rows.Scan(into...); err != nil {
				t.Fatal(err)
			}
			for k, s := range sets {
				if !got[k].Valid {
					got[k].Float64 = math.NaN()
				}
				// Cube roots near zero magnify the last digit.
				if want := s.Degree(xs[i]); math.Abs(got[k].Float64-want) > 1e-6 || math.IsNaN(got[k].Float64) != math.IsNaN(want) {
					t.Fatalf("%s at %v: SQL %v, Go %v", s, xs[i], got[k].Float64, want)
				}
			}
		}
		if n != len(xs) || rows.Err() != nil {
			t.Fatalf("%d rows, %v", n, rows.Err())
		}
	})
}

func TestLongPhrasesAreRefused(t *testing.T) {
	s := bindPhrase(t, strings.Repeat("slightly ", 8)+"S(0, 1)", "min")
	if _, err := set(s, "x"); err == nil {
		t.Error("a text that grows tenfold with each modifier was rendered")
	}
	if y := s.Degree(0.4); !(y >= 0 && y <= 1) {
		t.Errorf("degree %v", y)
	}
}
