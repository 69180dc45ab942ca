package web

import (
	"context"

	"auspex/analyze/scaling"
	"auspex/report"
)

// scaling says how a program scales over the runs that are named.
func (s *Server) scaling(ctx context.Context, q *asked) (any, error) {
	names := q.query["experiment"]
	if len(names) < 2 {
		return nil, badf("name at least two experiments")
	}
	sets, err := s.openAll(names)
	if err != nil {
		return nil, err
	}
	force, err := q.flag("force")
	if err != nil {
		return nil, err
	}
	found, err := scaling.Of(ctx, sets, force)
	if err != nil {
		return nil, badf("%w", err)
	}
	found.Words = report.ScalingWords(found)
	return found, nil
}
