package kept

import (
	"math"
	"testing"
)

// TestStopsOf: a rank that stands still within MPI is told from an MPI that
// waits asleep.
func TestStopsOf(t *testing.T) {
	for _, c := range []struct {
		name        string
		inMPI, spun []float64
		want        []float64
	}{
		{"rank 1 is held back, and MPI spins", []float64{1.1, 0.6}, []float64{1.1, 0.1}, []float64{0, 0.5}},
		{"nobody is held back", []float64{1.1, 0.1}, []float64{1.1, 0.1}, []float64{0, 0}},
		{"MPI waits asleep, rank 0 for rank 1", []float64{1.1, 0.2}, []float64{0.1, 0.05}, []float64{0, 0}},
		{"the late rank never waits, and MPI waits asleep", []float64{1.1, 0.05}, []float64{0.05, 0.05}, []float64{0, 0}},
		{"all share their cores alike", []float64{1, 1, 1, 1}, []float64{0.5, 0.5, 0.5, 0.5}, []float64{0, 0, 0, 0}},
		{"one of four is held back", []float64{2, 2, 0.8, 2}, []float64{2, 1.9, 0.3, 1.9}, []float64{0, 0, 0.8*5.8/6 - 0.3, 0}},
		{"no MPI", []float64{0, 0}, []float64{0, 0}, []float64{0, 0}},
		{"one rank", []float64{1}, []float64{0.5}, []float64{0}},
	} {
		got := (&used{inMPI: c.inMPI, spun: c.spun}).stops()
		for i, want := range c.want {
			if math.Abs(got[i]-want) > 1e-12 {
				t.Errorf("%s: %v, not %v", c.name, got, c.want)
			}
		}
	}
	if (*used)(nil).stops() != nil || (*used)(nil).stretch() != nil {
		t.Error("something is known of nothing")
	}
}

// TestLate: starting and ending are as slow as computation, as far as a process
// stood still there.
func TestLate(t *testing.T) {
	for _, c := range []struct {
		name                     string
		wall, cpu, start, worked []float64
		want                     []float64
	}{
		{"rank 1 has a third of a core", []float64{0.6, 1.8}, []float64{0.6, 0.6}, []float64{0.08, 0.08}, []float64{0.02, 0.025}, []float64{0, 0.05}},
		{"nobody shares a core; all sleep while MPI starts", []float64{0.6, 0.6}, []float64{0.6, 0.6}, []float64{0.08, 0.08}, []float64{0.02, 0.025}, []float64{0, 0}},
		{"it shared its core later only", []float64{0.6, 1.8}, []float64{0.6, 0.6}, []float64{0.03, 0.03}, []float64{0.02, 0.03}, []float64{0, 0}},
		{"no computation", []float64{0, 0}, []float64{0, 0}, []float64{0.08, 0.08}, []float64{0.02, 0.02}, []float64{0, 0}},
	} {
		got := (&used{wall: c.wall, cpu: c.cpu, start: c.start, worked: c.worked}).late()
		for i, want := range c.want {
			if math.Abs(got[i]-want) > 1e-12 {
				t.Errorf("%s: %v, not %v", c.name, got, c.want)
			}
		}
	}
	if (*used)(nil).late() != nil {
		t.Error("something is known of nothing")
	}
}

// TestStalled: what processes stand still within MPI is no network's where they
// all share their cores; where one has its core, it may be.
func TestStalled(t *testing.T) {
	for _, c := range []struct {
		name                   string
		wall, cpu, inMPI, spun []float64
		want                   float64
	}{
		{"a busy machine", []float64{0.3, 0.2}, []float64{0.1, 0.1}, []float64{1.2, 1.5}, []float64{0.3, 0.4}, 1},
		{"an idle machine, an MPI that waits asleep", []float64{0.1, 0.1}, []float64{0.1, 0.1}, []float64{1.2, 1.5}, []float64{0.3, 0.4}, 0},
		{"one rank without its core", []float64{0.1, 0.2}, []float64{0.1, 0.1}, []float64{1.2, 0.5}, []float64{1.2, 0.4}, 0},
		{"a busy machine, an MPI that got its cores", []float64{0.3, 0.2}, []float64{0.1, 0.1}, []float64{0.2, 0.3}, []float64{0.2, 0.3}, 0},
	} {
		if got := (&used{wall: c.wall, cpu: c.cpu, inMPI: c.inMPI, spun: c.spun}).stalled(); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, not %v", c.name, got, c.want)
		}
	}
	if (*used)(nil).stalled() != 0 {
		t.Error("something is known of nothing")
	}
}
