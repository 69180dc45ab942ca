package render

import (
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"auspex/fuzzy"
	"auspex/internal/testclickhouse"
	"auspex/perfql"
)

// TestBackEndsAgree runs random queries over random tables in DuckDB and in
// ClickHouse and holds the answers equal, row by row. It asks 40 queries, or as
// many as $AUSPEX_QUERIES says: 2,000 with -rapid.checks=500.
func TestBackEndsAgree(t *testing.T) {
	left := 40
	if n, err := strconv.Atoi(os.Getenv("AUSPEX_QUERIES")); err == nil {
		left = n
	}
	server := testclickhouse.Start(t)
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rapid.Check(t, func(t *rapid.T) {
		if left <= 0 {
			return
		}
		o := drawOracle(t)
		if err := o.load(db); err != nil {
			t.Fatal(err)
		}
		if err := o.loadClickHouse(server); err != nil {
			t.Fatal(err)
		}
		for range 4 {
			o.compareBackEnds(t, db, server)
			left--
		}
	})
}

func (o *oracle) loadClickHouse(server *testclickhouse.Server) error {
	statements := []string{
		"CREATE OR REPLACE TABLE o_regions ENGINE = Memory AS SELECT toInt32(number) AS id, concat('r', toString(number)) AS name, concat('main/r', toString(number)) AS path, 'function' AS kind FROM numbers(5)",
		"CREATE OR REPLACE TABLE o_units ENGINE = Memory AS SELECT toInt32(number) AS id, 'n' AS node, toInt32(number) AS process, toInt32(0) AS thread FROM numbers(4)",
		"CREATE OR REPLACE TABLE o_values (region Int32, unit Int32, p Nullable(Float64), q Nullable(Float64)) ENGINE = Memory",
	}
	var rows []string
	for r := range oracleRegions {
		for u := range oracleUnits {
			if o.present[r][u] {
				rows = append(rows, fmt.Sprintf("(%d, %d, %s, %s)", r, u, clickHouseNumber(o.p[r][u]), clickHouseNumber(o.q[r][u])))
			}
		}
	}
	if len(rows) > 0 {
		statements = append(statements, "INSERT INTO o_values VALUES "+strings.Join(rows, ", "))
	}
	for _, s := range statements {
		if _, err := server.SQL(s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

func clickHouseNumber(v float64) string {
	switch {
	case math.IsNaN(v):
		return "NULL"
	case math.IsInf(v, 1):
		return "inf"
	}
	return fmt.Sprint(v)
}

func (o *oracle) compareBackEnds(t *rapid.T, db *sql.DB, server *testclickhouse.Server) {
	f := rapid.SampledFrom(filters).Draw(t, "filter")
	by := rapid.SampledFrom([]perfql.Grouping{perfql.ByRegion, perfql.ByUnit, perfql.BySummary}).Draw(t, "by")
	logic := rapid.SampledFrom([]string{"min", "min", "product", "compensatory"}).Draw(t, "logic")
	threshold := rapid.SampledFrom([]string{"", "", " WITH DEGREE > 0.25", " WITH DEGREE >= 0.5", " WITH DEGREE >= 0", " WITH DEGREE > 0.9"}).Draw(t, "threshold")
	order := rapid.SampledFrom([]string{"", "", " ORDER BY p", " ORDER BY q ASC, region", " ORDER BY region, unit", " ORDER BY unit DESC, region DESC", " ORDER BY degree ASC, p DESC", " ORDER BY imbalance, degree"}).Draw(t, "order")
	text := drawCondition(t, 2) + f.text + " BY " + by.String() + threshold + order
	got, want, query := askBoth(t, db, server, text, logic)
	if !same(t, text, query.Threshold(), got, want) {
		return // rounding decided about a row: the rest of the order may differ
	}
	inOrder(t, text, query, got, want)
	text += fmt.Sprint(" LIMIT ", rapid.IntRange(1, 6).Draw(t, "limit"))
	got, want, query = askBoth(t, db, server, text, logic)
	inOrder(t, text, query, got, want)
}

// askBoth asks both back ends.
func askBoth(t *rapid.T, db *sql.DB, server *testclickhouse.Server, text, logic string) (got, want []perfql.Row, query *perfql.Query) {
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
	from := Source{Values: "o_values", Regions: "o_regions", Units: "o_units"}
	want, _, err = run(db, b, from)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	parameters := map[string]string{}
	from.Dialect = ClickHouse(parameters)
	rendered, err := SQL(b, from)
	if err != nil {
		t.Fatal(err)
	}
	got, err = askClickHouse(server, b, rendered, parameters)
	if err != nil {
		t.Fatalf("%s: %v\n%s", text, err, rendered)
	}
	return got, want, query
}

// near leaves the last digits to rounding.
func near(a, b float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-9*max(1, math.Abs(a))
}

// inOrder holds the order of two answers equal but for rows whose first key is
// the same to the last digits.
func inOrder(t *rapid.T, text string, query *perfql.Query, got, want []perfql.Row) {
	if len(got) != len(want) {
		t.Fatalf("%s\nClickHouse gives %d rows, DuckDB %d", text, len(got), len(want))
	}
	first := func(r perfql.Row) float64 {
		switch {
		case len(query.Order) == 0 || query.Order[0].By == "degree":
			return r.Degree
		case query.Order[0].By == "":
			return r.Keys[0]
		case query.Order[0].By == "region":
			return float64(r.RegionID) // they are in the order of their names here
		}
		return float64(r.UnitID)
	}
	for i := range got {
		if g, w := got[i], want[i]; (g.RegionID != w.RegionID || g.UnitID != w.UnitID) && !near(first(g), first(w)) {
			t.Fatalf("%s\nrow %d: ClickHouse gives %+v, DuckDB %+v", text, i, g, w)
		}
	}
}

// same holds two answers equal but for rows whose degree is the threshold's to
// the last digit: there rounding decides, and it tells so.
func same(t *rapid.T, text string, limit perfql.Threshold, got, want []perfql.Row) (exactly bool) {
	exactly = true
	of := map[row]perfql.Row{}
	for _, r := range want {
		of[row{int(r.RegionID), int(r.UnitID)}] = r
	}
	for _, g := range got {
		key := row{int(g.RegionID), int(g.UnitID)}
		w, there := of[key]
		if !there {
			if !near(g.Degree, limit.Value) {
				t.Fatalf("%s\nonly ClickHouse gives %+v", text, g)
			}
			exactly = false
			continue
		}
		delete(of, key)
		if !near(g.Degree, w.Degree) || (g.Region == nil) != (w.Region == nil) || g.Region != nil && g.Region.Path != w.Region.Path || (g.Unit == nil) != (w.Unit == nil) || g.Unit != nil && *g.Unit != *w.Unit {
			t.Fatalf("%s\nClickHouse gives %+v, DuckDB %+v", text, g, w)
		}
		for i := range w.Values {
			if !near(g.Values[i], w.Values[i]) {
				t.Fatalf("%s\nClickHouse gives %+v, DuckDB %+v", text, g, w)
			}
		}
	}
	for _, w := range of {
		if !near(w.Degree, limit.Value) {
			t.Fatalf("%s\nonly DuckDB gives %+v", text, w)
		}
		exactly = false
	}
	return exactly
}

// askClickHouse asks over HTTP, as a client does.
func askClickHouse(server *testclickhouse.Server, b *perfql.Bound, rendered string, parameters map[string]string) ([]perfql.Row, error) {
	values := url.Values{"join_use_nulls": {"1"}, "aggregate_functions_null_for_empty": {"1"}}
	for name, v := range parameters {
		values.Set("param_"+name, v)
	}
	answer, err := http.Post(server.URL+"/?"+values.Encode(), "text/plain", strings.NewReader(rendered+" FORMAT TabSeparated"))
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s, %v", answer.Status, data, err)
	}
	rows := &tabRows{left: bytes.SplitAfter(data, []byte("\n"))}
	return Scan(rows, b)
}

// tabRows reads rows of values between tabs, \N for NULL.
type tabRows struct {
	left [][]byte
	line []string
}

func (r *tabRows) Next() bool {
	if len(r.left) == 0 || len(r.left[0]) == 0 {
		return false
	}
	r.line, r.left = strings.Split(strings.TrimSuffix(string(r.left[0]), "\n"), "\t"), r.left[1:]
	return true
}

func (r *tabRows) Scan(into ...any) error {
	if len(into) != len(r.line) {
		return fmt.Errorf("%d columns, not %d", len(r.line), len(into))
	}
	for i, text := range r.line {
		var v any = text
		if text == `\N` {
			v = nil
		} else if f, err := strconv.ParseFloat(text, 64); err == nil {
			if v = f; f == math.Trunc(f) && math.Abs(f) < 1e15 {
				v = int64(f)
			}
		}
		if err := into[i].(sql.Scanner).Scan(v); err != nil {
			return err
		}
	}
	return nil
}

func (r *tabRows) Err() error { return nil }

func TestGlobsAsExpressions(t *testing.T) {
	for glob, want := range map[string]string{
		"mpi_*": "(?s)^mpi_.*$", "a?[!b-d]": `(?s)^a.[^\x{62}-\x{64}]$`, `\*x.`: `(?s)^\*x\.$`, "[a": `[^\x00-\x{10FFFF}]`, "[]x]": `(?s)^[\x{5d}\x{78}]$`, "[b-a]": `(?s)^[^\x00-\x{10FFFF}]$`, "[!b-a]": "(?s)^.$",
	} {
		if got := globExpression(glob); got != want {
			t.Errorf("%s becomes %s, not %s", glob, got, want)
		}
	}
}
