package tau

import (
	"context"
	"fmt"
	"strings"

	"auspex/ingest/input"
	"auspex/internal/mistake"
	"auspex/model"
)

// build makes the experiment.
func (d *data) build(ctx context.Context, src *input.Source) (*model.Experiment, error) {
	tree, err := newTree(d.functions)
	if err != nil {
		return nil, mistake.InFile(src.Given, "%v", err)
	}
	w := &writer{
		tree: tree, builder: model.NewBuilder(),
		coveredBy: make([]int32, len(d.functions)),
		samples:   map[int32]*tauShare{},
		returned:  map[int32][]float64{},
	}
	for i, t := range d.threads {
		if i%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		w.choose(t)
	}
	if err := tree.place(w.builder); err != nil {
		return nil, mistake.InFile(src.Given, "%v", err)
	}
	if w.builder.RegionCount() == 0 {
		return nil, mistake.InFile(src.Given, "no function was ever called in this profile")
	}
	w.columns = columns(w.builder, d.metrics, tree.nested)
	w.calls = w.builder.Metric(model.NewMetric(model.Calls, "", model.Own))
	var lostEvents int
	w.events, lostEvents = useEvents(w.builder, tree, d.events)
	units := d.units()
	for i, t := range d.threads {
		if i%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		w.write(w.builder.Unit(units[i]), t)
	}
	d.note(w, lostEvents)
	d.missing(units)
	var header model.Header
	d.describe(&header)
	exp, err := w.builder.Build(header)
	if err != nil {
		return nil, mistake.InFile(src.Given, "%v", err)
	}
	return exp, nil
}

// note tells a person what was changed or left out.
func (d *data) note(w *writer, lostEvents int) {
	note := func(count int, format string) {
		if count > 0 {
			d.notes = append(d.notes, fmt.Sprintf(format, count))
		}
	}
	throttled := 0
	for i, f := range d.functions {
		e := &w.tree.entries[i]
		if e.role == flat && (strings.Contains(f.groups, "TAU_DISABLE") || strings.Contains(f.name, "[THROTTLED]")) {
			throttled++
		}
	}
	note(throttled, "functions throttled by TAU: %d; their later calls count for their callers")
	note(w.tree.ownRoots, "call paths cut by TAU_CALLPATH_DEPTH that have several callers: %d; they are roots of their own")
	note(w.tree.passes, "numbered passes of loops (loop [n]): %d; each loop is one region")
	note(w.negative, "negative values, which come of TAU's overhead compensation: %d; they were taken as 0")
	if w.tree.sampled {
		d.notes = append(d.notes, "samples share out the measured time of the function they were taken in")
	}
	note(d.otherEvents+lostEvents, "user events not read: %d; they repeat others by peer, or there are too many of them")
}

// writer moves the values of the threads into the builder.
type writer struct {
	tree    *tauTree
	builder *model.Builder
	columns []tauColumn
	calls   int
	events  []eventUse

	// coveredBy holds, per function, the last thread (counted by thread) in
	// which call paths make it redundant.
	coveredBy []int32
	thread    int32
	// Of the thread at hand, per function: what samples claim of its time,
	// and what a root spent when it was called again below itself.
	samples  map[int32]*tauShare
	returned map[int32][]float64

	negative int
}

// tauShare is what samples claim of a function's time, per metric. That time
// is measured and samples are estimates: where they claim more than there is
// they get only a part.
type tauShare struct{ claimed, part []float64 }

// choose finds out which functions have values in this thread that count.
func (w *writer) choose(t *thread) {
	w.cover(t)
	for i, f := range t.function {
		if e := &w.tree.entries[f]; !e.used && w.counts(t, i) {
			e.used = true
		}
	}
}

// cover marks the functions of a thread that are sums of its call paths.
func (w *writer) cover(t *thread) {
	w.thread++
	for i, f := range t.function {
		if e := &w.tree.entries[f]; e.role == tauPath && e.flat >= 0 && !e.returns && !t.idle(i) {
			w.coveredBy[e.flat] = w.thread
		}
	}
}

// counts tells whether a row is not dropped.
func (w *writer) counts(t *thread, row int) bool {
	f := t.function[row]
	e := &w.tree.entries[f]
	switch e.role {
	case flat:
		return w.coveredBy[f] != w.thread && !t.idle(row)
	case tauPath:
		return !t.idle(row)
	case sampled:
		return w.coveredBy[e.context] != w.thread && !t.idle(row)
	}
	return false
}

