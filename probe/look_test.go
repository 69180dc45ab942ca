package probe

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// stoppedInLook runs clock.c on clocks of its own: a tick is a nanosecond, a look
// at the CPU clock takes 300, and one look is made to take 5 ms, as if the kernel
// had taken the processor away in it.
const stoppedInLook = `
#define nanos nanos_of_the_machine
#define ticks ticks_of_the_machine
#define thread_nanos thread_nanos_of_the_machine
#include "probe.h"
#undef nanos
#undef ticks
#undef thread_nanos
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
static uint64_t thread_nanos(void) { return nanos(CLOCK_THREAD_CPUTIME_ID); }
#include "clock.c"

struct header *auspex_header;
__thread struct thread *auspex_self;
void auspex_counters_open(struct thread *t) { (void)t; }
void auspex_counters_look(struct thread *t, struct node *n) { (void)t, (void)n; }

/* How often the thread was put on a core, 0 where the kernel does not tell. */
static uint32_t switches;
uint32_t auspex_switches(const struct thread *t) { (void)t; return switches; }

/* Asking how long a core was waited for takes as long as a look. */
static uint64_t waits;
uint64_t auspex_core_wait(struct thread *t, uint64_t lost)
{
    (void)t;
    now += look;
    return waits < lost ? waits : lost;
}

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

/* A stretch of which a part was not on the processor, and what counts as waiting
 * for a core. */
static void interrupted(uint64_t ns, uint64_t lost, uint64_t waited, uint64_t takes)
{
    uint64_t wall = n.wall, used = n.cpu, looked = t.looked, stood = t.stood, from = t.record.last;
    now = from + ns;
    cpu += ns - lost;
    t.record.last = now;
    n.wall += ns;
    look = takes;
    waits = waited;
    auspex_look(&t, &n, ns);
    printf("%d %d %d\n", (int)(n.wall - wall), (int)(n.cpu - used), (int)(t.stood - stood));
    if (n.wall - wall + t.looked - looked != t.record.last - from)
        printf("time got lost\n");
}

int main(void)
{
    static struct header h;
    auspex_header = &h;
    t.schedstat = -1;
    auspex_clock_start(&h);
    auspex_thread_clock(&t);
    stretch(1000000, 300);     /* an ordinary look */
    stretch(1000000, 3000);    /* a slow one */
    stretch(1000000, 5000000); /* stopped in it */
    stretch(1000000, 300);
    switches = 1;
    stretch(100000, 300);      /* since when it is told */
    stretch(100000, 300);      /* it has kept its core: no look */
    stretch(400000, 300);      /* so long that its faults are asked for */
    switches = 2;
    stretch(100000, 300);      /* it had left its core */
    for (int i = 0; i < 51; i++) /* and is asked after 5 ms all the same */
        stretch(100000, 300);
    switches = 0;
    interrupted(5000000, 4000000, 4000000, 300); /* nobody asks */
    t.schedstat = 0;
    interrupted(5000000, 4000000, 4000000, 300);     /* without a core */
    interrupted(5000000, 4000000, 1000000, 300);     /* blocked for most of it */
    interrupted(5000000, 4000, 4000, 300);           /* too little to ask */
    interrupted(5000000, 4000000, 4000000, 2000000); /* stopped in the look, and again when asked */
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
	// A look takes 320 ticks with two readings of the tick counter, so that of up
	// to 3100 is still one.
	want := "1000000 1000000 320\n1000000 1000000 3020\n5996920 1000000 3100\n1000000 1000000 320\n" +
		"100000 100000 320\n100000 100000 0\n400000 400000 320\n100000 100000 320\n" +
		strings.Repeat("100000 100000 0\n", 49) + "100000 100000 320\n100000 100000 0\n" +
		// Then wall, CPU and waiting for a core. The last one loses 4 ms, and in
		// the look and in asking 2 ms each, less the 3100 ticks that each may take.
		"5000000 1000000 0\n5000000 1000000 4000000\n5000000 1000000 1000000\n5000000 4996000 0\n8993830 1000000 5996910\n"
	if string(out) != want {
		t.Errorf("wall, CPU, and looking or waiting for a core:\n%swant:\n%s", out, want)
	}
}
