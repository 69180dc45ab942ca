package web

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"auspex/predict"
	"auspex/replay"
)

// predictionListed is a prediction in a listing.
type predictionListed struct {
	Name      string    `json:"name"`
	Created   time.Time `json:"created"`
	Program   string    `json:"program"`
	Platforms []string  `json:"platforms"`
	NP        []int     `json:"np"`
	Opt       []string  `json:"opt"`
}

func (s *Server) predictions(context.Context, *asked) (any, error) {
	names, err := s.config.Store.Predictions()
	if err != nil {
		return nil, err
	}
	list := []predictionListed{}
	for _, name := range names {
		p, err := s.predicted(name)
		if err != nil {
			continue // a damaged one says so when it is opened
		}
		one := predictionListed{Name: name, Created: p.Created, Program: p.Program, Platforms: []string{}, NP: []int{}, Opt: []string{}}
		for _, row := range p.Rows {
			one.Platforms, one.NP, one.Opt = with(one.Platforms, row.Platform), with(one.NP, row.NP), with(one.Opt, row.Opt)
		}
		list = append(list, one)
	}
	return map[string]any{"predictions": list}, nil
}

// with adds what is not there yet.
func with[T comparable](list []T, one T) []T {
	if slices.Contains(list, one) {
		return list
	}
	return append(list, one)
}

// prediction is one that is kept, with the replays behind it.
type prediction struct {
	Name    string    `json:"name"`
	Created time.Time `json:"created"`
	predict.Report
	Rows []predictedRow `json:"predictions"` // in place of the report's
}

type predictedRow struct {
	predict.Prediction
	Simulation *string `json:"simulation"` // name of the replay, where it was kept
}

func (s *Server) prediction(_ context.Context, q *asked) (any, error) {
	return s.predicted(q.path("name"))
}

func (s *Server) predicted(name string) (*prediction, error) {
	stored, err := s.config.Store.Prediction(name)
	if err != nil {
		return nil, err
	}
	p := &prediction{Name: name, Created: stored.Created}
	if err := json.Unmarshal(stored.Body, &p.Report); err != nil {
		return nil, fmt.Errorf("the prediction %q is damaged: %w", name, err)
	}
	kept, err := s.config.Store.Simulations()
	if err != nil {
		return nil, err
	}
	p.Rows = []predictedRow{}
	for _, row := range p.Predictions {
		shown := predictedRow{Prediction: row}
		if of := replay.Name(name, row.Platform, row.NP, row.Opt); slices.Contains(kept, of) {
			shown.Simulation = &of
		}
		p.Rows = append(p.Rows, shown)
	}
	return p, nil
}
