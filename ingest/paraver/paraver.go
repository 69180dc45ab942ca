// Package paraver reads Paraver traces as profiles: what every thread spent in
// each region and call. The times of the spans are kept apart, see
// events.Record.
package paraver

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"auspex/events"
	"auspex/events/paraver"
	"auspex/ingest/input"
	"auspex/internal/mistake"
	"auspex/model"
	"auspex/trace"
)

// Name is what --format takes.
const Name = "paraver"

// Formats lists what this package reads.
func Formats() []input.Format {
	return []input.Format{
		{Name: Name, About: "Paraver trace (.prv with .pcf), of Extrae", IsFile: isFile, IsPart: isPart, Reader: read},
	}
}

func isFile(_ string, head []byte) bool { return paraver.Looks(head) }

// isPart tells the names and labels that lie beside a trace.
func isPart(path string) bool {
	base := strings.TrimSuffix(path, ".gz")
	ending := filepath.Ext(base)
	if ending != ".pcf" && ending != ".row" {
		return false
	}
	trace := strings.TrimSuffix(base, ending) + ".prv"
	for _, name := range []string{trace, trace + ".gz"} {
		if _, err := os.Stat(name); err == nil {
			return true
		}
	}
	return false
}

func read(ctx context.Context, src *input.Source) (*model.Experiment, error) {
	t, err := paraver.Open(src.Path)
	if err != nil {
		return nil, err
	}
	w := newWriter(t)
	if err := t.Each(ctx, w.span); err != nil {
		return nil, err
	}
	if w.spans == 0 {
		return nil, mistake.InFile(src.Given, "the trace holds nothing that took time")
	}
	exp, err := w.builder.Build(model.Header{Notes: w.notes(), Incomplete: t.Header().Incomplete})
	if err != nil {
		return nil, mistake.InFile(src.Given, "%v", err)
	}
	return exp, nil
}

// maxRegions bounds what a trace may name.
const maxRegions = 1 << 20

// writer sums up spans.
type writer struct {
	source  events.Source
	builder *model.Builder
	units   []int
	regions []int // by path; 0 is not known yet, else one more than the region
	spans   int
	cut     bool

	time, calls, instructions, cycles, sent, received, messages int
}

func newWriter(src events.Source) *writer {
	w := &writer{source: src, builder: model.NewBuilder()}
	metric := func(name string, scope model.Scope) int { return w.builder.Metric(model.NewMetric(name, "", scope)) }
	w.time, w.calls = metric(model.WallTime, model.Exclusive), metric(model.Calls, model.Own)
	w.sent, w.received, w.messages = metric(model.BytesSent, model.Exclusive), metric(model.BytesReceived, model.Exclusive), metric(model.Messages, model.Exclusive)
	w.instructions, w.cycles = -1, -1
	for _, l := range src.Header().Locations {
		w.units = append(w.units, w.builder.Unit(model.Unit{Process: int(l.Rank), Thread: int(l.Thread)}))
	}
	return w
}

// span adds one. The time of pauses is that of the region they interrupt.
func (w *writer) span(s *events.Span) error {
	b, unit, region := w.builder, w.units[s.Loc], w.region(s.Path, s.Kind == events.ThreadBarrier)
	w.spans++
	b.Add(unit, region, w.time, s.Seconds())
	if s.Kind != trace.Compute && s.Kind != events.Pause {
		b.Add(unit, region, w.calls, 1)
	}
	if s.Instructions > 0 || s.Cycles > 0 {
		if w.instructions < 0 {
			w.instructions = b.Metric(model.NewMetric(model.Instructions, "", model.Exclusive))
			w.cycles = b.Metric(model.NewMetric(model.Cycles, "", model.Exclusive))
		}
		b.Add(unit, region, w.instructions, float64(s.Instructions))
		b.Add(unit, region, w.cycles, float64(s.Cycles))
	}
	for _, m := range s.Messages {
		switch m.Side {
		case events.Sent:
			b.Add(unit, region, w.messages, 1)
			b.Add(unit, region, w.sent, float64(m.Bytes))
		case events.Received:
			b.Add(unit, region, w.received, float64(m.Bytes))
		}
	}
	return nil
}

// region finds that of a path, with those around it; waits is that threads wait for
// one another there.
func (w *writer) region(path int32, waits bool) int {
	for len(w.regions) <= int(path) {
		w.regions = append(w.regions, 0)
	}
	if known := w.regions[path]; known > 0 {
		return known - 1
	}
	p := w.source.Header().Paths[path]
	region, names := model.NoParent, model.SplitPath(p.Name)
	if len(names) > input.MaxRegionDepth {
		names, w.cut = names[:input.MaxRegionDepth], true
	}
	for i, name := range names {
		if w.builder.RegionCount() >= maxRegions {
			w.cut = true
			break
		}
		r := model.Region{Name: model.CleanText(name), Kind: input.KindOf(name), Parent: region}
		if p.Name == paraver.Idle {
			r.Kind = model.Idle
		}
		if i == len(names)-1 {
			r.File, r.Line = p.File, p.Line
			switch {
			case waits:
				r.Kind = model.Barrier
			case name == events.NoCore: // within a call
				r.Kind = model.MPI
			case strings.HasPrefix(name, paraver.Leading):
				r.Kind = model.Block
			}
		}
		region = w.builder.Region(r)
	}
	w.regions[path] = region + 1
	return region
}

func (w *writer) notes() []string {
	notes := w.source.Header().AllNotes()
	if w.cut {
		notes = append(notes, fmt.Sprintf("call paths of more than %d regions, and regions beyond %d, were cut there", input.MaxRegionDepth, maxRegions))
	}
	return notes
}
