package analyze

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"

	"auspex/expr"
	"auspex/model"
	"auspex/perfql"
	"auspex/perfql/render"
	"auspex/store"
)

// Gathered is a site that answers about many of its experiments at once.
type Gathered interface {
	// Regions and Units are the relations that render.Sums wants.
	Regions(metrics []string, condition string, parameters map[string]string) string
	Units(metrics []string, condition string, parameters map[string]string) string
	Ask(ctx context.Context, query string, parameters map[string]string) (store.Rows, error)
}

// mostRows bounds an answer about a whole site.
const mostRows = 1000

// QueryEverywhere asks about the regions, or the units, of all experiments of a
// site, in one statement. The words mean what they mean in like, one of them.
func QueryEverywhere(ctx context.Context, site Gathered, q *perfql.Query, words Words, like *Dataset) (*Answer, error) {
	if len(q.Over) > 0 {
		return nil, &expr.Error{Source: q.Source, Offset: q.Over[0].Offset, Message: "all experiments of the site are asked: leave OVER out, or use auspex query"}
	}
	if q.By == perfql.ByName {
		return nil, q.ErrorAt(len(q.Source), "regions of one name are gathered in each experiment by itself", "ask by region, or use auspex query")
	}
	if q.By == perfql.ByDefault {
		q.By = perfql.ByRegion
	}
	source := &querySource{d: like, runtime: func() (float64, error) { return 1, nil }} // of each its own
	source.time, _ = like.TimeMetric()
	bound, err := perfql.Bind(q, words.Vocabulary, words.Logic, source.experiment())
	if err != nil {
		return nil, err
	}
	parameters := map[string]string{}
	columns := bound.Columns()
	for _, c := range columns {
		if !slices.ContainsFunc(like.Metrics, func(m model.Metric) bool { return m.Column() == c }) {
			return nil, q.ErrorAt(q.Condition.Pos(), "this needs what is computed for each experiment by itself", "ask for stored metrics, or use auspex query")
		}
	}
	relation := func(by perfql.Grouping, condition string) string {
		if by == perfql.ByUnit {
			return site.Units(columns, condition, parameters)
		}
		return site.Regions(columns, condition, parameters)
	}
	text, err := render.SQLOfSums(bound, render.Sums{Relation: relation, Columns: columns, Dialect: render.ClickHouse(parameters), Limit: mostRows})
	if err != nil {
		return nil, err
	}
	rows, err := site.Ask(ctx, text, parameters)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	answer := &Answer{Query: q.String(), By: bound.By.String(), Metrics: []string{}, SQL: text, Rows: []Answered{}, Warnings: []string{}}
	for _, s := range bound.Shown {
		if !slices.Contains(answer.Metrics, s.Text) {
			answer.Metrics = append(answer.Metrics, s.Text)
		}
	}
	experiments := map[string]bool{}
	for rows.Next() {
		var experiment, region, node sql.NullString
		var process, thread sql.NullInt64
		var degree sql.NullFloat64
		values := make([]sql.NullFloat64, len(bound.Shown))
		into := []any{&experiment, &region, &node, &process, &thread, &degree}
		for i := range values {
			into = append(into, &values[i])
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		row := perfql.Row{Experiment: experiment.String, Degree: degree.Float64, Shown: bound.Shown}
		if region.Valid {
			row.Region = &perfql.Region{Path: region.String}
		}
		if process.Valid {
			row.Unit = &perfql.Unit{Node: node.String, Process: int(process.Int64), Thread: int(thread.Int64)}
		}
		for _, v := range values {
			if !v.Valid {
				v.Float64 = math.NaN()
			}
			row.Values = append(row.Values, v.Float64)
		}
		experiments[row.Experiment] = true
		answer.Rows = append(answer.Rows, answered(row, answer.Metrics))
	}
	answer.Experiments = len(experiments)
	answer.Limited = len(answer.Rows) == cmp.Or(q.Limit, mostRows)
	if answer.Limited && q.Limit == 0 {
		answer.Warnings = append(answer.Warnings, "only the best 1000 rows are given; LIMIT in the query asks for more")
	}
	return answer, rows.Err()
}
