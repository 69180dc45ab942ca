package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	_ "github.com/duckdb/duckdb-go/v2" // the driver behind sql.Open("duckdb")
)

// Engine runs SQL over the files of stored experiments with an embedded
// DuckDB. It holds no data of its own.
type Engine struct{ db *sql.DB }

// NewEngine starts an engine.
func NewEngine(ctx context.Context) (*Engine, error) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return nil, fmt.Errorf("the query engine does not start: %w", err)
	}
	// Nothing is ever fetched: Parquet support is built in.
	for _, setting := range []string{
		"SET autoinstall_known_extensions = false",
		"SET autoload_known_extensions = false",
	} {
		if _, err := db.ExecContext(ctx, setting); err != nil {
			db.Close()
			return nil, fmt.Errorf("the query engine refuses %q: %w", setting, err)
		}
	}
	return &Engine{db}, nil
}

// Query runs one SQL query.
func (e *Engine) Query(ctx context.Context, query string) (*sql.Rows, error) {
	return e.db.QueryContext(ctx, query)
}

// Close ends the engine.
func (e *Engine) Close() error { return e.db.Close() }

// Table is the SQL expression for one of the experiment's tables: "values",
// "regions" or "units".
func (e *Experiment) Table(table string) string {
	return "read_parquet('" + strings.ReplaceAll(e.file(table), "'", "''") + "')"
}
