package events

import "context"

// Renamed is a trace in which regions have other names.
func Renamed(src Source, name func(string) string) Source { return &renamed{src: src, name: name} }

type renamed struct {
	src    Source
	name   func(string) string
	header Header
}

// Header is that of the trace as far as it is known, under the new names.
func (r *renamed) Header() *Header {
	paths, h := r.header.Paths, r.src.Header()
	if len(paths) > len(h.Paths) { // the trace is read again
		paths = nil
	}
	r.header = *h
	for _, p := range h.Paths[len(paths):] {
		p.Name = r.name(p.Name)
		paths = append(paths, p)
	}
	r.header.Paths = paths
	return &r.header
}

// Each hands over the spans of the trace.
func (r *renamed) Each(ctx context.Context, visit func(*Span) error) error {
	return r.src.Each(ctx, func(s *Span) error {
		r.Header() // so that the one handed out before knows the region
		return visit(s)
	})
}
