package calibrate

import (
	"math/rand/v2"
	"testing"
)

// rounds are n noisy times of a processor; some rounds are disturbed.
func rounds(random *rand.Rand, speed, noise float64, n int) Rounds {
	r := Rounds{}
	for _, kernel := range []string{"integer", "floating", "memory"} {
		for range n {
			t := 0.02 / speed * (1 + noise*random.NormFloat64())
			if random.IntN(10) == 0 {
				t *= 1.5
			}
			r[kernel] = append(r[kernel], t)
		}
	}
	return r
}

// Equal processors are called equal however noisy the rounds are, and different
// ones keep their ratio.
func TestEqualSpeeds(t *testing.T) {
	for _, c := range []struct {
		name   string
		speeds []float64
		noise  float64
	}{
		{"quiet", []float64{1, 1, 1, 1}, 0.005},
		{"noisy", []float64{1, 1}, 0.08},
		{"two kinds", []float64{1, 0.5, 1, 0.5}, 0.02},
		{"all slower than the reference", []float64{0.7, 0.7}, 0.02},
	} {
		t.Run(c.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			m := &Measurement{Hosts: map[int]string{}, Kernels: map[int]Rounds{}}
			for rank, speed := range c.speeds {
				m.Hosts[rank], m.Kernels[rank] = "h", rounds(random, speed, c.noise, 21)
			}
			var got Calibration
			if err := got.fitSpeeds(m, rounds(random, 1, c.noise, 42)); err != nil {
				t.Fatal(err)
			}
			for rank, speed := range c.speeds {
				near(t, "speed", got.Speeds[rank], speed, 0.04)
				if speed == 1 && got.Speeds[rank] != 1 {
					t.Errorf("rank %d is as fast as the reference and was given %g", rank, got.Speeds[rank])
				}
				if speed == c.speeds[0] && got.Speeds[rank] != got.Speeds[0] {
					t.Errorf("equal ranks were given %v", got.Speeds)
				}
			}
		})
	}
	if err := new(Calibration).fitSpeeds(&Measurement{Hosts: map[int]string{0: "a"}}, Rounds{"integer": {1}}); err == nil {
		t.Error("speeds without kernels")
	}
}
