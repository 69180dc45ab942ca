package kept

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"auspex/analyze/diagnose"
	"auspex/pop"
	"auspex/store"
	"auspex/waits"
	"auspex/whatif"
)

// Answers are what an experiment's trace tells. What is asked for the first time is
// worked out of the trace and kept with the experiment; after that the trace is not
// even opened. Where there is no trace, all of them are ErrNoTrace. Those who ask at
// once wait for one another.
type Answers struct {
	experiment *store.Experiment
	mu         sync.Mutex
	run        *Run
	opened     error // what came with it
	pricing    *whatif.Case
}

// AnswersOf are those of an experiment's trace.
func AnswersOf(e *store.Experiment) *Answers { return &Answers{experiment: e} }

// Run opens the trace, once; with ErrNoTrace comes what else is known of the run.
func (a *Answers) Run(ctx context.Context) (*Run, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.open(ctx)
}

func (a *Answers) open(ctx context.Context) (*Run, error) {
	if a.run != nil {
		return a.run, a.opened
	}
	r, err := Open(ctx, a.experiment)
	if err == nil || errors.Is(err, ErrNoTrace) { // else it may open another time
		a.run, a.opened = r, err
	}
	return r, err
}

// Case is what changes are priced in, made once.
func (a *Answers) Case(ctx context.Context) (*whatif.Case, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.prices(ctx)
}

func (a *Answers) prices(ctx context.Context) (*whatif.Case, error) {
	if a.pricing == nil {
		r, err := a.open(ctx)
		if err != nil {
			return nil, err
		}
		if a.pricing, err = r.Case(ctx); err != nil {
			return nil, err
		}
	}
	return a.pricing, nil
}

// ask finds what was kept by a name, or works it out of the trace and keeps it.
func ask[T any](ctx context.Context, a *Answers, name string, work func(*Run) (T, error)) (T, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var answer T
	if data := a.experiment.Derived(name); data != nil && json.Unmarshal(data, &answer) == nil {
		return answer, nil
	}
	r, err := a.open(ctx)
	if err != nil {
		return answer, err
	}
	if answer, err = work(r); err != nil {
		return answer, err
	}
	if data, err := json.Marshal(answer); err == nil { // else it holds what is no number
		_ = a.experiment.KeepDerived(name, data) // where that cannot be, it is worked out again
	}
	return answer, nil
}

// Waits is Run.Waits.
func (a *Answers) Waits(ctx context.Context) (*waits.Report, error) {
	kept, err := ask(ctx, a, "waits", func(r *Run) (waits.Kept, error) {
		report, err := r.Waits(ctx)
		if err != nil {
			return waits.Kept{}, err
		}
		return report.Keep(), nil
	})
	if err != nil {
		return nil, err
	}
	return kept.Again(), nil
}

// Factors is Run.Factors; ErrNoTrace also where the run's time is not known.
func (a *Answers) Factors(ctx context.Context) (pop.Run, error) {
	return ask(ctx, a, "factors", func(r *Run) (pop.Run, error) {
		if r.Timed == nil && !(r.Seconds > 0) {
			return pop.Run{}, ErrNoTrace
		}
		return r.Factors(ctx)
	})
}

// communicates is what is said of communication efficiency.
type communicates struct {
	Parts Communication
	Notes []string
}

// Communication is Run.Communication; what stands in the way of the replay comes as a
// note.
func (a *Answers) Communication(ctx context.Context) (Communication, []string, error) {
	found, err := ask(ctx, a, "communication", func(r *Run) (communicates, error) {
		parts, err := r.Communication(ctx)
		if err != nil && ctx.Err() == nil {
			return communicates{Notes: []string{"serialization and transfer are not known: " + err.Error()}}, nil
		}
		return communicates{Parts: parts}, err
	})
	return found.Parts, found.Notes, err
}

// Opportunities is what could be changed of the run.
func (a *Answers) Opportunities(ctx context.Context) (*whatif.List, error) {
	return ask(ctx, a, "opportunities", func(*Run) (*whatif.List, error) {
		c, err := a.prices(ctx)
		if err != nil {
			return nil, err
		}
		return c.Opportunities(ctx)
	})
}

// Judge has a diagnosis know what the trace says of its causes, and how long ranks
// waited for one another. A trace that cannot be replayed says nothing.
func (a *Answers) Judge(ctx context.Context, found *diagnose.Diagnosis) error {
	gains, err := a.gains(ctx, found)
	if err != nil {
		return err
	}
	for i, gain := range gains.Replayed {
		if gain != nil {
			found.Causes[i].Replayed, found.Causes[i].Association = gain, *gain < gainsNothing
		}
	}
	if !gains.Waits || !Waited(found) {
		return nil
	}
	report, err := a.Waits(ctx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil && report.Ranks > 1 && report.Longer == 0:
		found.Waits = waitsOf(report, wholeOf(found, report.Ranks, gains.Seconds))
	}
	return nil
}

// gains are what a diagnosis asks of a case.
type gains struct {
	Replayed []*float64 // by cause, nil where the trace does not judge it
	Waits    bool       // the trace can be asked for waits unasked
	Seconds  float64    // that the run took
}

// gains replays the run without each cause that a diagnosis found.
func (a *Answers) gains(ctx context.Context, found *diagnose.Diagnosis) (gains, error) {
	return ask(ctx, a, nameOf(found), func(r *Run) (gains, error) {
		c, err := a.prices(ctx)
		if err != nil {
			return gains{}, ctx.Err()
		}
		out := gains{Waits: r.Seconds > 0 && r.Program.Actions() <= maxQuick, Seconds: r.Seconds}
		out.Replayed = replayCauses(ctx, c, found)
		return out, ctx.Err()
	})
}

// nameOf names the question that the causes of a diagnosis are.
func nameOf(found *diagnose.Diagnosis) string {
	words := []string{string(found.Level)}
	for _, cause := range found.Causes {
		words = append(words, cause.Region)
	}
	sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	return "causes-" + hex.EncodeToString(sum[:8])
}

// Prepare works out what `auspex show` and efficiency ask, where somebody asked the
// trace something and it is open: they share a replay.
func (a *Answers) Prepare(ctx context.Context) {
	a.mu.Lock()
	r, err := a.run, a.opened
	a.mu.Unlock()
	if r == nil || err != nil || r.Timed != nil || r.Program.Actions() > maxQuick {
		return
	}
	if _, _, err := a.Communication(ctx); err == nil {
		_, _ = a.Factors(ctx) // who asks for them is told what is wrong
	}
}
