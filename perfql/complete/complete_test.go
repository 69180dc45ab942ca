package complete_test

import (
	"slices"
	"strings"
	"testing"

	"auspex/analyze"
	"auspex/fuzzy"
	"auspex/internal/sample"
	"auspex/perfql"
	"auspex/perfql/complete"
)

// scored is an experiment with wtime and l2_misses in main, main/solve and
// main/MPI_Wait.
func scored(t testing.TB) []complete.Experiment {
	t.Helper()
	d, err := analyze.Open(sample.Stored(t, sample.Scored(t, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return []complete.Experiment{d.Completing(analyze.ShippedWords())}
}

func TestCompletion(t *testing.T) {
	all := scored(t)
	for _, c := range []struct {
		query  string // | is the cursor
		wants  []string
		spares []string
		first  bool // the first want comes first
	}{
		{"|", []string{"wtime", "l2_misses", "imbalance", "NOT"}, []string{"high", "IS"}, false},
		{"wt|", []string{"wtime"}, []string{"imbalance"}, true},
		{"wtime |", []string{"IS"}, []string{"wtime", "high"}, false},
		{"wtime is |", []string{"high", "low", "very", "S("}, []string{"wtime", "AND"}, false},
		{"wtime is hi|", []string{"high", "HIGH_EXECUTION_TIME"}, []string{"low"}, true},
		{"wtime is very |", []string{"high"}, []string{"AND"}, false},
		{"wtime is high |", []string{"AND", "OR", "WHERE", "BY", "LIMIT"}, []string{"high"}, false},
		{"wtime is high and |", []string{"wtime", "imbalance", "medium"}, []string{"AND"}, false},
		{"(wtime is high) and (imb|", []string{"imbalance"}, []string{"wtime"}, true},
		{"wtime/l2|", []string{"l2_misses"}, []string{"wtime"}, true},
		{"wtime is high over |", []string{"scored", `"two words"`}, []string{"wtime"}, false},
		{"wtime is high where |", []string{"region", "kind", "process"}, []string{"wtime"}, false},
		{"wtime is high where region |", []string{"~", "=", "IN"}, []string{"<"}, false},
		{"wtime is high where region = |", []string{"'solve'", "'main/solve'"}, []string{"wtime"}, false},
		{"wtime is high where region = so|", []string{"'solve'"}, []string{"'main'"}, true},
		{"wtime is high where kind = |", []string{"mpi"}, []string{"'main'"}, false},
		{"wtime is high where region = 'solve' and |", []string{"process"}, []string{"wtime"}, false},
		{"wtime is high by |", []string{"region", "unit", "summary"}, []string{"wtime"}, false},
		{"wtime is high order by |", []string{"degree", "wtime"}, []string{"BY"}, false},
		{"wtime is hi|gh by unit", []string{"high"}, []string{"low"}, true},
		{`"unfinished |`, nil, []string{"wtime"}, false},
	} {
		cursor := strings.Index(c.query, "|")
		text := strings.Replace(c.query, "|", "", 1)
		got := complete.At(text, cursor, fuzzy.Shipped(), all, []string{"scored", "two words"})
		var texts []string
		for _, o := range got.Options {
			texts = append(texts, o.Text)
		}
		for i, want := range c.wants {
			if at := slices.Index(texts, want); at < 0 || c.first && i == 0 && at != 0 {
				t.Errorf("%s: %q is not offered in its place: %q", c.query, want, texts)
			}
		}
		for _, spare := range c.spares {
			if slices.Contains(texts, spare) {
				t.Errorf("%s: %q is offered: %q", c.query, spare, texts)
			}
		}
		if got.To != cursor || got.From > got.To {
			t.Errorf("%s: %d to %d would be replaced", c.query, got.From, got.To)
		}
	}
}

// Whatever is taken where a metric and then a term are expected makes a query.
func TestCompletionsMakeQueries(t *testing.T) {
	all := scored(t)
	for _, metric := range complete.At("", 0, fuzzy.Shipped(), all, nil).Options {
		if metric.Kind != "metric" {
			continue
		}
		text := metric.Text + " IS "
		for _, term := range complete.At(text, len(text), fuzzy.Shipped(), all, nil).Options {
			if term.Kind != "term" {
				continue
			}
			if _, err := perfql.Parse(text + term.Text); err != nil {
				t.Errorf("%s%s: %v", text, term.Text, err)
			}
		}
	}
}

func FuzzComplete(f *testing.F) {
	for _, text := range []string{"wtime is high", "(a/b is very 'x", "where region = \"", "\xff is \x80", "é is 高"} {
		f.Add(text, 3)
	}
	all := scored(f)
	f.Fuzz(func(t *testing.T, text string, cursor int) {
		got := complete.At(text, cursor, fuzzy.Shipped(), all, []string{"scored"})
		if got.From < 0 || got.To > len(text) || got.From > got.To {
			t.Fatalf("%q at %d: %d to %d", text, cursor, got.From, got.To)
		}
	})
}
