package diagnose

import (
	"cmp"
	"math"
	"slices"

	"auspex/account"
	"auspex/analyze"
	"auspex/model"
)

// trouble is a region in which work is dealt out unevenly, and what the ledger
// says it costs.
type trouble struct {
	place
	share float64 // of units × run time
	lost  float64 // seconds, mean over the units
	apart bool    // units are far apart, whatever it costs
	with  []int   // regions that count together with it, of the ledger
	alone float64 // share of the run that balancing it alone gains; where there are such
	// absence: that some units spend no time here is taken for the reason, if not for
	// most of what is lost.
	absence bool
}

// leastTrouble is the share of the run from which a region is worth an
// explanation.
const leastTrouble = 0.01

// worthExplaining tells whether a share of the run is: of a run that is mostly
// something else, as much of the work suffices, as long as it is a thousandth.
func (s *study) worthExplaining(share float64) bool {
	return share >= max(leastTrouble/10, leastTrouble*min(1, s.ledger.Total(account.Useful)+s.ledger.Total(account.Imbalance)+s.ledger.Total(account.IO)))
}

// account finds the ledger the study's costs are taken from: that of the
// experiment, or one of its own where something else is compared than the time
// of all regions.
func (s *study) account(o Options) error {
	if o.Metric == "" && !o.WithMPI && o.RegionOf == "" && s.units.level != Nodes {
		all, err := s.d.Ledgers()
		if err != nil || len(all) == 0 {
			return err
		}
		s.ledger, s.named, s.groups = all[0], all[0].ByName, all[0].Groups
		s.time.groups = s.groups
		times, err := s.d.Times()
		if err != nil {
			return err
		}
		var there []int
		least := idleUnitShare * analyze.Mean(times.Total)
		for u, v := range times.Total {
			if v > least {
				there = append(there, u)
			}
		}
		s.asleep, s.there = s.units.allOf(s.ledger.Idle), s.units.allOf(there)
		return nil
	}
	own := s.time.useful.Clone()
	own.ToExclusive(s.d.Regions)
	in := account.Input{
		Type: string(s.units.level), Roles: make([]int, own.Units), Helper: make([]bool, own.Units), Paths: s.d.Paths,
		Classes: make([]account.Class, own.Regions), Wall: own, Totals: s.time.total, Run: s.time.runtime,
	}
	if o.RegionOf != "" {
		inside := s.subtree(s.top.parent, true)
		in.Run = 0
		for k := range own.Units {
			row := slices.Clone(own.Row(k))
			clear(own.Row(k))
			sum := 0.0
			for _, r := range inside {
				own.Row(k)[r] = row[r]
				sum += row[r]
			}
			in.Run = max(in.Run, sum)
		}
	}
	var err error
	s.ledger, err = account.Draw(in)
	return err
}

// troubles lists where the ledger sees work dealt out unevenly, the dearest
// first. Parts that all vary as the region around them does are that region;
// a critical region of the paper's procedure whose parts are each too small is
// one too.
func (s *study) troubles(found []critical) []trouble {
	if s.ledger == nil {
		return nil
	}
	whole := float64(s.ledger.Units) * s.ledger.RunSeconds
	shares, apart := map[int]float64{}, map[int]bool{}
	for _, spread := range s.ledger.Spreads {
		shares[spread.Region] += spread.Lost / whole
		apart[spread.Region] = apart[spread.Region] || spread.Most-spread.Mean >= account.Trouble*s.ledger.RunSeconds
	}
	var out []trouble
	add := func(p place, share float64, apart bool) {
		out = append(out, trouble{place: p, share: share, lost: share * s.ledger.RunSeconds, apart: apart})
	}
	for _, r := range s.rolledUp(shares, apart) {
		add(r.place, r.share, r.apart)
		if i := slices.IndexFunc(s.ledger.Spreads, func(x account.Spread) bool { return x.Region == r.region && r.share == shares[r.region] }); i >= 0 {
			last := &out[len(out)-1]
			last.with, last.alone = s.ledger.Spreads[i].With, s.ledger.Spreads[i].Alone/s.ledger.RunSeconds
		}
	}
	for _, c := range found {
		if !c.core || c.self || c.group {
			continue
		}
		inside := s.subtree(c.region, false)
		sum := 0.0
		for _, r := range inside {
			sum += shares[r]
		}
		known := slices.ContainsFunc(out, func(t trouble) bool { return slices.Contains(inside, t.region) || s.encloses(t.region, c.region) })
		if !known && s.worthExplaining(sum) {
			add(c.place, sum, false)
		}
	}
	slices.SortStableFunc(out, func(a, b trouble) int { return cmp.Compare(b.share, a.share) })
	return out
}

