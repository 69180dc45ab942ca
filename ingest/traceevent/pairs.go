package traceevent

import "fmt"

// Pairs makes events of the beginnings (B) and ends (E) of one thread, told in order
// of time. As in Perfetto, an end with a name ends the innermost event of that name,
// one without the innermost of all. What began inside an event that ends, and has no
// end of its own by then, ends with it.
type Pairs[T any] struct {
	// Done is told each event, with when it began and ended.
	Done func(of T, from, to int64) error
	// Unended are events without an end, Unbegun ends without an event.
	Unended, Unbegun int
	open             []begun[T]
}

type begun[T any] struct {
	of    T
	name  string
	from  int64
	outer bool  // an event around it has ended
	until int64 // when
}

// maxOpen is more than programs nest.
const maxOpen = 1 << 16

// Begin begins an event.
func (p *Pairs[T]) Begin(of T, name string, at int64) error {
	if err := p.leave(at); err != nil {
		return err
	}
	if len(p.open) == maxOpen {
		return fmt.Errorf("more than %d events begun and not ended on one thread", maxOpen)
	}
	p.open = append(p.open, begun[T]{of: of, name: name, from: at})
	return nil
}

// leave ends what lies inside events that ended before.
func (p *Pairs[T]) leave(at int64) error {
	for n := len(p.open) - 1; n >= 0 && p.open[n].outer && p.open[n].until < at; n-- {
		if err := p.abandon(p.open[n].until); err != nil {
			return err
		}
	}
	return nil
}

// abandon ends the innermost event, which has no end.
func (p *Pairs[T]) abandon(at int64) error {
	last := p.open[len(p.open)-1]
	p.open = p.open[:len(p.open)-1]
	p.Unended++
	return p.Done(last.of, last.from, max(at, last.from))
}

// End ends an event; the name may be empty.
func (p *Pairs[T]) End(name string, at int64) error {
	if err := p.leave(at); err != nil {
		return err
	}
	n := len(p.open) - 1
	for n >= 0 && name != "" && p.open[n].name != name {
		n--
	}
	if n < 0 {
		p.Unbegun++
		return nil
	}
	ended := p.open[n]
	p.open = append(p.open[:n], p.open[n+1:]...)
	for i := n; i < len(p.open); i++ {
		if inner := &p.open[i]; !inner.outer && inner.from < at {
			inner.outer, inner.until = true, at
		}
	}
	return p.Done(ended.of, ended.from, at)
}

// Close ends what never ended with the trace.
func (p *Pairs[T]) Close(last int64) error {
	for n := len(p.open) - 1; n >= 0; n-- {
		at := last
		if p.open[n].outer {
			at = p.open[n].until
		}
		if err := p.abandon(at); err != nil {
			return err
		}
	}
	return nil
}

// Lacks says what the events of a trace lack, and what is made of it; "" of what is
// not so.
type Lacks struct {
	Time, Length     int // events without a time, or without a length
	Unended, Unbegun int
}

// Words says it, a sentence each.
func (l Lacks) Words() []string {
	var words []string
	say := func(n int, one, many string) {
		switch {
		case n == 1:
			words = append(words, one)
		case n > 1:
			words = append(words, fmt.Sprintf(many, n))
		}
	}
	say(l.Unbegun, "1 end of an event (E) without a beginning was passed over", "%d ends of events (E) without a beginning were passed over")
	say(l.Time, "1 event without a time (ts) was passed over", "%d events without a time (ts) were passed over")
	say(l.Length, "1 event has no duration (dur), or a negative one, and counts as 0 s", "%d events have no duration (dur), or a negative one, and count as 0 s")
	return words
}

// Endless says that events have no end; "" where all have one.
func (l Lacks) Endless() string {
	switch l.Unended {
	case 0:
		return ""
	case 1:
		return "1 event never ended: it is taken to end with the one around it, or with the trace"
	}
	return fmt.Sprintf("%d events never ended: they are taken to end with the one around them, or with the trace", l.Unended)
}
