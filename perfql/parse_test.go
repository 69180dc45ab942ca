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

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"(wtime is HIGH_EXECUTION_TIME) AND (L2_TCM/L2_TCA is POOR_CACHE_MISS)",
		"NOT (a is very high or b is S(0,1)@9) over experiments x, 'y z' where region ~ 'mpi_*' and (process in 0..7, 9 or not node = n1) by summary with degree >= .3 order by degree asc, a/b desc, unit limit 10",
		`"a b" is "not" or more or less low`, "a is b where", "((((",
	} {
		f.Add(s)
	}
	e := &Experiment{Name: "a", Metric: func(name string) (Metric, bool) { return Additive(name, name), name != "nothing" }}
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
		if _, err := Bind(q, fuzzy.Shipped(), fuzzy.Minimum, e); err != nil {
			var e *expr.Error
			if !errors.As(err, &e) || e.Source != src {
				t.Fatalf("%q: bad error %#v", src, err)
			}
		}
	})
}

// A misspelt modifier was taken for the term.
func TestMisspeltModifier(t *testing.T) {
	for query, want := range map[string]string{
		"wtime is vry high":              "column 10: unknown word vry before high; did you mean very?",
		"wtime is extremly high BY unit": "column 10: unknown word extremly before high; did you mean extremely?",
		"wtime is high whre process = 0": "column 15: unexpected whre after the condition; did you mean WHERE?",
	} {
		if _, err := Parse(query); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", query, err, want)
		}
	}
}
