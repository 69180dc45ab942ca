package input

import (
	"fmt"

	"auspex/internal/figure"
	"auspex/model"
)

// Times that a reader may come across but no program can have taken.
const (
	maxSeconds = 1e15 // thirty million years

	// noiseShare is how much of a metric's time may be below zero and still
	// be taken for a clock that was set back or for rounding: exclusive times
	// are differences of inclusive ones.
	noiseShare = 0.01
)

// settleTimes sees to it that times can be added up and compared: a few below
// zero become 0, with a note where they are more than rounding; many, or ones
// beyond all reason, are refused.
func settleTimes(e *model.Experiment) error {
	for m, metric := range e.Metrics {
		if metric.Unit != "s" {
			continue
		}
		above, below, least, count := 0.0, 0.0, 0.0, 0
		column := e.Summaries.Values[m]
		for row, v := range column {
			switch {
			case v > maxSeconds:
				return fmt.Errorf("%s is %g s in %q, longer than %g s", metric.Column(), v, e.Regions[e.Summaries.Region[row]].Name, maxSeconds)
			case v > 0:
				above += v
			case v < 0:
				below -= v
				least = min(least, v)
				count++
				column[row] = 0
			}
		}
		switch {
		case below > noiseShare*above:
			return fmt.Errorf("%d values of %s are below zero, down to %g s: no times of a run", count, metric.Column(), least)
		case below > 1e-9*above:
			e.Notes = append(e.Notes, fmt.Sprintf("%d values of %s are below zero, down to %s, and count as 0", count, metric.Column(), figure.Seconds(least, 3)))
		}
	}
	return nil
}
