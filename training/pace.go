package training

import (
	"cmp"
	"slices"
)

// mostPaces is how many kernels a result keeps.
const mostPaces = 64

// pace is the mean time of the kernels that take most, of the median rank.
// Collectives wait for others and do not tell.
func (j *job) pace() []Pace {
	type key struct{ kernel, operator string }
	means, counts := map[key][]int64{}, map[key][]int64{}
	for _, r := range j.ranks {
		for _, k := range r.Kernels {
			if k.Count > 0 && !isDeviceCollective(k.Name) {
				at := key{k.Name, k.Operator}
				means[at] = append(means[at], k.Time/int64(k.Count))
				counts[at] = append(counts[at], int64(k.Count))
			}
		}
	}
	list := []Pace{}
	for at, m := range means {
		list = append(list, Pace{What: at.kernel, Operator: at.operator, Count: int(median(counts[at])), Mean: seconds(median(m))})
	}
	time := func(p Pace) float64 { return float64(p.Count) * p.Mean }
	slices.SortFunc(list, func(a, b Pace) int {
		return cmp.Or(cmp.Compare(time(b), time(a)), cmp.Compare(a.What, b.What), cmp.Compare(a.Operator, b.Operator))
	})
	return list[:min(len(list), mostPaces)]
}
