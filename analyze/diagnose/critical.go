package diagnose

import (
	"cmp"
	"context"
	"slices"

	"auspex/analyze"
	"auspex/cluster"
)

// CriticalRegion is a region that the kinds rest on. A core (CCCR) holds no
// deeper one.
type CriticalRegion struct {
	Region string `json:"region"` // path
	Name   string `json:"name"`
	Level  int    `json:"level"`
	Core   bool   `json:"core"`
	Inside string `json:"inside"` // the critical region around it; empty at level 1
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	// Share of the variance between units, of level 1 at level 1 and of the
	// region around it below; missing where it is not known.
	Share analyze.Real `json:"variance_share"`
	// With are regions that only together with this one change the kinds.
	With []string `json:"with,omitempty"`
}

// critical is such a region while it is searched for.
type critical struct {
	place
	level  int
	core   bool
	inside int // position of the one around it, -1 at level 1
	share  float64
	with   []place
}

func (s *study) describe(c critical, all []critical) CriticalRegion {
	region := s.d.Regions[c.region]
	r := CriticalRegion{
		Region: s.name(c.place), Name: region.Name, Level: c.level, Core: c.core,
		File: region.File, Line: region.Line, Share: analyze.Real(c.share),
	}
	if c.inside >= 0 {
		r.Inside = s.name(all[c.inside].place)
	}
	for _, p := range c.with {
		r.With = append(r.With, s.name(p))
	}
	return r
}

