package events

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"auspex/trace"
)

// WriteChrome writes a measured trace in Chrome's trace event form, which
// Perfetto and chrome://tracing open: a process per rank, a row per thread, a bar
// per span.
func WriteChrome(ctx context.Context, w io.Writer, src Source) error {
	out := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprint(out, `{"displayTimeUnit":"ms","traceEvents":[`)
	for i, l := range src.Header().Locations {
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(out, `{"name":"thread_name","ph":"M","pid":%d,"tid":%d,"args":{"name":"rank %[1]d"}}`+"\n", l.Rank, l.Thread)
	}
	names := map[int32]string{} // as JSON
	err := src.Each(ctx, func(s *Span) error {
		h := src.Header()
		name, ok := names[s.Path]
		if !ok {
			text, err := json.Marshal(LastName(h.Paths[s.Path].Name))
			if err != nil {
				return err
			}
			name = string(text)
			names[s.Path] = name
		}
		category := "MPI"
		if s.Kind == trace.Compute {
			category = "computation"
		}
		l := h.Locations[s.Loc]
		_, err := fmt.Fprintf(out, `,{"name":%s,"cat":%q,"ph":"X","pid":%d,"tid":%d,"ts":%.3f,"dur":%.3f}`+"\n", name, category, l.Rank, l.Thread, float64(s.Begin)/1e3, float64(s.End-s.Begin)/1e3)
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprint(out, "]}\n")
	return out.Flush()
}
