package account

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

const (
	// Noise of a region's time is taken to be at least and at most this: below
	// it clocks are not to be trusted, above it is no noise whatever its
	// pattern.
	leastNoise, mostNoise = 0.004, 0.05
	// usualNoise is taken where too few regions are there to tell, and more where
	// cores are shared.
	usualNoise = 0.02
	// mostPace is the most by which units differ in all regions alike without
	// that meaning anything: clocks, temperatures, places in memory.
	mostPace = 0.015
	// quieter is how many times the scatter of the quietest regions that of
	// others is, with many units; what few say of it is not to be trusted.
	quieter = 1.4
	// manyUnits are needed to see how heavy the tail of the noise is, and
	// beyondTail times what the least differing regions show is no noise.
	manyUnits  = 16
	beyondTail = 1.6
	// sampled units are enough to know the noise.
	sampled = 1024
)

// noise is the relative scatter that regions show without a reason: of each
// unit's relative differences from the regions' medians, what is left after
// the unit's own (that of most of its regions) is taken off, the median over
// units in each region, and the median over regions weighted by their time, as
// far as the quietest regions make it likely.
// The scatter of the units' own is their pace.
func (d *drawing) noise() {
	type one struct{ scatter, weight float64 }
	var found []one
	var tails, widths []float64
	pace := 0.0
	// Who has to give up its core comes back to cold caches: the same work then takes
	// each another CPU time.
	alone := min(mostNoise, usualNoise*d.stretch)
	for _, number := range slices.Sorted(maps.Keys(d.roles)) {
		x := d.roles[number]
		if x.units < 3 {
			continue
		}
		var rows [][]float64
		step := max(1, d.Wall.Units/sampled)
		p := d.newParts()
		for u := 0; u < d.Wall.Units; u += step {
			if d.Roles[u] != number || d.idle[u] {
				continue
			}
			d.split(u, p)
			rows = append(rows, slices.Clone(p.work))
		}
		var groups []int
		var centres []float64
		for g, s := range x.groups {
			centre := median(column(rows, g))
			if s.sum >= leastLine*d.Run*float64(s.units) && centre > 0 {
				groups, centres = append(groups, g), append(centres, centre)
			}
		}
		if len(groups) < 3 {
			// No region to hold another against: the quietest by itself, where
			// there are units enough.
			for k, g := range groups {
				if len(rows) >= 16 {
					alone = min(alone, quieter*deviation(column(rows, g))/centres[k])
				}
			}
		}
		if len(groups) < 3 || len(rows) < 3 {
			continue
		}
		rest := make([][]float64, len(groups))
		var paces []float64
		for _, row := range rows {
			relative := make([]float64, len(groups))
			for k, g := range groups {
				relative[k] = row[g]/centres[k] - 1
			}
			own := median(relative)
			paces = append(paces, own)
			for k, v := range relative {
				rest[k] = append(rest[k], v-own)
			}
		}
		var within []float64
		for k, g := range groups {
			// Taking the unit's own off takes a part of the noise with it; and
			// few values may scatter less than they usually do.
			n := float64(len(groups))
			free := (n - 1) * float64(len(rows)-1)
			scatter := deviation(rest[k]) * math.Sqrt(n/(n-1))
			chance := x.groups[groups[k]].chance / centres[k]
			scatter = math.Sqrt(max(0, scatter*scatter-chance*chance))
			within = append(within, scatter)
			if len(rows) >= manyUnits {
				tails, widths = append(tails, slices.Max(rest[k])), append(widths, math.Sqrt(variance(rest[k])))
			}
			found = append(found, one{scatter * (1 + 1.5/math.Sqrt(free)), x.groups[g].sum})
		}
		// The median of noise alone differs from unit to unit, too: by √(π/2n)
		// of it.
		own, chance := deviation(paces), median(within)*math.Sqrt(math.Pi/2/float64(len(groups)))
		pace = max(pace, min(mostPace, math.Sqrt(max(0, own*own-chance*chance))))
	}
	d.pace, d.tail, d.width = pace, leastDiffering(tails), leastDiffering(widths)
	if len(found) == 0 {
		d.l.Noise, d.pace = max(leastNoise, alone), 0
		return
	}
	slices.SortStableFunc(found, func(a, b one) int { return cmp.Compare(a.scatter, b.scatter) })
	all := 0.0
	for _, f := range found {
		all += f.weight
	}
	// Two causes may hold more than half of the time: the quietest quarter says
	// how noisy the others can be.
	quantile := func(share float64) float64 {
		left := share * all
		for _, f := range found {
			if left -= f.weight; left <= 0 {
				return f.scatter
			}
		}
		return found[len(found)-1].scatter
	}
	scatter := min(quantile(0.5), (quieter+40/float64(d.Wall.Units*d.Wall.Units))*quantile(0.25))
	d.l.Noise = min(mostNoise, max(leastNoise, scatter))
}

