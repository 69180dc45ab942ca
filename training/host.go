package training

import (
	"math"
	"slices"
)

// Where devices meet, a device waits for its host wherever the host is behind. A
// host that fell behind once, by chance, stays behind: all hosts go on at the
// same pace, those of the others ahead of their devices, so that the last device
// is the same step after step. What tells a slow host from such a one is how long
// the host itself works.
const (
	hostMore  = 0.05 // of the run, that a late host works more
	waitsMore = 1.5  // times the others' calls that wait for the device
)

// hostBearsOut tells whether the work of a rank's host explains that it is late,
// where that is what is said of it. A host that works no longer but waits for its
// device more often than others cannot run ahead: that is then its cause.
func (j *job) hostBearsOut(s *Straggler, c candidate, all []candidate) bool {
	if s.Side != Host || s.Cause == "waiting for the device" || !j.knowHosts() {
		return true
	}
	more := j.hostBySteps(c.rank)
	sum := sumOf(more)
	// Who is later than another and works more passes where the other does.
	passes := slices.ContainsFunc(all, func(o candidate) bool {
		return o.late <= c.late && sumOf(j.hostBySteps(o.rank)) <= sum && j.hostBeyond(o, all)
	})
	if float64(sum) >= hostMore*float64(j.run) && passes {
		s.Pattern = patternOf(more)
		s.Share = min(s.Share, float64(sum)/float64(j.run)) // without that work it would be gone
		return s.Pattern != NowAndThen || float64(sum) >= onceAtMost*float64(j.run)
	}
	if j.waitsMore(c.rank) {
		s.Cause = "waiting for the device"
		s.Fix = fix(s)
		return true
	}
	return false
}

// knowHosts tells whether the work of all hosts is known.
func (j *job) knowHosts() bool {
	for _, rank := range j.ranks {
		var sum int64
		for _, s := range rank.Steps {
			sum += s.Host
		}
		if sum == 0 {
			return false
		}
	}
	return len(j.steps) > 0
}

func (j *job) hostIn(rank, number int) int64 {
	if s := j.ranks[rank].step(number); s != nil {
		return s.Host
	}
	return 0
}

// hostBySteps is what a rank's host works more than the median of its peers'.
func (j *job) hostBySteps(r int) []int64 {
	var more []int64
	for _, number := range j.steps {
		var others []int64
		for _, o := range j.peers[r] {
			others = append(others, j.hostIn(o, number))
		}
		more = append(more, j.hostIn(r, number)-median(others))
	}
	return more
}

func sumOf(values []int64) (sum int64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// hostBeyond tells whether the excess of a host is beyond what chance does, by
// the test that the exposed times have passed (see beyondChance). Two ranks, and
// one step, cannot be tested.
func (j *job) hostBeyond(c candidate, all []candidate) bool {
	peers := slices.DeleteFunc(slices.Clone(j.peers[c.rank]), func(o int) bool {
		return slices.ContainsFunc(all, func(other candidate) bool { return other.rank == o })
	})
	if len(peers) < 2 {
		peers = j.peersBut(c, all)
	}
	if len(peers) < 2 || len(j.steps) < 2 {
		return true
	}
	mean, deviation := j.strayBy(c.rank, peers, j.hostIn)
	n := float64(len(j.steps))
	return mean/(deviation/math.Sqrt(n)+1) >= studentBar(chance/float64(len(j.ranks)), n*float64(len(peers)-1))
}

// waitsMore tells whether a rank calls what waits for the device more often than
// its peers, in every step.
func (j *job) waitsMore(r int) bool {
	count := func(rank int) (n int64) {
		for _, number := range j.steps {
			if s := j.ranks[rank].step(number); s != nil {
				n += int64(s.Waits)
			}
		}
		return n
	}
	var others []int64
	for _, o := range j.peers[r] {
		others = append(others, count(o))
	}
	usual := median(others)
	return float64(count(r)) >= waitsMore*float64(usual) && count(r) >= usual+int64(len(j.steps))
}
