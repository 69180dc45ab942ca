package sweep

import "math"

// additive is a model of the logarithm of the time: a mean, and for every axis
// what each of its values adds. It says what matters where the grid is not
// complete, too, and guesses points that were not done.
type additive struct {
	mean    float64
	effects [][]float64 // by axis and value; NaN where no point has the value
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

// share is the part of the variance that an axis explains.
func (m *additive) share(axis int) float64 {
	if m.total <= 0 {
		return 0
	}
	sum := 0.0
	for v, n := range m.counts[axis] {
		if n > 0 {
			sum += float64(n) * m.effects[axis][v] * m.effects[axis][v]
		}
	}
	return min(1, sum/m.total)
}

// spread is the standard deviation of what the axes do not explain; a model
// without spare points knows nothing of it.
func (m *additive) spread() (sd float64, known bool) {
	if m.spare < 1 {
		return 0, false
	}
	return math.Sqrt(m.rest / float64(m.spare)), true
}
