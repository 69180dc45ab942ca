// Package replay is what is kept of a simulation: one record of what came out,
// when each rank did what, and the pictures drawn of both.
//
//  1. Spans listens to a simulation; NewRecord makes a record of its result.
//  2. The store keeps it; DrawTimeline draws a part of its timeline.
package replay

import (
	"fmt"
	"time"

	"auspex/platform"
	"auspex/simulate"
)

// Record is a replay as it is kept and shown.
type Record struct {
	Name             string              `json:"name"`
	Created          time.Time           `json:"created"`
	Platform         string              `json:"platform"`
	Command          string              `json:"command"`
	SimulatedSeconds float64             `json:"simulated_seconds"`
	Actions          int64               `json:"actions"`
	Ranks            []simulate.RankTime `json:"ranks"`
	Hosts            []string            `json:"hosts"` // by rank
	Links            []simulate.LinkUse  `json:"links"`
	Graph            *PlatformGraph      `json:"graph"`
	Notes            []string            `json:"notes"`

	// Timeline is kept apart: it is long, and only drawn in parts.
	Timeline *Spans `json:"-"`
}

// NewRecord makes the record of a simulation that spans listened to. Its name,
// platform and command are for the caller to say.
func NewRecord(p *platform.Platform, hosts []int, r *simulate.Result, spans *Spans) *Record {
	spans.Sort()
	k := &Record{
		Created:          time.Now().UTC().Truncate(time.Second),
		SimulatedSeconds: r.Seconds, Actions: r.Actions, Ranks: r.Ranks, Hosts: []string{}, Links: append([]simulate.LinkUse{}, r.Links...),
		Graph: DrawPlatform(p, hosts, r.Links), Notes: []string{}, Timeline: spans,
	}
	for _, h := range hosts {
		k.Hosts = append(k.Hosts, p.Hosts[h].Name)
	}
	if spans.Full {
		k.Notes = append(k.Notes, fmt.Sprintf("the timeline ends after %d bars", len(spans.Rank)))
	}
	return k
}

// Name is the name under which a replay behind a prediction is kept.
func Name(prediction, platform string, np int, opt string) string {
	return fmt.Sprintf("%s %s np=%d -O%s", prediction, platform, np, opt)
}
