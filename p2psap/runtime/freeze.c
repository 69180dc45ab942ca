/* Termination as detect.h describes it, between the peers of a run. */
#include "state.h"
#include <stdlib.h>

static int coordinator(void)
{
    return R.rank == 0 || R.peer[R.rank - 1].cluster != R.peer[R.rank].cluster;
}

/* Where the peers of a cluster wait for one another, all must freeze at the end
 * of one iteration, which none may have passed before it hears of it. The
 * coordinator has completed k iterations; what it sends in iteration k + 2 is the
 * first to carry the mark; a peer d steps away has it in iteration k + 2 + d at
 * the latest, and d is below the number of peers. */
static void pick(void)
{
    if (R.freeze_phase != R.detect.phase) {
        R.freeze_phase = R.detect.phase;
        R.freeze_at = 0;
    }
    if (!R.freeze_at && coordinator() && R.detect.state == D_FREEZING)
        R.freeze_at = R.iteration + (uint64_t)R.sizes[R.peer[R.rank].cluster] + 2;
}

/* The mark on messages inside a cluster: phase and iteration. */
uint64_t p2p_freeze_mark(void)
{
    if (R.scheme != P2P_HYBRID || R.detect.state != D_FREEZING)
        return 0;
    pick();
    return R.freeze_at ? (R.detect.phase & 0xffffff) << 40 | R.freeze_at : 0;
}

void p2p_heard_freeze(uint64_t mark)
{
    if (!mark || R.scheme != P2P_HYBRID || R.detect.state == D_STOPPED)
        return;
    uint64_t low = mark >> 40, at = mark & 0xffffffffff, phase = (R.detect.phase & ~(uint64_t)0xffffff) | low;
    if (phase > R.detect.phase)
        detect_hear(&R.detect, R.detect.parent, D_GO, phase, 1);
    if (phase != R.detect.phase)
        return;
    pick();
    if (!R.freeze_at)
        R.freeze_at = at;
    if (R.detect.state == D_FREE)
        detect_hear(&R.detect, R.detect.parent, D_FREEZE, phase, 1);
}

static void say(void *with, int to, enum detect_word word, uint64_t phase, int yes)
{
    (void)with;
    uint64_t mark = word == D_FREEZE && R.peer[to].cluster == R.peer[R.rank].cluster ? p2p_freeze_mark() : 0;
    p2p_queue(&R.peer[to], K_DETECT, yes, word, phase, mark, NULL);
}

void p2p_detect_start(void)
{
    detect_start(&R.detect, R.rank, R.clusters, R.sizes);
    R.detect.say = say;
    detect_scheme(&R.detect, R.scheme == P2P_SYNCHRONOUS);
}

void p2p_hear(int from, int word, uint64_t phase, int yes, uint64_t mark)
{
    if (word < D_UP || word > D_RESET)
        return;
    if (phase >> ERA > R.era || R.recovering) { /* of a scheme or a state that we are yet to take up */
        struct early *e = malloc(sizeof *e), **at = &R.early;
        if (!e)
            abort();
        *e = (struct early){NULL, from, word, yes, phase, mark};
        while (*at)
            at = &(*at)->next;
        *at = e;
        return;
    }
    if (word == D_STOP && phase >> ERA < R.era)
        return; /* said to whoever came back with the scheme before */
    if (mark)
        p2p_heard_freeze(mark);
    detect_hear(&R.detect, from, (enum detect_word)word, phase, yes);
    p2p_changed();
}

void p2p_hear_early(void)
{
    struct early *e = R.early;
    R.early = NULL;
    while (e) {
        struct early *next = e->next;
        p2p_hear(e->from, e->word, e->phase, e->yes, e->mark);
        free(e);
        e = next;
    }
}

/* A message in order of the scheme before is the newest, but older than any that
 * is sent as such. */
void p2p_old_newest(struct channel *c, struct message *m)
{
    if (c->newest && c->newest->number > 1) {
        p2p_drop(&m);
        return;
    }
    p2p_drop(&c->newest);
    c->newest = m;
    m->number = 1;
    c->seen = 0;
}

/* What the old scheme left: of messages in order the last is the newest, and
 * the other way round none is waited for. */
static void change_channels(struct peer *p, int was_in_order)
{
    for (struct channel *c = p->channels; c; c = c->next) {
        while (was_in_order && !p2p_in_order(p) && c->first) {
            struct message *m = c->first;
            c->first = m->next;
            if (!c->first)
                c->last = NULL;
            c->consumed = m->number;
            m->next = NULL;
            p2p_old_newest(c, m);
        }
        c->unwaited = !was_in_order && p2p_in_order(p) && c->asked;
        if (c->unwaited)
            c->pending = 0;
    }
}

/* One that takes another's place may come back with a state of the scheme before, whose
 * end the others have seen. */
void p2p_replaced(int rank)
{
    detect_replaced(&R.detect, rank);
    if (R.detect.state != D_STOPPED && R.stopped)
        say(NULL, rank, D_STOP, R.stopped, 1);
}

int p2p_scheme_changes(int scheme)
{
    if (scheme == R.scheme)
        return scheme;
    int was[R.peers];
    for (int r = 0; r < R.peers; r++)
        was[r] = p2p_in_order(&R.peer[r]);
    R.scheme = scheme;
    R.stopped = R.detect.state == D_STOPPED ? R.detect.phase : 0;
    R.era++;
    R.era_start = R.iteration;
    R.delivering = 0;
    for (int r = 0; r < R.peers; r++)
        change_channels(&R.peer[r], was[r]);
    detect_end(&R.detect);
    p2p_detect_start();
    R.detect.phase = R.era << ERA | 1;
    p2p_hear_early();
    return scheme;
}