// leastDiffering is the first quartile: up to three quarters of the regions may
// differ for a reason. It is 0 where there are too few to tell.
func leastDiffering(of []float64) float64 {
	if len(of) < 3 {
		return 0
	}
	slices.Sort(of)
	return of[(len(of)-1)/4]
}

// isReal tells whether the units of a role differ in a group by more than
// noise does: the slowest stands out of what as many draws of noise reach, or
// all together are spread twice as far. Evened is what part of a group's noise is left
// of several groups' where they are taken together.
func (d *drawing) isReal(s *stats, evened float64) bool {
	if s.units < 2 || s.sum <= 0 {
		return false
	}
	n, mean := float64(s.units), s.mean()
	if d.stretch*(s.most-mean)*n < leastLine*d.worked {
		return false
	}
	spread := math.Sqrt(max(0, s.squares/n-mean*mean))
	noise := math.Hypot(evened*d.l.Noise, d.pace)
	most := max(reach(s.units)*noise, evened*min(beyondTail*d.tail, reach(s.units)*mostNoise))
	wide := max(widest(s.units, noise), evened*min(beyondTail*d.width, 1.8*mostNoise))
	return s.most-mean > math.Hypot(most*mean, far(s.units, s.chance, s.one)) ||
		n >= 4 && spread > math.Hypot(wide*mean, max(2, wideness(s.units))*s.chance)
}

// isUnplaced tells whether a group would be trouble, had its time been measured and
// not sampled.
func (d *drawing) isUnplaced(s *stats) bool {
	measured := *s
	measured.chance, measured.one = 0, 0
	return !s.real && s.chance > 0 && d.stretch*(s.most-s.mean()) >= Trouble*d.Run && d.isReal(&measured, 1)
}

// unlikely is the normal deviate of a chance of 1 in 10,000, so that a profile
// of a hundred regions gives rise to one false one in a hundred.
const unlikely = 3.72

// reach is how many standard deviations from the mean the largest of n draws
// of noise lies at most.
func reach(n int) float64 { return math.Sqrt(2*math.Log(float64(max(2, n)))) + 2 }

// widest is the relative standard deviation that n draws of noise reach: the
// quantile of the χ² distribution after Wilson and Hilferty, and never below
// twice the noise, for regions are not all as noisy as each other, and how
// noisy they are is itself known from few; 1.8 times of the most that noise is.
func widest(n int, noise float64) float64 {
	chance := wideness(n)
	return min(max(2, chance)*noise, max(1.8, chance)*mostNoise)
}

// wideness is how many times their own the standard deviation of n draws is at most.
func wideness(n int) float64 {
	k := 2 / (9 * float64(n-1))
	return math.Pow(1-k+unlikely*math.Sqrt(k), 1.5)
}

// scatters tells whether the units of a role differ, in all that is not real by
// itself, by no more than so many regions' noise makes.
func (d *drawing) scatters(x *role) bool {
	mean, noise := 0.0, 0.0
	var groups []int
	for g, s := range x.groups {
		if x.scattered(g) {
			groups = append(groups, g)
			mean += s.mean()
			noise += d.l.Noise * s.mean() * d.l.Noise * s.mean()
		}
	}
	chance, one := x.looks.chance(groups...)
	heavy := max(1, d.tail/(reach(x.units)*d.l.Noise))
	return x.restMost-mean <= math.Hypot(reach(x.units)*math.Hypot(heavy*math.Sqrt(noise), d.pace*mean), far(x.units, chance, one))
}

func column(rows [][]float64, g int) []float64 {
	out := make([]float64, len(rows))
	for i, row := range rows {
		out[i] = row[g]
	}
	return out
}

func variance(values []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, v := range values {
		sum += v
		squares += v * v
	}
	n := float64(len(values))
	return max(0, squares/n-sum/n*sum/n)
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	k := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[k]
	}
	return (sorted[k-1] + sorted[k]) / 2
}

// deviation is the standard deviation of a normal distribution that has the
// values' median absolute deviation.
func deviation(values []float64) float64 {
	centre := median(values)
	away := make([]float64, len(values))
	for i, v := range values {
		away[i] = math.Abs(v - centre)
	}
	return 1.4826 * smallSample(len(values)) * median(away)
}

// smallSample undoes the bias of the median absolute deviation of few values
// (Croux and Rousseeuw, Time-efficient algorithms for two highly robust
// estimators of scale, 1992).
func smallSample(n int) float64 {
	few := []float64{0, 1, 1.196, 1.495, 1.363, 1.206, 1.200, 1.140, 1.129, 1.107}
	if n < len(few) {
		return few[n]
	}
	return float64(n) / (float64(n) - 0.8)
}
