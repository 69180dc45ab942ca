package render

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"auspex/fuzzy"
	"auspex/perfql"
)

// benchRows is 4,000 units times 5,000 regions.
const benchRows = 20_000_000

// BenchmarkQuery runs queries over 20 million region summaries in a Parquet
// file that DuckDB has written. Times fall off steeply, as they do in programs:
// about a quarter of the rows are in any way high in wtime.
func BenchmarkQuery(b *testing.B) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	file := func(name string) string { return "'" + filepath.Join(b.TempDir(), name) + "'" }
	values, regions, units := file("values.parquet"), file("regions.parquet"), file("units.parquet")
	for into, text := range map[string]string{
		values: fmt.Sprintf(`SELECT (i // 5000)::INTEGER AS unit, (i %% 5000)::INTEGER AS region,
			10 * pow((hash(i) %% 1000000) / 1e6, 8) AS wtime, (hash(i + 7) %% 1000000)::DOUBLE AS l2_misses,
			(1000000 + hash(i + 13) %% 100000)::DOUBLE AS l2_accesses FROM range(%d) t(i)`, benchRows),
		regions: "SELECT i::INTEGER AS id, 'f' || i AS name, 'main/f' || i AS path, 'function' AS kind FROM range(5000) t(i)",
		units:   "SELECT i::INTEGER AS id, 'n' || (i // 64) AS node, i::INTEGER AS process, 0::INTEGER AS thread FROM range(4000) t(i)",
	} {
		if _, err := db.Exec("COPY (" + text + ") TO " + into + " (FORMAT parquet)"); err != nil {
			b.Fatal(err)
		}
	}
	e := testExperiment("a")
	from := Source{Values: "read_parquet(" + values + ")", Regions: "read_parquet(" + regions + ")", Units: "read_parquet(" + units + ")"}
	for _, c := range []struct{ name, query string }{
		{"two_metrics/summary", "(wtime is HIGH_EXECUTION_TIME) AND (L2_TCM is S(5e5, 1e6)) BY summary LIMIT 20"},
		{"two_metrics_ratio/summary", "(wtime is HIGH_EXECUTION_TIME) AND (L2_TCM/L2_TCA is POOR_CACHE_MISS) BY summary LIMIT 20"},
		{"two_metrics_ratio/region", "(wtime is medium) AND (L2_TCM/L2_TCA is medium) LIMIT 20"},
		{"filtered/summary", "wtime is high WHERE region ~ '*f12' BY summary LIMIT 20"},
	} {
		b.Run(c.name, func(b *testing.B) {
			q, err := perfql.Parse(c.query)
			if err != nil {
				b.Fatal(err)
			}
			before := processorTime()
			for b.Loop() {
				bound, err := perfql.Bind(q, fuzzy.Shipped(), fuzzy.Minimum, e)
				if err != nil {
					b.Fatal(err)
				}
				if rows, _, err := run(db, bound, from); err != nil || len(rows) != 20 {
					b.Fatal(len(rows), err)
				}
			}
			b.ReportMetric((processorTime()-before).Seconds()/float64(b.N), "cpu-s/op")
			b.ReportMetric(benchRows*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}

// processorTime is what the process has used so far, on all cores.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkParse(b *testing.B) {
	const text = "(wtime is HIGH_EXECUTION_TIME) AND (L2_TCM/L2_TCA is POOR_CACHE_MISS) WHERE region ~ 'mpi_*' AND process IN 0..7 BY summary WITH DEGREE > 0.3 LIMIT 10"
	for b.Loop() {
		if _, err := perfql.Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}
