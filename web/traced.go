package web

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"

	"auspex/analyze"
	"auspex/store"
	"auspex/view/timeline"
	"auspex/whatif"
	"auspex/whatif/kept"
)

// tracedRun is an experiment with its trace, opened for pictures and questions.
type tracedRun struct {
	id      string
	picture *timeline.Timeline
	pricing *whatif.Case
	regions []string // that can be made faster
}

// lastTraced keeps the trace that was looked at last, for the next zoom or slider.
type lastTraced struct {
	mu  sync.Mutex
	run *tracedRun
}

// get opens a trace, or finds it open. Those who ask meanwhile wait for it.
func (l *lastTraced) get(ctx context.Context, e *store.Experiment) (*tracedRun, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.run != nil && l.run.id == e.ID {
		return l.run, nil
	}
	opened, err := kept.Open(e)
	if errors.Is(err, kept.ErrNoTrace) {
		return nil, statusError{http.StatusNotFound, err.Error()}
	}
	if err != nil {
		return nil, err
	}
	source, err := opened.Source(ctx)
	if err != nil {
		return nil, err
	}
	r := &tracedRun{id: e.ID, regions: []string{}}
	if r.picture, err = timeline.Build(ctx, source); err != nil {
		return nil, err
	}
	if r.pricing, err = opened.Case(ctx); err != nil {
		return nil, err
	}
	r.regions = append(r.regions, r.pricing.Profile().Regions...)
	l.run = r
	return r, nil
}

func (s *Server) tracedRun(ctx context.Context, q *asked) (*tracedRun, error) {
	e, err := analyze.Find(s.config.Store, q.path("name"))
	if err != nil {
		return nil, err
	}
	q.tell("reading the trace")
	return s.traced.get(ctx, e)
}

// trace draws a part of a measured trace.
func (s *Server) trace(ctx context.Context, q *asked) (any, error) {
	var w timeline.Window
	var err error
	if w.From, err = q.number("from", 0); err != nil {
		return nil, err
	}
	if w.To, err = q.number("to", 0); err != nil {
		return nil, err
	}
	for name, into := range map[string]*int{"from_lane": &w.FromLane, "to_lane": &w.ToLane, "rows": &w.Rows, "cols": &w.Cols} {
		if *into, err = q.whole(name, 0); err != nil {
			return nil, err
		}
	}
	r, err := s.tracedRun(ctx, q)
	if err != nil {
		return nil, err
	}
	drawn, err := r.picture.Draw(w)
	return parsed(drawn, err)
}

// opportunityList is what could be changed, and what sliders can be there for.
type opportunityList struct {
	*whatif.List
	Regions []string `json:"regions"`
}

func (s *Server) opportunities(ctx context.Context, q *asked) (any, error) {
	r, err := s.tracedRun(ctx, q)
	if err != nil {
		return nil, err
	}
	q.tell("trying changes")
	l, err := r.pricing.Opportunities(ctx)
	if err != nil {
		return nil, err
	}
	l.Name = q.path("name")
	return opportunityList{l, r.regions}, nil
}

// changeFlags are those of `auspex whatif` that need no platform.
const changeFlags = "faster balance remove like-median network collective eager hosts noise"

// price says what changes would bring.
func (s *Server) price(ctx context.Context, q *asked) (any, error) {
	var changes []whatif.Change
	for flag := range strings.FieldsSeq(changeFlags) { // in the order of the command line
		for _, v := range q.query[flag] {
			ch, err := parsed(whatif.ParseChange(flag, v))
			if err != nil {
				return nil, err
			}
			changes = append(changes, ch)
		}
	}
	if len(changes) == 0 {
		return nil, badf("name a change: %s", changeFlags)
	}
	r, err := s.tracedRun(ctx, q)
	if err != nil {
		return nil, err
	}
	answer, err := r.pricing.Price(ctx, changes)
	if err != nil {
		return parsed(answer, err)
	}
	answer.Name = q.path("name")
	return answer, nil
}
