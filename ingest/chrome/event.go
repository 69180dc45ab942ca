package chrome

import (
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
		if !e.HasStart {
			t.lacks.Time++
			return nil
		}
	case 'b', 'S': // of operations that run beside others, on no thread
		t.beside++
		return nil
	default:
		return nil // instants, counters, flows: no time is spent in them
	}
	class := chromeClass(e.Category)
	if class == traceClass && e.Phase == 'X' {
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
	name, err := t.names.find(class, e.Name)
	if err != nil {
		return err
	}
	if e.Phase != 'X' {
		return t.half(track, name, e)
	}
	if !e.HasLength || e.Length < 0 {
		t.lacks.Length++
	}
	return t.add(traceEvent{track, name, e.Start, max(e.Length, 0)})
}

// half keeps a beginning or an end until all are here and in order of time: among
// those of one time that of the file, which stands where events have their length.
func (t *trace) half(track, name uint32, e *traceevent.Event) error {
	if t.halves.count() == 0 && t.events.count() == 0 {
		t.first, t.last = e.Start, e.Start
	}
	t.first, t.last = min(t.first, e.Start), max(t.last, e.Start)
	place := -2 * t.halves.count()
	if e.Phase == 'E' {
		place--
	}
	return t.halves.add(traceEvent{track, name, e.Start, place})
}

// pair makes events of the beginnings and ends.
func (t *trace) pair() error {
	track, pairs := uint32(0), &traceevent.Pairs[uint32]{}
	pairs.Done = func(name uint32, from, to int64) error {
		if t.names.list[name].ofTrace {
			return nil
		}
		return t.add(traceEvent{track, name, from, to - from})
	}
	err := t.halves.each(func(h traceEvent) error {
		if h.track != track {
			if err := pairs.Close(t.last); err != nil {
				return err
			}
			track = h.track
		}
		if h.length%2 != 0 {
			return pairs.End(t.names.list[h.name].raw, h.start)
		}
		return pairs.Begin(h.name, t.names.list[h.name].raw, h.start)
	})
	if err == nil {
		err = pairs.Close(t.last)
	}
	t.lacks.Unended, t.lacks.Unbegun = pairs.Unended, pairs.Unbegun
	return err
}

// add hands an event on to be sorted.
func (t *trace) add(e traceEvent) error {
	end := e.start + e.length
	if t.events.count() == 0 && t.halves.count() == 0 {
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
