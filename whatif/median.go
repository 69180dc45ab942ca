package whatif

import (
	"fmt"
	"slices"
)

// ordinary makes ranks like the others, one after the other.
func (c *Case) ordinary(s *setting, ch Change) error {
	for _, rank := range append([]int{ch.Rank}, ch.Also...) {
		if err := c.ordinaryRank(s, Change{Kind: ch.Kind, Rank: rank}); err != nil {
			return err
		}
	}
	return nil
}

// ordinaryRank makes a rank like the others: in each region as much computation as their
// median, and in all no more than theirs. What they do in regions that it never
// enters it does instead of what it does more of than they do, and no longer than that.
func (c *Case) ordinaryRank(s *setting, ch Change) error {
	if ch.Rank >= c.ranks {
		return fmt.Errorf("there is no rank %d: the trace has %d", ch.Rank, c.ranks)
	}
	if c.ranks < 2 {
		return fmt.Errorf("%s: there is no other rank to be like", ch)
	}
	if c.trace == nil {
		c.atMostOrdinary(s, ch.Rank)
		return nil
	}
	totals := make([]float64, c.ranks)
	had, usual := make([]float64, len(c.profile.Seconds)), make([]float64, len(c.profile.Seconds))
	kept, more := 0.0, 0.0 // what it has if it does as they do in its regions, and what it had more
	for r := range had {
		row := c.spent(s, r)
		for rank, t := range row {
			totals[rank] += t
		}
		if had[r] = row[ch.Rank]; had[r] > 0 {
			slices.Sort(row)
			usual[r] = medianWithout(row, had[r])
			kept += usual[r]
			more += max(had[r]-usual[r], 0)
		}
	}
	mine := totals[ch.Rank]
	slices.Sort(totals)
	whole := medianWithout(totals, mine)
	for r := range had {
		if had[r] <= 0 {
			continue
		}
		will := usual[r]
		switch {
		case kept > whole: // the medians of regions need not be of one rank
			will *= whole / kept
		case more > 0:
			will += min(whole-kept, more) * max(had[r]-will, 0) / more
		}
		scaleRow(s, c, r)[ch.Rank] *= will / had[r]
	}
	c.usualHost(s, ch.Rank)
	c.usualStops(s, ch.Rank)
	c.usualPauses(s, ch.Rank)
	if s.late != nil {
		late := s.late[ch.Rank]
		s.late[ch.Rank] = min(late, medianWithout(slices.Sorted(slices.Values(s.late)), late))
	}
	return nil
}

// atMostOrdinary takes away all that a rank may have more than the others where only
// a profile is known: in each region, as if they did nothing where they may have
// waited, and more of it where the medians of regions are together more than that of
// what ranks do in all.
func (c *Case) atMostOrdinary(s *setting, rank int) {
	had, usual := make([]float64, len(c.profile.Seconds)), make([]float64, len(c.profile.Seconds))
	totals := make([]float64, c.ranks)
	kept := 0.0
	for r := range had {
		row := c.spent(s, r)
		had[r] = row[rank]
		for other, t := range row {
			totals[other] += t
			if other != rank {
				row[other] = max(t-c.hidden.in(r, other), 0)
			}
		}
		if slices.Sort(row); had[r] > 0 {
			usual[r] = medianWithout(row, had[r])
			kept += usual[r]
		}
	}
	mine := totals[rank]
	for other := range totals {
		if other != rank {
			totals[other] -= c.hidden.all(other)
		}
	}
	slices.Sort(totals)
	part := 1.0
	if whole := max(medianWithout(totals, mine), 0); whole < kept {
		part = whole / kept
	}
	for r := range had {
		if had[r] > 0 {
			scaleRow(s, c, r)[rank] *= min(part*usual[r]/had[r], 1)
		}
	}
	c.usualPauses(s, rank)
}

// usualHost has the host of a rank's device work as long as those of the others, in each
// region.
func (c *Case) usualHost(s *setting, rank int) {
	work := c.trace.HostSeconds()
	if len(work) == 0 {
		return
	}
	if s.work.Launching == nil {
		s.work.Launching = make([][]float64, len(work))
	}
	for region, row := range work {
		own := row[rank]
		if own <= 0 {
			continue
		}
		if s.work.Launching[region] == nil {
			s.work.Launching[region] = slices.Repeat([]float64{1}, c.ranks)
		}
		s.work.Launching[region][rank] = medianWithout(slices.Sorted(slices.Values(row)), own) / own
	}
}

// usualPauses has a rank blocked or asleep no longer than the others are.
func (c *Case) usualPauses(s *setting, rank int) {
	had := c.profile.Pauses[rank]
	usual := medianWithout(slices.Sorted(slices.Values(c.profile.Pauses)), had)
	if had <= usual {
		return
	}
	if s.work.Pauses == nil {
		s.work.Pauses = slices.Repeat([]float64{1}, c.ranks)
	}
	s.work.Pauses[rank] = usual / had
}

// medianWithout is the median of sorted values but for one of them: of two, the
// other one.
func medianWithout(sorted []float64, value float64) float64 {
	n := len(sorted) - 1
	if n < 1 {
		return 0
	}
	out, _ := slices.BinarySearch(sorted, value)
	at := func(i int) float64 {
		if i >= out {
			i++
		}
		return sorted[i]
	}
	return (at((n-1)/2) + at(n/2)) / 2
}
