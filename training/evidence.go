package training

import (
	"cmp"
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
	total       float64 // excess over all regions, of the run
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
// does, as a multiple of the least that passes; false where it cannot be told,
// as steps that not all ranks have are not compared. Two ranks stray as far from
// each other: there only what the steps agree on counts, and only for the rank. Candidates that are late in the same steps are left out of the
// comparison, as they may be slow for the same reason.
func (j *job) beyondChance(c candidate, all []candidate) (float64, bool) {
	peers := j.peersBut(c, all)
	if len(j.peers[c.rank]) == 1 {
		beyond := j.agreement(c.rank, j.peers[c.rank][0])
		return beyond, beyond >= wayBeyond
	}
	if len(peers) < 2 || len(j.steps) == 0 {
		return 0, false
	}
	top := c.regions[0]
	tests := []func(PlaceSum) bool{
		func(p PlaceSum) bool { return p.Region == top.region && p.Doing == top.doing },
		func(p PlaceSum) bool { return p.Doing == Working },
		func(p PlaceSum) bool { return p.Doing == OnTheDevice },
		isOwn,
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

// peersBut is the peers of a candidate without other candidates that are late in
// the same steps.
func (j *job) peersBut(c candidate, all []candidate) []int {
	var peers []int
	for _, o := range j.peers[c.rank] {
		beside := slices.ContainsFunc(all, func(other candidate) bool { return other.rank == o })
		if !beside || !j.lateTogether(c.rank, o) {
			peers = append(peers, o)
		}
	}
	return peers
}

func isOwn(p PlaceSum) bool { return p.Doing != InCollective }

// agreement is by how much the mean difference of two ranks' own time exceeds
// what its spread over the steps explains, as a multiple of the least that
// passes (Student's test of pairs).
func (j *job) agreement(rank, other int) float64 {
	n := float64(len(j.steps))
	if n < 10 { // two ranks of one machine differ a little for minutes
		return 0
	}
	var sum, squares float64
	for _, number := range j.steps {
		d := float64(j.inStep(rank, number, isOwn) - j.inStep(other, number, isOwn))
		sum += d
		squares += d * d
	}
	mean := sum / n
	deviation := math.Sqrt(max(squares/n-mean*mean, 0) * n / (n - 1))
	return mean / (deviation/math.Sqrt(n) + 1) / studentBar(chance/2, n-1)
}

// onlyAtStart tells whether a rank's excess lies in the first step alone: it
// started later than the others, or its profiler did. Of three steps the first
// counts.
func (j *job) onlyAtStart(c candidate) bool {
	if c.regions[0].doing == Working && j.knowHosts() && !atStart(j.hostBySteps(c.rank)) {
		return false
	}
	return atStart(j.excessBySteps(c.rank, c.regions[0]))
}

// atStart: what chance adds in the other steps it takes in others again, so only
// their sum counts, but each must be far below the first.
func atStart(more []int64) bool {
	return len(more) >= 4 && 10*sumOf(more[1:]) < more[0] && 4*slices.Max(more[1:]) < more[0]
}

// stray is what a rank spends more than the median of its peers in a step, and
// how far a peer strays from the median of the others, in nanoseconds.
func (j *job) stray(rank int, peers []int, in func(PlaceSum) bool) (mean, deviation float64) {
	return j.strayBy(rank, peers, func(rank, number int) int64 { return j.inStep(rank, number, in) })
}

func (j *job) strayBy(rank int, peers []int, time func(rank, number int) int64) (mean, deviation float64) {
	n := float64(len(j.steps))
	count := 0
	for _, number := range j.steps {
		times := make([]int64, len(peers))
		for i, o := range peers {
			times[i] = time(o, number)
		}
		mean += float64(time(rank, number)-median(times)) / n
		for i, own := range times {
			d := float64(own - median(slices.Concat(times[:i], times[i+1:])))
			deviation += d * d
			count++
		}
	}
	return mean, math.Sqrt(deviation / float64(count))
}

// inStep is a rank's time at some places in one step. Numbers of steps rise.
func (j *job) inStep(rank, number int, in func(PlaceSum) bool) (sum int64) {
	s := j.ranks[rank].step(number)
	if s == nil {
		return 0
	}
	for _, p := range s.Places {
		if in(p) {
			sum += p.Time
		}
	}
	return sum
}

// step finds a step by its number; nil where the rank has none.
func (r *Rank) step(number int) *Step {
	i, ok := slices.BinarySearchFunc(r.Steps, number, func(s Step, number int) int { return cmp.Compare(s.Number, number) })
	if !ok {
		return nil
	}
	return &r.Steps[i]
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
