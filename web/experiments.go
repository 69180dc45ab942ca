package web

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"auspex/analyze"
	"auspex/analyze/diagnose"
	"auspex/model"
	"auspex/report"
	job "auspex/training/kept"
	"auspex/view"
	"auspex/whatif/kept"
)

func (s *Server) experiments(context.Context, *asked) (any, error) {
	headers, failed, err := s.config.Store.List()
	if err != nil {
		return nil, err
	}
	return analyze.List(headers, failed), nil
}

// glances says of some experiments what a list of them shows. Each is small and
// is kept as long as the server runs.
func (s *Server) glances(ctx context.Context, q *asked) (any, error) {
	all := []*view.Glance{}
	for _, name := range q.query["experiment"] {
		e, err := analyze.Find(s.config.Store, name)
		if err != nil {
			return nil, err
		}
		if known, ok := s.seen.Load(e.ID); ok {
			all = append(all, known.(*view.Glance))
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d, err := s.datasets.get(name)
		if err != nil {
			return nil, err
		}
		g, err := view.GlanceAt(d)
		if err == nil {
			err = jobGlance(e, g)
		}
		if err != nil {
			return nil, err
		}
		s.seen.Store(e.ID, g)
		if len(d.Units)*len(d.Regions) >= manyValues {
			s.prepare(name)
		}
		all = append(all, g)
		s.datasets.trim()
	}
	return map[string]any{"glances": all}, nil
}

func (s *Server) experiment(ctx context.Context, q *asked) (any, error) {
	top, err := q.whole("top", 15)
	if err != nil {
		return nil, err
	}
	d, note, err := s.datasetBy(q)
	if err != nil {
		return nil, err
	}
	found, err := analyze.Summarise(d, top)
	if err != nil {
		return nil, err
	}
	if note != "" {
		found.Warnings = append(found.Warnings, note)
	}
	e, err := analyze.Find(s.config.Store, q.path("name"))
	if err != nil {
		return nil, err
	}
	parts, _, notes, err := kept.CommunicationOf(ctx, e)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil: // the profile is there all the same
		notes = append(notes, err.Error())
	}
	found.Efficiency.Split(parts.Serialization, parts.Cores)
	if job.Has(e) {
		found.OfRanks()
	}
	found.Warnings = append(found.Warnings, notes...)
	return report.Tell(found, kept.Has(e), job.Has(e)), nil
}

func (s *Server) units(_ context.Context, q *asked) (any, error) {
	d, err := s.dataset(q)
	if err != nil {
		return nil, err
	}
	units, err := analyze.UnitTimes(d)
	if err != nil {
		return nil, err
	}
	return map[string]any{"name": d.Name, "units": units}, nil
}

// metricName is a metric without its values.
type metricName struct {
	Name   string `json:"name"`
	Metric string `json:"metric"`
	Alias  string `json:"alias,omitempty"`
	Unit   string `json:"unit"`
	Scope  string `json:"scope"`
}

func (s *Server) metrics(_ context.Context, q *asked) (any, error) {
	d, words, err := s.opened(q)
	if err != nil {
		return nil, err
	}
	names := []metricName{}
	for _, m := range d.Metrics {
		names = append(names, metricName{m.Column(), m.Name, m.Alias, m.Unit,
			map[model.Scope]string{model.Exclusive: "exclusive", model.Inclusive: "inclusive", model.Own: "own"}[m.Scope]})
	}
	time, builtIn, expressions := analyze.Quantities(d, words)
	return map[string]any{"name": d.Name, "time_metric": time, "metrics": names, "built_in": builtIn, "expressions": expressions}, nil
}

