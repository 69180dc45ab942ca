package render

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"auspex/expr"
	"auspex/fuzzy"
	"auspex/perfql"
)

// TestDocumentation runs every example of the user's page, on an experiment
// with all the metrics they mention, and compares the errors it shows.
func TestDocumentation(t *testing.T) {
	page, err := os.ReadFile("../../docs/perfql.md")
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	e := documented(t, db)

	queries, failures := 0, 0
	for _, m := range regexp.MustCompile("(?s)```(perfql(?:-error)?)\n(.*?)\n```").FindAllStringSubmatch(string(page), -1) {
		block := m[2]
		if m[1] == "perfql" {
			queries++
			if err := runExample(db, e, block); err != nil {
				t.Errorf("%s\n%v", block, err)
			}
			continue
		}
		failures++
		query := strings.TrimSpace(strings.Split(block, "\n")[1])
		err := runExample(db, e, query)
		var place *expr.Error
		if !errors.As(err, &place) || place.Caret() != block {
			t.Errorf("the page shows\n%s\nbut it is\n%v", block, err)
			if place != nil {
				t.Log(place.Caret())
			}
		}
	}
	if queries < 10 || failures < 2 {
		t.Errorf("only %d examples and %d errors were found", queries, failures)
	}
}

func runExample(db *sql.DB, e *perfql.Experiment, text string) error {
	q, err := perfql.Parse(text)
	if err != nil {
		return err
	}
	b, err := perfql.Bind(q, fuzzy.Shipped(), fuzzy.Minimum, e)
	if err != nil {
		return err
	}
	if _, text, err := run(db, b, Source{Values: "v", Regions: "r", Units: "u"}); err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	return nil
}

// documented makes an experiment that has measured everything.
func documented(t *testing.T, db *sql.DB) *perfql.Experiment {
	t.Helper()
	names := []string{"wtime", "cpu_time", "calls", "mpi_time", "bytes_sent", "messages", "io_time", "instructions", "cycles",
		"l1_misses", "l2_misses", "l3_misses", "l2_accesses", "bytes sent (MPI)"}
	metrics := map[string]perfql.Metric{}
	columns := "0 AS region, 0 AS unit"
	for _, n := range names {
		metrics[n] = perfql.Additive(n, n)
		columns += ", 1e0 AS " + identifier(n)
	}
	time := metrics["wtime"]
	lost := perfql.Lost("lost", "wtime")
	for _, m := range []perfql.Metric{perfql.Share("time_share", time, fixed(1)), perfql.Imbalance("imbalance", "wtime"), lost,
		perfql.Scaled("lost_share", lost, fixed(1)), perfql.Ratio("mpi_share", metrics["mpi_time"], time)} {
		metrics[m.Name] = m
		names = append(names, m.Name)
	}
	metrics["L2_TCM"], metrics["L2_TCA"] = metrics["l2_misses"], metrics["l2_accesses"]
	_, err := db.Exec("CREATE TABLE v AS SELECT " + columns + "; CREATE TABLE r AS SELECT 0 AS id, 'f' AS name, 'main/f' AS path, 'function' AS kind;" +
		"CREATE TABLE u AS SELECT 0 AS id, 'n01' AS node, 0 AS process, 0 AS thread")
	if err != nil {
		t.Fatal(err)
	}
	return &perfql.Experiment{Name: "documented", Known: names,
		Metric: func(n string) (perfql.Metric, bool) { m, ok := metrics[n]; return m, ok }}
}
