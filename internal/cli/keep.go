package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"auspex/platform"
	"auspex/predict"
	"auspex/report"
	"auspex/simulate"
	"auspex/store"
	"auspex/trace"
)

// keepSimulation puts a simulation into the store for the page to show.
func (a *app) keepSimulation(f simulateFlags, traces string, p *platform.Platform, hosts []int, r *simulate.Result, spans *report.Spans) error {
	k := newKept(p, hosts, r, spans)
	k.Name, k.Platform, k.Command = f.name, filepath.Base(f.platform), fmt.Sprintf("auspex simulate --platform %s %s", f.platform, traces)
	err := keptReplay{k, spans}.put(a.openStore(), f.replace)
	if errors.Is(err, store.ErrExists) {
		return fmt.Errorf("%w; --replace takes its place, or choose another --name", err)
	}
	return err
}

// keptReplay is a simulation on its way into the store.
type keptReplay struct {
	*report.KeptSimulation
	spans *report.Spans
}

func newKept(p *platform.Platform, hosts []int, r *simulate.Result, spans *report.Spans) *report.KeptSimulation {
	k := &report.KeptSimulation{
		Created:          time.Now().UTC().Truncate(time.Second),
		SimulatedSeconds: r.Seconds, Actions: r.Actions, Ranks: r.Ranks, Hosts: []string{}, Links: append([]simulate.LinkUse{}, r.Links...),
		Graph: report.DrawPlatform(p, hosts, r.Links), Notes: []string{},
	}
	for _, h := range hosts {
		k.Hosts = append(k.Hosts, p.Hosts[h].Name)
	}
	if spans.Full {
		k.Notes = append(k.Notes, fmt.Sprintf("the timeline ends after %d bars", len(spans.Rank)))
	}
	return k
}

func (k keptReplay) put(s *store.Store, replace bool) error {
	k.spans.Sort()
	data, err := json.Marshal(k.KeptSimulation)
	if err != nil {
		return err
	}
	return s.PutSimulation(k.Name, data, store.Spans{Rank: k.spans.Rank, Part: k.spans.Part, Begin: k.spans.Begin, End: k.spans.End}, replace)
}

// replayBars bounds the timelines that a prediction keeps, each.
const replayBars = 100_000

// watchReplays collects a replay for every row of a prediction.
func watchReplays(name string, into *[]keptReplay) predict.Watcher {
	return func(p *predict.Platform, opt string, np int) (simulate.Timeline, func([]int, *simulate.Result) error) {
		spans := &report.Spans{Limit: replayBars}
		return spans, func(hosts []int, r *simulate.Result) error {
			k := newKept(p.Platform, hosts, r, spans)
			k.Name, k.Platform, k.Command = report.ReplayName(name, p.Name, np, opt), p.Name, "auspex predict --name "+name
			*into = append(*into, keptReplay{k, spans})
			return nil
		}
	}
}

// keepReplays stores what was watched, in place of what an earlier prediction
// of the name left.
func (a *app) keepReplays(replays []keptReplay) error {
	for _, k := range replays {
		if err := k.put(a.openStore(), true); err != nil {
			return err
		}
	}
	return nil
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
