package events

import (
	"context"
	"fmt"
)

// Align shifts the clocks of ranks so that no message is received before it was
// sent, as far as shifts can: clocks that drift would need more. It reads the
// trace once; where all clocks fit, the source itself comes back. What was
// shifted, and by how much messages still run backwards, is noted.
func Align(ctx context.Context, src Source) (Source, error) {
	var m Matcher
	early := map[[2]int32]int64{} // by sender and receiver: how much too early, at worst
	h := src.Header()
	err := src.Each(ctx, func(s *Span) error {
		rank := h.Locations[s.Loc].Rank
		for i := range s.Messages {
			send, receive, ok := m.Half(rank, s, &s.Messages[i])
			if !ok {
				continue
			}
			pair := [2]int32{h.Locations[send.Loc].Rank, h.Locations[receive.Loc].Rank}
			late := send.Begin - receive.End
			if worst, seen := early[pair]; !seen || late > worst {
				early[pair] = late
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	worst := int64(0)
	for _, d := range early {
		worst = max(worst, d)
	}
	if worst <= 0 {
		return src, nil
	}
	a := &aligned{Source: src, shift: make([]int64, h.Ranks)}
	a.solve(early)
	rest, most := int64(0), int64(0)
	for pair, d := range early {
		rest = max(rest, d+a.shift[pair[0]]-a.shift[pair[1]])
	}
	for _, s := range a.shift {
		most = max(most, s)
	}
	h.Notes = append(h.Notes, fmt.Sprintf("messages arrived up to %.3g µs before they were sent; the clocks of ranks were shifted by up to %.3g µs, and %.3g µs remain", float64(worst)/1e3, float64(most)/1e3, float64(rest)/1e3))
	return a, nil
}

// aligned is a source with shifted clocks.
type aligned struct {
	Source
	shift []int64 // ns, by rank
}

// solve finds the least shifts with shift(to) ≥ shift(from) + early for all
// pairs (difference constraints, by relaxing as Bellman and Ford do). Where they
// contradict one another it stops after as many rounds as there are ranks could
// need, and something remains.
func (a *aligned) solve(early map[[2]int32]int64) {
	for range min(len(a.shift), 64) {
		changed := false
		for pair, d := range early {
			if want := a.shift[pair[0]] + d; want > a.shift[pair[1]] {
				a.shift[pair[1]] = want
				changed = true
			}
		}
		if !changed {
			return
		}
	}
}

// Each hands over the spans with shifted times.
func (a *aligned) Each(ctx context.Context, visit func(*Span) error) error {
	h := a.Header()
	return a.Source.Each(ctx, func(s *Span) error {
		by := a.shift[h.Locations[s.Loc].Rank]
		if by == 0 {
			return visit(s)
		}
		moved := *s
		moved.Begin += by
		moved.End += by
		moved.Messages = make([]Half, len(s.Messages))
		for i, m := range s.Messages {
			m.Posted += by
			moved.Messages[i] = m
		}
		return visit(&moved)
	})
}
