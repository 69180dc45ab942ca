package trace

import (
	"encoding/binary"
	"errors"
	"math"
)

// Stop is time in which a rank could have run and had no core: because others had
// it, or because a quota was used up. It is no part of a trace, which tells what a
// program does; it tells what became of it in one run.
type Stop struct {
	Action  int64   // number of the rank's action, from 0, locations left out
	Within  bool    // the action is a call, and the stop was in it; else it is the computation that was longer
	Before  int64   // how many actions before it are of the same call, which stopped once for all of them
	Outside bool    // that call starts or ends MPI
	Seconds float64 // without a core
	Rest    float64 // of a call: what it took beside
}

// Stops are those of each rank, in the order of its actions.
type Stops [][]Stop

// Stops of calls that are one action each begin with oldStopsMagic in the stores of
// versions that knew no others.
const (
	stopsMagic    = "auspexS2"
	oldStopsMagic = "auspexS\n"
)

// Encode writes stops as Decode reads them.
func (s Stops) Encode() []byte {
	b := binary.AppendUvarint([]byte(stopsMagic), uint64(len(s)))
	for _, rank := range s {
		b = binary.AppendUvarint(b, uint64(len(rank)))
		last := int64(0)
		for _, stop := range rank {
			word := uint64(stop.Action-last) << 3
			if last = stop.Action; stop.Within {
				word |= 1
			}
			if stop.Outside {
				word |= 2
			}
			if stop.Before > 0 {
				word |= 4
			}
			b = binary.AppendUvarint(b, word)
			if stop.Before > 0 {
				b = binary.AppendUvarint(b, uint64(stop.Before))
			}
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(stop.Seconds)))
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(stop.Rest)))
		}
	}
	return b
}

var errStops = errors.New("the stops of its ranks are damaged")

// leastStopBytes is what a stop takes at least.
const leastStopBytes = 9

// DecodeStops reads what Encode wrote. It never trusts a length it read.
func DecodeStops(b []byte) (Stops, error) {
	if len(b) < len(stopsMagic) {
		return nil, errStops
	}
	flags := 3
	switch string(b[:len(stopsMagic)]) {
	case stopsMagic:
	case oldStopsMagic:
		flags = 2
	default:
		return nil, errStops
	}
	d := decoder{code: b, pos: len(stopsMagic)}
	ranks := d.uvarint()
	if d.bad || ranks > uint64(len(b)) {
		return nil, errStops
	}
	out := make(Stops, ranks)
	for i := range out {
		n := d.uvarint()
		if d.bad || n > uint64(len(b)-d.pos)/leastStopBytes {
			return nil, errStops
		}
		last := int64(0)
		for range n {
			word := d.uvarint()
			if d.bad || word>>flags > uint64(math.MaxInt64-last) {
				return nil, errStops
			}
			last += int64(word >> flags)
			before := uint64(0)
			if flags == 3 && word&4 != 0 {
				before = d.uvarint()
			}
			if d.bad || len(b)-d.pos < 8 || before > uint64(last) {
				return nil, errStops
			}
			stop := Stop{Action: last, Before: int64(before), Within: word&1 != 0, Outside: word&2 != 0, Seconds: d.float32(), Rest: d.float32()}
			if !(stop.Seconds >= 0) || !(stop.Rest >= 0) || math.IsInf(stop.Seconds+stop.Rest, 0) {
				return nil, errStops
			}
			out[i] = append(out[i], stop)
		}
	}
	if d.pos != len(b) {
		return nil, errStops
	}
	return out, nil
}

func (d *decoder) float32() float64 {
	d.pos += 4
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(d.code[d.pos-4:])))
}
