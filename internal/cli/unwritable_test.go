package cli

import (
	"errors"
	"strings"
	"testing"
)

// full is a disk without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// What could not be printed is no success, for people as for scripts.
func TestOutputThatCannotBeWritten(t *testing.T) {
	for _, args := range [][]string{{"terms"}, {"terms", "--json"}, {"rules", "--list"}, {"version"}} {
		var errs strings.Builder
		status := Main(append(args, "--store", t.TempDir()), strings.NewReader(""), full{}, &errs)
		if status != 1 || !strings.Contains(errs.String(), "no space left on device") {
			t.Errorf("%q: status %d, said %q", args, status, errs.String())
		}
	}
}

// Where nothing can be stored, the program runs as it would without, its exit
// status is kept, and a line says why it was not measured.
func TestStoreThatCannotBeWritten(t *testing.T) {
	skipWithout(t, "sh")
	var out, errs strings.Builder
	status := Main([]string{"--store", "/proc/nowhere", "run", "--", "sh", "-c", "echo done; exit 4"}, strings.NewReader(""), &out, &errs)
	if status != 4 || out.String() != "done\n" || !strings.Contains(errs.String(), "not measured: mkdir /proc/nowhere") {
		t.Errorf("status %d, printed %q, said %q", status, out.String(), errs.String())
	}
}
