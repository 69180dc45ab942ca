package cli

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"auspex/analyze"
	"auspex/events"
	"auspex/events/paraver"
	"auspex/ingest/otf2"
	"auspex/internal/mistake"
	"auspex/simulate/loggp"
	"auspex/store"
	"auspex/trace"
	"auspex/whatif"
)

// keptTrace is the attachment in which an experiment's trace lies.
const keptTrace = "run.trace"

// traced is a run with a trace: an experiment that kept one, or a trace file.
type traced struct {
	name       string
	experiment *analyze.Dataset // nil for a file
	timed      events.Source    // what was measured when; nil where only the order is known
	program    *trace.Trace     // for replays; nil until replayable was called
	seconds    float64          // as measured, 0 where it was not
	spread     float64          // of repeated runs, as a share
	stretch    []float64        // wall time over CPU time of each rank's computation
}

// errNoTrace tells that an experiment has no trace beside it.
var errNoTrace = errors.New("kept no trace")

// openTraced finds an experiment by its name, or opens a trace file. Where an
// experiment has no trace, errNoTrace comes with what else is known of it.
func (a *app) openTraced(ctx context.Context, name string, np int) (*traced, error) {
	if _, err := os.Stat(name); err != nil || !strings.ContainsAny(name, "/.") {
		if t, found, err := a.openKept(name); found || err != nil && !errors.Is(err, store.ErrNotFound) {
			return t, err
		} else if _, no := os.Stat(name); no != nil {
			return nil, err
		}
	}
	t := &traced{name: name}
	head, err := firstBytes(name)
	if err != nil {
		return nil, err
	}
	switch {
	case paraver.Looks(head):
		src, err := paraver.Open(name)
		if err != nil {
			return nil, err
		}
		t.timed, err = events.Align(ctx, src)
		return t, err
	case otf2.Looks(name):
		src, err := otf2.Open(ctx, name)
		if err != nil {
			return nil, err
		}
		t.timed, err = events.Align(ctx, src)
		return t, err
	}
	t.program, err = trace.Open(ctx, name, np)
	return t, err
}

// openKept opens an experiment with its trace; found tells whether there is an
// experiment of the name at all.
func (a *app) openKept(name string) (t *traced, found bool, err error) {
	e, err := a.experiment(name)
	if err != nil {
		return nil, false, err
	}
	d, err := analyze.Open(e)
	if err != nil {
		return nil, false, err
	}
	t = &traced{name: name, experiment: d}
	if t.seconds, err = runSeconds(d); err != nil {
		return t, true, err
	}
	data, err := e.Attachment(keptTrace)
	if errors.Is(err, store.ErrNotFound) {
		return t, true, fmt.Errorf("the experiment %q %w: run it with auspex run --trace", name, errNoTrace)
	}
	if err != nil {
		return t, true, err
	}
	if t.program, err = trace.Decode(name, data); err != nil {
		return t, true, err
	}
	if t.spread, err = spreadOf(d, t.seconds); err != nil {
		return t, true, err
	}
	t.stretch, err = stretchOf(d, t.program.NP())
	return t, true, err
}

// runSeconds is how long the longest process took.
func runSeconds(d *analyze.Dataset) (float64, error) {
	units, err := analyze.UnitTimes(d)
	if err != nil {
		return 0, err
	}
	most := 0.0
	for _, u := range units {
		most = max(most, float64(u.Total))
	}
	return most, nil
}

// firstBytes reads the begin of a file, also of a gzipped one.
func firstBytes(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, mistake.InFile(name, "cannot read: %s", plainReason(err))
	}
	defer f.Close()
	var in io.Reader = bufio.NewReader(f)
	if head, _ := in.(*bufio.Reader).Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		if in, err = gzip.NewReader(in); err != nil {
			return nil, mistake.InFile(name, "cannot read: %v", err)
		}
	}
	head := make([]byte, 64)
	n, _ := io.ReadFull(in, head)
	return head[:n], nil
}

func plainReason(err error) string {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// source is the run as spans of time: as measured, or from a replay.
func (t *traced) source(ctx context.Context) (events.Source, error) {
	if t.timed != nil {
		return t.timed, nil
	}
	o, err := t.work(ctx)
	if err != nil {
		return nil, err
	}
	o.Network = t.network()
	return loggp.NewSource(t.program, o), nil
}

// work is how long computation takes in a replay: as long as in the run.
func (t *traced) work(ctx context.Context) (loggp.Options, error) {
	if t.stretch == nil {
		return loggp.Options{}, nil
	}
	return workOf(ctx, t.program, t.stretch)
}

// replayable makes the trace that replays take.
func (t *traced) replayable(ctx context.Context) (*trace.Trace, error) {
	if t.program != nil {
		return t.program, nil
	}
	p, err := events.Program(ctx, t.timed)
	if err != nil {
		return nil, err
	}
	if t.seconds == 0 {
		if t.seconds, err = events.Seconds(ctx, t.timed); err != nil {
			return nil, err
		}
	}
	t.program = p
	return p, nil
}

// network is how messages are taken to travel where nothing is said of it.
func (t *traced) network() loggp.Network { return whatif.SharedMemory() }
