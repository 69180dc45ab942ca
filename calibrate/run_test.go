package calibrate

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The program is compiled and run by a real MPI, on this machine, and its times
// are fitted.
func TestMeasureHere(t *testing.T) {
	if _, err := exec.LookPath("mpicc.mpich"); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	binary, err := Build(ctx, t.TempDir(), "mpicc.mpich")
	if err != nil {
		t.Fatal(err)
	}
	m, err := Measure(ctx, "mpirun.mpich -n 2", binary, Limits{Largest: 2048, Budget: 100 * time.Microsecond}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Fit(m, m.Kernels[0])
	if err != nil {
		t.Fatal(err)
	}
	if c.Selector != "mpich" || !(c.Latency > 0 && c.Bandwidth > 0) || len(c.Speeds) != 2 || c.Speeds[0] != 1 {
		t.Errorf("the fit is %+v", c)
	}
}

func TestMeasureFails(t *testing.T) {
	if _, err := Measure(t.Context(), "echo lost; false", "x", Limits{}, nil); err == nil || !strings.Contains(err.Error(), "did not come") && !strings.Contains(err.Error(), "exit status") {
		t.Errorf("the error is %v", err)
	}
	if _, err := Build(t.Context(), t.TempDir(), "no-such-compiler"); err == nil || !strings.Contains(err.Error(), "no-such-compiler") {
		t.Errorf("the error is %v", err)
	}
}

// A launcher that does not end after the program, and says so where the program
// printed its times, takes nothing from them.
func TestMeasureWithoutEnd(t *testing.T) {
	const printed = `printf 'host 0 a\nhost 1 b\npingpong 0 1 8 2e-6 1e-6 5\ndone\n'; trap 'echo BAD TERMINATION; exit 15' TERM; sleep 100 & wait; :`
	m, err := Measure(t.Context(), printed, "x", Limits{}, nil)
	if err != nil || len(m.Hosts) != 2 {
		t.Errorf("%+v, %v", m, err)
	}
}
