package analyze

import (
	"context"
	"database/sql"
	"fmt"
	"sync"

	"auspex/model"
	"auspex/perfql"
	"auspex/store"
)

// Answer is what a PERFQL query finds, best first.
type Answer struct {
	Query    string     `json:"query"`   // in normal form
	Metrics  []string   `json:"metrics"` // whose values the rows carry
	Rows     []Answered `json:"rows"`
	SQL      string     `json:"sql"`
	Warnings []string   `json:"warnings"`
}

// Answered is one row of an answer.
type Answered struct {
	Experiment string          `json:"experiment"`
	Region     *string         `json:"region"` // nil by unit
	Unit       any             `json:"unit"`   // a process's number, "process.thread", or nil by region
	Node       string          `json:"node,omitempty"`
	Degree     Real            `json:"degree"`
	Metrics    map[string]Real `json:"metrics"`
}

// Query compiles a PERFQL query to SQL and runs it over the stored files.
func Query(ctx context.Context, engine *store.Engine, q *perfql.Query, words Words, datasets []*Dataset) (*Answer, error) {
	plan, err := compile(ctx, engine, q, words, datasets)
	if err != nil {
		return nil, err
	}
	rows, err := engine.Query(ctx, plan.SQL)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("the query engine refuses the compiled query: %w\n%s", err, plan.SQL)
	}
	defer rows.Close()
	answer := &Answer{Query: q.String(), Metrics: plan.Metrics, SQL: plan.SQL, Rows: []Answered{}, Warnings: []string{}}
	for rows.Next() {
		row, err := scanAnswer(rows, plan.Metrics)
		if err != nil {
			return nil, err
		}
		answer.Rows = append(answer.Rows, row)
	}
	return answer, rows.Err()
}

// compile compiles twice where the query turns out to ask for values that are
// computed over the region tree: joining them costs, so they are only there
// when needed.
func compile(ctx context.Context, engine *store.Engine, q *perfql.Query, words Words, datasets []*Dataset) (*perfql.Plan, error) {
	var sources []*querySource
	var experiments []*perfql.Experiment
	for _, d := range datasets {
		s := &querySource{d: d, runtime: sync.OnceValues(func() (float64, error) { return d.runtime(ctx, engine) })}
		var err error
		if s.tables, err = d.tables(); err != nil {
			return nil, err
		}
		s.time, _ = d.TimeMetric() // without one there are no built-in metrics
		sources = append(sources, s)
		experiments = append(experiments, s.experiment())
	}
	plan, err := perfql.Compile(q, words.Vocabulary, words.Logic, experiments)
	if err != nil {
		return nil, err
	}
	again := false
	for i, s := range sources {
		if s.failed != nil {
			return nil, s.failed
		}
		if s.needsTree {
			experiments[i], again = s.experiment(), true
		}
	}
	if again {
		return perfql.Compile(q, words.Vocabulary, words.Logic, experiments)
	}
	return plan, nil
}

func scanAnswer(rows *sql.Rows, metrics []string) (Answered, error) {
	var experiment string
	var region, node sql.NullString
	var process, thread, regionID, unitID sql.NullInt64
	var degree sql.NullFloat64
	values := make([]sql.NullFloat64, len(metrics))
	targets := []any{&experiment, &region, &node, &process, &thread, &degree, &regionID, &unitID}
	for i := range values {
		targets = append(targets, &values[i])
	}
	if err := rows.Scan(targets...); err != nil {
		return Answered{}, err
	}
	row := Answered{Experiment: experiment, Node: node.String, Degree: nullable(degree), Metrics: make(map[string]Real, len(metrics))}
	if region.Valid {
		row.Region = &region.String
	}
	if process.Valid {
		row.Unit = unitValue(model.Unit{Process: int(process.Int64), Thread: int(thread.Int64)})
	}
	for i, name := range metrics {
		row.Metrics[name] = nullable(values[i])
	}
	return row, nil
}

// unitValue is a unit as JSON shows it: a process is its number.
func unitValue(u model.Unit) any {
	if u.Thread == 0 {
		return u.Process
	}
	return u.String()
}

func nullable(v sql.NullFloat64) Real {
	if !v.Valid {
		return Missing
	}
	return Real(v.Float64)
}
