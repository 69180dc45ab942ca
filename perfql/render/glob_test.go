package render

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"auspex/fuzzy"
	"auspex/perfql"
)

// A pattern chooses the same regions here and in the database.
func TestPatternsChooseAlike(t *testing.T) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	text := rapid.StringOfN(rapid.SampledFrom([]rune("abAB/-ßé")), 0, 6, -1)
	pattern := rapid.StringOfN(rapid.SampledFrom([]rune(`aabb**?[]!-\\/ßé`)), 0, 8, -1)
	experiment := &perfql.Experiment{Name: "g", Metric: func(string) (perfql.Metric, bool) { return perfql.Additive("p", "p"), true }}
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(text, 1, 8).Draw(t, "names")
		wanted := pattern.Draw(t, "pattern")
		if wanted == "" {
			return
		}
		table := &perfql.Table{Units: []perfql.Unit{{}}, Column: func(string) ([]float64, error) { return slices.Repeat([]float64{1}, len(names)), nil }}
		var regions, values []string
		for i, n := range names {
			table.Regions = append(table.Regions, perfql.Region{Name: n, Path: n, Kind: "function"})
			table.Unit, table.Region = append(table.Unit, 0), append(table.Region, int32(i))
			regions = append(regions, fmt.Sprintf("(%d, %s, %s, 'function')", i, literal(n), literal(n)))
			values = append(values, fmt.Sprintf("(0, %d, 1e0)", i))
		}
		q, err := perfql.Parse("p is singleton(1) WHERE region ~ " + literal(wanted))
		if err != nil {
			t.Fatal(err)
		}
		b, err := perfql.Bind(q, &fuzzy.Vocabulary{}, fuzzy.Minimum, experiment)
		if err != nil {
			t.Fatal(err)
		}
		there, _, err := run(db, b, Source{
			Regions: "(SELECT * FROM (VALUES " + strings.Join(regions, ", ") + ") r(id, name, path, kind))",
			Values:  "(SELECT * FROM (VALUES " + strings.Join(values, ", ") + ") v(unit, region, p))",
			Units:   "(SELECT 0 AS id, '' AS node, 0 AS process, 0 AS thread)",
		})
		if err != nil {
			t.Fatal(err)
		}
		here, err := b.Answer(table)
		if err != nil {
			t.Fatal(err)
		}
		chosen := func(rows []perfql.Row) (found []int32) {
			for _, r := range rows {
				found = append(found, r.RegionID)
			}
			slices.Sort(found)
			return found
		}
		if !slices.Equal(chosen(here), chosen(there)) {
			t.Fatalf("%q of %q: here %v, in the database %v", wanted, names, chosen(here), chosen(there))
		}
	})
}
