/* The threshold iteration rule: see threshold.c. */
#ifndef AUSPEX_THRESHOLD_H
#define AUSPEX_THRESHOLD_H
#include "trace.h"

/* What the program and the runtime share, as in package instrument. */
struct auspex_loop { int number, communicates, bound; };
struct auspex_turns { struct auspex_loop *loop; long left, rest, total; int skip, watched; };

/* Asks all ranks whether they are ready to skip the rest of a loop that
 * communicates; 0 where one is not, or where they are not in the same turn of
 * the same loop. NULL without MPI. */
extern int (*auspex_agree)(int ready, int number, long turn);

/* Set while a loop that communicates is watched. */
extern int auspex_turning;
void auspex_turn_event(const struct event *e, const int64_t *lists, uint64_t compute);
void auspex_turns_close(void);
#endif
