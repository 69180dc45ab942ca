package events

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"

	"auspex/internal/figure"
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
	if h.Unordered {
		return src, nil // it is not the clocks
	}
	worst := int64(0)
	var needs []need
	for pair, d := range early {
		worst = max(worst, d)
		needs = append(needs, need{pair[0], pair[1], d})
	}
	if worst <= 0 {
		return src, nil
	}
	slices.SortFunc(needs, func(a, b need) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	shift, rest := shifts(needs, int(h.Ranks), worst)
	h.Doubt = rest
	h.Notes = append(h.Notes, fmt.Sprintf("messages arrived up to %s before they were sent; the clocks of ranks were shifted by up to %s, and %s remain", inUnit(worst), inUnit(slices.Max(shift)), inUnit(rest)))
	return &aligned{src, shift}, nil
}

// inUnit writes nanoseconds as people read them.
func inUnit(ns int64) string { return figure.Seconds(float64(ns)/1e9, 3) }

// aligned is a source with shifted clocks.
type aligned struct {
	Source
	shift []int64 // ns, by rank
}

// need says that a receiver's clock must be shifted further than a sender's, by
// how much its messages arrive too early at worst.
type need struct {
	from, to int32
	early    int64
}

// shifts are the least that leave as little as possible of the worst message's
// time backwards, and what is left. Clocks that drift contradict themselves: no
// shifts meet all needs, and trying to would only move the ranks apart.
func shifts(needs []need, ranks int, worst int64) (shift []int64, rest int64) {
	rest = int64(sort.Search(int(worst), func(rest int) bool { return relax(needs, ranks, int64(rest)) != nil }))
	return relax(needs, ranks, rest), rest
}

// relax finds the least shifts with shift(to) ≥ shift(from) + early − rest for
// all needs (difference constraints, as Bellman and Ford do it); nil where there
// are none, or none within some rounds. With all of the worst left there always are.
func relax(needs []need, ranks int, rest int64) []int64 {
	shift := make([]int64, ranks)
	for range min(ranks, 64) + 1 {
		changed := false
		for _, n := range needs {
			if want := shift[n.from] + n.early - rest; want > shift[n.to] {
				shift[n.to] = want
				changed = true
			}
		}
		if !changed {
			return shift
		}
	}
	return nil
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
