package analyze

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"auspex/expr"
	"auspex/fuzzy"
	"auspex/internal/crew"
	"auspex/model"
	"auspex/perfql"
	"auspex/perfql/render"
	"auspex/store"
)

// Answer is what a PERFQL query finds, best first.
type Answer struct {
	Query       string     `json:"query"`       // in normal form
	Experiments int        `json:"experiments"` // how many were searched
	By          string     `json:"by"`          // region, name, unit or summary
	Metrics     []string   `json:"metrics"`     // whose values the rows carry
	Rows        []Answered `json:"rows"`
	Limited     bool       `json:"limited"` // the query's LIMIT ends the rows: more may fit
	SQL         string     `json:"sql"`     // of the first experiment; the others differ in their files. Empty by name
	Warnings    []string   `json:"warnings"`
}

// Answered is one row of an answer.
type Answered struct {
	Experiment string          `json:"experiment"`
	Region     *string         `json:"region"` // nil by unit
	Unit       any             `json:"unit"`   // a process's number, "process.thread", or nil by region
	Node       string          `json:"node,omitempty"`
	Share      Real            `json:"share"` // of the run, the region's own time; missing of units, of some of them and in large experiments
	Degree     Real            `json:"degree"`
	Metrics    map[string]Real `json:"metrics"`
}

// Searched is an experiment that a query is to search. It is opened when its turn
// comes and let go of afterwards.
type Searched func() (*Dataset, error)

// ToSearch lists the experiments that the query names after OVER, else those
// beside it, each once. Errors about the query's own point into it.
func ToSearch(q *perfql.Query, beside []string, open func(name string) (*Dataset, error)) []Searched {
	var all []Searched
	seen := map[string]bool{}
	for _, over := range q.Over {
		if !seen[over.Name] {
			seen[over.Name] = true
			all = append(all, func() (*Dataset, error) {
				d, err := open(over.Name)
				if err != nil {
					return nil, &expr.Error{Source: q.Source, Offset: over.Offset, Message: err.Error(), Err: err}
				}
				return d, nil
			})
		}
	}
	if len(q.Over) > 0 {
		return all
	}
	for _, name := range beside {
		if !seen[name] {
			seen[name] = true
			all = append(all, func() (*Dataset, error) { return open(name) })
		}
	}
	return all
}

// Query runs a PERFQL query over experiments, some at a time: small ones in
// memory, large ones as SQL over their files. The engine is only started for
// those.
func Query(ctx context.Context, engine func() (*store.Engine, error), q *perfql.Query, words Words, experiments []Searched) (*Answer, error) {
	s := &search{query: q, words: words, engine: engine, here: (*Dataset).small}
	return s.run(ctx, experiments)
}

// search is a query under way.
type search struct {
	query   *perfql.Query
	words   Words
	engine  func() (*store.Engine, error)
	here    func(*Dataset) bool // whether to answer in memory
	several bool                // experiments
	byName  bool                // regions are names

	mu    sync.Mutex
	best  perfql.Ranking
	wrong atomic.Bool

	selected bool   // WHERE selects something, or there is none
	nothing  string // why it selects nothing of the last experiment
	valued   bool   // some row has a value, as far as is known
	warnings []string
	share    func(path string) Real // of a single experiment
}

func (s *search) run(ctx context.Context, experiments []Searched) (*Answer, error) {
	if err := s.chooseNames(experiments); err != nil {
		return nil, err
	}
	s.best.Query, s.several = s.query, len(experiments) > 1
	titles := make([][]string, len(experiments))
	fails := make([]error, len(experiments))
	var first string
	var crew crew.Crew
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(experiments)) {
		crew.Go(func() {
			for !s.wrong.Load() && ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(experiments) {
					return
				}
				bound, err := s.one(ctx, experiments[i], i == 0, &first)
				if fails[i] = err; err != nil {
					s.wrong.Store(true)
					return
				}
				for _, m := range bound.Shown {
					titles[i] = append(titles[i], m.Text)
				}
			}
		})
	}
	crew.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for _, err := range fails {
		if err != nil {
			return nil, err
		}
	}
	if len(experiments) > 0 && !s.selected {
		s.warnings = append(s.warnings, "WHERE selects nothing: "+s.nothing)
	} else if len(experiments) > 0 && !s.valued {
		s.warnings = append(s.warnings, "no row has a value to judge: what is asked for is missing everywhere, or divided by zero")
	}
	answer := &Answer{Query: s.query.String(), Experiments: len(experiments), Metrics: []string{}, SQL: first, By: "region", Rows: []Answered{}, Warnings: append([]string{}, s.warnings...)}
	switch {
	case s.byName:
		answer.By = "name"
	case s.query.By != perfql.ByDefault:
		answer.By = s.query.By.String()
	}
	for _, list := range titles {
		for _, title := range list {
			if !slices.Contains(answer.Metrics, title) {
				answer.Metrics = append(answer.Metrics, title)
			}
		}
	}
	for _, row := range s.best.Rows() {
		found := answered(row, answer.Metrics)
		if s.share != nil {
			found.Share = s.share(*found.Region)
		}
		answer.Rows = append(answer.Rows, found)
	}
	answer.Limited = s.query.Limit > 0 && len(answer.Rows) == s.query.Limit
	return answer, nil
}

