package analyze

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"auspex/expr"
	"auspex/fuzzy"
	"auspex/model"
	"auspex/perfql"
	"auspex/perfql/render"
	"auspex/store"
)

// querySource offers a dataset's files and metrics to PERFQL.
type querySource struct {
	d       *Dataset
	time    string // the time metric, "" without one
	runtime func() (float64, error)
	found   map[string]*perfql.Metric // by the name asked for; nil for none
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
func (d *Dataset) runtime(ctx context.Context, start func() (*store.Engine, error)) (float64, error) {
	name, err := d.TimeMetric()
	if err != nil {
		return 0, err
	}
	flatInclusive := model.IsFlat(d.Regions) && d.MetricIndex(name, model.Inclusive) >= 0
	if d.small() || d.site() != nil || d.MetricIndex(name, model.Exclusive) < 0 || flatInclusive {
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
	engine, err := start()
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
	known := slices.DeleteFunc(s.d.knownNames(), func(name string) bool {
		_, ok := s.metric(name)
		return !ok
	})
	return &perfql.Experiment{Name: s.d.Name, Metric: s.metric, Known: known}
}

// refuse says of built-in metrics that rows of a query do not have where they are
// to be had.
func (s *querySource) refuse(q *perfql.Query) error {
	var refused *expr.Error
	look := func(n expr.Node) {
		expr.Walk(n, func(name *expr.Name) {
			_, _, builtIn := findBuiltIn(name.Name)
			if _, ok := s.metric(name.Name); !builtIn || ok || refused != nil {
				return
			}
			refused = &expr.Error{Source: q.Source, Offset: name.Offset}
			switch base, _, _ := model.SplitScope(name.Name); {
			case s.time == "":
				refused.Message = fmt.Sprintf("%s takes times, and %s has none", name.Name, s.d.Name)
			case base == ImbalanceShare || name.Name == ImbalanceShare:
				refused.Message = ImbalanceShare + " is a line of the ledger, which queries do not read"
				refused.Hint = "auspex diagnose and auspex rules tell it; lost_share is what a region's slowest unit costs"
			case base == Participation || name.Name == Participation:
				refused.Message = Participation + " is for rules and contracts; queries do not know it"
				refused.Hint = "imbalance is large where few units take part"
			default:
				refused.Message = name.Name + " is of the whole program, and rows of a query are regions or units"
				refused.Hint = "auspex show tells it; rules and contracts can ask for it"
			}
		})
	}
	_ = fuzzy.Statements(q.Condition, func(is *fuzzy.Is) error { // never fails
		look(is.Metric)
		return nil
	})
	for _, key := range q.Order {
		if key.By == "" {
			look(key.Metric)
		}
	}
	if refused == nil {
		return nil
	}
	return refused
}

// sql renders a query over the stored files.
func (s *querySource) sql(b *perfql.Bound) (string, error) {
	if s.d.site() != nil {
		text, _, err := s.remoteSQL(b)
		return text, err
	}
	t, err := s.d.tables()
	if err != nil {
		return "", err
	}
	return render.SQL(b, render.Source{Values: s.values(t, b.Columns()), Regions: t.regions, Units: t.units})
}

// Columns that are added to the stored ones.
const (
	usefulColumn        = "\x01useful"        // exclusive time outside communication
	communicationColumn = "\x01communication" // exclusive time in communication
	nestedColumn        = "\x01nested"        // communication, nested regions included
	wholeColumn         = "\x01whole"         // exclusive time, nested regions included
)

// metric finds a metric for PERFQL, which asks for the same ones again and again.
func (s *querySource) metric(name string) (perfql.Metric, bool) {
	found, asked := s.found[name]
	if !asked {
		if m, ok := s.describe(name); ok {
			found = &m
		}
		if s.found == nil {
			s.found = map[string]*perfql.Metric{}
		}
		s.found[name] = found
	}
	if found == nil {
		return perfql.Metric{}, false
	}
	return *found, true
}

func (s *querySource) describe(name string) (perfql.Metric, bool) {
	if m, err := s.d.Resolve(name); err == nil {
		column := m.Column()
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

// builtIn describes the built-in metrics; they give what Rows computes.
func (s *querySource) builtIn(name string, scope model.Scope) (perfql.Metric, bool) {
	base, _, _ := model.SplitScope(name)
	column, exclusive := s.time+"."+string(scope), s.time+"."+string(model.Exclusive)
	switch base {
	case TimeShare:
		m := perfql.Additive(name, column)
		m.ByUnit = exclusive
		return perfql.Share(name, m, s.runtime), true
	case Imbalance:
		m := perfql.Imbalance(name, column)
		m.ByUnit = usefulColumn
		return m, true
	case Lost, LostShare:
		m := perfql.Lost(name, column)
		m.ByUnit = usefulColumn
		if base == LostShare {
			m = perfql.Scaled(name, m, s.runtime)
		}
		return m, true
	case MPIShare:
		// A flat profile's own inclusive times hold what it cannot attribute.
		whole, part := perfql.Additive(name, wholeColumn), perfql.Additive(name, nestedColumn)
		whole.ByUnit, part.ByUnit = exclusive, communicationColumn
		return perfql.Ratio(name, part, whole), true
	}
	return perfql.Metric{}, false
}

// needsTree tells whether some of the columns are computed over the region tree:
// joining it costs, so it is only there when needed.
func (s *querySource) needsTree(columns []string) bool {
	stored := func(name string) bool {
		return slices.ContainsFunc(s.d.Metrics, func(m model.Metric) bool { return m.Column() == name })
	}
	return slices.ContainsFunc(columns, func(name string) bool {
		if name == usefulColumn || name == communicationColumn {
			name = s.time + "." + string(model.Exclusive)
		}
		return !stored(name)
	})
}

// values is the relation of region summaries, with what is computed.
func (s *querySource) values(t tables, columns []string) string {
	stored := t.values
	if s.needsTree(columns) {
		stored = "(" + s.tree(t) + ")"
	}
	if !slices.Contains(columns, usefulColumn) && !slices.Contains(columns, communicationColumn) {
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
func (s *querySource) tree(t tables) string {
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
	stored, regions := t.values, t.regions
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
