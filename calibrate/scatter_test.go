package calibrate

import (
	"math"
	"testing"
)

// Small messages of five sweeps that take 0.8, 1, 1, 1 and 1.2 times their mean: a
// deviation of √(0.08/4). A time that stands out in one size does not count, nor do
// large messages; and of two sweeps nothing is said.
func TestScatter(t *testing.T) {
	all := func(int, int) bool { return true }
	measured := func(factors ...float64) *Measurement {
		m := &Measurement{}
		for sweep, f := range factors {
			for _, bytes := range []int64{1, 2, 4, 8, 16, 1 << 20} {
				seconds := (5e-6 + 1e-9*float64(bytes)) * f
				if bytes == 1<<20 {
					seconds = 1e-3 * float64(1+sweep)
				}
				m.Samples = append(m.Samples, Sample{Kind: PingPong, To: 1, Bytes: bytes, Median: seconds})
			}
		}
		return m
	}
	even := measured(1, 1, 1, 1, 1)
	even.Samples[3].Median *= 10
	for _, c := range []struct {
		m    *Measurement
		want float64
	}{
		{measured(0.8, 1, 1, 1, 1.2), math.Sqrt(0.08 / 4)},
		{measured(1, 1, 1, 1, 1), 0},
		{even, 0},
		{measured(0.5, 1.5), 0},
	} {
		if got := c.m.scatter(all); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
}

// A pair's times count by their mean, pairs by their median.
func TestCurve(t *testing.T) {
	m := &Measurement{Samples: []Sample{
		{Kind: PingPong, From: 0, To: 1, Bytes: 8, Median: 1}, {Kind: PingPong, From: 0, To: 1, Bytes: 8, Median: 1}, {Kind: PingPong, From: 0, To: 1, Bytes: 8, Median: 4},
		{Kind: PingPong, From: 0, To: 2, Bytes: 8, Median: 3},
		{Kind: PingPong, From: 1, To: 2, Bytes: 8, Median: 100},
	}}
	got := m.curve(PingPong, func(int, int) bool { return true })
	if len(got) != 1 || got[0].seconds != 3 {
		t.Errorf("%v", got)
	}
	got = m.curve(PingPong, func(_, to int) bool { return to == 1 })
	if len(got) != 1 || got[0].seconds != 2 {
		t.Errorf("%v", got)
	}
}
