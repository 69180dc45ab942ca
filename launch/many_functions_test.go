package launch

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"auspex/instrument"
)

// Generated sources have tens of thousands of functions: reading and rewriting them
// must not take longer than compiling them does. CPU times are compared, which other
// work on the machine does not change much, and the bound is several times what was
// seen.
func TestManyFunctions(t *testing.T) {
	need(t, "gcc")
	const many = 70_000
	var text strings.Builder
	for i := range many {
		fmt.Fprintf(&text, "int f%d(int n)\n{\n    return n < %d ? n : f%d(n - 1);\n}\n", i, i, i/2)
	}
	text.WriteString("int main(void)\n{\n    return f9(3);\n}\n")
	dir := write(t, map[string]string{"x.c": text.String()})
	build := []string{"gcc", "-w", "-c", filepath.Join(dir, "x.c"), "-o", filepath.Join(dir, "x.o")}
	gcc := exec.Command(build[0], build[1:]...)
	if out, err := gcc.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	alone := gcc.ProcessState.UserTime() + gcc.ProcessState.SystemTime()
	before := cpuUsed(t)
	c := Compiler{Real: build, Options: instrument.Options{Count: true}, Cache: testCache(), Out: io.Discard, Err: os.Stderr}
	if status, err := c.Run(context.Background()); err != nil || status != 0 {
		t.Fatalf("%v, status %d", err, status)
	}
	took := cpuUsed(t) - before
	t.Logf("gcc takes %v, reading and rewriting %v", alone, took)
	if took > alone {
		t.Errorf("reading and rewriting takes %v, gcc %v", took, alone)
	}
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
