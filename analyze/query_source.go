package analyze

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"auspex/model"
	"auspex/perfql"
	"auspex/store"
)

// querySource offers a dataset's files and metrics to PERFQL.
type querySource struct {
	d         *Dataset
	time      string // the time metric, "" without one
	runtime   func() (float64, error)
	tables    tables
	needsTree bool  // a metric was asked for that is computed over the tree
	failed    error // the run time could not be found
}

// tables are the SQL expressions of an experiment's tables, which were checked.
type tables struct{ values, regions, units string }

func (d *Dataset) tables() (t tables, err error) {
	for name, into := range map[string]*string{"values": &t.values, "regions": &t.regions, "units": &t.units} {
		if *into, err = d.stored.Table(name); err != nil {
			return t, err
		}
	}
	return t, nil
}

// runtime is the time of the slowest unit. Where exclusive times are stored the
// engine adds them up, which is faster than loading them.
func (d *Dataset) runtime(ctx context.Context, engine *store.Engine) (float64, error) {
	name, err := d.TimeMetric()
	if err != nil {
		return 0, err
	}
	flatInclusive := model.IsFlat(d.Regions) && d.MetricIndex(name, model.Inclusive) >= 0
	if d.MetricIndex(name, model.Exclusive) < 0 || flatInclusive {
		t, err := d.Times()
		if err != nil {
			return 0, err
		}
		return t.Runtime, nil
	}
	values, err := d.stored.Table("values")
	if err != nil {
		return 0, err
	}
	rows, err := engine.Query(ctx, fmt.Sprintf("SELECT max(t) FROM (SELECT sum(%s) AS t FROM %s GROUP BY unit)",
		quoteColumn(name+"."+string(model.Exclusive)), values))
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var longest sql.NullFloat64
	if rows.Next() {
		err = rows.Scan(&longest)
	}
	return longest.Float64, errors.Join(err, rows.Err())
}

func (s *querySource) experiment() *perfql.Experiment {
	return &perfql.Experiment{
		Name: s.d.Name, Values: s.values(), Regions: s.tables.regions, Units: s.tables.units,
		Metric: s.metric, Known: s.d.knownNames(),
	}
}

// Columns that are added to the stored ones.
const (
	usefulColumn        = "\x01useful"        // exclusive time outside communication
	communicationColumn = "\x01communication" // exclusive time in communication
	nestedColumn        = "\x01nested"        // communication, nested regions included
	wholeColumn         = "\x01whole"         // exclusive time, nested regions included
)

// metric describes a metric to PERFQL.
func (s *querySource) metric(name string) (perfql.Metric, bool) {
	if m, err := s.d.Resolve(name); err == nil {
		column := m.Column()
		if m.Scope != model.Own && s.d.MetricIndex(m.Name, m.Scope) < 0 {
			s.needsTree = true
		}
		canonical := canonicalName(m, name)
		switch {
		case !m.Additive():
			return perfql.Averaged(canonical, column), true
		case m.Scope == model.Inclusive:
			return perfql.Inclusive(canonical, column), true
		}
		return perfql.Additive(canonical, column), true
	}
	if _, scope, ok := findBuiltIn(name); ok && s.time != "" {
		return s.builtIn(name, scope)
	}
	return perfql.Metric{}, false
}

// builtIn renders the built-in metrics; they give what Rows computes.
func (s *querySource) builtIn(name string, scope model.Scope) (perfql.Metric, bool) {
	base, _, _ := model.SplitScope(name)
	column := s.time + "." + string(scope)
	if s.d.MetricIndex(s.time, scope) < 0 {
		s.needsTree = true
	}
	seconds := perfql.Additive(name, column)
	exclusive := perfql.Additive(name, s.time+"."+string(model.Exclusive))
	switch base {
	case TimeShare:
		seconds.ByUnit = exclusive.ByUnit
		return perfql.Share(name, seconds, s.total()), true
	case Imbalance:
		m := perfql.Imbalance(name, column)
		m.ByUnit = perfql.Imbalance(name, usefulColumn).ByUnit
		return m, true
	case Lost, LostShare:
		m := perfql.Lost(name, column)
		m.ByUnit = perfql.Lost(name, usefulColumn).ByUnit
		if base == LostShare {
			m = perfql.Scaled(name, m, s.total())
		}
		return m, true
	case MPIShare:
		s.needsTree = true
		// A flat profile's own inclusive times hold what it cannot attribute.
		whole := perfql.Additive(name, wholeColumn)
		whole.ByUnit = exclusive.ByUnit
		part := perfql.Additive(name, nestedColumn)
		part.ByUnit = perfql.Additive(name, communicationColumn).ByUnit
		return perfql.Ratio(name, part, whole), true
	}
	return perfql.Metric{}, false
}

