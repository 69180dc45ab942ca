package launch

import (
	"path/filepath"
	"testing"
)

// The descriptors of hardware counters are closed where a later one cannot be
// opened, and at the end of a thread. The program stands in for the kernel: its
// argument is how many counters of a group there are.
func TestCounterFiles(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"kernel.c": `#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

int opened, most = 2;

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
        return opened++ % 4 < most ? open("/dev/zero", O_RDONLY) : -1;
    register long r10 __asm__("r10") = a[3], r8 __asm__("r8") = a[4], r9 __asm__("r9") = a[5];
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
    return result < 0 ? -1 : result;
}

`, "files.c": `#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern int opened, most;

static int files(void)
{
    int n = 0;
    for (int i = 0; i < 512; i++)
        n += fcntl(i, F_GETFD) >= 0;
    return n;
}

static void work(void)
{
    static volatile int s;
    s++;
}

static void *body(void *p)
{
    opened = 0;
    work();
    return p;
}

int main(void)
{
    work(); /* two of four could be opened */
    int before = files();
    most = 4;
    for (int i = 0; i < 20; i++) {
        pthread_t t;
        pthread_create(&t, NULL, body, NULL);
        pthread_join(t, NULL);
    }
    printf("%d %d\n", before, files() - before);
    return 0;
}
`})
	exe := filepath.Join(dir, "files")
	kernel := filepath.Join(dir, "kernel.o")
	if out, err := command("gcc", "-O1", "-c", filepath.Join(dir, "kernel.c"), "-o", kernel); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	mustCompile(t, "gcc", "-O1", "-pthread", filepath.Join(dir, "files.c"), kernel, "-rdynamic", "-o", exe)
	plain, err := command(exe)
	if err != nil {
		t.Fatal(err)
	}
	// Without the runtime no counter is opened, so the same files are open.
	if _, out := measure(t, exe); out != plain {
		t.Errorf("open files and those more after 20 threads: %q, without measurement %q", out, plain)
	}
}
