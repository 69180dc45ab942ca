package account

import (
	"math"
	"slices"
	"strings"

	"auspex/model"
)

// pairwise are calls that do not end at once for all that make them, so that how
// long they take may differ by what each has to send and to receive.
var pairwise = Table{{"mpi_wait*", Communicating}, {"mpi_*send*", Communicating}, {"mpi_*recv*", Communicating}, {"mpi_neighbor_*", Communicating}}

const (
	// earlier is the correlation of the time in a call with a unit's work below which
	// the call is longer for units that come early, as waiting is.
	earlier = -0.3
	// asLong is how far from the median the times are that most units have in common.
	asLong = 0.1
)

// findCommon finds what most units spend alike in a pairwise call, where those that
// spend less do not come later than they: ranks at the border of a grid have fewer
// neighbours, and what they are done with sooner the others do not wait for.
func (d *drawing) findCommon() {
	d.common = make([]float64, d.Wall.Regions)
	works := make([]float64, d.Wall.Units)
	p := d.newParts()
	for u := range works {
		if !d.idle[u] {
			d.split(u, p)
			works[u] = sum(p.work)
		}
	}
	for r, class := range d.Classes {
		names := model.SplitPath(d.Paths[r])
		if class != Communicating || !pairwise.Names(strings.ToLower(names[len(names)-1])) {
			continue
		}
		var spent, work []float64
		for u := range works {
			if v := d.Wall.At(u, r); !d.idle[u] && v > 0 {
				spent, work = append(spent, v), append(work, works[u])
			}
		}
		if len(spent) < 3 || correlation(spent, work) <= earlier {
			continue
		}
		centre := median(spent)
		alike := slices.DeleteFunc(spent, func(v float64) bool { return math.Abs(v-centre) > asLong*centre })
		if 2*len(alike) > len(work) {
			d.common[r] = slices.Min(alike)
		}
	}
}

// correlation is Pearson's; 0 where either does not vary.
func correlation(a, b []float64) float64 {
	n := float64(len(a))
	ma, mb, aa, bb, ab := sum(a)/n, sum(b)/n, 0.0, 0.0, 0.0
	for i := range a {
		aa += (a[i] - ma) * (a[i] - ma)
		bb += (b[i] - mb) * (b[i] - mb)
		ab += (a[i] - ma) * (b[i] - mb)
	}
	if !(aa*bb > 0) {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}