void p2p_answer_pulls(void)
{
    struct pull **at = &R.pulls;
    while (*at) {
        struct pull *q = *at;
        if (q->phase == R.frozen_phase) {
            struct channel *c = p2p_channel(&R.peer[q->from], q->tag);
            struct message *m = c->out_frozen;
            p2p_queue(&R.peer[q->from], K_FROZEN, m != NULL, q->tag, q->phase, m ? m->number : 0, m);
        }
        if (q->phase <= R.frozen_phase || q->phase < R.detect.phase) {
            *at = q->next;
            free(q);
        } else
            at = &q->next;
    }
}

/* The channels of which the frozen message is to be fetched. */
static int fetched(struct peer *p, struct channel *c) { return !p2p_in_order(p) && c->asked; }

static int all_here(uint64_t phase)
{
    for (int r = 0; r < R.peers; r++)
        for (struct channel *c = R.peer[r].channels; c; c = c->next)
            if (fetched(&R.peer[r], c) && c->frozen_phase != phase)
                return 0;
    return 1;
}

static int freeze(void)
{
    uint64_t phase = R.detect.phase;
    double end = p2p_now() + R.patience;
    R.frozen_phase = phase;
    for (int r = 0; r < R.peers; r++)
        for (struct channel *c = R.peer[r].channels; c; c = c->next) {
            p2p_drop(&c->out_frozen);
            c->out_frozen = p2p_share(c->out);
            if (fetched(&R.peer[r], c))
                p2p_queue(&R.peer[r], K_PULL, 0, c->tag, phase, 0, NULL);
        }
    p2p_answer_pulls();
    while (!all_here(phase) && R.detect.phase == phase && R.detect.state != D_STOPPED)
        if (!p2p_wait_until(end))
            return P2P_LATE;
    if (R.detect.phase != phase || R.detect.state != D_FREEZING)
        return R.detect.state == D_STOPPED;
    for (int r = 0; r < R.peers; r++)
        for (struct channel *c = R.peer[r].channels; c; c = c->next)
            c->give_frozen = fetched(&R.peer[r], c);
    R.delivering = 1;
    detect_frozen(&R.detect);
    return 0;
}

/* Whether this peer is between freezing and the outcome of the vote. */
int p2p_frozen(void)
{
    return R.scheme != P2P_SYNCHRONOUS && R.frozen_phase == R.detect.phase && R.detect.state != D_FREE && R.detect.state != D_STOPPED;
}

static int at_boundary(void)
{
    if (R.detect.state != D_FREEZING)
        return 0;
    if (R.scheme != P2P_HYBRID || R.sizes[R.peer[R.rank].cluster] == 1)
        return 1;
    pick();
    return R.freeze_at && R.iteration >= R.freeze_at;
}

/* A part has settled when it stayed converged while something new came from each
 * of those of whom the newest wins. Between two messages its changes shrink by
 * themselves, and what it would say then the next message takes back: a vote would
 * be lost, and all would have stood still for it. Where nothing new comes for long,
 * none is waited for. */
#define SETTLE 1.0
static int settled(int here)
{
    int fresh = 1;
    if (!here || R.settling_phase != R.detect.phase) {
        for (int r = 0; r < R.peers; r++)
            for (struct channel *c = R.peer[r].channels; c; c = c->next)
                c->settling = c->seen;
        R.settling_phase = R.detect.phase;
        R.settling_since = p2p_now();
    }
    for (int r = 0; r < R.peers; r++)
        for (struct channel *c = R.peer[r].channels; c; c = c->next)
            if (fetched(&R.peer[r], c) && c->seen == c->settling)
                fresh = 0;
    return here && (fresh || p2p_now() - R.settling_since > SETTLE);
}

/* Whether the end has come for this peer. One that takes another's place has an older
 * state than the one that was voted on: it goes on until its part has converged, with
 * what the others sent last, as long as it need not wait for more. Where all others have
 * finished, nobody votes any more; and where one is gone, no vote has an end. */
static int over(int here)
{
    int left = R.peers > 1;
    for (int r = 0; r < R.peers && R.detect.state != D_STOPPED; r++) {
        if (R.peer[r].gone)
            return P2P_GONE;
        left = left && (r == R.rank || R.peer[r].finished);
    }
    if (R.detect.state != D_STOPPED)
        return here && left;
    if (!R.incarnation || here)
        return 1;
    for (int r = 0; r < R.peers; r++)
        for (struct channel *c = R.peer[r].channels; c; c = c->next)
            if (p2p_in_order(&R.peer[r]) && c->asked && !c->first)
                return 1;
    return 0;
}

int p2p_async_converged(int here)
{
    R.iteration++;
    if (R.delivering) {
        R.delivering = 0;
        for (int r = 0; r < R.peers; r++)
            for (struct channel *c = R.peer[r].channels; c; c = c->next)
                c->give_frozen = 0;
        if (R.detect.state == D_FROZEN)
            detect_vote(&R.detect, here);
        else
            detect_here(&R.detect, settled(here));
    } else if (at_boundary())
        return freeze();
    else
        detect_here(&R.detect, settled(here));
    return over(here);
}

int p2p_sync_converged(int here)
{
    double end = p2p_now() + R.patience;
    uint64_t count = ++R.iteration - R.era_start, phase = R.era << ERA | count;
    if (R.era && count == 1) /* from what the scheme before left: parts may not have heard of each other */
        here = 0;
    if (R.detect.phase == phase)
        detect_vote(&R.detect, here);
    while (R.detect.phase <= phase && R.detect.state != D_STOPPED)
        if (!p2p_wait_until(end))
            return P2P_LATE;
    return R.detect.state == D_STOPPED && R.detect.phase <= phase;
}
