package launch

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"auspex/instrument"
	"auspex/source"
)

// Generated sources have tens of thousands of functions: reading and rewriting them
// must take less than compiling them does. gcc has a tenth of them to compile. CPU
// times are compared, which other work on the machine does not change much.
func TestManyFunctions(t *testing.T) {
	need(t, "gcc")
	const many = 70_000
	dir := write(t, map[string]string{"x.c": manyFunctions(many / 10)})
	gcc := exec.Command("gcc", "-w", "-c", filepath.Join(dir, "x.c"), "-o", filepath.Join(dir, "x.o"))
	if out, err := gcc.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	alone := 10 * (gcc.ProcessState.UserTime() + gcc.ProcessState.SystemTime())
	text := []byte(manyFunctions(many))
	before := cpuUsed(t)
	f, err := source.Parse(t.Context(), "x.c", text, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := instrument.Rewrite(f, instrument.Options{Count: true})
	took := cpuUsed(t) - before
	if len(r.Candidates) != many+1 {
		t.Errorf("%d functions were found", len(r.Candidates))
	}
	t.Logf("reading and rewriting takes %v, gcc ten times %v", took, alone/10)
	if took > alone {
		t.Errorf("reading and rewriting takes %v, gcc %v", took, alone)
	}
}

func manyFunctions(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "int f%d(int n)\n{\n    return n < %d ? n : f%d(n - 1);\n}\n", i, i, i/2)
	}
	text.WriteString("int main(void)\n{\n    return f9(3);\n}\n")
	return text.String()
}

// cpuUsed is the CPU time of this process, without those that it started.
func cpuUsed(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
