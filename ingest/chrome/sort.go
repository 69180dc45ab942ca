package chrome

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"

	"auspex/internal/scratch"
)

// traceEvent is an event with a duration, in 24 bytes. Times are nanoseconds.
type traceEvent struct {
	track, name   uint32
	start, length int64
}

// compareEvents orders events by track and time, those around others first.
func compareEvents(a, b traceEvent) int {
	switch {
	case a.track != b.track:
		return cmp.Compare(a.track, b.track)
	case a.start != b.start:
		return cmp.Compare(a.start, b.start)
	case a.length != b.length:
		return cmp.Compare(b.length, a.length)
	}
	return cmp.Compare(a.name, b.name)
}

// maxSortedEvents is the number of events held in memory; more are sorted in
// portions that wait in a temporary file.
const maxSortedEvents = 1 << 18

// eventSorter sorts any number of events in bounded memory.
type eventSorter struct {
	limit   int
	events  []traceEvent
	file    *os.File
	out     *bufio.Writer
	runs    []int64 // the number of events in each sorted portion
	spilled int64
}

func newEventSorter(limit int) *eventSorter { return &eventSorter{limit: limit} }

func (s *eventSorter) count() int64 { return s.spilled + int64(len(s.events)) }

func (s *eventSorter) add(e traceEvent) error {
	if len(s.events) == s.limit {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.events = append(s.events, e)
	return nil
}

const eventBytes = 24

// spill writes the events in memory to the temporary file.
func (s *eventSorter) spill() error {
	if s.file == nil {
		file, err := scratch.File("sort")
		if err != nil {
			return err
		}
		s.file, s.out = file, bufio.NewWriterSize(file, 1<<20)
	}
	slices.SortFunc(s.events, compareEvents)
	var b [eventBytes]byte
	for _, e := range s.events {
		binary.LittleEndian.PutUint32(b[0:], e.track)
		binary.LittleEndian.PutUint32(b[4:], e.name)
		binary.LittleEndian.PutUint64(b[8:], uint64(e.start))
		binary.LittleEndian.PutUint64(b[16:], uint64(e.length))
		if _, err := s.out.Write(b[:]); err != nil {
			return err
		}
	}
	s.runs = append(s.runs, int64(len(s.events)))
	s.spilled += int64(len(s.events))
	s.events = s.events[:0]
	return nil
}

// each calls do with every event, in order.
func (s *eventSorter) each(do func(traceEvent) error) error {
	if s.file == nil {
		slices.SortFunc(s.events, compareEvents)
		for _, e := range s.events {
			if err := do(e); err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.spill(); err != nil {
		return err
	}
	s.events = nil
	if err := s.out.Flush(); err != nil {
		return err
	}
	return s.merge(do)
}

// merge brings the sorted portions together.
func (s *eventSorter) merge(do func(traceEvent) error) error {
	var runs runHeap
	offset := int64(0)
	for _, n := range s.runs {
		section := io.NewSectionReader(s.file, offset, n*eventBytes)
		offset += n * eventBytes
		run := &sortedRun{in: bufio.NewReaderSize(section, 64<<10)}
		switch err := run.advance(); {
		case err == nil:
			runs = append(runs, run)
		case !errors.Is(err, io.EOF):
			return err
		}
	}
	heap.Init(&runs)
	for len(runs) > 0 {
		run := runs[0]
		if err := do(run.head); err != nil {
			return err
		}
		switch err := run.advance(); {
		case err == nil:
			heap.Fix(&runs, 0)
		case errors.Is(err, io.EOF):
			heap.Pop(&runs)
		default:
			return err
		}
	}
	return nil
}

// close removes the temporary file.
func (s *eventSorter) close() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
}

// sortedRun is a sorted portion and its first event not used yet.
type sortedRun struct {
	in   *bufio.Reader
	head traceEvent
}

func (r *sortedRun) advance() error {
	var b [eventBytes]byte
	if _, err := io.ReadFull(r.in, b[:]); err != nil {
		return err
	}
	r.head = traceEvent{
		binary.LittleEndian.Uint32(b[0:]), binary.LittleEndian.Uint32(b[4:]),
		int64(binary.LittleEndian.Uint64(b[8:])), int64(binary.LittleEndian.Uint64(b[16:])),
	}
	return nil
}

// runHeap keeps the run with the first event on top.
type runHeap []*sortedRun

func (h runHeap) Len() int           { return len(h) }
func (h runHeap) Less(i, j int) bool { return compareEvents(h[i].head, h[j].head) < 0 }
func (h runHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *runHeap) Push(x any)        { *h = append(*h, x.(*sortedRun)) }
func (h *runHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
