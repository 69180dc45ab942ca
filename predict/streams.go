package predict

import (
	"encoding/binary"
	"fmt"
	"slices"

	"auspex/trace"
)

// mostCalls is how many calls all runs together may make for more processes to be made of
// them.
const mostCalls = 1 << 27

// book numbers the calls that differ, computation and pauses left out.
type book struct {
	actions []trace.Action
	ids     map[string]int32
}

// counted is a run with its calls, by rank, as numbers of a book.
type counted struct {
	*trace.Trace
	calls [][]int32
}

func (b *book) read(t *trace.Trace) (*counted, error) {
	c := &counted{Trace: t}
	var key []byte
	total := 0
	for rank := range t.NP() {
		var calls []int32
		cursor := t.Cursor(rank)
		for a := (trace.Action{}); advance(&cursor, &a); {
			key = appendKey(key[:0], &a)
			id, known := b.ids[string(key)]
			if !known {
				id = int32(len(b.actions))
				b.ids[string(key)] = id
				a.Counts, a.Counts2 = slices.Clone(a.Counts), slices.Clone(a.Counts2)
				b.actions = append(b.actions, a)
			}
			if calls = append(calls, id); total+len(calls) > mostCalls {
				return nil, fmt.Errorf("the runs make more than %d calls", mostCalls)
			}
		}
		total += len(calls)
		c.calls = append(c.calls, calls)
	}
	return c, nil
}

func appendKey(key []byte, a *trace.Action) []byte {
	key = append(key, byte(a.Kind), byte(a.Type), byte(a.Type2))
	for _, n := range []int64{int64(a.Comm), int64(a.Peer), int64(a.Peer2), int64(a.Tag), a.Count, a.Count2, int64(len(a.Counts))} {
		key = binary.AppendVarint(key, n)
	}
	for _, list := range [][]int64{a.Counts, a.Counts2} {
		for _, n := range list {
			key = binary.AppendVarint(key, n)
		}
	}
	return key
}

// stream is the calls of one rank in one run.
type stream struct {
	rank  int
	of    grid // how the run's ranks are laid out
	seats []seat
	calls []int32
}

// stretches is what a rank computes before each of its calls, and after the last.
type stretches struct {
	blocks []trace.Action
	starts []int // the first block before each call
}

func workOf(t *trace.Trace, rank int) (w stretches) {
	c := t.Cursor(rank)
	start := 0
	for {
		a := trace.Action{}
		more := c.Next(&a)
		switch {
		case more && a.Kind == trace.Compute:
			w.blocks = append(w.blocks, a)
		case more && (a.Kind == trace.Sleep || a.Kind == trace.Location):
		default:
			w.starts = append(w.starts, start)
			start = len(w.blocks)
			if !more {
				w.starts = append(w.starts, start)
				return w
			}
		}
	}
}

// before are the blocks before a call.
func (w *stretches) before(call int) []trace.Action { return w.blocks[w.starts[call]:w.starts[call+1]] }
