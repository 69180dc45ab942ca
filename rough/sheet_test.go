package rough

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Pawlak's weather-like example by hand: temperature alone decides but for the
// high ones, where headache does.
const flu = `patient,headache,temperature,flu
p1,no,high,yes
p2,yes,high,no
p3,yes,very high,yes
p4,no,normal,no
p5,yes,normal,no
p6,no,very high,yes
`

func TestReduceSheet(t *testing.T) {
	s, err := ReadSheet(strings.NewReader(flu), "", []string{"patient"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Decision != "flu" || !slices.Equal(s.Attributes, []string{"headache", "temperature"}) || len(s.Rows) != 6 {
		t.Fatalf("%+v", s)
	}
	r, err := Reduce(context.Background(), s.Table)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Core, []int{0, 1}) || len(r.Reducts) != 1 {
		t.Errorf("core %v, reducts %v", r.Core, r.Reducts)
	}
	rules, err := Rules(s.Table, r.Chosen)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, rule := range rules {
		var parts []string
		for k, a := range rule.Attributes {
			parts = append(parts, s.Attributes[a]+" "+s.Values[a][rule.Values[k]])
		}
		said = append(said, fmt.Sprintf("%s: %s (%d of %d)", strings.Join(parts, ", "), s.Decisions[rule.Decision], rule.Rows, rule.Of))
	}
	want := []string{"temperature very high: yes (2 of 2)", "temperature normal: no (2 of 2)",
		"headache no, temperature high: yes (1 of 1)", "headache yes, temperature high: no (1 of 1)"}
	slices.Sort(said)
	slices.Sort(want)
	if !slices.Equal(said, want) {
		t.Errorf("rules\n%s", strings.Join(said, "\n"))
	}
}

// Every row is covered by a rule for its decision; a rule that covers only such
// rows is certain.
func TestRulesCoverTheTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table Table
		n := rapid.IntRange(1, 4).Draw(t, "attributes")
		for a := range n {
			table.Attributes = append(table.Attributes, fmt.Sprint("a", a))
		}
		for i := range rapid.IntRange(1, 12).Draw(t, "rows") {
			row := Row{ID: i, Decision: rapid.IntRange(0, 2).Draw(t, "decision")}
			for range n {
				row.Values = append(row.Values, rapid.IntRange(0, 2).Draw(t, "value"))
			}
			table.Rows = append(table.Rows, row)
		}
		r, err := Reduce(context.Background(), table)
		if err != nil {
			t.Fatal(err)
		}
		rules, err := Rules(table, r.Chosen)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range table.Rows {
			found := false
			for _, rule := range rules {
				fits := rule.Decision == row.Decision
				for k, a := range rule.Attributes {
					fits = fits && row.Values[a] == rule.Values[k]
				}
				found = found || fits
			}
			if !found {
				t.Fatalf("no rule covers %v", row)
			}
		}
		for _, rule := range rules {
			if rule.Rows < 1 || rule.Of < rule.Rows {
				t.Fatalf("%+v", rule)
			}
		}
	})
}

func TestBadSheets(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "empty",
		"a,b\n":                           "no rows",
		"a\n1\n":                          "no attribute",
		"a,a,b\n1,2,3\n":                  "two columns",
		"a,b\n1,2\n1\n":                   "wrong number of fields",
		"a,b\n1,\"2\n":                    "quote",
		strings.Repeat("x,", 300) + "d\n": "two columns",
	} {
		if _, err := ReadSheet(strings.NewReader(text), "", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := ReadSheet(strings.NewReader(flu), "nothing", nil); err == nil || !strings.Contains(err.Error(), "headache") {
		t.Errorf("got %v", err)
	}
	if _, err := ReadSheet(strings.NewReader(flu), "", []string{"nothing"}); err == nil {
		t.Error("a column that is not there was ignored")
	}
}

func FuzzReadSheet(f *testing.F) {
	f.Add(flu, "flu")
	f.Add("a,b\n1,2\n", "")
	f.Fuzz(func(t *testing.T, text, decision string) {
		s, err := ReadSheet(strings.NewReader(text), decision, nil)
		if err != nil || len(s.Rows) > 200 || len(s.Attributes) > 20 {
			return
		}
		r, err := Reduce(context.Background(), s.Table)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Rules(s.Table, r.Chosen); err != nil {
			t.Fatal(err)
		}
	})
}
