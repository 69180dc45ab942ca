/* A node's CPU utilisation over time. The first process of a node to make the
 * node's file starts a thread that looks at the kernel's counts at intervals
 * and writes a line for each: nanoseconds since 1970, and of the time counted
 * since the node's start what was busy and what was all. */
#include "probe.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int out = -1;
static uint64_t interval;

/* The first line of /proc/stat: user nice system idle iowait irq softirq steal.
 * The calls are made directly, past what io.c counts. */
static int look(int stat, unsigned long long *busy, unsigned long long *all)
{
    char text[512];
    unsigned long long v[8] = {0};
    long n = syscall(SYS_pread64, stat, text, sizeof text - 1, 0L);
    if (n <= 0)
        return -1;
    text[n] = 0;
    if (sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7) < 4)
        return -1;
    *all = 0;
    for (int i = 0; i < 8; i++)
        *all += v[i];
    *busy = *all - v[3] - v[4];
    return 0;
}

static void *sampler(void *unused)
{
    (void)unused;
    int stat = auspex_keep(open("/proc/stat", O_RDONLY | O_CLOEXEC));
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    while (auspex_kept(stat) && auspex_kept(out)) {
        unsigned long long busy, all;
        char line[128];
        if (look(stat, &busy, &all) != 0)
            break;
        int n = snprintf(line, sizeof line, "%llu %llu %llu\n", (unsigned long long)nanos(CLOCK_REALTIME), busy, all);
        if (syscall(SYS_write, out, line, (size_t)n) != n)
            break;
        uint64_t ns = (uint64_t)next.tv_nsec + interval;
        next.tv_sec += (time_t)(ns / 1000000000u);
        next.tv_nsec = (long)(ns % 1000000000u);
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
    return NULL;
}

void auspex_sample(void)
{
    const char *dir = getenv("AUSPEX_DIR"), *every = getenv("AUSPEX_SAMPLE_NS");
    char path[4096];
    pthread_t thread;
    sigset_t all, old;
    if (!dir || !every || (interval = strtoull(every, NULL, 10)) < 1000000)
        return;
    if ((size_t)snprintf(path, sizeof path, "%s/%s.cpu", dir, auspex_header->host) >= sizeof path)
        return;
    if ((out = auspex_keep(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666))) < 0)
        return;
    sigfillset(&all); /* signals are for the program's threads */
    pthread_sigmask(SIG_BLOCK, &all, &old);
    if (pthread_create(&thread, NULL, sampler, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}
