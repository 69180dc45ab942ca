package training

import (
	"math"
	"slices"
)

// An alarm rests on a test: the steps are repeated observations of what a rank
// spends more than its peers, and how far the peers stray from each other in
// the same steps is what chance does.
const (
	chance     = 0.01 // that some rank of a balanced job passes the test
	wayBeyond  = 3    // times the bar: the difference is certain, however small
	onceAtMost = 0.15 // of the run: a rank that is late now and then must cost more
)

// candidate is a rank that may be a straggler.
type candidate struct {
	rank        int
	regions     []regionExcess
	late, share float64 // of the run: how late it is, and its excess
	busier      bool
	slow        bool // its kernels alone explain it
	tested      bool
	beyond      float64 // see beyondChance
}

// test asks of all candidates whether chance explains them. Who is later than
// another and spends more passes where the other does.
func (j *job) test(all []candidate) {
	for i := range all {
		all[i].beyond, all[i].tested = j.beyondChance(all[i], all)
	}
	for i := range all {
		for _, c := range all {
			if all[i].late >= c.late && all[i].share >= c.share {
				all[i].beyond = max(all[i].beyond, c.beyond)
			}
		}
	}
}

// beyondChance is by how much the excess of a candidate exceeds what chance
// does, as a multiple of the least that passes; false where it cannot be told:
// two ranks stray as far from each other, and steps that not all ranks have are
// not compared. Candidates that are late in the same steps are left out of the
// comparison, as they may be slow for the same reason.
func (j *job) beyondChance(c candidate, all []candidate) (float64, bool) {
	var peers []int
	for _, o := range j.peers[c.rank] {
		beside := slices.ContainsFunc(all, func(other candidate) bool { return other.rank == o })
		if !beside || !j.lateTogether(c.rank, o) {
			peers = append(peers, o)
		}
	}
	if len(peers) < 2 || len(j.steps) == 0 {
		return 0, false
	}
	top := c.regions[0]
	tests := []func(PlaceSum) bool{
		func(p PlaceSum) bool { return p.Region == top.region && p.Doing == top.doing },
		func(p PlaceSum) bool { return p.Doing == Working },
		func(p PlaceSum) bool { return p.Doing == OnTheDevice },
		func(p PlaceSum) bool { return p.Doing != InCollective },
	}
	best, known := 0.0, false
	for i, in := range tests {
		mean, deviation := j.stray(c.rank, peers, in)
		n := float64(len(j.steps))
		if i == 0 && mean*n < float64(top.more)/2 {
			return 0, false // the excess lies in other steps
		}
		bar := studentBar(chance/float64(len(j.ranks)*len(tests)), n*float64(len(peers)-1))
		if mean > 0 {
			best, known = max(best, mean/(deviation/math.Sqrt(n)+1)/bar), true
		}
	}
	return best, known
}

// stray is what a rank spends more than the median of its peers in a step, and
// how far a peer strays from the median of the others, in nanoseconds.
func (j *job) stray(rank int, peers []int, in func(PlaceSum) bool) (mean, deviation float64) {
	n := float64(len(j.steps))
	count := 0
	for _, number := range j.steps {
		times := make([]int64, len(peers))
		for i, o := range peers {
			times[i] = j.inStep(o, number, in)
		}
		mean += float64(j.inStep(rank, number, in)-median(times)) / n
		for i, time := range times {
			d := float64(time - median(slices.Concat(times[:i], times[i+1:])))
			deviation += d * d
			count++
		}
	}
	return mean, math.Sqrt(deviation / float64(count))
}

// inStep is a rank's time at some places in one step.
func (j *job) inStep(rank, number int, in func(PlaceSum) bool) (sum int64) {
	for _, s := range j.ranks[rank].Steps {
		if s.Number != number {
			continue
		}
		for _, p := range s.Places {
			if in(p) {
				sum += p.Time
			}
		}
	}
	return sum
}

// studentBar is about the value that Student's t exceeds with a probability: the
// normal distribution's, and the first term of the correction for few degrees
// of freedom (Cornish and Fisher).
func studentBar(probability, freedom float64) float64 {
	z := math.Sqrt2 * math.Erfinv(1-2*probability)
	return z + (z*z*z+z)/(4*max(freedom, 1))
}

// lateTogether tells whether one rank is late in most steps in which another is.
func (j *job) lateTogether(rank, other int) bool {
	var most int64
	for _, late := range j.late.late {
		most = max(most, late[rank])
	}
	own, shared := 0, 0
	for _, late := range j.late.late {
		if 2*late[rank] >= most && most > 0 {
			own++
			if 2*late[other] >= most {
				shared++
			}
		}
	}
	return own > 0 && 2*shared > own
}
