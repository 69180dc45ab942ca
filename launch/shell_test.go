package launch

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// bash has a getenv and a setenv of its own: behind it too each process gets the
// runtime of its MPI, whether bash starts the launcher or the launcher bash.
func TestBehindBash(t *testing.T) {
	need(t, "bash")
	eachMPI(t, func(t *testing.T, m mpi) {
		dir := write(t, map[string]string{"ring.c": ringC})
		exe := filepath.Join(dir, "ring")
		if out, err := command(m.cc, "-g", "-O1", "-Wno-stringop-overflow", filepath.Join(dir, "ring.c"), "-o", exe); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, line := range [][]string{
			{"bash", "-c", strings.Join(m.ranks("2", exe), " ") + "; true"},
			m.ranks("2", "bash", "-c", exe),
		} {
			r, _ := measure(t, line...)
			expect(t, r.Experiment, 0, "ring/main/exchange/MPI_Waitall", map[string]float64{"calls": 10, "bytes_received": 8000})
		}
	})
}

// A program without MPI in a script runs as it would, and the reason why it is
// not measured is said.
func TestPlainBehindBash(t *testing.T) {
	need(t, "bash")
	var out bytes.Buffer
	r := Runner{Command: []string{"bash", "-c", "echo done; exit 3"}, Dir: t.TempDir(), Cache: testCache(), Out: &out, Err: &out}
	result, err := r.Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "script") || out.String() != "done\n" {
		t.Errorf("%v, printed %q", err, out.String())
	}
	if result == nil || result.Status != 3 {
		t.Errorf("the status is lost: %+v", result)
	}
}
