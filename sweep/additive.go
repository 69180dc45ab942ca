package sweep

import "math"

// additive is a model of the logarithm of the time: a mean, and for every axis
// what each of its values adds. It says what matters where the grid is not
// complete, too, and guesses points that were not done.
type additive struct {
	mean    float64
	effects [][]float64 // by axis and value; NaN where no point has the value
	xs      [][]float64 // the values of axes of numbers; nil of others
	counts  [][]int
	total   float64 // sum of squares about the mean
	rest    float64 // sum of squares that the axes do not explain
	points  int
	spare   int // points less the numbers that were fitted
}

// sample is a point that is done: where it stands on the axes, and log seconds.
type sample struct {
	at []int
	y  float64
}

// rounds of backfitting; a complete grid needs one.
const rounds = 100

func fitAdditive(axes []Axis, samples []sample) *additive {
	m := &additive{points: len(samples), spare: len(samples) - 1}
	for _, a := range axes {
		m.effects, m.counts = append(m.effects, make([]float64, len(a.Values))), append(m.counts, make([]int, len(a.Values)))
		xs, _ := a.numbers()
		m.xs = append(m.xs, xs)
	}
	for _, s := range samples {
		m.mean += s.y / float64(len(samples))
		for a, v := range s.at {
			m.counts[a][v]++
		}
	}
	for range rounds {
		changed := 0.0
		for a := range axes {
			sums := make([]float64, len(m.effects[a]))
			for _, s := range samples {
				sums[s.at[a]] += s.y - m.at(s.at) + m.effects[a][s.at[a]]
			}
			for v := range sums {
				if m.counts[a][v] == 0 {
					continue
				}
				now := sums[v] / float64(m.counts[a][v])
				changed = max(changed, math.Abs(now-m.effects[a][v]))
				m.effects[a][v] = now
			}
		}
		if changed < 1e-12 {
			break
		}
	}
	for a := range axes {
		for v, n := range m.counts[a] {
			if n == 0 {
				m.effects[a][v] = math.NaN()
			} else if v > 0 {
				m.spare--
			}
		}
	}
	for _, s := range samples {
		m.total += (s.y - m.mean) * (s.y - m.mean)
		r := s.y - m.at(s.at)
		m.rest += r * r
	}
	return m
}

// at is the model's log seconds; NaN where a value was never seen.
func (m *additive) at(where []int) float64 {
	y := m.mean
	for a, v := range where {
		y += m.effects[a][v]
	}
	return y
}

// share is the part of the variance that an axis explains, less what as many
// values would explain of mere scatter (omega squared; Hays 1963); and how likely
// scatter alone explains as much. Without spare points nothing is known of
// scatter, and chance is 1.
func (m *additive) share(axis int) (share, chance float64) {
	sum, free := 0.0, -1
	for v, n := range m.counts[axis] {
		if n > 0 {
			sum += float64(n) * m.effects[axis][v] * m.effects[axis][v]
			free++
		}
	}
	if m.total <= 0 || free < 1 {
		return 0, 1
	}
	if m.spare < 1 {
		return min(1, sum/m.total), 1
	}
	scatter := m.rest / float64(m.spare)
	if scatter <= 1e-18*m.total {
		return min(1, sum/m.total), 0
	}
	share = (sum - float64(free)*scatter) / (m.total + scatter)
	return min(1, max(0, share)), exceeds(sum/float64(free)/scatter, float64(free), float64(m.spare))
}

// exceeds is how likely a ratio of two variances with so many degrees of freedom
// is at least f, where both are the same: Paulson's approximation of the
// distribution of F (1942).
func exceeds(f, above, below float64) float64 {
	root, a, b := math.Cbrt(f), 2/(9*above), 2/(9*below)
	z := ((1-b)*root - (1 - a)) / math.Sqrt(b*root*root+a)
	return math.Erfc(z/math.Sqrt2) / 2
}

// scatter is the variance of what the axes do not explain; that of all points
// where there are none to spare.
func (m *additive) scatter() float64 {
	if m.spare < 1 {
		return m.total / float64(max(1, m.points-1))
	}
	return m.rest / float64(m.spare)
}

// guess is the log seconds that a point is thought to take, and the standard
// deviation of that. A value that no point has yet lies between, or beyond, its
// neighbours where the axis is of numbers; else it is like the others of its axis.
func (m *additive) guess(where []int) (y, sd float64) {
	y = m.mean
	variance := m.scatter()
	for a, v := range where {
		if n := m.counts[a][v]; n > 0 {
			y += m.effects[a][v]
			variance += m.scatter() / float64(n)
			continue
		}
		effect, off := m.between(a, v)
		y += effect
		variance += off*off + m.scatter()
	}
	return y, math.Sqrt(variance)
}

// between guesses the effect of a value that was never seen, and how far off the
// guess may be.
func (m *additive) between(a, v int) (effect, off float64) {
	xs := m.xs[a]
	low, high, seen, squares := -1, -1, 0, 0.0
	for i, y := range m.effects[a] {
		if m.counts[a][i] == 0 {
			continue
		}
		seen++
		squares += y * y
		if xs == nil {
			continue
		}
		if xs[i] < xs[v] && (low < 0 || xs[i] > xs[low]) {
			low = i
		}
		if xs[i] > xs[v] && (high < 0 || xs[i] < xs[high]) {
			high = i
		}
	}
	if seen < 2 {
		return 0, math.Sqrt(m.total / float64(max(1, m.points-1)))
	}
	off = math.Sqrt(squares / float64(seen-1))
	switch {
	case low >= 0 && high >= 0:
		part := (xs[v] - xs[low]) / (xs[high] - xs[low])
		if xs[low] > 0 {
			part = math.Log(xs[v]/xs[low]) / math.Log(xs[high]/xs[low])
		}
		l, h := m.effects[a][low], m.effects[a][high]
		return l + part*(h-l), off / 2
	case low >= 0:
		return m.effects[a][low], off
	case high >= 0:
		return m.effects[a][high], off
	}
	return 0, off
}
