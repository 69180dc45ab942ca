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

// Generated sources have tens of thousands of functions: reading them must not take
// longer than compiling them does. CPU times are compared, which other work on the
// machine does not change much.
func TestManyFunctions(t *testing.T) {
	need(t, "gcc")
	const many = 70_000
	var text strings.Builder
	text.WriteString("extern double out[];\n")
	for i := range many {
		fmt.Fprintf(&text, "static double f%d(int n)\n{\n    double s = n;\n    for (int i = 0; i < n; i++)\n        s += %s * i;\n    return s;\n}\n", i, former(i))
	}
	fmt.Fprintf(&text, "int main(void)\n{\n    return f%d(3) > 0;\n}\n", many-1)
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

// former is a call of the function before, where there is one.
func former(i int) string {
	if i == 0 {
		return "1"
	}
	return fmt.Sprintf("f%d(i)", i-1)
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
