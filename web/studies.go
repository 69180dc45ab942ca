package web

import (
	"context"
	"errors"
	"fmt"

	"auspex/store"
	"auspex/sweep"
)

// studyListed is a study of many points in a listing.
type studyListed struct {
	Name   string       `json:"name"`
	Kind   sweep.Kind   `json:"kind"`
	Axes   []sweep.Axis `json:"axes"`
	Points int          `json:"points"`
}

func (s *Server) studies(context.Context, *asked) (any, error) {
	names, err := sweep.Names(s.config.Store)
	if err != nil {
		return nil, err
	}
	list := []studyListed{}
	for _, name := range names {
		f, err := sweep.In(s.config.Store, name)
		if err != nil {
			return nil, err
		}
		if study, err := f.Study(); err == nil { // a damaged one says so when it is opened
			list = append(list, studyListed{name, study.Kind, study.Axes, study.Size()})
		}
	}
	return map[string]any{"studies": list}, nil
}

// study is one as `auspex sweep status` and `table` tell it; of many points the
// shortest.
type study struct {
	*sweep.Overview
	Total int `json:"total"` // rows there are
}

// proposals are how many runs are named that would narrow the answer.
const proposals = 5

func (s *Server) study(_ context.Context, q *asked) (any, error) {
	name := q.path("name")
	f, err := sweep.In(s.config.Store, name)
	if err != nil {
		return nil, err
	}
	found, err := f.Overview(proposals)
	if errors.Is(err, sweep.ErrUnknown) {
		return nil, fmt.Errorf("there is no study %q: %w", name, store.ErrNotFound)
	}
	if err != nil {
		return nil, err
	}
	told := study{found, len(found.Table.Rows)}
	found.Table.Rows = found.Table.Rows[:min(shownRows, told.Total)]
	return told, nil
}