// rolledUp takes regions together that vary as one. Those in which units are
// far apart count even if it costs little, since another region makes up for it.
func (s *study) rolledUp(shares map[int]float64, apart map[int]bool) []trouble {
	pending := map[int]trouble{}
	for r, share := range shares {
		if !s.worthExplaining(share) && !apart[r] {
			continue
		}
		p := place{region: r, group: s.groups != nil, self: s.groups == nil && len(s.top.nested[r]) > 0}
		pending[r] = trouble{place: p, share: share, apart: apart[r]}
	}
	if !s.named {
		for r := len(s.d.Regions) - 1; r >= 0; r-- {
			if r != s.top.parent && !s.encloses(r, s.top.parent) {
				s.rollUp(r, shares, pending)
			}
		}
	}
	out := make([]trouble, 0, len(pending))
	for _, t := range pending {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b trouble) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.region, b.region))
	})
	return out
}

const (
	asOne      = 0.97 // the least correlation of parts that vary as one
	mostOfIt   = 0.9  // of a region's time, and of what is lost in it, the parts have
	apartByOne = 2    // the fewest parts to be taken together
	alikeBy    = 1.5  // how many times the relative spread of one that of another may be
)

// rollUp replaces the parts of a region by the region, where they have nearly
// all of its time and each varies as the region does, and by as much.
func (s *study) rollUp(r int, shares map[int]float64, pending map[int]trouble) {
	candidates := 0
	for _, part := range append([]int{r}, s.top.nested[r]...) {
		if _, ok := pending[part]; ok {
			candidates++
		}
	}
	if candidates < apartByOne {
		return // of most regions no two parts are troubles
	}
	var parts []int
	var spreads []float64
	inside, held, lost, all := 0.0, 0.0, 0.0, 0.0
	outer := s.values(place{region: r})
	if len(outer) < fewUnits {
		return // so few correlate by chance
	}
	for _, part := range append([]int{r}, s.top.nested[r]...) {
		t, ok := pending[part]
		p := place{region: part, self: part == r && len(s.top.nested[r]) > 0}
		values := s.values(p)
		time := analyze.Total(values)
		inside += time
		if part != r {
			for _, below := range s.subtree(part, false) {
				all += shares[below]
			}
		} else {
			all += shares[r]
		}
		if !ok {
			continue
		}
		if correlation(values, outer) < asOne {
			return
		}
		parts = append(parts, part)
		spreads = append(spreads, math.Sqrt(covariance(values, values))/time)
		held += time
		lost += t.share
	}
	if len(parts) < apartByOne || held < mostOfIt*inside || lost < mostOfIt*all || slices.Max(spreads) > alikeBy*slices.Min(spreads) {
		return
	}
	for _, part := range parts {
		delete(pending, part)
	}
	pending[r] = trouble{place: place{region: r}, share: lost}
}

// encloses tells whether a region is around another, or it itself.
func (s *study) encloses(outer, inner int) bool {
	for r := inner; r != model.NoParent; r = s.d.Regions[r].Parent {
		if r == outer {
			return true
		}
	}
	return false
}

// name is how a trouble's region is called: by its path, or its name where
// regions of one name count as one.
func (s *study) name(p place) string {
	if s.named && p.group {
		return s.d.CalledName(p.region)
	}
	return s.d.Paths[p.region]
}

// criticals adds the troubles that the paper's procedure did not come upon to
// the critical regions: a second cause, or one that makes no kinds.
func (s *study) criticals(found []critical, troubles []trouble) []critical {
	for _, t := range troubles {
		if t.share < account.Trouble {
			continue
		}
		if i := slices.IndexFunc(found, func(c critical) bool { return c.region == t.region && !s.named }); i >= 0 {
			found[i].core = true
			continue
		}
		c := critical{place: t.place, core: true, inside: -1, share: math.NaN()}
		for r := t.region; r != model.NoParent && r != s.top.parent; r = s.d.Regions[r].Parent {
			c.level++
		}
		c.level = max(1, c.level)
		found = append(found, c)
	}
	for i := range found {
		s.nest(found, i, troubles)
	}
	for i := range found {
		c := &found[i]
		if c.share == c.share || c.inside < 0 || c.self || c.group {
			continue
		}
		outer := s.values(found[c.inside].place)
		if share := covariance(s.values(c.place), outer) / covariance(outer, outer); share > 0 {
			c.share = share
		}
	}
	return found
}

