package render

import (
	"database/sql"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"auspex/expr"
	"auspex/fuzzy"
	"auspex/perfql"
)

// TestSQLAgreesWithPlainComputation runs random queries over random tables in
// the database and computes the same row by row here.
func TestSQLAgreesWithPlainComputation(t *testing.T) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rapid.Check(t, func(t *rapid.T) {
		o := drawOracle(t)
		if err := o.load(db); err != nil {
			t.Fatal(err)
		}
		for range 4 {
			o.compare(t, db)
		}
	})
}

const (
	oracleRegions = 5
	oracleUnits   = 4
)

// oracle holds the values of the metrics p and q, NaN where missing; rows that
// are absent are in neither.
type oracle struct {
	present [oracleRegions][oracleUnits]bool
	p, q    [oracleRegions][oracleUnits]float64
}

func drawOracle(t *rapid.T) *oracle {
	o := &oracle{}
	value := rapid.SampledFrom([]float64{0, 0.5, 1, 2, 2.5, 3, 4, 6, 9, -1, math.NaN(), math.Inf(1)})
	for r := range oracleRegions {
		for u := range oracleUnits {
			o.present[r][u] = rapid.IntRange(0, 5).Draw(t, "present") > 0
			o.p[r][u], o.q[r][u] = value.Draw(t, "p"), value.Draw(t, "q")
		}
	}
	return o
}

func (o *oracle) load(db *sql.DB) error {
	var b strings.Builder
	b.WriteString("CREATE OR REPLACE TABLE o_regions AS SELECT i AS id, 'r'||i AS name, 'main/r'||i AS path, 'function' AS kind FROM range(5) t(i);")
	b.WriteString("CREATE OR REPLACE TABLE o_units AS SELECT i AS id, 'n' AS node, i AS process, 0 AS thread FROM range(4) t(i);")
	b.WriteString("CREATE OR REPLACE TABLE o_values(region INTEGER, unit INTEGER, p DOUBLE, q DOUBLE);")
	for r := range oracleRegions {
		for u := range oracleUnits {
			if o.present[r][u] {
				fmt.Fprintf(&b, "INSERT INTO o_values VALUES (%d, %d, '%v', %s);", r, u, o.p[r][u], nullOr(o.q[r][u]))
			}
		}
	}
	_, err := db.Exec(b.String())
	return err
}

func nullOr(v float64) string {
	if math.IsNaN(v) {
		return "NULL"
	}
	return fmt.Sprintf("'%v'", v)
}

// filters pairs the text of a filter with what it means for a row, and for a
// unit by itself.
var filters = []struct {
	text string
	row  func(r, u int) bool
	unit func(u int) bool
}{
	{"", func(r, u int) bool { return true }, func(int) bool { return true }},
	{" WHERE region ~ '*R[12]'", func(r, u int) bool { return r == 1 || r == 2 }, func(int) bool { return true }},
	{" WHERE process IN 1..2", func(r, u int) bool { return u == 1 || u == 2 }, func(u int) bool { return u == 1 || u == 2 }},
	{" WHERE NOT (region = r2 OR process = 0)", func(r, u int) bool { return r != 2 && u != 0 }, func(int) bool { return true }},
	{" WHERE process != 3 AND region NOT IN r0, 'main/r4' AND NOT process < 1", func(r, u int) bool { return u != 3 && u != 0 && r != 0 && r != 4 },
		func(u int) bool { return u != 3 && u != 0 }},
	{" WHERE process = 1 OR region = 'main/r1'", func(r, u int) bool { return u == 1 || r == 1 }, func(int) bool { return true }},
}

// total is what one unit can have at most, for the metric share.
const total = 10

func oracleExperiment() *perfql.Experiment {
	p, q := perfql.Additive("p", "p"), perfql.Additive("q", "q")
	metrics := map[string]perfql.Metric{"p": p, "q": q, "share": perfql.Share("share", p, fixed(total)), "imbalance": perfql.Imbalance("imbalance", "p"), "lost": perfql.Lost("lost", "p")}
	return &perfql.Experiment{Name: "o", Metric: func(n string) (perfql.Metric, bool) { m, ok := metrics[n]; return m, ok }}
}

