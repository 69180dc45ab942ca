package training

import (
	"math"
	"slices"
)

// slowdowns answers what the job would take were every rank as fast as the
// mean of all (arXiv 2505.05713, equations 1 to 5), for jobs of which only
// steps are known: in each step the ranks work, then meet. A step takes the
// longest own time and a transfer; ideally the mean and the median transfer.
func (j *job) slowdowns(result *Result) {
	result.Kinds = []KindSlowdown{}
	own := j.ownTimes()
	if len(own) == 0 || len(j.ranks) < 2 {
		return
	}
	var transfers, base []int64
	for i, times := range own {
		rest := max(j.stepTime(j.steps[i])-slices.Max(times[total]), 0)
		transfers = append(transfers, rest)
		base = append(base, rest+slices.Max(times[total]))
	}
	transfer := float64(median(transfers))
	var now, ideal float64
	for i, times := range own {
		now += float64(base[i])
		ideal += mean(times[total]) + transfer
	}
	if !(ideal > 0) {
		return // steps of no length
	}
	s, in := now/ideal, ideal/1e9
	result.Slowdown, result.Ideal = &s, &in
	// Only rank r as slow as it is, and all others as they are in the mean: what the
	// job would gain without it, which is what is said of a straggler.
	scores := make([]float64, len(j.ranks))
	for r := range j.ranks {
		var with, without float64
		for _, times := range own {
			others := meanWithout(times[total], r)
			with += math.Max(others, float64(times[total][r])) + transfer
			without += others + transfer
		}
		if scores[r] = 1; without > 0 {
			scores[r] = with / without
		}
		result.Ranks[r].Slowdown = &scores[r]
	}
	// Only one kind as slow as it is.
	for kind, name := range map[int]string{int(Working): "host", int(OnTheDevice): "device"} {
		var t float64
		for _, times := range own {
			longest := 0.0
			for r := range j.ranks {
				longest = math.Max(longest, mean(times[total])-mean(times[kind])+float64(times[kind][r]))
			}
			t += longest + transfer
		}
		result.Kinds = append(result.Kinds, KindSlowdown{name, t / ideal})
	}
	var t float64
	for i, times := range own {
		t += mean(times[total]) + float64(transfers[i])
	}
	result.Kinds = append(result.Kinds, KindSlowdown{"transfer", t / ideal})
	sortKinds(result.Kinds)
	if now > ideal {
		worst := worstWorkers(scores)
		var without float64
		for i, times := range own {
			longest := 0.0
			for r := range j.ranks {
				v := float64(times[total][r])
				if slices.Contains(worst, r) {
					v = mean(times[total])
				}
				longest = math.Max(longest, v)
			}
			without += longest + float64(transfers[i])
		}
		share := (now - without) / (now - ideal)
		result.WorstWorkers = &share
	}
}

// total is the index of a rank's own time beside its kinds.
const total = 2

// ownTimes is what each rank spends outside collectives, by step, kind and
// rank.
func (j *job) ownTimes() [][3][]int64 {
	var own [][3][]int64
	for _, number := range j.steps {
		var times [3][]int64
		for _, r := range j.ranks {
			var sums [3]int64
			for _, s := range r.Steps {
				if s.Number != number {
					continue
				}
				for _, p := range s.Places {
					if p.Doing != InCollective {
						sums[p.Doing] += p.Time
						sums[total] += p.Time
					}
				}
			}
			for k := range sums {
				times[k] = append(times[k], sums[k])
			}
		}
		own = append(own, times)
	}
	return own
}

func (j *job) stepTime(number int) int64 {
	var times []int64
	for _, r := range j.ranks {
		for _, s := range r.Steps {
			if s.Number == number {
				times = append(times, s.End-s.Start)
			}
		}
	}
	return median(times)
}

// meanWithout is the mean of all values but one.
func meanWithout(values []int64, one int) float64 {
	n := float64(len(values))
	return (mean(values)*n - float64(values[one])) / (n - 1)
}

func mean(values []int64) float64 {
	var sum float64
	for _, v := range values {
		sum += float64(v)
	}
	return sum / float64(len(values))
}
