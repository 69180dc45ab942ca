package diagnose

import (
	"cmp"
	"math"
	"slices"

	"auspex/account"
	"auspex/analyze"
	"auspex/model"
)

// Slower are units that take longer than the others in everything they do: it is
// they that are slow, and no region.
type Slower struct {
	Units  []Name       `json:"units"`
	Factor analyze.Real `json:"factor"` // of all of them together
	// Least and Most are the factors of the quickest and the slowest group of them.
	Least analyze.Real `json:"least"`
	Most  analyze.Real `json:"most"`
	// Share of the work is in regions that take longer by the factor, and Except are
	// the others with a hundredth of it at least.
	Share  analyze.Real `json:"share"`
	Except []string     `json:"except"`
	Nodes  []string     `json:"nodes"` // where they run, if all there are slow and none elsewhere
	// Attribute is a count of which they have as much more; empty where there is none.
	Attribute string       `json:"attribute"`
	Ratio     analyze.Real `json:"ratio"` // of it
	Counted   bool         `json:"-"`     // there are metrics that could have explained it
	Alike     bool         `json:"-"`     // but for that no unit makes others wait
}

const (
	// leastWork of all work has a region that is looked at, leastTold one that is told of.
	leastWork, leastTold = 0.002, 0.01
	// mostWork is in the regions that are slower by the factor, and fewRegions are too
	// few to speak of all.
	mostWork, fewRegions = 0.8, 3
	// leastSlower is the factor from which on a unit is slower.
	leastSlower = 1.03
	// sameFactor is how far the logarithm of a region's factor may be from that of the
	// unit, as a part of it, and sameWithNoise where the region is noisy.
	sameFactor, sameWithNoise = 0.4, 0.6
	// paceGap is how many times the scatter of the units' paces is between two groups.
	paceGap = 3
	// usualUnits is the part of the units that is needed to be what is usual.
	usualUnits = 0.25
	// paired units are enough to know how paces scatter.
	paired = 512
)

// slowerEverywhere finds them by their pace: the factor to the median unit's time in
// the middle of a unit's regions, so that a region or two that are not slower, or
// slower still, do not matter.
func (s *study) slowerEverywhere(causes []Cause) *Slower {
	if s.ledger == nil || s.units.mixed || len(s.active) < 2 || s.ledger.Total(account.Imbalance) < account.Trouble {
		return nil
	}
	w := s.ownWork()
	if len(w.regions) < fewRegions {
		return nil
	}
	groups := w.groups()
	usual := slices.IndexFunc(groups, func(g []int) bool { return float64(len(g)) >= usualUnits*float64(len(s.active)) })
	if usual < 0 || usual == len(groups)-1 {
		return nil
	}
	out := &Slower{Least: analyze.Real(math.Inf(1)), Share: 1, Except: []string{}, Nodes: []string{}}
	var slow []int
	except := map[int]bool{}
	rest := slices.Clone(w.total)
	for _, g := range groups[usual+1:] {
		f, ok := w.factor(g, groups[usual])
		if !ok {
			continue
		}
		for _, r := range f.except {
			except[r] = true
		}
		for _, i := range g {
			rest[i] -= w.time(i, f.same) * (1 - 1/f.factor)
		}
		slow = append(slow, g...)
		out.Least, out.Most = min(out.Least, analyze.Real(f.factor)), max(out.Most, analyze.Real(f.factor))
		out.Share = min(out.Share, analyze.Real(f.share))
	}
	if len(slow) == 0 || lostTime(rest) > lostTime(w.total)/2 {
		return nil // something else is worse
	}
	slices.Sort(slow)
	same := slices.DeleteFunc(slices.Clone(w.regions), func(r int) bool { return except[r] })
	out.Factor = analyze.Real(w.mean(slow, same) / w.mean(groups[usual], same))
	for _, r := range w.regions {
		if except[r] && w.usual[r] >= leastTold*w.whole {
			out.Except = append(out.Except, s.d.Paths[r])
		}
	}
	out.Units = s.units.pick(pick(s.active, slow))
	out.Alike = lostTime(rest) < account.Trouble*s.time.runtime
	if on := s.nodes(); on != nil {
		out.Nodes = append(out.Nodes, nodesOf(slow, on)...)
	}
	if !s.moreToDo(out, slow, groups[usual], causes) {
		return nil
	}
	return out
}