// total is the run time that shares are of.
func (s *querySource) total() float64 {
	v, err := s.runtime()
	if err != nil {
		s.failed = err
	}
	return v
}

// values is the relation of region summaries, with what is computed.
func (s *querySource) values() string {
	stored := s.tables.values
	if s.time != "" && s.d.MetricIndex(s.time, model.Exclusive) < 0 {
		s.needsTree = true
	}
	if s.needsTree {
		stored = "(" + s.tree(stored) + ")"
	}
	if s.time == "" {
		return stored
	}
	seconds := quoteColumn(s.time + "." + string(model.Exclusive))
	waits := s.communicationSQL()
	return fmt.Sprintf("(SELECT *, CASE WHEN %s THEN 0 ELSE %s END AS %s, CASE WHEN %s THEN %s ELSE 0 END AS %s FROM %s)",
		waits, seconds, quoteColumn(usefulColumn), waits, seconds, quoteColumn(communicationColumn), stored)
}

// communicationSQL tells whether a row's region is communication.
func (s *querySource) communicationSQL() string {
	var ids []string
	for r, communicates := range s.d.Communication {
		if communicates {
			ids = append(ids, fmt.Sprint(r))
		}
	}
	if len(ids) == 0 {
		return "region < 0" // none
	}
	return "region IN (" + strings.Join(ids, ", ") + ")"
}

// tree adds the inclusive values that were measured exclusively and the other
// way round. A region that a unit entered only through nested ones has a row
// too.
func (s *querySource) tree(stored string) string {
	inclusive := []string{"v.unit", "up.ancestor AS region"}
	var exclusive, kept []string
	for _, m := range s.d.Metrics {
		kept = append(kept, fmt.Sprintf("v.%s", quoteColumn(m.Column())))
		if m.Scope == model.Exclusive && s.d.MetricIndex(m.Name, model.Inclusive) < 0 {
			inclusive = append(inclusive, fmt.Sprintf("sum(v.%s) AS %s", quoteColumn(m.Column()), quoteColumn(m.Name+".inc")))
		}
		if m.Scope == model.Inclusive && s.d.MetricIndex(m.Name, model.Exclusive) < 0 {
			exclusive = append(exclusive, fmt.Sprintf("greatest(0, coalesce(v.%s, 0) - coalesce(c.%s, 0)) AS %s",
				quoteColumn(m.Column()), quoteColumn(m.Column()), quoteColumn(m.Name+".exc")))
		}
	}
	regions := s.tables.regions
	from := stored
	if len(exclusive) > 0 {
		var below []string
		for _, m := range s.d.Metrics {
			if m.Scope == model.Inclusive {
				below = append(below, fmt.Sprintf("sum(%s) AS %s", quoteColumn(m.Column()), quoteColumn(m.Column())))
			}
		}
		from = fmt.Sprintf("(SELECT v.*, %s FROM %s v LEFT JOIN (SELECT unit, r.parent AS region, %s FROM %s JOIN %s r ON r.id = region GROUP BY unit, r.parent) c USING (unit, region))",
			strings.Join(exclusive, ", "), stored, strings.Join(below, ", "), stored, regions)
		for _, m := range s.d.Metrics {
			if m.Scope == model.Inclusive && s.d.MetricIndex(m.Name, model.Exclusive) < 0 {
				kept = append(kept, "v."+quoteColumn(m.Name+".exc"))
			}
		}
	}
	if s.time != "" {
		seconds := "v." + quoteColumn(s.time+"."+string(model.Exclusive))
		inclusive = append(inclusive,
			fmt.Sprintf("sum(CASE WHEN v.%s THEN %s ELSE 0 END) AS %s", s.communicationSQL(), seconds, quoteColumn(nestedColumn)),
			fmt.Sprintf("sum(%s) AS %s", seconds, quoteColumn(wholeColumn)))
	}
	return fmt.Sprintf(`WITH RECURSIVE up(region, ancestor) AS (
SELECT id, id FROM %s UNION ALL SELECT up.region, r.parent FROM up JOIN %s r ON r.id = up.ancestor WHERE r.parent >= 0)
SELECT i.*, %s FROM (SELECT %s FROM %s v JOIN up ON up.region = v.region GROUP BY v.unit, up.ancestor) i
LEFT JOIN %s v USING (unit, region)`,
		regions, regions, strings.Join(kept, ", "), strings.Join(inclusive, ", "), from, from)
}

func quoteColumn(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
