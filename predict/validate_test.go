package predict

import (
	"strings"
	"testing"

	"auspex/platform"
	"auspex/signature"
)

// Only times of one machine are held against one another.
func TestCompare(t *testing.T) {
	p, err := platform.Read("p.toml", strings.NewReader("reference = \"1Gf\"\n[[cluster]]\nname = \"c\"\nnodes = 2\nspeed = [\"1Gf\", \"2Gf\"]\nbandwidth = \"1GBps\"\nlatency = \"1us\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	scaled := &Platform{Platform: p}
	for _, c := range []struct {
		name            string
		np              int
		command         string
		measured        bool
		error, slowdown bool
		on              *Platform
	}{
		{"nothing was run", 1, "", false, false, false, &Platform{Platform: p}},
		{"here, one process on a processor like this", 1, "", true, true, true, &Platform{Platform: p}},
		{"here, against a network that is not here", 2, "", true, false, true, &Platform{Platform: p}},
		{"here, against a processor that a signature tells from this", 1, "", true, false, true, scaled},
		{"there, by the user's word, on a faster processor too", 2, "ssh there", true, true, false, &Platform{Platform: p}},
		{"there, on a processor like this", 1, "ssh there", true, true, true, &Platform{Platform: p}},
		{"there, on a processor that a signature tells from this", 1, "ssh there", true, true, false, scaled},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &workshop{Request: &Request{ReferenceSpeed: 1e9, ValidateCommand: c.command}, there: map[*Platform]*signature.Signature{scaled: {}}}
			got := Prediction{NP: c.np, Predicted: 2, Cost: Cost{Obtain: 1}}
			var n *normal
			if c.measured {
				n = &normal{span: 4, command: 5}
			}
			w.compare(&got, n, c.on)
			if (got.Measured != nil) != c.measured || (got.Error != nil) != c.error || (got.Slowdown != nil) != c.slowdown || (got.Gain != nil) != c.slowdown {
				t.Errorf("measured %v, error %v, slowdown %v, gain %v", got.Measured, got.Error, got.Slowdown, got.Gain)
			}
			if got.Error != nil && *got.Error != -0.5 {
				t.Errorf("the error is %g", *got.Error)
			}
		})
	}
}
