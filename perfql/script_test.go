package perfql

import (
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"auspex/expr"
	"auspex/fuzzy"
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
	q, err := Parse(input)
	if err != nil {
		return fail(err)
	}
	again, err := Parse(q.String())
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
	var experiments []*Experiment
	for _, name := range names {
		experiments = append(experiments, testExperiment(name))
	}
	plan, err := Compile(q, fuzzy.Shipped(), fuzzy.Minimum, experiments)
	if err != nil {
		return fail(err)
	}
	rows, err := runPlan(db, plan)
	if err != nil {
		return strings.ReplaceAll(fmt.Sprintf("%v\n%s", err, plan.SQL), "\n\n", "\n")
	}
	return rows
}

// runPlan prints the answer as a table with one space between columns.
func runPlan(db *sql.DB, plan *Plan) (string, error) {
	rows, err := db.Query(plan.SQL)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	lines := []string{"experiment region unit degree"}
	for _, m := range plan.Metrics {
		lines[0] += " " + m
	}
	for rows.Next() {
		var experiment string
		var region, node sql.NullString
		var process, thread, regionID, unitID sql.NullInt64
		var degree float64
		into := []any{&experiment, &region, &node, &process, &thread, &degree, &regionID, &unitID}
		values := make([]sql.NullFloat64, len(plan.Metrics))
		for i := range values {
			into = append(into, &values[i])
		}
		if err := rows.Scan(into...); err != nil {
			return "", err
		}
		line := experiment + " " + orDash(region.Valid, region.String) + " " +
			orDash(process.Valid, fmt.Sprintf("%s:%d.%d", node.String, process.Int64, thread.Int64)) + fmt.Sprintf(" %.4f", degree)
		for _, v := range values {
			line += " " + orDash(v.Valid, fmt.Sprintf("%.4g", v.Float64))
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), rows.Err()
}

func orDash(ok bool, s string) string {
	if !ok {
		return "-"
	}
	return s
}

// testExperiment describes the tables <name>_values, _regions and _units that
// the scripts make.
func testExperiment(name string) *Experiment {
	time, misses, accesses := Additive("wtime", "wtime"), Additive("l2_misses", "l2_misses"), Additive("l2_accesses", "l2_accesses")
	mpi := Additive("mpi_time", "mpi_time")
	lost := Lost("lost", "wtime")
	metrics := map[string]Metric{
		"wtime": time, "TIME": time, "l2_misses": misses, "L2_TCM": misses,
		"l2_accesses": accesses, "L2_TCA": accesses, "mpi_time": mpi,
		"time_share": Share("time_share", time, 10),
		"imbalance":  Imbalance("imbalance", "wtime"), "lost": lost, "lost_share": Scaled("lost_share", lost, 10),
		"mpi_share":        Ratio("mpi_share", mpi, time),
		"wtime.inc":        Inclusive("wtime.inc", "winc"),
		"odd name (units)": Averaged("odd name (units)", "l2_misses"),
	}
	if name == "b" {
		delete(metrics, "mpi_time")
		delete(metrics, "mpi_share")
	}
	known := make([]string, 0, len(metrics))
	for n := range metrics {
		known = append(known, n)
	}
	return &Experiment{Name: name, Values: name + "_values", Regions: name + "_regions", Units: name + "_units", Known: known,
		Metric: func(n string) (Metric, bool) { m, ok := metrics[n]; return m, ok }}
}
