package launch

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// kernelC stands in for the kernel: three events count at once, the last level of
// cache cannot be counted, and the second group counts half of the time. Whenever a
// group is read, each of its events has occurred 100 times more.
const kernelC = `#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FILES = 1024 };
static int events[FILES], second[FILES]; /* by the leader's descriptor */
static uint64_t counted[FILES], watched[FILES];
static int leaders;

static long open_event(const unsigned char *attributes, int group)
{
    uint64_t config;
    uint32_t type;
    memcpy(&type, attributes, sizeof type);
    memcpy(&config, attributes + 8, sizeof config);
    if (type == 1) /* PERF_TYPE_SOFTWARE: no counter of the processor */
        return -1;
    if (config == 0x10002 || (group >= 0 && events[group] == 3))
        return -1;
    int file = open("/dev/zero", O_RDONLY);
    if (group >= 0) {
        events[group]++;
        return file;
    }
    events[file] = 1;
    counted[file] = watched[file] = 0;
    second[file] = leaders++ % 2;
    return file;
}

static long read_event(int file, uint64_t *to)
{
    watched[file] += 1000;
    counted[file] += 100;
    to[0] = (uint64_t)events[file];
    to[1] = watched[file];
    to[2] = second[file] ? watched[file] / 2 : watched[file];
    for (int i = 0; i < events[file]; i++)
        to[3 + i] = counted[file];
    return (3 + events[file]) * (long)sizeof *to;
}

/* In place of the C library's. */
long syscall(long number, ...)
{
    va_list list;
    long a[6], result;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_perf_event_open)
        return open_event((void *)a[0], (int)a[3]);
    if (number == SYS_read && a[0] >= 0 && a[0] < FILES && events[a[0]])
        return read_event((int)a[0], (void *)a[1]);
    register long r10 __asm__("r10") = a[3], r8 __asm__("r8") = a[4], r9 __asm__("r9") = a[5];
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
    if (number == SYS_fcntl && a[1] == F_DUPFD_CLOEXEC && result >= 0 && result < FILES) { /* the event has a new number */
        events[result] = events[a[0]];
        counted[result] = counted[a[0]];
        watched[result] = watched[a[0]];
        second[result] = second[a[0]];
        events[a[0]] = 0;
    }
    return result < 0 ? -1 : result;
}
`

// filesC prints how many descriptors are open, and how many more after 20 threads.
const filesC = `#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static int files(void)
{
    int n = 0;
    for (int i = 0; i < 2048; i++)
        n += fcntl(i, F_GETFD) >= 0;
    return n;
}

static void work(void)
{
    clock_t start = clock();
    while (clock() - start < CLOCKS_PER_SEC / 20)
        ;
}

static void brief(void)
{
    static volatile int s;
    s++;
}

static void *body(void *p)
{
    brief();
    return p;
}

int main(void)
{
    work();
    int before = files();
    for (int i = 0; i < 20; i++) {
        pthread_t t;
        pthread_create(&t, NULL, body, NULL);
        pthread_join(t, NULL);
    }
    printf("%d %d\n", before, files() - before);
    return 0;
}
`

// What does not fit into one group goes into another, is scaled by the time in
// which it counted, and the run says so; what cannot be counted is left out. No
// descriptor outlives its thread.
func TestCountersTakeTurns(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"kernel.c": kernelC, "files.c": filesC})
	exe, kernel := filepath.Join(dir, "files"), filepath.Join(dir, "kernel.o")
	if out, err := command("gcc", "-O1", "-c", filepath.Join(dir, "kernel.c"), "-o", kernel); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	mustCompile(t, "gcc", "-O1", "-pthread", filepath.Join(dir, "files.c"), kernel, "-rdynamic", "-o", exe)
	plain, err := command(exe)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	setting := "AUSPEX_COUNTERS=instructions:0:1:0,cycles:0:0:0,l3_misses:3:10002:0,l1_misses:3:10000:0,l2_misses:4:2124:0,l2_accesses:4:e124:0,branches:0:4:fffffff0"
	r := Runner{Command: []string{exe}, Dir: t.TempDir(), Cache: testCache(), Settings: []string{setting}, Out: &out, Err: &out}
	result, err := r.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	e := result.Experiment
	before, after := strings.Fields(plain), strings.Fields(out.String())
	if len(after) != 2 || after[1] != "0" || before[1] != "0" || len(after[0]) > 2 {
		t.Errorf("open files, and those more after 20 threads: %q, without measurement %q", out.String(), plain)
	}
	first := value(t, e, 0, 0, "files/main/work*", "instructions")
	if first < 100 {
		t.Errorf("%g instructions", first)
	}
	for name, want := range map[string]float64{"cycles": first, "l1_misses": first, "l2_misses": 2 * first, "l2_accesses": 2 * first} {
		if got := value(t, e, 0, 0, "files/main/work*", name); got != want {
			t.Errorf("%s: %g, want %g", name, got, want)
		}
	}
	for _, m := range e.Metrics {
		if m.Name == "l3_misses" || m.Name == "branches" {
			t.Errorf("%s was not counted", m.Name)
		}
	}
	want := "hardware counters took turns and are scaled to the whole time; counted of it: l2_accesses 50 %, l2_misses 50 %"
	if !slices.Contains(e.Notes, want) {
		t.Errorf("notes %q, want %q among them", e.Notes, want)
	}
}
