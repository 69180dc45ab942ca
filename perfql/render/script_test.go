package render

import (
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"auspex/expr"
	"auspex/fuzzy"
	"auspex/perfql"
)

var update = flag.Bool("update", false, "write the results into testdata/*.test")

// TestScripts runs testdata/*.test. A script is a list of cases, apart by blank
// lines: a command, its input, ----, and the expected output. The commands are
//
//	sql     run statements in the database (no output)
//	parse   a query, printed back in its normal form
//	query   a query, run; a line per row
//	error   a query that fails, with the caret
//
// Lines that begin with # between cases are comments.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.test")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { runScript(t, file) })
	}
}

func runScript(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var out []string
	line := 1
	for _, block := range strings.Split(strings.TrimRight(string(data), "\n"), "\n\n") {
		start := line
		line += strings.Count(block, "\n") + 2
		body := block
		for strings.HasPrefix(body, "#") || strings.HasPrefix(body, "\n") {
			_, body, _ = strings.Cut(body, "\n")
		}
		if strings.TrimSpace(body) == "" {
			out = append(out, block)
			continue
		}
		command, rest, _ := strings.Cut(body, "\n")
		input, want, _ := strings.Cut(rest, "\n----\n")
		input = strings.TrimSuffix(input, "\n----")
		got := runCase(t, db, command, input)
		if got != want && !*update {
			t.Errorf("%s:%d: %s\n%s\ngot:\n%s\nwant:\n%s", file, start, command, input, got, want)
		}
		head := strings.TrimSuffix(block, body)
		out = append(out, strings.TrimRight(head+command+"\n"+input+"\n----\n"+got, "\n"))
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(out, "\n\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func runCase(t *testing.T, db *sql.DB, command, input string) string {
	t.Helper()
	fail := func(err error) string {
		var e *expr.Error
		if errors.As(err, &e) {
			return e.Caret()
		}
		return err.Error()
	}
	if command == "sql" {
		if _, err := db.Exec(input); err != nil {
			return err.Error()
		}
		return ""
	}
	q, err := perfql.Parse(input)
	if err != nil {
		return fail(err)
	}
	again, err := perfql.Parse(q.String())
	if err != nil || again.String() != q.String() {
		t.Errorf("%s prints %s, which parses as %v, %v", input, q, again, err)
	}
	if command == "parse" {
		return q.String()
	}
	names := []string{"a"}
	if len(q.Over) > 0 {
		names = nil
		for _, o := range q.Over {
			names = append(names, o.Name)
		}
	}
	all := perfql.Ranking{Query: q}
	var titles []string
	for _, name := range names {
		b, err := perfql.Bind(q, fuzzy.Shipped(), fuzzy.Minimum, testExperiment(name))
		if err != nil {
			if len(names) > 1 {
				err = q.Of(name, err)
			}
			return fail(err)
		}
		for _, s := range b.Shown {
			if !slices.Contains(titles, s.Text) {
				titles = append(titles, s.Text)
			}
		}
		rows, text, err := run(db, b, Source{Values: name + "_values", Regions: name + "_regions", Units: name + "_units"})
		if err != nil {
			return strings.ReplaceAll(fmt.Sprintf("%v\n%s", err, text), "\n\n", "\n")
		}
		all.Add(rows...)
	}
	return table(titles, all.Rows())
}

// run answers a query in the database.
func run(db *sql.DB, b *perfql.Bound, from Source) ([]perfql.Row, string, error) {
	text, err := SQL(b, from)
	if err != nil {
		return nil, "", err
	}
	rows, err := db.Query(text)
	if err != nil {
		return nil, text, err
	}
	defer rows.Close()
	found, err := Scan(rows, b)
	return found, text, err
}

// table prints rows with one space between columns.
func table(titles []string, rows []perfql.Row) string {
	lines := []string{"experiment region unit degree"}
	for _, m := range titles {
		lines[0] += " " + m
	}
	for _, r := range rows {
		line := r.Experiment + " "
		if r.Region == nil {
			line += "-"
		} else {
			line += r.Region.Path
		}
		if r.Unit == nil {
			line += " -"
		} else {
			line += fmt.Sprintf(" %s:%d.%d", r.Unit.Node, r.Unit.Process, r.Unit.Thread)
		}
		line += fmt.Sprintf(" %.4f", r.Degree)
		for _, title := range titles {
			v := math.NaN()
			if i := slices.IndexFunc(r.Shown, func(s perfql.Shown) bool { return s.Text == title }); i >= 0 {
				v = r.Values[i]
			}
			line += " " + orDash(!math.IsNaN(v), fmt.Sprintf("%.4g", v))
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// fixed is a whole that is known beforehand.
func fixed(v float64) func() (float64, error) { return func() (float64, error) { return v, nil } }

func orDash(ok bool, s string) string {
	if !ok {
		return "-"
	}
	return s
}

// testExperiment describes the tables <name>_values, _regions and _units that
// the scripts make.
func testExperiment(name string) *perfql.Experiment {
	time, misses, accesses := perfql.Additive("wtime", "wtime"), perfql.Additive("l2_misses", "l2_misses"), perfql.Additive("l2_accesses", "l2_accesses")
	mpi := perfql.Additive("mpi_time", "mpi_time")
	lost := perfql.Lost("lost", "wtime")
	metrics := map[string]perfql.Metric{
		"wtime": time, "TIME": time, "l2_misses": misses, "L2_TCM": misses,
		"l2_accesses": accesses, "L2_TCA": accesses, "mpi_time": mpi,
		"time_share": perfql.Share("time_share", time, fixed(10)),
		"imbalance":  perfql.Imbalance("imbalance", "wtime"), "lost": lost, "lost_share": perfql.Scaled("lost_share", lost, fixed(10)),
		"mpi_share":        perfql.Ratio("mpi_share", mpi, time),
		"wtime.inc":        perfql.Inclusive("wtime.inc", "winc"),
		"odd name (units)": perfql.Averaged("odd name (units)", "l2_misses"),
	}
	if name == "b" {
		delete(metrics, "mpi_time")
		delete(metrics, "mpi_share")
	}
	known := make([]string, 0, len(metrics))
	for n := range metrics {
		known = append(known, n)
	}
	return &perfql.Experiment{Name: name, Known: known,
		Metric: func(n string) (perfql.Metric, bool) { m, ok := metrics[n]; return m, ok }}
}
