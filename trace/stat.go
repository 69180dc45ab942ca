package trace

import (
	"context"
	"sort"
)

// Stat is what a trace does.
type Stat struct {
	Ranks   int   `json:"ranks"`
	Actions int64 `json:"actions"`
	Bytes   int   `json:"folded_bytes"` // of the folded form in memory
	// Kinds counts the actions by name.
	Kinds map[string]int64 `json:"kinds"`
	// Compute is what each rank computes, in flops, or in ns where Unit says so.
	Compute []float64 `json:"compute"`
	Unit    string    `json:"compute_unit"` // flops or ns
	// Sent is the bytes each rank sends point to point.
	Sent []int64 `json:"sent"`
	// Pairs is the point-to-point traffic, most bytes first.
	Pairs []Pair `json:"pairs"`
	// Collective is the bytes handed to collectives by all ranks together.
	Collective int64 `json:"collective_bytes"`
}

// Units of computation.
const (
	Flops       = "flops"
	Nanoseconds = "ns" // of the machine the trace was taken on
)

// Pair is the point-to-point traffic from one rank to another.
type Pair struct {
	From     int   `json:"from"`
	To       int   `json:"to"`
	Messages int64 `json:"messages"`
	Bytes    int64 `json:"bytes"`
}

// Summarize walks a trace and counts. Loops are multiplied, not walked again.
func Summarize(ctx context.Context, t *Trace) (*Stat, error) {
	s := &Stat{
		Ranks: t.NP(), Actions: t.Actions(), Kinds: map[string]int64{}, Unit: Flops,
		Compute: make([]float64, t.NP()), Sent: make([]int64, t.NP()),
	}
	if t.Nanoseconds {
		s.Unit = Nanoseconds
	}
	pairs := map[[2]int]*Pair{}
	for i := range t.Programs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := &t.Programs[i]
		s.Bytes += p.Size()
		unit := Byte
		p.walk(func(a *Action, times int64, sum float64) {
			s.Kinds[a.Kind.String()] += times
			bytes := func(n int64, dt Type) int64 {
				if dt == DefaultType {
					dt = unit
				}
				return n * dt.Size() * times
			}
			to := -1
			switch a.Kind {
			case Init:
				unit = Byte
				if a.Count != 0 {
					unit = Double
				}
			case Compute:
				s.Compute[i] += sum
			case Send, Isend, SendRecv:
				to = int(a.Peer)
			}
			if a.Kind.Collective() {
				s.Collective += bytes(a.Elements(), a.Type)
			}
			if to < 0 || a.Comm > 0 {
				return
			}
			n := bytes(a.Count, a.Type)
			s.Sent[i] += n
			key := [2]int{i, to}
			if pairs[key] == nil {
				pairs[key] = &Pair{From: i, To: to}
			}
			pairs[key].Messages += times
			pairs[key].Bytes += n
		})
	}
	for _, p := range pairs {
		s.Pairs = append(s.Pairs, *p)
	}
	sort.Slice(s.Pairs, func(i, j int) bool {
		a, b := s.Pairs[i], s.Pairs[j]
		if a.Bytes != b.Bytes {
			return a.Bytes > b.Bytes
		}
		return a.From < b.From || a.From == b.From && a.To < b.To
	})
	return s, nil
}

// Teams tells whether some computation has work for more than one core, which text
// cannot say.
func (t *Trace) Teams() bool {
	for i := range t.Programs {
		d := decoder{code: t.Programs[i].code}
		var a Action
		for d.pos < len(d.code) {
			switch op := d.byte(); op {
			case opRepeat:
				d.uvarint()
			case opEnd:
			case byte(team):
				return true
			default:
				d.fieldsOf(Kind(op), &a, 0)
			}
		}
	}
	return false
}

// walk visits every operation of the code once, with how often it is done and
// the sum of its values.
func (p *Program) walk(visit func(a *Action, times int64, sum float64)) {
	d := decoder{code: p.code}
	c := p.cursor() // only for its places in the series
	times := []int64{1}
	var a Action
	for d.pos < len(d.code) {
		op := d.byte()
		switch op {
		case opRepeat:
			times = append(times, times[len(times)-1]*int64(d.uvarint()))
		case opEnd:
			times = times[:len(times)-1]
		default:
			a.Count, a.Count2, a.Counts, a.Counts2 = 0, 0, a.Counts[:0], a.Counts2[:0]
			series, file := d.fieldsOf(Kind(op), &a, p.Rank)
			if Kind(op) == Location {
				a.File = p.refers().files[file]
			}
			if Kind(op) == team {
				continue
			}
			n := times[len(times)-1]
			sum := a.Value * float64(n)
			if series >= 0 {
				sum = 0
				for range n {
					sum += c.value(series)
				}
			}
			visit(&a, n, sum)
		}
	}
}
