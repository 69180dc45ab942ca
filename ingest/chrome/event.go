package chrome

import (
	"errors"

	"auspex/ingest/input"
	"auspex/ingest/traceevent"
)

// useEvent does with an event what its phase asks for.
func (t *trace) useEvent(e *traceevent.Event) error {
	switch e.Phase {
	case 'M':
		t.useMetadata(e)
		return nil
	case 'X', 'B', 'E':
	case 'b', 'S': // of operations that run beside others, on no thread
		t.beside++
		return nil
	default:
		return nil // instants, counters, flows: no time is spent in them
	}
	if !e.HasStart {
		return errors.New("an event has no time (ts)")
	}
	class, ok := chromeClass(e.Category)
	if !ok {
		return nil
	}
	t.isKineto = t.isKineto || class == opClass || class == kernelClass
	track, err := t.tracks.find(e.Process, e.Thread)
	if err != nil {
		return err
	}
	if class == kernelClass || class == gpuAnnotationClass {
		t.tracks.list[track].gpu = true
	}
	if e.Phase == 'E' {
		return t.endEvent(track, e.Start)
	}
	name, err := t.names.find(class, e.Name)
	if err != nil {
		return err
	}
	if e.Phase == 'B' {
		return t.tracks.begin(track, name, e.Start)
	}
	if e.Length < 0 {
		t.negative++
	}
	return t.add(traceEvent{track, name, e.Start, max(e.Length, 0)})
}

// endEvent ends the event that began last on the track.
func (t *trace) endEvent(track uint32, at int64) error {
	open := &t.tracks.list[track].open
	if len(*open) == 0 {
		t.unpaired++
		return nil
	}
	last := (*open)[len(*open)-1]
	*open = (*open)[:len(*open)-1]
	return t.add(traceEvent{track, last.name, last.start, max(at-last.start, 0)})
}

// add hands an event on to be sorted.
func (t *trace) add(e traceEvent) error {
	end := e.start + e.length
	if t.events.count() == 0 {
		t.first, t.last = e.start, end
	}
	t.first, t.last = min(t.first, e.start), max(t.last, end)
	return t.events.add(e)
}

// useMetadata takes the program's name from its process.
func (t *trace) useMetadata(e *traceevent.Event) {
	if string(e.Name) == "process_name" && t.header.Program == "" && len(e.Label) < input.MaxFactorValue {
		t.header.Program = string(e.Label)
	}
}
