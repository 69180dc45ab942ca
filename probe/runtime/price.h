/* What a sample takes, tried out at the process's start: the interrupt, the signal,
 * the walk. Part of stacks.c. A machine may take ten times what another takes, most
 * of it in its kernel or below: then fewer samples are taken. */

enum { TRIED = 5, TURNS = 20000 };
#define TRIAL_NS 40000u

/* Of what measuring may take, samples have a fifth and probes three tenths (PROBES_PART in
 * budget.c): the rest is for what neither is asked for, such as starting, ending and
 * caches that are cold after a sample. */
#define SAMPLES_PART 0.2
/* By what they are seen to take while the program runs, caches included, they may have
 * so much. */
#define SAMPLES_MOST 0.3
#define STEP_NS 100000u

/* The gaps that samples leave in a loop which reads the clock; returns how many. */
static int gaps(struct walker *w, uint64_t *gap)
{
    uint64_t last = ticks(), before = last;
    uint32_t seen = w->tried;
    int n = 0;
    for (int i = 0; n < TRIED && i < TURNS; i++) {
        if (!w->event)
            send(w);
        if (__atomic_load_n(&w->tried, __ATOMIC_RELAXED) != seen) {
            seen = w->tried;
            uint64_t since = ticks() - last; /* it came after the latest reading, or just before */
            gap[n++] = since > last - before ? since : last - before;
        }
        before = last;
        last = ticks();
    }
    return n;
}

/* The time between samples such that they take no more than their part. */
static uint64_t affordable(uint64_t asked, double price_ns, double share)
{
    double least = price_ns / (SAMPLES_PART * share);
    if (share <= 0 || least <= (double)asked)
        return asked;
    return ((uint64_t)least / STEP_NS + 1) * STEP_NS;
}

static void price_of_sample(struct thread *t)
{
    struct walker *w = t->walker;
    uint64_t gap[TRIED], handled, least = UINT64_MAX;
    w->trying = 1;
    if (w->event)
        auspex_task_clock_period(w->event, TRIAL_NS);
    int n = gaps(w, gap);
    handled = w->tried_took;
    /* The least: it is what cannot be avoided, whatever else the machine does. */
    for (int i = 0; i < n; i++)
        least = gap[i] < least ? gap[i] : least;
    if (n > 0) {
        auspex_header->sample_price = least;
        delivery = least > handled ? least - handled : 0;
        auspex_sampling = affordable(auspex_sampling, (double)least / auspex_rate, auspex_share);
        auspex_header->sampling = auspex_sampling;
    }
    if (w->event)
        auspex_task_clock_period(w->event, auspex_sampling);
    w->trying = 0;
}
