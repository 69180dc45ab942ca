package calibrate

import "math"

// fewestSweeps is how often small messages must have been measured to say how far
// they scatter.
const fewestSweeps = 3

// scatter is how much the time of small messages changes from one sweep over their
// sizes to the next, seconds later: on a machine that is shared with others by a
// quarter and more. Within a sweep sizes and kinds are taken together.
func (m *Measurement) scatter(take func(from, to int) bool) float64 {
	type series struct {
		kind     Kind
		from, to int
		bytes    int64
	}
	times := map[series][]float64{}
	for _, s := range m.Samples {
		if (s.Kind == PingPong || s.Kind == Exchange) && s.Bytes <= coolMessage && s.Median > 0 && take(s.From, s.To) {
			of := series{s.Kind, s.From, s.To, s.Bytes}
			times[of] = append(times[of], s.Median)
		}
	}
	var sweeps [][]float64 // of each: times relative to their mean over all sweeps
	for _, t := range times {
		if len(t) < fewestSweeps {
			continue
		}
		usual := mean(t)
		for i, v := range t {
			if i == len(sweeps) {
				sweeps = append(sweeps, nil)
			}
			sweeps[i] = append(sweeps[i], v/usual)
		}
	}
	if len(sweeps) < fewestSweeps {
		return 0
	}
	sum := 0.0
	for _, s := range sweeps {
		off := median(s) - 1
		sum += off * off
	}
	return math.Sqrt(sum / float64(len(sweeps)-1))
}
