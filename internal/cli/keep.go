package cli

import (
	"errors"
	"fmt"

	"auspex/predict"
	"auspex/replay"
	"auspex/simulate"
	"auspex/store"
	"auspex/trace"
)

// claim holds a name before the work whose result it is for. The returned
// store lets the result through.
func (a *app) claim(kind store.Kind, name string, replace bool) (*store.Store, func(), error) {
	if err := store.CheckName(name); err != nil {
		return nil, nil, usageError{err}
	}
	s := a.openStore()
	held, err := s.Claim(kind, name, replace)
	if errors.Is(err, store.ErrExists) && !errors.Is(err, store.ErrBusy) {
		advice := "; choose another with --name, or give --replace"
		if other, again := s.Claim(kind, name, true); again == nil {
			other.Release()
		} else {
			advice = "; choose another with --name"
		}
		return nil, nil, fmt.Errorf("%w%s", err, advice)
	}
	if err != nil {
		return nil, nil, err
	}
	return s, held.Release, nil
}

// replayBars bounds the timelines that a prediction keeps, each.
const replayBars = 100_000

// watchReplays collects a replay for every row of a prediction.
func watchReplays(name string, into *[]*replay.Record) predict.Watcher {
	return func(p *predict.Platform, opt string, np int) (simulate.Timeline, func([]int, *simulate.Result) error) {
		spans := &replay.Spans{Limit: replayBars}
		return spans, func(hosts []int, r *simulate.Result) error {
			k := replay.NewRecord(p.Platform, hosts, r, spans)
			k.Name, k.Platform, k.Command = replay.Name(name, p.Name, np, opt), p.Name, "auspex predict --name "+name
			*into = append(*into, k)
			return nil
		}
	}
}

// both tells two timelines; the second may be nil.
func both(first, second simulate.Timeline) simulate.Timeline {
	if second == nil {
		return first
	}
	return timelinePair{first, second}
}

type timelinePair [2]simulate.Timeline

// Action tells both.
func (p timelinePair) Action(rank int, kind trace.Kind, begin, end float64) {
	p[0].Action(rank, kind, begin, end)
	p[1].Action(rank, kind, begin, end)
}
