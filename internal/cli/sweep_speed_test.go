package cli

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"auspex/sweep"
)

// TestSweepScalesComputation: a platform of processors twice as fast as those of the
// study's first takes half the time.
func TestSweepScalesComputation(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"fast.toml":  "[[cluster]]\nname = \"c\"\nnodes = 1\nspeed = \"1Gf\"\nbandwidth = \"1GBps\"\nlatency = \"1us\"\n",
		"twice.toml": "[[cluster]]\nname = \"c\"\nnodes = 1\nspeed = \"2Gf\"\nbandwidth = \"1GBps\"\nlatency = \"1us\"\n",
		"t.txt":      "p0 compute 1000000000\n",
		"s.toml":     "kind = \"simulate\"\n[point]\ntrace = \"t.txt\"\nnp = 1\n[grid]\nplatform = [\"fast.toml\", \"twice.toml\"]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := sweep.ReadStudy(filepath.Join(dir, "s.toml"))
	if err != nil {
		t.Fatal(err)
	}
	points, err := s.Points()
	if err != nil {
		t.Fatal(err)
	}
	r := &pointRunner{app: &app{}}
	var took [2]float64
	for i := range points {
		out, err := r.do(context.Background(), s, &points[i])
		if err != nil {
			t.Fatal(err)
		}
		took[i] = out.Seconds
	}
	if math.Abs(took[0]/took[1]-2) > 1e-6 {
		t.Errorf("%g s and %g s", took[0], took[1])
	}
}
