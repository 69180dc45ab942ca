/* Walking a stack by the .eh_frame tables that every object carries for
 * exceptions; no frame pointers are needed. Safe in signal handlers: nothing is
 * allocated, no lock is taken, and only the thread's own stack is read. */
#ifndef AUSPEX_UNWIND_H
#define AUSPEX_UNWIND_H
#include <stdint.h>
#include "sampled.h"

#if defined(__x86_64__)
enum { REGISTERS = 17, STACK_POINTER = 7, RETURN_ADDRESS = 16, KEPT = 6 };
#define UNWINDS 1
#elif defined(__aarch64__)
enum { REGISTERS = 33, STACK_POINTER = 31, RETURN_ADDRESS = 30, KEPT = 12 };
#define UNWINDS 1
#else
enum { REGISTERS = 1, STACK_POINTER = 0, RETURN_ADDRESS = 0, KEPT = 1 };
#define UNWINDS 0
#endif

/* How the caller's registers are found in a stretch of code, for the rules that
 * nearly all code has: a register plus an offset is the frame's address, and what
 * the caller keeps is stored at offsets from there. A stretch and not one program
 * counter: a thread is interrupted anywhere in a loop, and reading the tables touches
 * a dozen pages that nothing else keeps in the caches. */
struct shortcut {
    uintptr_t from;  /* 0 while it is written */
    uint32_t length;
    int32_t offset;
    int16_t kept[KEPT], back; /* in words from the frame's address; 0: not stored */
    uint8_t base;
};

/* Shortcuts are found by the 32 bytes of code that a program counter is in. */
enum { SHORTCUTS = 1024, STRETCH = 5 };

/* A word of the stack that a walk went by. */
struct check { uintptr_t at, value; };

enum { CHECKS = 40 };

/* All that a walk went by, from the frame at base on: as long as these words are
 * the same, a walk from there comes to the same frames. */
struct trail {
    uintptr_t base;
    int begun, untold;           /* untold: there was more than is noted */
    uint32_t checks;
    uintptr_t origin[REGISTERS]; /* where a register's value was read, 0 for nowhere */
    struct check check[CHECKS];
};

/* A frame, seen from inside: the counter, the registers, and the bounds of the
 * stack. */
struct cursor {
    uintptr_t pc, reg[REGISTERS], low, high;
    uintptr_t frame; /* address of the frame stepped out of last */
    int exact;       /* pc is where the thread is, not where a call returns to */
    struct shortcut *shortcuts; /* SHORTCUTS of them, of this thread */
    struct trail *trail;        /* where it is to be noted, or NULL */
};

enum step { STEPPED, OUTERMOST, LOST };

/* Goes from a frame to its caller's. */
enum step auspex_step(struct cursor *c) __attribute__((visibility("hidden")));

/* Fills a cursor from the context that a signal handler is given. */
void auspex_cursor_context(struct cursor *c, void *context) __attribute__((visibility("hidden")));

/* Fills a cursor from where this is written. */
#if defined(__x86_64__)
#define CURSOR_HERE(c) \
    __asm__ volatile("movq %%rbx, 24(%1)\n\tmovq %%rbp, 48(%1)\n\tmovq %%rsp, 56(%1)\n\t" \
                     "movq %%r12, 96(%1)\n\tmovq %%r13, 104(%1)\n\tmovq %%r14, 112(%1)\n\tmovq %%r15, 120(%1)\n\t" \
                     "leaq 0(%%rip), %0" : "=r"((c)->pc) : "r"((c)->reg) : "memory")
#elif defined(__aarch64__)
#define CURSOR_HERE(c) \
    __asm__ volatile("stp x19, x20, [%1, #152]\n\tstp x21, x22, [%1, #168]\n\tstp x23, x24, [%1, #184]\n\t" \
                     "stp x25, x26, [%1, #200]\n\tstp x27, x28, [%1, #216]\n\tstp x29, x30, [%1, #232]\n\t" \
                     "mov %0, sp\n\tstr %0, [%1, #248]\n\tadr %0, ." : "=&r"((c)->pc) : "r"((c)->reg) : "memory")
#else
#define CURSOR_HERE(c) ((c)->pc = 0)
#endif
#endif
