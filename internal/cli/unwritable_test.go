package cli

import (
	"strings"
	"testing"
)

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