// write puts one thread's values into the builder.
func (w *writer) write(unit int, t *thread) {
	w.cover(t)
	w.correct(t)
	empty := true
	for i, f := range t.function {
		e := &w.tree.entries[f]
		if e.region < 0 || !w.counts(t, i) {
			continue
		}
		if empty = false; e.role == sampled {
			w.writeSample(unit, e, t, i)
		} else {
			w.writeFunction(unit, f, t, i)
		}
	}
	for _, event := range t.events {
		use := w.events[event.event]
		if use.kept && event.count > 0 {
			empty = w.keep(unit, t, use, event) && empty
			continue
		}
		if use.region >= 0 && event.count > 0 {
			empty = false
			w.builder.Add(unit, use.region, use.metric, max(event.count*event.mean, 0))
			if use.messages >= 0 {
				w.builder.Add(unit, use.region, use.messages, event.count)
			}
		}
	}
	if empty { // a unit that did nothing is a unit nonetheless
		w.builder.Enter(unit, 0)
	}
}

// keep sets the value of an event without a canonical name, and tells whether
// there was no region for it.
func (w *writer) keep(unit int, t *thread, use eventUse, event tauEvent) (nowhere bool) {
	region := use.region
	if region < 0 {
		if region = w.longest(t); region < 0 {
			return true
		}
	}
	v := event.mean
	if !use.mean {
		v *= event.count
	}
	w.builder.Set(unit, region, use.metric, v)
	return false
}

// longest is the region with the largest inclusive value of a thread, -1 where
// there is none.
func (w *writer) longest(t *thread) int {
	region, most := -1, 0.0
	for i, f := range t.function {
		if e := &w.tree.entries[f]; e.region >= 0 && w.counts(t, i) && len(t.metrics) > 0 {
			if v := t.row(i)[1]; region < 0 || v > most {
				region, most = e.region, v
			}
		}
	}
	return region
}

// correct sums up what is to be taken off the functions of a thread.
func (w *writer) correct(t *thread) {
	clear(w.samples)
	clear(w.returned)
	for i, f := range t.function {
		switch e := &w.tree.entries[f]; {
		case e.role == tauPath && e.returns && e.flat >= 0:
			sum := w.returned[e.flat]
			if sum == nil {
				sum = make([]float64, len(t.metrics)+1)
				w.returned[e.flat] = sum
			}
			addExclusive(sum, t.row(i))
			sum[len(t.metrics)] += t.calls[i]
		case e.role == sampled && w.counts(t, i):
			share := w.samples[e.context]
			if share == nil {
				share = &tauShare{make([]float64, len(t.metrics)), make([]float64, len(t.metrics))}
				w.samples[e.context] = share
			}
			addExclusive(share.claimed, t.row(i))
		}
	}
	if len(w.samples) == 0 {
		return
	}
	for i, f := range t.function {
		if share := w.samples[f]; share != nil {
			for k := range share.part {
				share.part[k] = max(min(t.row(i)[2*k]/share.claimed[k], 1), 0)
			}
		}
	}
}

// addExclusive adds the exclusive values of a row.
func addExclusive(sum, row []float64) {
	for k := 0; 2*k < len(row); k++ {
		if v := row[2*k]; v > 0 {
			sum[k] += v
		}
	}
}

func (w *writer) writeFunction(unit int, f int32, t *thread, row int) {
	e := &w.tree.entries[f]
	values, calls := t.row(row), t.calls[row]
	returned, share := w.returned[f], w.samples[f]
	if returned != nil {
		calls -= returned[len(t.metrics)]
	}
	w.builder.Add(unit, e.region, w.calls, max(calls, 0))
	for k, m := range t.metrics {
		column := w.columns[m]
		exclusive := w.positive(values[2*k])
		if returned != nil {
			exclusive = max(exclusive-returned[k], 0)
		}
		if share != nil && share.claimed[k] > 0 {
			exclusive = max(exclusive-share.claimed[k]*share.part[k], 0)
		}
		w.builder.Add(unit, e.region, column.exclusive, exclusive*column.scale)
		if column.inclusive >= 0 {
			w.builder.Add(unit, e.region, column.inclusive, w.positive(values[2*k+1])*column.scale)
		}
	}
}

// writeSample adds a sample to the function it hit. The number of samples says
// nothing of calls.
func (w *writer) writeSample(unit int, e *entry, t *thread, row int) {
	share := w.samples[e.context]
	for k, m := range t.metrics {
		v := t.row(row)[2*k]
		if !(v > 0) {
			continue
		}
		column := w.columns[m]
		v *= share.part[k] * column.scale
		w.builder.Add(unit, e.region, column.exclusive, v)
		if column.inclusive >= 0 && len(e.frames) > 0 {
			w.builder.Add(unit, e.region, column.inclusive, v)
		}
	}
}

func (w *writer) positive(v float64) float64 {
	if v < 0 {
		w.negative++
		return 0
	}
	return v
}
