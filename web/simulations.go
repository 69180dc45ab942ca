package web

import (
	"context"
	"sync"

	"auspex/replay"
	"auspex/store"
)

// simulationListed is a simulation in a listing.
type simulationListed struct {
	Name             string  `json:"name"`
	Created          any     `json:"created"`
	Ranks            int     `json:"ranks"`
	Platform         string  `json:"platform"`
	SimulatedSeconds float64 `json:"simulated_seconds"`
}

func (s *Server) simulations(context.Context, *asked) (any, error) {
	names, err := s.config.Store.Simulations()
	if err != nil {
		return nil, err
	}
	list := []simulationListed{}
	for _, name := range names {
		if k, err := s.config.Store.Simulation(name); err == nil { // a damaged one says so when it is opened
			list = append(list, simulationListed{name, k.Created, len(k.Ranks), k.Platform, k.SimulatedSeconds})
		}
	}
	return map[string]any{"simulations": list}, nil
}

func (s *Server) simulation(_ context.Context, q *asked) (any, error) {
	return s.config.Store.Simulation(q.path("name"))
}

func (s *Server) timeline(_ context.Context, q *asked) (any, error) {
	var o replay.TimelineOptions
	var err error
	if o.From, err = q.number("from", 0); err != nil {
		return nil, err
	}
	if o.To, err = q.number("to", 0); err != nil {
		return nil, err
	}
	for name, into := range map[string]*int{"from_rank": &o.FromRank, "to_rank": &o.ToRank, "rows": &o.Rows, "cols": &o.Cols} {
		if *into, err = q.whole(name, 0); err != nil {
			return nil, err
		}
	}
	k, err := s.config.Store.Simulation(q.path("name"))
	if err != nil {
		return nil, err
	}
	spans, err := s.timelines.get(s.config.Store, k)
	if err != nil {
		return nil, err
	}
	return replay.DrawTimeline(k.Name, spans, len(k.Ranks), k.SimulatedSeconds, o)
}

// lastTimeline keeps the timeline that was looked at last, for the next zoom.
type lastTimeline struct {
	mu    sync.Mutex
	of    string
	spans *replay.Spans
}

func (l *lastTimeline) get(s *store.Store, k *replay.Record) (*replay.Spans, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := k.Name + k.Created.String()
	if l.of == key {
		return l.spans, nil
	}
	t, err := s.Timeline(k.Name)
	if err != nil {
		return nil, err
	}
	l.of, l.spans = key, t
	return l.spans, nil
}
