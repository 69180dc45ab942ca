package probe

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// leavesItsCore sleeps, and makes a child past the C library, which has no such page.
const leavesItsCore = `
#include "switches.c"
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

int main(void)
{
    static struct thread t;
    auspex_switches_open(&t);
    if (!t.page)
        return 77;
    uint32_t before = auspex_switches(&t);
    nanosleep(&(struct timespec){0, 1000000}, NULL);
    int left = auspex_switches(&t) != before, status = 1;
    long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
        int nothing = auspex_switches(&t) == 0;
        auspex_switches_close(&t);
        _exit(!nothing);
    }
    waitpid((pid_t)child, &status, 0);
    auspex_switches_close(&t);
    printf("%d %d %d %d\n", before > 0, left, status, auspex_switches(&t) == 0);
    return 0;
}
`

// TestSwitches: a thread that slept has left its core, and a child knows nothing.
func TestSwitches(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler")
	}
	dir := t.TempDir()
	text, program := filepath.Join(dir, "leaves.c"), filepath.Join(dir, "leaves")
	if err := os.WriteFile(text, []byte(leavesItsCore), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-std=gnu99", "-O1", "-Iruntime", "-o", program, text).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	command := exec.Command(program)
	out, err := command.Output()
	if command.ProcessState.ExitCode() == 77 {
		t.Skip("the kernel gives no such page")
	}
	if string(out) != "1 1 0 1\n" || err != nil {
		t.Errorf("a count, left its core, the child's status, closed: %q, %v; want 1 1 0 1", out, err)
	}
}
