/* What counters.c offers. */
#ifndef AUSPEX_COUNTERS_H
#define AUSPEX_COUNTERS_H
#include "probe.h"

void auspex_counters_start(void);
void auspex_counters_open(struct thread *t);
void auspex_counters_look(struct thread *t, struct node *n);
void auspex_counters_close(struct thread *t);
#endif
