package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
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
// "regions" or "units". DuckDB does not know the store's sums; so the table is
// checked here, once as long as its file stays what it was.
func (e *Experiment) Table(table string) (string, error) {
	if e.remote != nil {
		return "", fmt.Errorf("experiment %q is in no file here", e.Name)
	}
	file := table + ".parquet"
	path := filepath.Join(e.folder.dir, file)
	info, err := os.Stat(path)
	if err != nil {
		return "", e.folder.explain(file, err)
	}
	e.verified.Lock()
	defer e.verified.Unlock()
	if was := e.verified.as[table]; was == nil || !os.SameFile(was, info) || was.Size() != info.Size() || !was.ModTime().Equal(info.ModTime()) {
		if err := e.folder.verify(file); err != nil {
			return "", err
		}
		e.verified.as[table] = info
	}
	return "read_parquet('" + strings.ReplaceAll(path, "'", "''") + "')", nil
}
