package loggp

import (
	"context"

	"auspex/events"
	"auspex/trace"
)

// Source is a replay seen as a measured trace: an events.Source.
type Source struct {
	trace   *trace.Trace
	options Options
	header  events.Header
}

// NewSource returns the replay of a trace as a source of spans.
func NewSource(t *trace.Trace, o Options) *Source {
	s := &Source{trace: t, options: o}
	s.header.Name, s.header.Ranks, s.header.Comms, s.header.Replayed = t.Name, t.NP(), [][]int32{nil}, true
	for i := range t.NP() {
		s.header.Locations = append(s.header.Locations, events.Location{Rank: int32(i)})
	}
	return s
}

// Header is what is known beside the spans.
func (s *Source) Header() *events.Header { return &s.header }

// Each replays and hands over what the ranks do.
func (s *Source) Each(ctx context.Context, visit func(*events.Span) error) error {
	o := s.options
	o.Header, o.Spans = &s.header, visit
	_, err := Run(ctx, s.trace, o)
	return err
}