func (s *Server) heatmap(ctx context.Context, q *asked) (any, error) {
	o := view.HeatmapOptions{Metric: q.text("metric", ""), Normalise: view.Normalise(q.text("normalise", "none")), Region: q.text("region", ""), Depth: -1}
	switch scope := q.text("scope", "exclusive"); scope {
	case "exclusive":
	case "inclusive":
		o.Inclusive = true
	default:
		return nil, badf("scope is exclusive or inclusive, not %q", scope)
	}
	if q.query.Has("depth") {
		depth, err := q.whole("depth", 0)
		if err != nil {
			return nil, err
		}
		o.Depth = depth
	}
	for name, into := range map[string]*int{
		"from_unit": &o.FromUnit, "to_unit": &o.ToUnit, "from_row": &o.FromRow, "to_row": &o.ToRow, "rows": &o.Rows, "cols": &o.Cols,
	} {
		n, err := q.whole(name, *into)
		if err != nil {
			return nil, err
		}
		*into = n
	}
	o.Arrange = view.Arrange(q.text("arrange", ""))
	for name, into := range map[string]*[]int{"opened": &o.Opened, "closed": &o.Closed, "whole": &o.Whole} {
		for text := range strings.SplitSeq(q.text(name, ""), ",") {
			if text == "" {
				continue
			}
			n, err := strconv.Atoi(text)
			if err != nil {
				return nil, badf("%s lists places in the tree by number, not %q", name, text)
			}
			*into = append(*into, n)
		}
	}
	key, err := s.heatKey(q)
	if err != nil {
		return nil, err
	}
	if rows := s.heats.get(key); rows != nil {
		return rows.Draw(ctx, o)
	}
	d, words, err := s.opened(q)
	if err != nil {
		return nil, err
	}
	// Along the tree, and below a region that is a path, rows are paths.
	if byPath := o.Arrange == view.ArrangeTree || slices.Contains(d.Paths, o.Region); !byPath || q.query.Has("by") {
		if d, _, err = s.datasetBy(q); err != nil {
			return nil, err
		}
	}
	rows, err := view.ArrangeHeatmap(d, words, o)
	if err != nil {
		return nil, err
	}
	if rows.Condense(ctx) {
		s.heats.keep(key, rows)
	}
	return rows.Draw(ctx, o)
}

func (s *Server) diagnose(ctx context.Context, q *asked) (any, error) {
	if len(q.query) == 0 {
		if known := s.ahead(q.path("name")); known != nil {
			return known, nil
		}
	}
	o := diagnose.Options{Level: diagnose.Level(q.text("units", "")), Metric: q.text("metric", ""), RegionOf: q.text("region_of", ""), Progress: q.tell}
	var err error
	if o.WithMPI, err = q.flag("with_mpi"); err != nil {
		return nil, err
	}
	details, err := q.flag("details")
	if err != nil {
		return nil, err
	}
	o.Table, o.Matrix, o.Plot = details, details, details
	d, words, err := s.opened(q)
	if err != nil {
		return nil, err
	}
	found, err := diagnose.Run(ctx, d, words, o)
	if err != nil {
		return nil, err
	}
	if err := s.traceSays(ctx, q, d, words, o, found); err != nil {
		return nil, err
	}
	return cutDiagnosis(found, shownRows), nil
}

// sampled is the CPU utilisation of one node over time.
type sampled struct {
	Node    string    `json:"node"`
	Seconds []float64 `json:"seconds"`
	Busy    []float64 `json:"busy"`
}

func (s *Server) samples(_ context.Context, q *asked) (any, error) {
	e, err := analyze.Find(s.config.Store, q.path("name"))
	if err != nil {
		return nil, err
	}
	samples, err := e.Samples()
	if err != nil {
		return nil, err
	}
	nodes := []*sampled{}
	at := map[string]*sampled{}
	for _, one := range samples {
		n := at[one.Node]
		if n == nil {
			n = &sampled{Node: one.Node}
			at[one.Node] = n
			nodes = append(nodes, n)
		}
		n.Seconds, n.Busy = append(n.Seconds, one.Seconds), append(n.Busy, one.Busy)
	}
	return map[string]any{"name": e.Name, "nodes": nodes}, nil
}
