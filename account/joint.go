package account

import (
	"cmp"
	"math"
	"slices"
)

// joint are groups of work that units do one after the other before they wait for
// each other, so that their differences even out, or only count together: what is
// waited for is the unit with most in all of them.
type joint struct {
	stats
	groups []int
	most   []float64       // by group
	blamed map[int]bool    // the groups whose balancing does not make the run longer
	alone  map[int]float64 // by group: what balancing it alone gains, of the run
}

const (
	// mostJoined is how many groups are held against each other, those that differ
	// most.
	mostJoined = 24
	// tooMuch is by what part of it the differences of all groups exceed what was
	// waited before some of them are taken together, and leastTooMuch of the run.
	tooMuch, leastTooMuch = 0.1, 0.005
	// clearly longer is the run by this part of what a group differs by.
	clearly = 0.5
)

// evenOut takes groups together where units would have to wait longer than they
// did, were each waited for by itself: those first whose differences even out best. Taking
// two together shortens what all units wait by the same, and more than is too much
// does not even out.
func (d *drawing) evenOut(number int, x *role) {
	var groups []int
	for g, s := range x.groups {
		if s.real && s.units == x.units && x.units > 1 {
			groups = append(groups, g)
		}
	}
	slices.SortStableFunc(groups, func(a, b int) int {
		return cmp.Compare(x.groups[b].most-x.groups[b].mean(), x.groups[a].most-x.groups[a].mean())
	})
	groups = groups[:min(len(groups), mostJoined)]
	if len(groups) < 2 {
		return
	}
	excess, less, columns := d.overclaim(number, x, groups)
	sets := make([][]int, len(groups)) // of columns
	most := make([]float64, len(groups))
	for k, g := range groups {
		sets[k], most[k] = []int{k}, x.groups[g].most
	}
	joined := func(a, b []float64) float64 {
		out := 0.0
		for i := range a {
			out = max(out, a[i]+b[i])
		}
		return out
	}
	for excess > tooMuch*less && excess > leastTooMuch*d.Run {
		first, second, best, both := -1, -1, 0.0, 0.0
		for a := range sets {
			for b := range a {
				m := joined(columns[a], columns[b])
				evened := most[a] + most[b] - m
				if s := d.stretch * evened; s < excess/mostJoined || s >= 2*excess {
					continue
				}
				if part := evened / (most[a] - average(columns[a]) + most[b] - average(columns[b])); part > best {
					first, second, best, both = b, a, part, m
				}
			}
		}
		if first < 0 {
			break
		}
		evened := d.stretch * (most[first] + most[second] - both)
		excess, less = excess-evened, less-evened
		for i, v := range columns[second] {
			columns[first][i] += v
		}
		sets[first], most[first] = append(sets[first], sets[second]...), both
		sets, columns, most = slices.Delete(sets, second, second+1), slices.Delete(columns, second, second+1), slices.Delete(most, second, second+1)
	}
	for _, set := range sets {
		if len(set) > 1 {
			d.addJoint(number, x, pickInts(groups, set))
		}
	}
}

func average(of []float64) float64 { return sum(of) / float64(max(1, len(of))) }

func pickInts(from, which []int) []int {
	out := make([]int, len(which))
	for i, k := range which {
		out[i] = from[k]
	}
	slices.Sort(out)
	return out
}

// overclaim is by how much the middle unit would have to wait longer than it did,
// were all groups waited for one by one, how long the mean unit would have to, and the
// work of all in some groups.
func (d *drawing) overclaim(number int, x *role, groups []int) (excess, less float64, columns [][]float64) {
	columns = make([][]float64, len(groups))
	var beyond []float64
	p := d.newParts()
	d.eachOf(number, p, func(u int) {
		spent := p.waits + p.rest - d.outside
		for r, v := range p.comm {
			spent += v
			if v := d.Wall.At(u, r); v > 0 && d.Classes[r] == Beginning {
				spent += v - d.ending[r]
			}
		}
		real, rest := d.less(u, p)
		less += real + rest
		beyond = append(beyond, real+rest-spent)
		for k, g := range groups {
			columns[k] = append(columns[k], p.work[g])
		}
	})
	return median(beyond), less / float64(max(1, len(beyond))), columns
}

// eachOf splits the time of every unit of a role that is not idle.
func (d *drawing) eachOf(number int, p *parts, do func(u int)) {
	for u := range d.Wall.Units {
		if !d.idle[u] && d.Roles[u] == number {
			d.split(u, p)
			do(u)
		}
	}
}

// addJoint tells how units differ in groups together, and what balancing each of them
// would do to the longest.
func (d *drawing) addJoint(number int, x *role, groups []int) {
	j := &joint{stats: stats{units: x.units}, groups: groups, blamed: map[int]bool{}, alone: map[int]float64{}}
	without := make([]float64, len(groups)) // the longest, with each balanced
	p := d.newParts()
	d.eachOf(number, p, func(u int) {
		sum := 0.0
		for _, g := range groups {
			sum += p.work[g]
		}
		j.add(u, sum)
		for k, g := range groups {
			without[k] = max(without[k], sum-p.work[g]+x.groups[g].mean())
		}
	})
	squares := 0.0
	for _, g := range groups {
		squares += x.groups[g].mean() * x.groups[g].mean()
	}
	j.chance, j.one = x.looks.chance(groups...)
	j.real = d.isReal(&j.stats, math.Sqrt(squares)/j.mean())
	for k, g := range groups {
		s := x.groups[g]
		j.most = append(j.most, s.most)
		j.alone[g] = d.stretch * (j.stats.most - without[k])
		if j.alone[g] >= -clearly*d.stretch*(s.most-s.mean()) {
			j.blamed[g] = true
		}
		x.in[g] = j
	}
	x.joints = append(x.joints, j)
}

// parts deals out what a unit has less than most in all groups of a joint: among those
// that it has less of than others, and of these those whose balancing helps.
func (j *joint) parts(p *parts) (amount float64, of []float64) {
	of = make([]float64, len(j.groups))
	amount = j.stats.most
	all, blamed := 0.0, 0.0
	for k, g := range j.groups {
		amount -= p.work[g]
		of[k] = j.most[k] - p.work[g]
		all += of[k]
		if j.blamed[g] {
			blamed += of[k]
		}
	}
	for k, g := range j.groups {
		switch {
		case blamed > 0 && !j.blamed[g]:
			of[k] = 0
		case blamed > 0:
			of[k] *= amount / blamed
		case all > 0:
			of[k] *= amount / all
		}
	}
	return amount, of
}