// row is a row of the answer: region and unit, -1 for what it does not have.
type row struct{ region, unit int }

func (o *oracle) compare(t *rapid.T, db *sql.DB) {
	f := rapid.SampledFrom(filters).Draw(t, "filter")
	by := rapid.SampledFrom([]perfql.Grouping{perfql.ByRegion, perfql.ByUnit, perfql.BySummary}).Draw(t, "by")
	logic := rapid.SampledFrom([]string{"min", "min", "product", "compensatory"}).Draw(t, "logic")
	threshold := rapid.SampledFrom([]string{"", "", " WITH DEGREE > 0.25", " WITH DEGREE >= 0.5", " WITH DEGREE >= 0", " WITH DEGREE > 0.9"}).Draw(t, "threshold")
	tail := rapid.SampledFrom([]string{"", "", " LIMIT 2", " ORDER BY p LIMIT 100", " ORDER BY region, unit LIMIT 100"}).Draw(t, "tail")
	text := drawCondition(t, 2) + f.text + " BY " + by.String() + threshold + tail
	query, err := perfql.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	l, err := fuzzy.ParseLogic(logic)
	if err != nil {
		t.Fatal(err)
	}
	b, err := perfql.Bind(query, &fuzzy.Vocabulary{}, l, oracleExperiment())
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	rows, rendered, err := run(db, b, Source{Values: "o_values", Regions: "o_regions", Units: "o_units"})
	if err != nil {
		t.Fatalf("%s: %v\n%s", text, err, rendered)
	}
	want := o.answer(t, query, l, by, f.row, f.unit)
	judge(t, query, text+"\n"+rendered, rows, maps.Clone(want))

	here, err := b.Answer(o.table())
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	all := perfql.Ranking{Query: query}
	all.Add(here...)
	judge(t, query, text+"\nanswered here", all.Rows(), want)
}

// table is the oracle's data in memory.
func (o *oracle) table() *perfql.Table {
	t := &perfql.Table{}
	columns := map[string][]float64{}
	for r := range oracleRegions {
		name := fmt.Sprint("r", r)
		t.Regions = append(t.Regions, perfql.Region{Name: name, Path: "main/" + name, Kind: "function"})
	}
	for u := range oracleUnits {
		t.Units = append(t.Units, perfql.Unit{Node: "n", Process: u})
		for r := range oracleRegions {
			if o.present[r][u] {
				t.Unit, t.Region = append(t.Unit, int32(u)), append(t.Region, int32(r))
				columns["p"], columns["q"] = append(columns["p"], o.p[r][u]), append(columns["q"], o.q[r][u])
			}
		}
	}
	t.Column = func(name string) ([]float64, error) { return columns[name], nil }
	return t
}

// judge holds an answer against what it should be.
func judge(t *rapid.T, query *perfql.Query, text string, got []perfql.Row, want map[row]float64) {
	limit := query.Threshold()
	close := func(y float64) bool { return math.Abs(y-limit.Value) < 1e-9 } // rounding decides
	best := []float64{}
	for _, y := range want {
		best = append(best, y)
	}
	slices.Sort(best)
	slices.Reverse(best)
	for i, g := range got {
		y, ok := want[row{int(g.RegionID), int(g.UnitID)}]
		if !ok && !close(g.Degree) {
			t.Fatalf("%s\ngives %+v, which is no answer", text, g)
		}
		if ok && math.Abs(y-g.Degree) > 1e-9 {
			t.Fatalf("%s\n%+v should have the degree %v", text, g, y)
		}
		if bestFirst(query) && i > 0 && g.Degree > got[i-1].Degree {
			t.Fatalf("%s\nis not ordered", text)
		}
		delete(want, row{int(g.RegionID), int(g.UnitID)})
	}
	if query.Limit == 2 {
		if len(got) != min(2, len(best)) && !slices.ContainsFunc(best, close) {
			t.Fatalf("%s\ngives %d rows of %d", text, len(got), len(best))
		}
		for i, g := range got {
			if i < len(best) && math.Abs(g.Degree-best[i]) > 1e-9 {
				t.Fatalf("%s\nrow %d has the degree %v, best are %v", text, i, g.Degree, best)
			}
		}
		return
	}
	for r, y := range want {
		if !close(y) {
			t.Fatalf("%s\nlacks %+v with the degree %v", text, r, y)
		}
	}
}