// ownWork is the time of the active units outside communication, each region's own.
type ownWork struct {
	at      func(i, r int) float64
	regions []int     // with enough work
	usual   []float64 // by region: the median unit's time
	whole   float64   // of all regions that count
	total   []float64 // by unit, of all regions
}

func (s *study) ownWork() *ownWork {
	own := s.time.useful.Clone()
	own.ToExclusive(s.d.Regions)
	w := &ownWork{at: func(i, r int) float64 { return own.At(s.active[i], r) }, usual: make([]float64, own.Regions), total: make([]float64, len(s.active))}
	all := 0.0
	values := make([]float64, len(s.active))
	for r := range w.usual {
		for i := range values {
			values[i] = max(0, w.at(i, r))
			w.total[i] += values[i]
		}
		w.usual[r] = middle(values)
		all += w.usual[r]
	}
	for r, v := range w.usual {
		if v >= leastWork*all && v > 0 {
			w.regions = append(w.regions, r)
			w.whole += v
		}
	}
	return w
}

// pace is the median of a unit's factors, weighted by the regions' time.
func (w *ownWork) pace(i int) float64 {
	type one struct{ ratio, weight float64 }
	all := make([]one, len(w.regions))
	for k, r := range w.regions {
		all[k] = one{w.at(i, r) / w.usual[r], w.usual[r]}
	}
	slices.SortFunc(all, func(a, b one) int { return cmp.Compare(a.ratio, b.ratio) })
	left := w.whole / 2
	for _, x := range all {
		if left -= x.weight; left <= 0 {
			return x.ratio
		}
	}
	return all[len(all)-1].ratio
}

// groups puts units of one pace together, the quickest first.
func (w *ownWork) groups() [][]int {
	paces := make([]float64, len(w.total))
	for i := range paces {
		paces[i] = math.Log(max(w.pace(i), 1e-9))
	}
	order := analyze.Counting(len(paces))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(paces[a], paces[b]) })
	gap := math.Log(leastSlower)
	if len(paces) >= fewUnits { // of fewer it is only known how regions scatter
		gap = max(gap, paceGap*scatter(paces))
	}
	groups := [][]int{{order[0]}}
	for k := 1; k < len(order); k++ {
		if paces[order[k]]-paces[order[k-1]] > gap {
			groups = append(groups, nil)
		}
		last := &groups[len(groups)-1]
		*last = append(*last, order[k])
	}
	return groups
}

// scatter is the standard deviation of values that may be of several groups: from the
// first quartile of the differences between two of them, for nearly half of all pairs
// are of one group even where there are two as large (Rousseeuw and Croux, Alternatives
// to the median absolute deviation, 1993: Q_n).
func scatter(values []float64) float64 {
	step := max(1, len(values)/paired)
	var apart []float64
	for i := 0; i < len(values); i += step {
		for k := i + step; k < len(values); k += step {
			apart = append(apart, math.Abs(values[i]-values[k]))
		}
	}
	if len(apart) == 0 {
		return 0
	}
	slices.Sort(apart)
	return 2.2219 * apart[len(apart)/4]
}

// slowFactor is by how much some units are slower, and where.
type slowFactor struct {
	factor, share float64
	same, except  []int // regions
}

