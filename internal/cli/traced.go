package cli

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"auspex/events"
	"auspex/events/job"
	"auspex/events/paraver"
	"auspex/ingest"
	"auspex/ingest/kineto"
	"auspex/ingest/otf2"
	"auspex/internal/mistake"
	"auspex/trace"
	answers "auspex/training/kept"
	"auspex/whatif/kept"
)

// traced is a run with a trace: an experiment that kept one, or a trace file.
type traced struct {
	kept.Run // of a file: no Data, no Program until replayable was called
	name     string
	job      bool // an experiment that was imported from the traces of a training job
}

// openTraced finds an experiment by its name, or opens a trace file; of both, a path
// with a slash is the file: programs are called a.out and pw.x, too. Where an
// experiment has no trace, kept.ErrNoTrace comes with what else is known of it.
func (a *app) openTraced(ctx context.Context, name string, np int) (*traced, error) {
	noFile, file := isFile(name)
	if !file {
		if t, found, err := a.openKept(ctx, name); found || noFile != nil {
			return t, err
		}
	}
	t := &traced{name: name}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, mistake.InFile(name, "cannot read: %s", plainReason(err))
	case info.IsDir() && !otf2.Looks(name):
		t.Timed, err = openJob(ctx, name)
		return t, err
	case !info.IsDir() && !info.Mode().IsRegular():
		return nil, mistake.InFile(name, "a pipe or device: traces are read more than once, so write it to a file and give that")
	case info.IsDir():
		return t, t.openOTF2(ctx)
	}
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
		t.Timed, err = events.Align(ctx, src)
		return t, err
	case otf2.Looks(name):
		return t, t.openOTF2(ctx)
	}
	if looksLikeJSON(head) {
		return nil, mistake.InFile(name, "JSON traces are read as those of a training job: give the folder that holds one of each rank")
	}
	if t.Program, err = trace.Open(ctx, name, np); err == nil && t.Program.NamedByCalls() {
		t.Notes = append(t.Notes, namedByCalls)
	}
	return t, err
}

// isFile tells whether a name is rather a file's than an experiment's, and why it is
// none at all.
func isFile(name string) (none error, file bool) {
	_, none = os.Stat(name)
	return none, none == nil && strings.Contains(name, "/")
}

// answersOf are those of the trace that an experiment of the name kept; nil where the
// name is a file's, or there is no such experiment.
func (a *app) answersOf(name string) *kept.Answers {
	if _, file := isFile(name); file {
		return nil
	}
	e, err := a.experiment(name)
	if err != nil {
		return nil
	}
	return kept.AnswersOf(e)
}

// namedByCalls is said of traces whose computation has no names.
const namedByCalls = "the trace tells calls, not which functions computed: computation is named by the call after it"

// openOTF2 opens an archive, by its anchor or its folder.
func (t *traced) openOTF2(ctx context.Context) error {
	src, err := otf2.Open(ctx, t.name)
	if err == nil {
		t.Timed, err = events.Align(ctx, src)
	}
	return err
}

// looksLikeJSON tells the traces of PyTorch's profiler and of browsers.
func looksLikeJSON(head []byte) bool {
	head = bytes.TrimSpace(head)
	return len(head) > 0 && (head[0] == '{' || head[0] == '[')
}

// openJob opens the folder with the traces of a training job's ranks.
func openJob(ctx context.Context, dir string) (events.Source, error) {
	found, err := ingest.Find([]string{dir}, "")
	if err != nil {
		return nil, err
	}
	defer found.Close()
	defer sparing(found.Sources)()
	var lanes []*job.Lane
	for _, src := range found.Sources {
		if src.Format != "chrome" {
			continue
		}
		t, err := kineto.ReadSource(ctx, src)
		if err != nil {
			return nil, err
		}
		if t.Rank < 0 {
			t.Rank = len(lanes)
		}
		lanes = append(lanes, job.LaneOf(t))
	}
	if len(lanes) == 0 {
		return nil, mistake.InFile(dir, "no trace of PyTorch's profiler in this folder; of other traces give the file")
	}
	return job.New(dir, lanes)
}

// openKept opens an experiment with its trace; found tells whether there is an
// experiment of the name at all.
func (a *app) openKept(ctx context.Context, name string) (t *traced, found bool, err error) {
	e, err := a.experiment(name)
	if err != nil {
		return nil, false, err
	}
	r, err := kept.Open(ctx, e)
	if errors.Is(err, kept.ErrNoTrace) && answers.Has(e) {
		err = fmt.Errorf("the experiment %q %w: it was imported from those of a training job, give the folder with them", name, kept.ErrNoTrace)
	}
	if r == nil {
		return nil, true, err
	}
	return &traced{Run: *r, name: name, job: answers.Has(e)}, true, err
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

// replayable makes the trace that replays take.
func (t *traced) replayable(ctx context.Context) (*trace.Trace, error) {
	if t.Program != nil {
		return t.Program, nil
	}
	p, err := events.Program(ctx, t.Timed)
	if err != nil {
		return nil, err
	}
	if t.Seconds == 0 {
		if err := t.Clock(ctx); err != nil {
			return nil, err
		}
	}
	t.Program = p
	return p, nil
}