// drawCondition draws statements over p, q and what is made of them.
func drawCondition(t *rapid.T, depth int) string {
	switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
	case depth == 0 || kind < 3:
		metric := rapid.SampledFrom([]string{"p", "q", "p/q", "q - p", "share", "imbalance", "lost", "p/(q/p)"}).Draw(t, "metric")
		phrase := rapid.SampledFrom([]string{"S(0, 5)", "Z(1, 4)", "not Z(1, 4)", "very triangle(0, 2, 6)", "slightly S(0, 3)",
			"above trapezoid(0, 1, 2, 5)", "Pi(2, 2)@5 or singleton(3)", "linear(0, 9) and not very S(2, 8)", "gaussian(1, 0.5)"}).Draw(t, "phrase")
		return metric + " is " + phrase
	case kind < 4:
		return "NOT (" + drawCondition(t, depth-1) + ")"
	case kind < 5:
		return "(" + drawCondition(t, depth-1) + ") AND (" + drawCondition(t, depth-1) + ")"
	}
	return "(" + drawCondition(t, depth-1) + ") OR (" + drawCondition(t, depth-1) + ") OR (" + drawCondition(t, depth-1) + ")"
}

// answer computes the query without a database, but for ORDER BY and LIMIT.
func (o *oracle) answer(t *rapid.T, q *perfql.Query, logic fuzzy.Logic, by perfql.Grouping, picked func(r, u int) bool, unit func(int) bool) map[row]float64 {
	cells := map[row][]row{} // the rows that each answer is made of
	units := 0.0
	for u := range oracleUnits {
		if unit(u) {
			units++
		}
		for r := range oracleRegions {
			if o.present[r][u] && picked(r, u) {
				key := map[perfql.Grouping]row{perfql.ByRegion: {r, -1}, perfql.ByUnit: {-1, u}, perfql.BySummary: {r, u}}[by]
				cells[key] = append(cells[key], row{r, u})
			}
		}
	}
	want := map[row]float64{}
	for key := range cells {
		degree := fuzzy.Combine(q.Condition, logic, func(is *fuzzy.Is) float64 {
			set, err := fuzzy.Bind(is.Phrase, logic, nil)
			if err != nil {
				t.Fatal(err)
			}
			x, err := expr.Eval(is.Metric, 1, func(name string) ([]float64, error) {
				return []float64{o.metric(name, by, key, cells, units)}, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return set.Degree(x[0])
		})
		if limit := q.Threshold(); degree > limit.Value || limit.OrEqual && degree >= limit.Value {
			want[key] = degree
		}
	}
	return want
}

// sum adds what is known of p or q over cells; missing if nothing is.
func (o *oracle) sum(name string, cells []row) float64 {
	total, any := 0.0, false
	for _, c := range cells {
		v := o.p[c.region][c.unit]
		if name == "q" {
			v = o.q[c.region][c.unit]
		}
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			total, any = total+v, true
		}
	}
	if !any {
		return math.NaN()
	}
	return total
}

func (o *oracle) metric(name string, by perfql.Grouping, key row, cells map[row][]row, units float64) float64 {
	own := o.sum(name, cells[key])
	// Its peers are the units of the region, or all units.
	var peers []float64
	switch by {
	case perfql.ByRegion:
		for _, c := range cells[key] {
			peers = append(peers, o.sum("p", []row{c}))
		}
	default:
		for k, c := range cells {
			if k.region == key.region {
				peers = append(peers, o.sum("p", c))
			}
		}
	}
	most, all := math.NaN(), math.NaN()
	for _, v := range peers {
		if math.IsNaN(v) {
			continue
		}
		if math.IsNaN(most) {
			most, all = v, 0
		}
		most, all = max(most, v), all+v
	}
	switch name {
	case "share":
		if by == perfql.ByRegion {
			return own / (total * units)
		}
		return own / total
	case "imbalance":
		if by == perfql.ByRegion {
			return most*units/all - 1
		}
		return own*units/all - 1
	case "lost":
		if by == perfql.ByRegion {
			return most - all/units
		}
		return most - own
	}
	return own
}
