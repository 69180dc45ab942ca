/* Hardware counters, as package counters chose them. Those that the processor
 * cannot count at once are in several groups, which the kernel lets take turns: each
 * node keeps how long it was watched and how long each group counted, and whoever
 * reads the file scales. */
#include "counters.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/perf_event.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

/* Groups are settled by the first thread; those of the others follow. */
static struct { uint32_t type; uint64_t config; int leads; } wanted[COUNTERS];
static uint32_t count;
static int settled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t processor(void)
{
#if defined(__x86_64__) || defined(__i386__)
    unsigned a = 0, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) ? a & 0x0fff0ff0u : 0;
#else
    return 0;
#endif
}

/* Reads AUSPEX_COUNTERS: counters/setting.go. */
void auspex_counters_start(void)
{
    const char *at = getenv("AUSPEX_COUNTERS");
    int leads = 1;
    while (at && *at && count < COUNTERS) {
        size_t name = strcspn(at, ":");
        char *end = (char *)at + name;
        uint64_t number[3] = {0, 0, 0};
        for (int i = 0; i < 3 && *end == ':'; i++)
            number[i] = strtoull(end + 1, &end, 16);
        if (name > 0 && name < COUNTER_NAME && (number[2] == 0 || number[2] == processor())) {
            memcpy(auspex_header->counter_name[count], at, name);
            wanted[count].type = (uint32_t)number[0];
            wanted[count].config = number[1];
            wanted[count++].leads = leads;
            leads = 0;
        }
        at = end + strcspn(end, ",;");
        leads |= *at == ';';
        at += *at != 0;
    }
}

static int counter_open(uint32_t i, int group)
{
    struct perf_event_attr a;
    memset(&a, 0, sizeof a);
    a.size = sizeof a;
    a.type = wanted[i].type;
    a.config = wanted[i].config;
    a.exclude_kernel = 1;
    a.exclude_hv = 1;
    a.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return auspex_keep((int)syscall(SYS_perf_event_open, &a, 0, -1, group, PERF_FLAG_FD_CLOEXEC));
}

static void forget(uint32_t i)
{
    memmove(&wanted[i], &wanted[i + 1], (COUNTERS - i - 1) * sizeof wanted[0]);
    memmove(auspex_header->counter_name[i], auspex_header->counter_name[i + 1], (COUNTERS - i - 1) * COUNTER_NAME);
    memset(auspex_header->counter_name[COUNTERS - 1], 0, COUNTER_NAME);
    count--;
}

/* Opens what the kernel gives: an event that does not go with the others begins a
 * group, one that it does not know is left out. */
static void settle(struct thread *t)
{
    int leader = -1, groups = 0;
    settled = 1;
    for (uint32_t i = 0; i < count;) {
        int begins = leader < 0 || wanted[i].leads, leads_next = wanted[i].leads;
        int file = begins ? -1 : counter_open(i, leader);
        if (file < 0 && groups < COUNTER_GROUPS) {
            begins = 1;
            file = counter_open(i, -1);
        }
        if (file < 0) {
            forget(i);
            if (i < count)
                wanted[i].leads |= leads_next;
            continue;
        }
        wanted[i].leads = begins;
        if (begins) {
            leader = file;
            groups++;
        }
        auspex_header->counter_group[i] = (uint8_t)(groups - 1);
        t->counter_file[i++] = file;
    }
    t->counters = (int)count;
    auspex_header->counters = count;
}

void auspex_counters_open(struct thread *t)
{
    int leader = -1, first;
    pthread_mutex_lock(&lock);
    if ((first = !settled))
        settle(t);
    pthread_mutex_unlock(&lock);
    if (first)
        return;
    for (t->counters = 0; t->counters < (int)count; t->counters++) {
        int file = counter_open((uint32_t)t->counters, wanted[t->counters].leads ? -1 : leader);
        if (file < 0) {
            auspex_counters_close(t); /* all or none */
            return;
        }
        if (wanted[t->counters].leads)
            leader = file;
        t->counter_file[t->counters] = file;
    }
}

/* Adds what was counted since the latest look to n, where there is one. */
void auspex_counters_look(struct thread *t, struct node *n)
{
    uint64_t watched = 0;
    for (int i = 0; i < t->counters;) {
        struct { uint64_t count, enabled, running, value[COUNTERS]; } now;
        int group = auspex_header->counter_group[i], from = i;
        while (i < t->counters && auspex_header->counter_group[i] == group)
            i++;
        if (syscall(SYS_read, t->counter_file[from], &now, sizeof now) < (long)((3 + (size_t)(i - from)) * sizeof(uint64_t)))
            continue;
        watched = now.enabled - t->enabled[group] > watched ? now.enabled - t->enabled[group] : watched;
        if (n)
            n->running[group] += now.running - t->running[group];
        t->enabled[group] = now.enabled;
        t->running[group] = now.running;
        for (int k = from; k < i; k++) {
            if (n)
                n->counter[k] += now.value[k - from] - t->counter[k];
            t->counter[k] = now.value[k - from];
        }
    }
    if (n)
        n->watched += watched;
}
#else
void auspex_counters_start(void) {}
void auspex_counters_open(struct thread *t) { t->counters = 0; }
void auspex_counters_look(struct thread *t, struct node *n) { (void)t, (void)n; }
#endif

/* Lets go of the thread's counters. */
void auspex_counters_close(struct thread *t)
{
    while (t->counters > 0)
        auspex_let_go(t->counter_file[--t->counters]);
}
