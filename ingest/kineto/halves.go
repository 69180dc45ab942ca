package kineto

import (
	"cmp"
	"fmt"
	"slices"

	"auspex/ingest/traceevent"
	"auspex/training"
)

// half is the beginning or the end of an event whose halves stand apart.
type half struct {
	training.Interval
	known, end bool
}

// thread is where such events nest.
type thread struct {
	halves   []half
	messages map[int]*training.Message // by half
}

// half keeps a beginning or an end until all are here.
func (p *reader) half(e *traceevent.Event, v training.Interval, known bool) error {
	p.key = append(append(append(p.key[:0], e.Process...), 0), e.Thread...)
	th := p.threads[string(p.key)]
	if th == nil {
		if len(p.threads) == maxTracks {
			return fmt.Errorf("more than %d threads and streams", maxTracks)
		}
		th = &thread{messages: map[int]*training.Message{}}
		p.threads[string(p.key)] = th
		p.order = append(p.order, th)
	}
	v.Length = int64(len(th.halves)) // what it is, until it is known
	if e.Message {
		th.messages[len(th.halves)] = describe(e)
	}
	th.halves = append(th.halves, half{v, known, e.Phase == 'E'})
	return nil
}

// pair makes intervals of the halves, in order of time and among those of one time
// in that of the file.
func (p *reader) pair() error {
	if len(p.order) == 0 {
		return nil
	}
	_, last := p.t.Span()
	for _, th := range p.order {
		slices.SortFunc(th.halves, func(a, b half) int {
			return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Length, b.Length))
		})
		last = max(last, th.halves[len(th.halves)-1].Start)
	}
	for _, th := range p.order {
		if err := p.pairOn(th, last); err != nil {
			return err
		}
	}
	return nil
}

func (p *reader) pairOn(th *thread, last int64) error {
	pairs := traceevent.Pairs[half]{Done: func(h half, from, to int64) error {
		if !h.known {
			return nil
		}
		message := th.messages[int(h.Length)]
		h.Start, h.Length = from, to-from
		return p.add(h.Interval, message)
	}}
	for _, h := range th.halves {
		name, err := p.t.Name(&h.Interval), error(nil)
		if h.end {
			err = pairs.End(name, h.Start)
		} else {
			err = pairs.Begin(h, name, h.Start)
		}
		if err != nil {
			return err
		}
	}
	err := pairs.Close(last)
	p.lacks.Unended += pairs.Unended
	p.lacks.Unbegun += pairs.Unbegun
	return err
}