// searchKinds finds the critical regions by the five steps of "Debugging SPMD
// programs", section 3. Step 1 is done already: the vectors are of level 1.
// The radius stays that of the full vectors throughout.
func (s *study) searchKinds(ctx context.Context) ([]critical, error) {
	single := make([][]int, len(s.top.columns))
	for c := range single {
		single[c] = []int{c}
	}
	changes, err := s.link.Zeroing(ctx, single)
	if err != nil {
		return nil, err
	}
	shares := s.columnShares()
	var found []critical
	for c, changed := range changes {
		if changed { // step 2
			found = append(found, critical{place: s.top.columns[c], level: 1, inside: -1, share: shares[c]})
		}
	}
	if len(found) == 0 {
		return s.searchTogether(ctx, shares) // step 3
	}
	slices.SortStableFunc(found, func(a, b critical) int { return cmp.Compare(b.share, a.share) })
	var out []critical
	for _, c := range found {
		if out, err = s.searchBelow(ctx, out, c, slices.Index(s.top.columns, c.place)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// searchBelow appends c and the critical regions nested in it (steps 4 and 5):
// a nested region is critical where its time alone, in place of the level-1
// region's, gives the same kinds.
func (s *study) searchBelow(ctx context.Context, out []critical, c critical, coordinate int) ([]critical, error) {
	at := len(out)
	c.core = true
	out = append(out, c)
	if c.self || c.group {
		return out, nil
	}
	outer := s.values(c.place)
	for _, r := range s.top.nested[c.region] {
		inner := place{region: r}
		values := s.values(inner)
		share := covariance(values, outer) / covariance(outer, outer)
		if !(share > 0) {
			continue // spends no time, or none that goes with its outer region's
		}
		again, err := s.link.Replace(ctx, coordinate, values)
		if err != nil {
			return nil, err
		}
		if cluster.Changed(s.link.Labels, again.Labels) {
			continue
		}
		out[at].core = false
		nested := critical{place: inner, level: c.level + 1, inside: at, share: share}
		if out, err = s.searchBelow(ctx, out, nested, coordinate); err != nil {
			return nil, err
		}
	}
	return out, nil
}

const (
	// mostTogether is how many regions step 3 joins at most when trying all
	// combinations.
	mostTogether = 4
	// zeroingWork bounds combinations × units of one size.
	zeroingWork = 4_000_000
)

// searchTogether is step 3: where no region alone changes the kinds, 2, 3, …
// are joined into one, those first that differ most between kinds. The core is
// what all combinations found have in common. Zeroing more regions never
// undoes a change, so where the bound on combinations is met the leading
// regions are joined until the kinds change, and those not needed left out
// again.
func (s *study) searchTogether(ctx context.Context, shares []float64) ([]critical, error) {
	order := analyze.Counting(len(shares))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(shares[b], shares[a]) })
	limit := max(100, min(20_000, zeroingWork/max(1, len(s.active))))
	for n := 2; n <= min(mostTogether, len(order)); n++ {
		candidates := n
		for candidates < len(order) && combinations(candidates+1, n) <= limit {
			candidates++
		}
		sets := subsets(order[:candidates], n)
		changes, err := s.link.Zeroing(ctx, sets)
		if err != nil {
			return nil, err
		}
		var hits [][]int
		for k, changed := range changes {
			if changed {
				hits = append(hits, sets[k])
			}
		}
		if len(hits) == 0 {
			continue
		}
		if candidates < len(order) {
			s.warn("no region alone changes the kinds; of %d at level 1 the %d that differ most were tried %d at a time", len(order), candidates, n)
		}
		return s.together(hits, shares), nil
	}
	hit, err := s.leading(ctx, order)
	if err != nil || hit == nil {
		return nil, err
	}
	s.warn("the kinds differ in many regions: they stay the same without any %d of them, and change without %d", mostTogether, len(hit))
	return s.together([][]int{hit}, shares), nil
}

// leading joins regions in order until the kinds change, then leaves out what
// is not needed. It returns nil where nothing changes them.
func (s *study) leading(ctx context.Context, order []int) ([]int, error) {
	prefixes := make([][]int, len(order))
	for n := range order {
		prefixes[n] = order[:n+1]
	}
	changes, err := s.link.Zeroing(ctx, prefixes)
	if err != nil {
		return nil, err
	}
	n := slices.Index(changes, true)
	if n < 0 {
		s.warn("no combination of regions changes the kinds")
		return nil, nil
	}
	set := slices.Clone(prefixes[n])
	for k := len(set) - 1; k >= 0 && len(set) > 1; k-- {
		without := slices.Delete(slices.Clone(set), k, k+1)
		changes, err := s.link.Zeroing(ctx, [][]int{without})
		if err != nil {
			return nil, err
		}
		if changes[0] {
			set = without
		}
	}
	return set, nil
}

// together makes critical regions of combinations. Those in all of them are
// the core; where there is none, the first combination is, as a whole.
func (s *study) together(hits [][]int, shares []float64) []critical {
	inAll := slices.Clone(hits[0])
	inAny := map[int]bool{}
	for _, hit := range hits {
		inAll = slices.DeleteFunc(inAll, func(c int) bool { return !slices.Contains(hit, c) })
		for _, c := range hit {
			inAny[c] = true
		}
	}
	core := inAll
	if len(core) == 0 {
		core = hits[0]
		s.warn("%d combinations of %d regions change the kinds and have no region in common; the one that differs most is reported", len(hits), len(hits[0]))
		clear(inAny)
		for _, c := range core {
			inAny[c] = true
		}
	}
	var out []critical
	for c, p := range s.top.columns {
		if !inAny[c] {
			continue
		}
		x := critical{place: p, level: 1, inside: -1, share: shares[c], core: slices.Contains(core, c)}
		if x.core {
			for _, other := range core {
				if other != c {
					x.with = append(x.with, s.top.columns[other])
				}
			}
		}
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(a, b critical) int { return cmp.Compare(b.share, a.share) })
	return out
}

// combinations is n over k, cut off where it grows beyond use.
func combinations(n, k int) int {
	c := 1
	for i := range k {
		c = c * (n - i) / (i + 1)
		if c > 1<<40 {
			return c
		}
	}
	return c
}

// subsets lists all choices of n elements, earlier elements first.
func subsets(from []int, n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var out [][]int
	for i := 0; i+n <= len(from); i++ {
		for _, rest := range subsets(from[i+1:], n-1) {
			out = append(out, append([]int{from[i]}, rest...))
		}
	}
	return out
}
