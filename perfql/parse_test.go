package perfql

import (
	"errors"
	"strings"
	"testing"

	"auspex/expr"
	"auspex/fuzzy"
)

func TestBounds(t *testing.T) {
	for name, src := range map[string]string{
		"parentheses": strings.Repeat("(", 60000) + "a is b",
		"not":         strings.Repeat("NOT ", 15000) + "a is b",
		"filter":      "a is b WHERE " + strings.Repeat("(", 50000) + "process = 1",
		"statements":  "a is b" + strings.Repeat(" or a is b", 64),
		"keys":        "a is b ORDER BY a" + strings.Repeat(", a", 64),
		"length":      "a is b" + strings.Repeat(" ", expr.MaxLength),
	} {
		var e *expr.Error
		if _, err := Parse(src); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Parse("a is b" + strings.Repeat(" and a is b", 63)); err != nil {
		t.Error(err)
	}
}

func TestCompileNeedsExperiments(t *testing.T) {
	q, err := Parse("wtime is high")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compile(q, fuzzy.Shipped(), fuzzy.Minimum, nil); err == nil {
		t.Error("a query over nothing was compiled")
	}
	e := testExperiment("a")
	e.Metric = func(string) (Metric, bool) { return Metric{Name: "time_share", ByRegion: "1e0"}, true }
	q, _ = Parse("time_share is high BY unit")
	if _, err := Compile(q, fuzzy.Shipped(), fuzzy.Minimum, []*Experiment{e}); err == nil || !strings.Contains(err.Error(), "not defined for a whole unit") {
		t.Errorf("got %v", err)
	}
}

// TestNamesAreQuoted looks for names that could break out of their quotes.
func TestNamesAreQuoted(t *testing.T) {
	q, err := Parse(`x is S(0, 1) WHERE region = 'it''s' AND node ~ '%''; DROP'`)
	if err != nil {
		t.Fatal(err)
	}
	e := &Experiment{Name: `o'clock`, Values: "v", Regions: "r", Units: "u",
		Metric: func(string) (Metric, bool) { return Additive("x", `a"b`), true }}
	p, err := Compile(q, fuzzy.Shipped(), fuzzy.Minimum, []*Experiment{e})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`'o''clock'`, `"a""b"`, `'it''s'`, `'%''; DROP'`} {
		if !strings.Contains(p.SQL, want) {
			t.Errorf("%s is not in\n%s", want, p.SQL)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"(wtime is HIGH_EXECUTION_TIME) AND (L2_TCM/L2_TCA is POOR_CACHE_MISS)",
		"NOT (a is very high or b is S(0,1)@9) over experiments x, 'y z' where region ~ 'mpi_*' and (process in 0..7, 9 or not node = n1) by summary with degree >= .3 order by degree asc, a/b desc, unit limit 10",
		`"a b" is "not" or more or less low`, "a is b where", "((((",
	} {
		f.Add(s)
	}
	e := testExperiment("a")
	f.Fuzz(func(t *testing.T, src string) {
		q, err := Parse(src)
		if err != nil {
			var e *expr.Error
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(e.Source) {
				t.Fatalf("%q: bad error %#v", src, err)
			}
			_ = e.Caret()
			return
		}
		again, err := Parse(q.String())
		if err != nil || again.String() != q.String() {
			t.Fatalf("%q prints %q, which parses as %v, %v", src, q, again, err)
		}
		if _, err := Compile(q, fuzzy.Shipped(), fuzzy.Minimum, []*Experiment{e}); err != nil {
			var e *expr.Error
			if !errors.As(err, &e) || e.Source != src {
				t.Fatalf("%q: bad error %#v", src, err)
			}
		}
	})
}
