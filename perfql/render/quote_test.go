package render

import (
	"strings"
	"testing"

	"auspex/fuzzy"
	"auspex/perfql"
)

// TestNamesAreQuoted looks for names that could break out of their quotes.
func TestNamesAreQuoted(t *testing.T) {
	q, err := perfql.Parse(`x is S(0, 1) WHERE region = 'it''s' AND node ~ '%''; DROP'`)
	if err != nil {
		t.Fatal(err)
	}
	b, err := perfql.Bind(q, fuzzy.Shipped(), fuzzy.Minimum, &perfql.Experiment{Name: `o'clock`,
		Metric: func(string) (perfql.Metric, bool) { return perfql.Additive("x", `a"b`), true }})
	if err != nil {
		t.Fatal(err)
	}
	text, err := SQL(b, Source{Values: "v", Regions: "r", Units: "u"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"a""b"`, `'it''s'`, `'(?s)^%''; drop$'`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
}
