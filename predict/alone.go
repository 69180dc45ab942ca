package predict

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"auspex/internal/figure"
	"auspex/launch"
	"auspex/trace"
)

// Where more ranks run here than there are cores, they take turns at them and share
// their caches, and what a rank computes takes longer than it would on a machine with a
// core for each. So one rank of each kind is run again alone, with what MPI gave it among
// all ranks, and what it computes then counts for its kind.

// mostRecord is how large the record of a rank may become, in bytes; it may not fill more
// than half of the room that there is for temporary files either.
const mostRecord = 2 << 30

// AloneUse is what came of measuring ranks alone, for one number of processes and level.
type AloneUse struct {
	NP    int         `json:"np"`
	Opt   string      `json:"opt"`
	Kinds []AloneKind `json:"kinds"`
	// Why says what kept all of it, or some kinds, from being measured so.
	Why string `json:"why,omitempty"`
}

// AloneKind is ranks of which one was measured alone; seconds are those it computed.
type AloneKind struct {
	Rank  int     `json:"rank"`
	Ranks []int   `json:"ranks"`
	Among float64 `json:"among_all_seconds"`
	Alone float64 `json:"alone_seconds"`
}

// alone takes traces with the computation of ranks that run alone in place of what they
// and their like computed among all; the traces it is given where that cannot be.
func (w *workshop) alone(ctx context.Context, program *built, np int, traces []*taken, report *Report) ([]*taken, error) {
	use := AloneUse{NP: np, Opt: program.opt, Kinds: []AloneKind{}}
	made, err := w.aloneOf(ctx, program, np, traces, &use)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		use.Why = firstLine(err)
		w.note("With %s%s no rank was measured alone, and the computation of all ranks together counts: %s.", processes(np), atLevel(program.opt), use.Why)
		made = traces
	} else {
		w.noteAlone(&use)
	}
	report.Alone = append(report.Alone, use)
	return made, nil
}

func (w *workshop) aloneOf(ctx context.Context, program *built, np int, traces []*taken, use *AloneUse) ([]*taken, error) {
	dir, err := os.MkdirTemp(w.dir, "answers-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	answers := launch.Answers(dir)
	kinds := kindsOf(traces)
	measured := kinds[:min(len(kinds), mostKinds)]
	if len(measured) < len(kinds) {
		use.Why = fmt.Sprintf("of %d kinds of ranks, %d were measured: the others' computation is scaled as that of those most like them", len(kinds), mostKinds)
	}
	var ranks []int
	for _, k := range measured {
		ranks = append(ranks, k.rank)
	}
	limit, err := recordRoom(dir, len(ranks))
	if err != nil {
		return nil, err
	}
	base, err := w.takeAs(ctx, program, np, running{settings: answers.Record(ranks, limit), answers: true})
	if errors.Is(err, launch.ErrNoTrace) { // there is one of the same program
		return nil, launch.ErrUnrecorded
	}
	if err != nil {
		return nil, fmt.Errorf("in a run that was recorded %w", err)
	}
	a := &assignment{base: base.Trace, traces: append(slices.Clone(traces), base), rounds: map[int][]*trace.Trace{}}
	between := w.watchMachine(1)
	seconds := 0.0
	for _, k := range measured {
		took, err := w.roundsOf(ctx, program, np, answers, k.rank, a, between)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			use.Why = fmt.Sprintf("rank %d: %s", k.rank, firstLine(err))
			continue
		}
		seconds += took
		a.kinds = append(a.kinds, k)
	}
	if len(a.kinds) == 0 {
		return nil, errors.New(use.Why)
	}
	var made []*taken
	for i, t := range a.traces {
		with := *t
		with.CutTrace = &launch.CutTrace{Trace: a.trace(t.Trace, i%a.fewest())}
		with.seconds += seconds
		made = append(made, &with)
	}
	use.Kinds = a.told()
	w.here = between.signature(w.here)
	w.busy[np] = 1
	return made, nil
}

// recordRoom is how large the record of each of some ranks may become.
func recordRoom(dir string, ranks int) (int64, error) {
	var room syscall.Statfs_t
	if err := syscall.Statfs(dir, &room); err != nil {
		return 0, err
	}
	return min(mostRecord, int64(room.Bavail)*int64(room.Bsize)/int64(2*ranks)), nil
}

// roundsOf runs one rank alone, as often as a few seconds allow, and tells what that took.
func (w *workshop) roundsOf(ctx context.Context, program *built, np int, answers launch.Answers, rank int, a *assignment, between *between) (seconds float64, err error) {
	defer answers.Discard(rank)
	if err := answers.Refused(rank); err != nil {
		return 0, err
	}
	for round := 0; round == 0 || round < few && seconds+seconds/float64(round) <= briefly; round++ {
		if err := between.look(ctx); err != nil {
			return 0, err
		}
		t, took, err := w.takeAlone(ctx, program, np, answers, rank, !exchanges(a.base, rank))
		if err != nil {
			return 0, err
		}
		if err := a.add(rank, t); err != nil {
			return 0, err
		}
		seconds += took
	}
	return seconds, between.look(ctx)
}

// takeAlone runs one rank alone and reads its trace, with exchanges taken apart where
// those of the run with all ranks were.
func (w *workshop) takeAlone(ctx context.Context, b *built, np int, answers launch.Answers, rank int, apart bool) (*trace.Trace, float64, error) {
	command := fill(w.Run, b.opt, np)
	w.say("measuring rank %d of %d%s alone: %s", rank, np, atLevel(b.opt), command)
	result, dir, output, err := w.launch(ctx, b, command, running{settings: answers.Alone(rank), answers: true, traced: true})
	if dir != "" {
		defer os.RemoveAll(dir)
	}
	if refused := answers.Refused(rank); refused != nil && ctx.Err() == nil {
		return nil, 0, refused
	}
	if err != nil {
		return nil, 0, err
	}
	if result.Status != 0 {
		return nil, 0, fmt.Errorf("the program ended with status %d when run alone\n%s", result.Status, tail(output, 30))
	}
	t, err := launch.CollectRank(ctx, dir, rank, apart)
	if err != nil {
		return nil, 0, fmt.Errorf("the trace of the rank alone: %s", strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
	}
	return t, result.Wall.Seconds(), nil
}

// noteAlone tells what was measured alone, and what it changed.
func (w *workshop) noteAlone(use *AloneUse) {
	var parts []string
	for _, k := range use.Kinds {
		of := fmt.Sprintf("rank %d for %d ranks of its kind", k.Rank, len(k.Ranks))
		if len(k.Ranks) == 1 {
			of = fmt.Sprintf("rank %d for itself", k.Rank)
		}
		parts = append(parts, fmt.Sprintf("%s (%s, %s among all)", of, figure.Seconds(k.Alone, 3), figure.Seconds(k.Among, 3)))
	}
	w.note("With %s%s computation was measured alone: %s.", processes(use.NP), atLevel(use.Opt), strings.Join(parts, ", "))
	if use.Why != "" {
		w.note("With %s%s, %s.", processes(use.NP), atLevel(use.Opt), use.Why)
	}
}
