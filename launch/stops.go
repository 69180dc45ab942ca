package launch

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"os"
	"slices"

	"auspex/trace"
)

// stops are when a rank waited for a core, as the runtime wrote them: event, how many
// events the call has that ends with it, 0 for a stop before it, ns, and ns of the
// rest of the call, four bytes each.
type stops struct {
	raw   []byte
	list  []trace.Stop
	calls []became // what became of each event
	// cut tells that the runtime stopped telling before the rank's end.
	cut bool
}

const stopSize = 16

// became is what an event is in the trace.
type became struct {
	action int64 // its first
	sends  bool  // it waits for no other rank, as long as messages are small
}

// spins is the CPU time of a call, in seconds, from which on it has waited for its
// receiver if all it does is send small messages. A replay lets it go on at once and
// has the rank wait later; without a core meanwhile, it was kept from nothing.
const spins = 1e-3

// openStops returns nil where the run wrote none.
func openStops(path string) (*stops, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &stops{raw: raw}, nil
}

// begins notes what the next event becomes.
func (s *stops) begins(c became) {
	if s != nil {
		s.calls = append(s.calls, c)
	}
}

// of takes what was told of the event with a number, from 0: how long the rank
// stood still before it, or also within its call. to says which action that was.
func (s *stops) of(event int, to trace.Stop) {
	if s == nil {
		return
	}
	for ; len(s.raw) >= stopSize; s.raw = s.raw[stopSize:] {
		word := func(i int) uint32 { return binary.LittleEndian.Uint32(s.raw[4*i:]) }
		events, within := int(word(1)), word(1) != 0
		if at := int(word(0)); at > event || at == event && within && !to.Within {
			return
		}
		sends := false
		if to.Before = 0; within && to.Within && events <= len(s.calls) {
			of := s.calls[len(s.calls)-events:]
			to.Before = to.Action - of[0].action
			sends = !slices.ContainsFunc(of, func(c became) bool { return !c.sends })
		}
		to.Seconds, to.Rest = float64(math.Float32frombits(word(2)))/1e9, float64(math.Float32frombits(word(3)))/1e9
		if sends && to.Rest > spins {
			continue
		}
		if within == to.Within && to.Seconds > 0 && to.Rest >= 0 && !math.IsInf(to.Seconds+to.Rest, 0) {
			s.list = append(s.list, to)
		}
	}
}

// before takes what was told of the computation before an event, which is one
// action for each of its parts, from the first on. When in it the rank stood still is not known: who takes
// its core does so at any time, so that each has as much of the stop as of the
// computation. Where there is none, it is the call's own.
func (s *stops) before(event int, first int64, parts []float64) {
	if s == nil {
		return
	}
	known := len(s.list)
	s.of(event, trace.Stop{Action: first})
	seconds, ns := 0.0, 0.0
	for _, stop := range s.list[known:] {
		seconds += stop.Seconds
	}
	for _, part := range parts {
		ns += part
	}
	if seconds == 0 || !(ns > 0) {
		return
	}
	s.list = s.list[:known]
	for i, part := range parts {
		s.list = append(s.list, trace.Stop{Action: first + int64(i), Seconds: seconds * part / ns})
	}
}

// stopsOf are the stops of all ranks; nil where those of one are not known, or
// only of its beginning.
func stopsOf(notes []rankNotes) trace.Stops {
	var out trace.Stops
	for _, n := range notes {
		if n.stops == nil || n.stops.cut {
			return nil
		}
		out = append(out, n.stops.list)
	}
	return out
}
