#include "detect.h"
#include <stdlib.h>

static void add_child(struct detect *d, int rank) { d->child[d->children++] = rank; }

void detect_start(struct detect *d, int rank, int clusters, const int *sizes)
{
    int first = 0, c = 0;
    while (rank >= first + sizes[c])
        first += sizes[c++];
    int in = rank - first;
    d->rank = rank;
    d->children = 0;
    d->child = malloc(4 * sizeof *d->child);
    d->child_up = malloc(4);
    d->child_vote = malloc(4);
    d->parent = -1;
    if (in > 0)
        d->parent = first + (in - 1) / 2;
    for (int k = 2 * in + 1; k <= 2 * in + 2 && k < sizes[c]; k++)
        add_child(d, first + k);
    if (in == 0) {
        for (int k = 0, at = 0; k < clusters; at += sizes[k++]) {
            if (c > 0 && k == (c - 1) / 2)
                d->parent = at;
            if (k == 2 * c + 1 || k == 2 * c + 2)
                add_child(d, at);
        }
    }
    d->here = d->told = 0;
    d->phase = 1;
    d->state = D_FREE;
    d->vote = -1;
    for (int i = 0; i < d->children; i++)
        d->child_up[i] = 0, d->child_vote[i] = -1;
}

void detect_end(struct detect *d)
{
    free(d->child);
    free(d->child_up);
    free(d->child_vote);
}

static void down(struct detect *d, enum detect_word word)
{
    for (int i = 0; i < d->children; i++)
        d->say(d->with, d->child[i], word, d->phase, 1);
}

static void begin(struct detect *d, uint64_t phase)
{
    d->phase = phase;
    d->state = D_FREE;
    d->vote = -1;
    d->here = d->told = 0; /* each says anew what it is */
    for (int i = 0; i < d->children; i++)
        d->child_up[i] = 0, d->child_vote[i] = -1;
}

static void freeze(struct detect *d)
{
    d->state = D_FREEZING;
    down(d, D_FREEZE);
}

static void consider(struct detect *d)
{
    int all = d->here;
    for (int i = 0; i < d->children; i++)
        all = all && d->child_up[i];
    if (d->state != D_FREE || d->voting || all == d->told)
        return;
    d->told = all;
    if (d->parent >= 0)
        d->say(d->with, d->parent, D_UP, d->phase, all);
    else if (all)
        freeze(d);
}

static void next(struct detect *d, uint64_t phase)
{
    begin(d, phase);
    down(d, D_GO);
    consider(d);
}

static void count(struct detect *d)
{
    int all = d->vote;
    if (d->vote < 0 || d->state == D_STOPPED)
        return;
    for (int i = 0; i < d->children; i++) {
        if (d->child_vote[i] < 0)
            return;
        all = all && d->child_vote[i];
    }
    if (d->parent >= 0) {
        if (d->state != D_VOTED) {
            d->state = D_VOTED;
            d->say(d->with, d->parent, D_VOTE, d->phase, all);
        }
    } else if (all) {
        d->state = D_STOPPED;
        down(d, D_STOP);
    } else
        next(d, d->phase + 1);
}

void detect_scheme(struct detect *d, int voting) { d->voting = voting; }

void detect_here(struct detect *d, int converged)
{
    d->here = converged;
    consider(d);
}

void detect_frozen(struct detect *d)
{
    if (d->state == D_FREEZING)
        d->state = D_FROZEN;
}

void detect_vote(struct detect *d, int converged)
{
    d->here = converged;
    d->vote = converged;
    count(d);
}

static int *same(int *list, int n, int rank)
{
    for (int i = 0; i < n; i++)
        if (list[i] == rank)
            return &list[i];
    return 0;
}

static int child_of(struct detect *d, int rank)
{
    int *at = same(d->child, d->children, rank);
    return at ? (int)(at - d->child) : -1;
}

void detect_hear(struct detect *d, int from, enum detect_word word, uint64_t phase, int yes)
{
    int i = child_of(d, from);
    if (word == D_STOP) { /* from the parent, or from any other to one that was replaced */
        if (d->state != D_STOPPED) {
            d->state = D_STOPPED;
            d->phase = phase;
            down(d, D_STOP);
        }
        return;
    }
    if (d->state == D_STOPPED) {
        if (i >= 0 || from == d->parent)
            d->say(d->with, from, D_STOP, d->phase, 1); /* to one that came back */
        return;
    }
    if (i >= 0 && word == D_RESET) {
        if (d->parent >= 0)
            d->say(d->with, d->parent, D_RESET, d->phase, 1);
        else if (!d->voting)
            next(d, (phase > d->phase ? phase : d->phase) + 1);
    } else if (i >= 0 && phase < d->phase && d->voting && word == D_VOTE) {
        d->say(d->with, from, D_GO, d->phase, 1); /* that iteration was decided */
    } else if (i >= 0 && phase > d->phase && !d->voting) {
        if (d->parent < 0) /* replaced, and yet to learn how far the others are */
            next(d, phase + 1);
    } else if (i >= 0 && phase >= d->phase) {
        if (phase > d->phase) /* the same: what came before is decided */
            next(d, phase);
        if (word == D_UP) {
            d->child_up[i] = (signed char)yes;
            consider(d);
        } else if (word == D_VOTE) {
            d->child_vote[i] = (signed char)yes;
            count(d);
        }
    } else if (from == d->parent) {
        if (word == D_GO && phase > d->phase)
            next(d, phase);
        else if (word == D_FREEZE && phase == d->phase && d->state == D_FREE)
            freeze(d);
    }
}

void detect_replaced(struct detect *d, int rank)
{
    int i = child_of(d, rank);
    if (d->state == D_STOPPED) {
        d->say(d->with, rank, D_STOP, d->phase, 1);
        return;
    }
    if (i >= 0) {
        d->child_up[i] = 0;
        d->child_vote[i] = -1;
        d->say(d->with, rank, D_GO, d->phase, 1);
        if (!d->voting) {
            if (d->parent >= 0)
                d->say(d->with, d->parent, D_RESET, d->phase, 1);
            else
                next(d, d->phase + 1);
        } else
            consider(d);
    } else if (rank == d->parent) {
        if (d->voting) {
            /* What was said to the one before is said again. */
            if (d->state == D_VOTED) {
                d->state = D_FREE;
                count(d);
            } else
                d->say(d->with, rank, D_UP, d->phase, 0);
        } else {
            d->told = 0;
            d->say(d->with, rank, D_RESET, d->phase, 1);
            consider(d);
        }
    }
}
