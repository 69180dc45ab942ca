package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"auspex/events"
	tracefile "auspex/events/paraver"
	"auspex/ingest"
	"auspex/ingest/otf2"
	"auspex/ingest/paraver"
	"auspex/store"
	"auspex/whatif/kept"
)

// maxKeptSpans is how large a trace is kept beside its profile, packed: some
// hundred million spans. Larger ones are read from their own files.
const maxKeptSpans = 1 << 30

// spans are the times of a trace that was imported, for the timeline and for
// what needs more than a profile; nothing for other sources. A trace that cannot
// be kept is a profile all the same.
func (j *importJob) spans(ctx context.Context, src *ingest.Source) ([]store.Attachment, error) {
	timed, err := openTimed(ctx, src)
	if timed == nil && err == nil {
		return nil, nil
	}
	if err == nil {
		timed, err = events.Align(ctx, timed)
	}
	var out limitedBuffer
	if err == nil {
		err = events.Record(ctx, &out, timed)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		j.result.Notes = append(j.result.Notes, fmt.Sprintf("%s: the profile was imported without the trace's times: %v", src.Given, err))
		return nil, nil
	}
	return []store.Attachment{{Name: kept.SpansName, Data: out.Bytes()}}, nil
}

// openTimed opens a source that is a trace; nil for others.
func openTimed(ctx context.Context, src *ingest.Source) (events.Source, error) {
	switch src.Format {
	case paraver.Name:
		return tracefile.Open(src.Path)
	case otf2.Name:
		return otf2.Open(ctx, src.Path)
	}
	return nil, nil
}

// limitedBuffer refuses to grow beyond what is kept.
type limitedBuffer struct{ bytes.Buffer }

var errLargeTrace = errors.New("it is larger than what is kept; auspex waits, efficiency and whatif read it from its file")

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxKeptSpans {
		return 0, errLargeTrace
	}
	return b.Buffer.Write(p)
}
