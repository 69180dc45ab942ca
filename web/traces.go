package web

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"

	"auspex/analyze"
	"auspex/pop"
	"auspex/view/timeline"
	"auspex/waits"
	"auspex/whatif"
	"auspex/whatif/kept"
)

// kept opens the experiment of the route with its trace.
func (s *Server) kept(q *asked) (*kept.Run, error) {
	e, err := analyze.Find(s.config.Store, q.path("name"))
	if err != nil {
		return nil, err
	}
	r, err := kept.Open(e)
	if errors.Is(err, kept.ErrNoTrace) {
		return nil, statusError{http.StatusNotFound, err.Error()}
	}
	return r, err
}

// changes reads the parameters change=faster REGION=2 and the like.
func (q *asked) changes() ([]whatif.Change, error) {
	var out []whatif.Change
	for _, text := range q.query["change"] {
		name, value, _ := strings.Cut(strings.TrimPrefix(text, "--"), " ")
		ch, err := whatif.ParseChange(name, value)
		if err != nil {
			return nil, badf("%w", err)
		}
		out = append(out, ch)
	}
	return out, nil
}

// trace draws a part of what the ranks did when; with changes, of what they
// would do then.
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
	e, err := analyze.Find(s.config.Store, q.path("name"))
	if err != nil {
		return nil, err
	}
	key := strings.Join(append([]string{e.ID}, q.query["change"]...), "\x00")
	t, err := s.traces.get(key, func() (*timeline.Timeline, error) { return s.timelineOf(ctx, q, changes) })
	if err != nil {
		return nil, err
	}
	return parsed(t.Draw(w))
}

// timelineOf reads the whole trace.
func (s *Server) timelineOf(ctx context.Context, q *asked, changes []whatif.Change) (*timeline.Timeline, error) {
	r, err := s.kept(q)
	if err != nil {
		return nil, err
	}
	q.tell("replaying the trace")
	c, err := r.Case(ctx)
	if err != nil {
		return nil, err
	}
	src, err := parsed(c.Source(changes))
	if err != nil {
		return nil, err
	}
	return timeline.Build(ctx, src)
}

// lastTraces keeps the timelines that were looked at last, for the next zoom:
// before, what-if and after.
type lastTraces struct {
	mu   sync.Mutex
	keys []string
	list []*timeline.Timeline
}

const keptTimelines = 3

func (l *lastTraces) get(key string, build func() (*timeline.Timeline, error)) (*timeline.Timeline, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, k := range l.keys {
		if k == key {
			return l.list[i], nil
		}
	}
	t, err := build()
	if err != nil {
		return nil, err
	}
	if len(l.keys) == keptTimelines {
		l.keys, l.list = l.keys[1:], l.list[1:]
	}
	l.keys, l.list = append(l.keys, key), append(l.list, t)
	return t, nil
}

// waits answers as `auspex waits`.
func (s *Server) waits(ctx context.Context, q *asked) (any, error) {
	r, err := s.kept(q)
	if err != nil {
		return nil, err
	}
	src, err := r.Source(ctx)
	if err != nil {
		return nil, err
	}
	return waits.Analyze(ctx, src)
}

// efficiency answers with the factors of one run.
func (s *Server) efficiency(ctx context.Context, q *asked) (any, error) {
	r, err := s.kept(q)
	if err != nil {
		return nil, err
	}
	work, err := r.Work(ctx)
	if err != nil {
		return nil, err
	}
	run, err := pop.Replay(ctx, r.Program, r.Seconds, work)
	if err != nil {
		return nil, err
	}
	run.Name = r.Data.Name
	f := pop.Of(run)
	return struct {
		pop.Factors
		Look  []string `json:"look_at"`
		Words string   `json:"words"`
	}{f, f.Low(), f.Words()}, nil
}

// whatif prices changes, or lists what could be changed.
func (s *Server) whatif(ctx context.Context, q *asked) (any, error) {
	changes, err := q.changes()
	if err != nil {
		return nil, err
	}
	r, err := s.kept(q)
	if err != nil {
		return nil, err
	}
	q.tell("replaying the trace")
	c, err := r.Case(ctx)
	if err != nil {
		return nil, err
	}
	if len(changes) == 0 {
		return c.Opportunities(ctx)
	}
	return parsed(c.Price(ctx, changes))
}
