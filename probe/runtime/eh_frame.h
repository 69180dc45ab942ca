/* The call frame tables of objects: eh_frame.c reads them, unwind.c goes by
 * them. */
#ifndef AUSPEX_EH_FRAME_H
#define AUSPEX_EH_FRAME_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>
#include "unwind.h"

enum rule { SAME, UNDEFINED, AT, VALUE, REGISTER, EXPRESSION, VALUE_EXPRESSION };

/* What is said of one program counter. */
struct row {
    uint8_t rule[REGISTERS];
    int64_t of[REGISTERS]; /* an offset, a register, or the address of an expression */
    uint32_t base;         /* of the frame's address */
    int64_t offset;
    const uint8_t *expression; /* in place of both */
    uintptr_t from, to;        /* where all of it holds */
};

/* What is said of one function. */
struct entry {
    uintptr_t start, end;
    const uint8_t *initial, *initial_end, *body, *body_end;
    uint64_t code;
    int64_t data;
    uint32_t back; /* column of the return address */
    int signal;
};

#define HIDDEN __attribute__((visibility("hidden")))
uint64_t auspex_unsigned(const uint8_t **p) HIDDEN;
int64_t auspex_signed(const uint8_t **p) HIDDEN;
int auspex_entry(uintptr_t pc, struct entry *e) HIDDEN;
/* Runs instructions up to a program counter; 0 where one is not understood. */
int auspex_rules(const uint8_t *p, const uint8_t *end, const struct entry *e, uintptr_t pc, struct row *r, const struct row *initial) HIDDEN;
#endif
