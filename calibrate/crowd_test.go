package calibrate

import (
	"math"
	"testing"
)

// By hand: four ranks that take twice as long as two share twice what a pair's
// messages have; a pair's have half of what their hosts send and receive together.
func TestCrowd(t *testing.T) {
	for _, c := range []struct {
		name               string
		together, bothWays float64
		want               float64
	}{
		{"hindered", 2e-3, 0, 2e9},
		{"hindered, both ways", 2e-3, 1e9, 1e9},
		{"free", 1.05e-3, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &Measurement{}
			for _, size := range []int64{1 << 16, 1 << 18, 1 << 20} {
				m.Samples = append(m.Samples, Sample{Kind: Crowd, From: 2, Bytes: size, Median: 1e-3}, Sample{Kind: Crowd, From: 4, Bytes: size, Median: c.together})
			}
			fit := &Calibration{Network: Network{Bandwidth: 1e9}, BothWays: c.bothWays}
			fit.fitCrowd(m)
			if math.Abs(fit.Backbone-c.want) > 1 {
				t.Errorf("%g, not %g", fit.Backbone, c.want)
			}
		})
	}
	fit := &Calibration{Network: Network{Bandwidth: 1e9}}
	if fit.fitCrowd(&Measurement{}); fit.Backbone != 0 {
		t.Errorf("%g of nothing", fit.Backbone)
	}
}
