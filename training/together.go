package training

import (
	"fmt"
	"slices"
)

// Alike tells stragglers that are late for the same reason, as the ranks of a slow
// node are.
func (s *Straggler) Alike(o *Straggler) bool {
	return s.Side == o.Side && s.Cause == o.Cause && s.Region == o.Region && s.Pattern == o.Pattern
}

// Groups are the stragglers, those that are alike together, in their order.
func (r *Result) Groups() [][]Straggler {
	var groups [][]Straggler
	for _, s := range r.Stragglers {
		i := slices.IndexFunc(groups, func(g []Straggler) bool { return g[0].Alike(&s) })
		if i < 0 {
			i = len(groups)
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], s)
	}
	return groups
}

// shareOut says what would be gained without each cause. Where there are several, a
// step that one of them no longer holds up is still held up by the others.
func (j *job) shareOut(result *Result) {
	groups := result.Groups()
	if len(groups) < 2 {
		return
	}
	own := j.ownTimes()
	result.all = j.gain(own, result.Stragglers)
	for _, g := range groups {
		share := j.gain(own, g)
		for i := range result.Stragglers {
			if s := &result.Stragglers[i]; s.Alike(&g[0]) && s.Side != Network {
				s.Share = min(s.Share, share)
			}
		}
	}
}

// gain is the share of the run by which the steps would be shorter were some ranks
// no longer at work in them than the busiest of the others.
func (j *job) gain(own [][3][]int64, without []Straggler) float64 {
	var sum int64
	for _, times := range own {
		var all, others int64
		for r, time := range times[total] {
			all = max(all, time)
			if !slices.ContainsFunc(without, func(s Straggler) bool { return s.Rank == j.ranks[r].Number }) {
				others = max(others, time)
			}
		}
		sum += all - others
	}
	return min(float64(sum)/float64(j.run), 1)
}

// rankList names ranks, those that follow each other as from one to another.
func rankList(ranks []int) string {
	ranks = slices.Sorted(slices.Values(ranks))
	var parts []string
	for i := 0; i < len(ranks); {
		k := i
		for k+1 < len(ranks) && ranks[k+1] == ranks[k]+1 {
			k++
		}
		if k-i >= 2 {
			parts = append(parts, fmt.Sprintf("%d to %d", ranks[i], ranks[k]))
		} else {
			for _, r := range ranks[i : k+1] {
				parts = append(parts, fmt.Sprint(r))
			}
		}
		i = k + 1
	}
	if len(ranks) == 1 {
		return "rank " + parts[0]
	}
	return "ranks " + listed(parts)
}

// listed joins words by commas, and the last by "and".
func listed(parts []string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	text := parts[0]
	for _, p := range parts[1 : len(parts)-1] {
		text += ", " + p
	}
	return text + " and " + parts[len(parts)-1]
}
