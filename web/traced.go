package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"auspex/analyze"
	"auspex/pop"
	"auspex/store"
	"auspex/view/timeline"
	"auspex/whatif"
	"auspex/whatif/kept"
)

// tracedRun is an experiment with its trace, opened for pictures and questions.
type tracedRun struct {
	id       string
	answers  *kept.Answers
	kept     *kept.Run
	pricing  *whatif.Case
	regions  []string // that can be made faster
	drawn    []string // the changes of each picture: none, and those of what-if
	pictures []*timeline.Timeline
}

// manyPictures are before, what-if and one more.
const manyPictures = 3

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
	answers := kept.AnswersOf(e)
	opened, err := answers.Run(ctx)
	if errors.Is(err, kept.ErrNoTrace) {
		return nil, statusError{http.StatusNotFound, err.Error()}
	}
	if err != nil {
		return nil, err
	}
	r := &tracedRun{id: e.ID, answers: answers, kept: opened, regions: []string{}}
	if r.pricing, err = answers.Case(ctx); err != nil {
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

// picture is the run as it was, or as it would be with changes.
func (l *lastTraced) picture(ctx context.Context, r *tracedRun, changes []whatif.Change) (*timeline.Timeline, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := fmt.Sprint(changes)
	if i := slices.Index(r.drawn, key); i >= 0 {
		return r.pictures[i], nil
	}
	source, err := r.pricing.Source(ctx, changes)
	if len(changes) == 0 {
		source, err = r.kept.Source(ctx)
	}
	if err != nil {
		return parsed[*timeline.Timeline](nil, err)
	}
	t, err := timeline.Build(ctx, source)
	if err != nil {
		return nil, err
	}
	if len(r.drawn) == manyPictures {
		r.drawn, r.pictures = r.drawn[1:], r.pictures[1:]
	}
	r.drawn, r.pictures = append(r.drawn, key), append(r.pictures, t)
	return t, nil
}

// trace draws a part of a measured trace; with changes, of what the ranks would
// do then.
func (s *Server) trace(ctx context.Context, q *asked) (any, error) {
	var w timeline.Window
	var err error
	if w.From, err = q.number("from", 0); err != nil {
		return nil, err
	}
	if w.To, err = q.number("to", 0); err != nil {
		return nil, err
	}
	for name, into := range map[string]*int{"from_lane": &w.FromLane, "to_lane": &w.ToLane, "rows": &w.Rows, "cols": &w.Cols, "messages": &w.Messages} {
		if *into, err = q.whole(name, 0); err != nil {
			return nil, err
		}
	}
	changes, err := q.changes()
	if err != nil {
		return nil, err
	}
	r, err := s.tracedRun(ctx, q)
	if err != nil {
		return nil, err
	}
	t, err := s.traced.picture(ctx, r, changes)
	if err != nil {
		return nil, err
	}
	return parsed(t.Draw(w))
}

// waits answers as `auspex waits`.
func (s *Server) waits(ctx context.Context, q *asked) (any, error) {
	r, err := s.tracedRun(ctx, q)
	if err != nil {
		return nil, err
	}
	return r.answers.Waits(ctx)
}

// runFactors are the efficiencies of one run, and what they say to look at.
type runFactors struct {
	pop.Factors
	Look  []string `json:"look_at"`
	Words string   `json:"words"`
}

// efficiency answers as `auspex efficiency`.
func (s *Server) efficiency(ctx context.Context, q *asked) (any, error) {
	r, err := s.tracedRun(ctx, q)
	if err != nil {
		return nil, err
	}
	run, err := r.answers.Factors(ctx)
	if err != nil {
		return nil, err
	}
	run.Name = q.path("name")
	f := pop.Of(run)
	return runFactors{f, f.Low(), f.Words()}, nil
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
	l, err := r.answers.Opportunities(ctx)
	if err != nil {
		return nil, err
	}
	l.Name = q.path("name")
	return opportunityList{l, r.regions}, nil
}

// changeFlags are those of `auspex whatif` that need no platform.
const changeFlags = "faster balance remove like-median network collective eager hosts cores noise"

// changes reads the flags in the order of the command line.
func (q *asked) changes() ([]whatif.Change, error) {
	var changes []whatif.Change
	for flag := range strings.FieldsSeq(changeFlags) {
		for _, v := range q.query[flag] {
			ch, err := parsed(whatif.ParseChange(flag, v))
			if err != nil {
				return nil, err
			}
			changes = append(changes, ch)
		}
	}
	return changes, nil
}

// price says what changes would bring.
func (s *Server) price(ctx context.Context, q *asked) (any, error) {
	changes, err := q.changes()
	if err != nil {
		return nil, err
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