// factor tells whether some units take longer than others by one factor in nearly all
// regions, and in none by so much more that it is something of its own.
func (w *ownWork) factor(slow, usual []int) (slowFactor, bool) {
	f := slowFactor{factor: 1}
	ratios := make([]float64, len(w.regions))
	paces := make([]float64, len(slow))
	for k, i := range slow {
		paces[k] = w.pace(i)
	}
	f.factor = middle(paces) / w.paceOf(usual)
	if f.factor < leastSlower {
		return f, false
	}
	held, above := 0.0, 0.0
	for k, r := range w.regions {
		there := w.mean(usual, []int{r})
		if there <= 0 {
			return f, false
		}
		ratios[k] = w.mean(slow, []int{r}) / there
		away := math.Abs(math.Log(max(ratios[k], 1e-9) / f.factor))
		noise := 2 * w.noise(usual, r, there) / math.Sqrt(float64(len(slow)))
		if away <= min(sameWithNoise*math.Log(f.factor), sameFactor*math.Log(f.factor)+noise) {
			f.same = append(f.same, r)
			held += w.usual[r]
			continue
		}
		f.except = append(f.except, r)
		if ratios[k] > f.factor {
			above += (ratios[k] - f.factor) * there
		}
	}
	f.share = held / w.whole
	if f.share < mostWork || len(f.same) < fewRegions || 2*len(f.same) <= len(w.regions) || above > (f.factor-1)*held/4 {
		return f, false
	}
	f.factor = w.mean(slow, f.same) / w.mean(usual, f.same)
	return f, f.factor >= leastSlower
}

// paceOf is the middle pace of some units.
func (w *ownWork) paceOf(units []int) float64 {
	paces := make([]float64, len(units))
	for k, i := range units {
		paces[k] = w.pace(i)
	}
	return middle(paces)
}

// noise is the relative scatter of some units in a region.
func (w *ownWork) noise(units []int, r int, mean float64) float64 {
	away := make([]float64, len(units))
	for k, i := range units {
		away[k] = math.Abs(w.at(i, r) - mean)
	}
	return 1.5 * middle(away) / mean
}

// time is that of a unit in some regions.
func (w *ownWork) time(i int, regions []int) float64 {
	sum := 0.0
	for _, r := range regions {
		sum += max(0, w.at(i, r))
	}
	return sum
}

// mean is the time of some units in some regions.
func (w *ownWork) mean(units, regions []int) float64 {
	sum := 0.0
	for _, i := range units {
		sum += w.time(i, regions)
	}
	return sum / float64(len(units))
}

// moreToDo looks for a count that the slow units have as much more of as they take
// longer: they have more to do then. It is false where the causes of regions are
// explained by something that all regions together do not show.
func (s *study) moreToDo(out *Slower, slow, usual []int, causes []Cause) bool {
	best := math.Inf(1)
	for _, name := range s.d.MetricNames() {
		metric, err := s.d.Resolve(name)
		if err != nil || name == s.time.metric.Name || repeatsTime(metric) || isSpeed(metric) || name == model.Cycles {
			continue
		}
		out.Counted = true
		if !metric.Additive() || perInstruction(name) {
			continue
		}
		m, err := s.d.Load(metric)
		if err != nil {
			continue
		}
		work := []int{}
		for r := range s.d.Regions {
			if travels(name) || !communicates(s.d, r) {
				work = append(work, r)
			}
		}
		values := pick(s.units.sum(m, work, true), s.active)
		here, there := analyze.Mean(pick(values, slow)), analyze.Mean(pick(values, usual))
		off := math.Abs(here/there - float64(out.Factor))
		if there > 0 && off <= sameFactor*float64(out.Factor-1) && off < best && above(values, slow, usual) {
			best, out.Attribute, out.Ratio = off, name, analyze.Real(here/there)
		}
	}
	if out.Attribute != "" {
		return true
	}
	return !slices.ContainsFunc(causes, func(c Cause) bool {
		return slices.ContainsFunc(c.Evidence, func(e Contrast) bool { return e.Node == "" })
	})
}
