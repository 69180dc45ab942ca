package launch

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"os"

	"auspex/trace"
)

// stops are when a rank waited for a core, as the runtime wrote them: event,
// whether within its call, ns, and ns of the rest of the call, four bytes each.
type stops struct {
	raw  []byte
	list []trace.Stop
	// cut tells that the runtime stopped telling before the rank's end.
	cut bool
}

const stopSize = 16

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

// of takes what was told of the event with a number, from 0: how long the rank
// stood still before it, or also within its call. to says which action that was.
func (s *stops) of(event int, to trace.Stop) {
	if s == nil {
		return
	}
	for ; len(s.raw) >= stopSize; s.raw = s.raw[stopSize:] {
		word := func(i int) uint32 { return binary.LittleEndian.Uint32(s.raw[4*i:]) }
		within := word(1) != 0
		if at := int(word(0)); at > event || at == event && within && !to.Within {
			return
		}
		to.Seconds, to.Rest = float64(math.Float32frombits(word(2)))/1e9, float64(math.Float32frombits(word(3)))/1e9
		if within == to.Within && to.Seconds > 0 && to.Rest >= 0 && !math.IsInf(to.Seconds+to.Rest, 0) {
			s.list = append(s.list, to)
		}
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
