package launch

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// Two threads that wake each other do without the task clock after a while, one that
// only computes keeps it.
func TestTaskClockOfThreadsThatSleepOften(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"restless.c": `
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static sem_t there, back;
static int ended;
static int clocks(void)
{
    char path[64], to[64];
    int n = 0;
    for (int fd = 0; fd < 1100; fd++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        ssize_t size = readlink(path, to, sizeof to - 1);
        to[size < 0 ? 0 : size] = 0;
        n += strcmp(to, "anon_inode:[perf_event]") == 0;
    }
    return n;
}
static double cpu(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}
static void *echo(void *unused)
{
    while (sem_wait(&there), !ended)
        sem_post(&back);
    return unused;
}
int main(void)
{
    pthread_t other;
    int alone = clocks(), kept;
    while (cpu(CLOCK_THREAD_CPUTIME_ID) < 0.3)
        ;
    kept = clocks();
    sem_init(&there, 0, 0);
    sem_init(&back, 0, 0);
    pthread_create(&other, NULL, echo, NULL);
    for (int i = 0; i % 1000 != 0 || i == 0 || (clocks() > 0 && cpu(CLOCK_PROCESS_CPUTIME_ID) < 30); i++) {
        sem_post(&there);
        sem_wait(&back);
    }
    printf("%d %d %d\n", alone, kept, clocks());
    ended = 1;
    sem_post(&there);
    return pthread_join(other, NULL);
}
`})
	exe := filepath.Join(dir, "restless")
	if out, err := command("gcc", "-O1", "-pthread", filepath.Join(dir, "restless.c"), "-o", exe); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var out bytes.Buffer
	r := Runner{Command: []string{exe}, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000, Out: &out, Err: &out}
	if _, err := r.Run(context.Background()); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	switch got := strings.TrimSpace(out.String()); got {
	case "0 0 0":
		t.Skip("there is no task clock here")
	case "1 1 0":
	default:
		t.Errorf("task clocks at the start, after computing and after sleeping: %s, want 1 1 0", got)
	}
}