// chooseNames lets the first experiment decide whether rows are names where the
// query does not say: rows of one answer are of one kind.
func (s *search) chooseNames(experiments []Searched) error {
	s.byName = s.query.By == perfql.ByName
	if s.query.By != perfql.ByDefault || len(experiments) == 0 {
		return nil
	}
	d, err := experiments[0]()
	if err != nil {
		return err
	}
	if s.byName, err = d.SplitByPaths(); s.byName {
		s.warnings = append(s.warnings, byNameNote+"; BY region asks for the paths")
	}
	return err
}

// byNameNote says why regions are names although nobody asked.
const byNameNote = "the heaviest function is split over several call paths, so rows are by name"

// one searches an experiment and writes the SQL of the first.
func (s *search) one(ctx context.Context, open Searched, isFirst bool, sql *string) (*perfql.Bound, error) {
	d, err := open()
	if err == nil && s.byName {
		d, err = d.ByName()
	}
	if err != nil {
		return nil, err
	}
	source := &querySource{d: d, runtime: sync.OnceValues(func() (float64, error) { return d.runtime(ctx, s.engine) })}
	source.time, _ = d.TimeMetric() // without one there are no built-in metrics
	if err := source.refuse(s.query); err != nil {
		return nil, err
	}
	bound, err := perfql.Bind(s.query, s.words.Vocabulary, s.words.Logic, source.experiment())
	if err != nil {
		if s.several {
			err = s.query.Of(d.Name, err)
		}
		return nil, err
	}
	if isFirst && !s.byName {
		if *sql, err = source.sql(bound); err != nil {
			return nil, err
		}
	}
	rows, err := s.answer(ctx, source, bound)
	if err != nil {
		return nil, err
	}
	if !s.several && bound.By == perfql.ByRegion && s.here(d) && !ofSomeUnits(s.query.Where) {
		s.share = d.shares()
	}
	nothing := ""
	if len(rows) == 0 {
		nothing = source.unselected(s.query.Where)
	}
	valued := len(rows) > 0 || nothing != ""
	if !valued && s.here(d) {
		if valued, err = s.hasValues(source); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.selected = s.selected || nothing == ""; !s.selected {
		s.nothing = nothing
	}
	s.valued = s.valued || valued || !s.here(d)
	s.best.Add(rows...)
	return bound, nil
}

// hasValues tells whether the condition has a degree anywhere, be it 0: then it or
// its opposite holds.
func (s *search) hasValues(source *querySource) (bool, error) {
	either := *s.query
	either.Degree, either.Order = nil, nil
	either.Condition = &fuzzy.Group{Or: true, Xs: []fuzzy.Condition{s.query.Condition, &fuzzy.Denial{X: s.query.Condition}}}
	bound, err := perfql.Bind(&either, s.words.Vocabulary, s.words.Logic, source.experiment())
	if err != nil {
		return false, err
	}
	table, err := source.table(bound.Columns())
	if err != nil {
		return false, err
	}
	rows, err := bound.Answer(table)
	return len(rows) > 0, err
}

// ofSomeUnits tells whether WHERE leaves units out, of which a region's share of the
// run is not told by that of all.
func ofSomeUnits(where perfql.Filter) bool {
	if where == nil {
		return false
	}
	_, units := where.Touches()
	return units
}

func (s *search) answer(ctx context.Context, source *querySource, bound *perfql.Bound) ([]perfql.Row, error) {
	if s.here(source.d) || source.d.site() != nil && source.needsTree(bound.Columns()) {
		table, err := source.table(bound.Columns())
		if err != nil {
			return nil, err
		}
		return bound.Answer(table)
	}
	if source.d.site() != nil {
		return source.askSite(ctx, bound)
	}
	engine, err := s.engine()
	if err != nil {
		return nil, err
	}
	text, err := source.sql(bound)
	if err != nil {
		return nil, err
	}
	rows, err := engine.Query(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("the query engine refuses the compiled query: %w\n%s", err, text)
	}
	defer rows.Close()
	return render.Scan(rows, bound)
}

func answered(row perfql.Row, titles []string) Answered {
	out := Answered{Experiment: row.Experiment, Share: Missing, Degree: Real(row.Degree), Metrics: make(map[string]Real, len(titles))}
	if row.Region != nil {
		out.Region = &row.Region.Path
	}
	if row.Unit != nil {
		out.Unit, out.Node = unitValue(model.Unit{Process: row.Unit.Process, Thread: row.Unit.Thread}), row.Unit.Node
	}
	for _, title := range titles {
		out.Metrics[title] = Missing
	}
	for i, s := range row.Shown {
		out.Metrics[s.Text] = Real(row.Values[i])
	}
	return out
}

// unitValue is a unit as JSON shows it: a process is its number.
func unitValue(u model.Unit) any {
	if u.Thread == 0 {
		return u.Process
	}
	return u.String()
}
