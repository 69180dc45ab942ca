package account

import "math"

// Where times are shared out by samples, chance decides how many fall into a region:
// of N in a stretch of time that was measured as a whole, a region with the part p has
// N·p give or take √(N·p·(1−p)).

// stretch is what a role's units have of time that was measured as a whole and shared
// out by samples.
type stretch struct {
	units  float64
	looks  float64         // samples, of all units
	time   float64         // seconds, of all units
	square float64         // sum over units of seconds² by samples
	in     map[int]float64 // samples by group
}

// stretches are those of a role, in the order of the regions they begin with.
type stretches []*stretch

// lookedAt finds the stretches of a role's units; nil where times were not sampled.
func (d *drawing) lookedAt(number int) stretches {
	if d.Samples.Data == nil {
		return nil
	}
	time := d.Wall
	if d.CPU.Data != nil {
		time = d.CPU
	}
	var out stretches
	at := map[int]*stretch{}
	for u := range d.Wall.Units {
		if d.Roles[u] != number || d.idle[u] {
			continue
		}
		looks, seconds := map[int]float64{}, map[int]float64{}
		for r, n := range d.Samples.Row(u) {
			if !(n > 0) {
				continue
			}
			from := d.Stretches[r]
			s := at[from]
			if s == nil {
				s = &stretch{in: map[int]float64{}}
				at[from], out = s, append(out, s)
			}
			s.in[d.group(r)] += n
			looks[from] += n
			seconds[from] += max(0, time.At(u, r))
		}
		for from, n := range looks {
			s := at[from]
			s.units++
			s.looks += n
			s.time += seconds[from]
			s.square += seconds[from] * seconds[from] / n
		}
	}
	return out
}

// chance is by how many seconds a unit's time in some groups together deviates by where
// samples happened to fall, and the time that one stands for.
func (l stretches) chance(groups ...int) (deviation, one float64) {
	variance := 0.0
	for _, s := range l {
		n := 0.0
		for _, g := range groups {
			n += s.in[g]
		}
		if n > 0 {
			part := min(1, n/s.looks)
			variance += s.square / s.units * part * (1 - part)
			one = max(one, s.time/s.looks)
		}
	}
	return math.Sqrt(variance), one
}

// all is the deviation in every group, each for itself.
func (l stretches) all() float64 {
	variance := 0.0
	for _, s := range l {
		for g := range s.in {
			one, _ := stretches{s}.chance(g)
			variance += one * one
		}
	}
	return math.Sqrt(variance)
}

// far is how far the one with most of n units is above their mean by chance alone, of
// which it is a part itself: few samples reach further than many (Cornish and Fisher's correction for skewness).
func far(n int, deviation, one float64) float64 {
	z := reach(n)
	if deviation == 0 {
		return 0
	}
	return math.Sqrt(1-1/float64(n))*z*deviation + (z*z-1)/6*one
}