// nest puts a core into the innermost critical region around it. Those around it
// are no cores: unless it is their own time, outside of it, that differs, the
// difference is further inside.
func (s *study) nest(found []critical, i int, troubles []trouble) {
	c := &found[i]
	if !c.core || s.named {
		return
	}
	for k := range found {
		outer := &found[k]
		if k == i || outer.region == c.region || outer.self || outer.group || !s.encloses(outer.region, c.region) {
			continue
		}
		if !slices.ContainsFunc(troubles, func(t trouble) bool { return t.region == outer.region && t.share >= account.Trouble }) {
			outer.core = false
		}
		if c.inside < 0 || s.encloses(found[c.inside].region, outer.region) {
			c.inside = k
		}
	}
}

// coreWait is the share of the run in which the units of the ledger stood without a
// core within MPI.
func (s *study) coreWait() float64 {
	return s.sumIn(model.CoreWait, func(r int) bool {
		c := s.d.Classes[r]
		return s.d.Communication[r] && s.d.Regions[r].Kind == model.MPI && (c == account.Communicating || c == account.Waits || c == account.Sending)
	}) / (float64(s.ledger.Units) * s.ledger.RunSeconds)
}

// spinning is how threads wait for each other, where those that work may lack the cores
// for it: nil where there are cores for all, or nobody keeps one while it waits.
func (s *study) spinning() *Spinning {
	if active := s.ledger.Units - len(s.ledger.Idle); s.ledger.Cores == 0 || active <= s.ledger.Cores {
		return nil
	}
	waits := func(r int) bool { return s.d.Classes[r] == account.Waits && s.d.Regions[r].Kind != model.MPI }
	all := s.sumIn(model.CPUTime, func(int) bool { return true })
	if all == 0 {
		return nil
	}
	out := &Spinning{Share: s.sumIn(model.CPUTime, waits) / all}
	if out.Share < leastSpinning {
		return nil
	}
	return out
}

// leastSpinning of the CPU time is spent in waiting by those who spin: who gives the core
// up looks a few times first.
const leastSpinning = 0.2

// sumIn sums a metric up over the units of the ledger, in some regions; 0 where it was
// not measured.
func (s *study) sumIn(metric string, regions func(r int) bool) float64 {
	name := metric + "." + string(model.Exclusive)
	if !s.d.Has(name) {
		return 0
	}
	values, err := s.d.Matrix(name)
	if err != nil {
		return 0
	}
	sum := 0.0
	for u := range values.Units {
		for r, v := range values.Row(u) {
			if v > 0 && regions(r) {
				sum += v
			}
		}
	}
	return sum
}

// headline says what the run's largest avoidable loss is. A region of
// imbalance is called as the causes call it.
func (s *study) headline(r *Diagnosis) {
	r.Ledger, r.LoadBalance = []account.Line{}, analyze.Missing
	if t, err := s.d.Times(); err == nil {
		r.LoadBalance = t.Efficiency().LoadBalance
	}
	if s.ledger == nil || s.ledger.RunSeconds <= 0 {
		r.Headline = account.Headline{Kind: account.Useful}
		return
	}
	r.Ledger, r.Ledgered, r.Cores, r.Crowded = s.ledger.Lines, s.ledger.Units, s.ledger.Cores, s.ledger.Crowded
	r.OwnCores = s.ledger.OwnCores
	r.Runtime = analyze.Real(s.ledger.RunSeconds) // a process's times are sums over its threads
	r.CoreWait, r.Spinning = s.coreWait(), s.spinning()
	all := s.ledger.Headlines()
	for i := range all {
		if all[i].Kind == account.Imbalance && len(r.Causes) > 0 && float64(r.Causes[0].LostShare) >= all[i].Share {
			all[i].Region, all[i].Share = account.Place(r.Causes[0].Region), float64(r.Causes[0].LostShare)
		}
	}
	if r.Slower != nil && all[0].Kind == account.Useful {
		// Small parts of many regions are one thing here, and no noise.
		all[0] = s.ledger.Worst(account.Imbalance)
	}
	r.Headline = all[0]
	if len(all) > 1 {
		r.Second = &all[1]
	}
}
