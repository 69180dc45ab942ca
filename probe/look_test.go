package probe

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// stoppedInLook runs clock.c on clocks of its own: a tick is a nanosecond, a look
// at the CPU clock takes 300, and one look is made to take 5 ms, as if the kernel
// had taken the processor away in it.
const stoppedInLook = `
#define nanos nanos_of_the_machine
#define ticks ticks_of_the_machine
#include "probe.h"
#undef nanos
#undef ticks
#include <stdio.h>

static uint64_t now = 1000, cpu = 500, look = 300;
static uint64_t ticks(void) { return now += 10; }
static uint64_t nanos(clockid_t clock)
{
    if (clock != CLOCK_THREAD_CPUTIME_ID)
        return now;
    now += look;
    return cpu;
}
#include "clock.c"

struct header *auspex_header;
__thread struct thread *auspex_self;
void auspex_counters_open(struct thread *t) { (void)t; }
void auspex_counters_look(struct thread *t, struct node *n) { (void)t, (void)n; }

static struct thread t;
static struct node n;

/* A stretch of computation, all of it on the processor, and the look after it. */
static void stretch(uint64_t ns, uint64_t takes)
{
    uint64_t wall = n.wall, used = n.cpu, looked = t.looked, from = t.record.last;
    now = from + ns;
    cpu += ns;
    t.record.last = now;
    n.wall += ns;
    look = takes;
    auspex_look(&t, &n, ns);
    printf("%d %d %d\n", (int)(n.wall - wall), (int)(n.cpu - used), (int)(t.looked - looked));
    if (n.wall - wall + t.looked - looked != t.record.last - from)
        printf("time got lost\n");
}

int main(void)
{
    static struct header h;
    auspex_header = &h;
    auspex_clock_start(&h);
    auspex_thread_clock(&t);
    stretch(1000000, 300);     /* an ordinary look */
    stretch(1000000, 3000);    /* a slow one */
    stretch(1000000, 5000000); /* stopped in it */
    stretch(1000000, 300);
    return 0;
}
`

// TestStoppedInLook: what a process loses while it is stopped in a look at its
// CPU clock is wall time of its region, and no CPU time; what looking itself
// takes is nobody's.
func TestStoppedInLook(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler")
	}
	dir := t.TempDir()
	text, program := filepath.Join(dir, "stopped.c"), filepath.Join(dir, "stopped")
	if err := os.WriteFile(text, []byte(stoppedInLook), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-std=gnu99", "-O1", "-Iruntime", "-o", program, text).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	// A look takes 310 ticks with the reading of the tick counter, so that of up
	// to 3100 is still one.
	const want = "1000000 1000000 310\n1000000 1000000 3010\n5996910 1000000 3100\n1000000 1000000 310\n"
	if string(out) != want {
		t.Errorf("wall, CPU and looking:\n%swant:\n%s", out, want)
	}
}
