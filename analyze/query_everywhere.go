package analyze

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"

	"auspex/expr"
	"auspex/perfql"
	"auspex/perfql/render"
	"auspex/store"
)

// Gathered is a site that answers about the regions of all its experiments at
// once.
type Gathered interface {
	// Sums is the relation that render.Sums wants.
	Sums(metrics []string, parameters map[string]string) string
	Ask(ctx context.Context, query string, parameters map[string]string) (store.Rows, error)
}

// mostRows bounds an answer about a whole site.
const mostRows = 1000

// QueryEverywhere asks about the regions of all experiments of a site, in one
// statement. The words mean what they mean in like, one of them.
func QueryEverywhere(ctx context.Context, site Gathered, q *perfql.Query, words Words, like *Dataset) (*Answer, error) {
	if len(q.Over) > 0 {
		return nil, &expr.Error{Source: q.Source, Offset: q.Over[0].Offset, Message: "all experiments of the site are asked: leave OVER out, or use auspex query"}
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
	text, err := render.SQLOfSums(bound, render.Sums{Relation: site.Sums(columns, parameters), Columns: columns, Dialect: render.ClickHouse(parameters), Limit: mostRows})
	if err != nil {
		return nil, err
	}
	rows, err := site.Ask(ctx, text, parameters)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	answer := &Answer{Query: q.String(), By: "region", Metrics: []string{}, SQL: text, Rows: []Answered{}, Warnings: []string{}}
	for _, s := range bound.Shown {
		if !slices.Contains(answer.Metrics, s.Text) {
			answer.Metrics = append(answer.Metrics, s.Text)
		}
	}
	experiments := map[string]bool{}
	for rows.Next() {
		var experiment, region sql.NullString
		var degree sql.NullFloat64
		values := make([]sql.NullFloat64, len(bound.Shown))
		into := []any{&experiment, &region, &degree}
		for i := range values {
			into = append(into, &values[i])
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		row := perfql.Row{Experiment: experiment.String, Region: &perfql.Region{Path: region.String}, Degree: degree.Float64, Shown: bound.Shown}
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
