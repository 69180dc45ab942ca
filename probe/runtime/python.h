/* Functions of Python: python_find.c finds the interpreter and how its memory is laid
 * out, python.c walks its frames, python_names.c keeps the functions' names. All but
 * the finding is safe in signal handlers: nothing is allocated but pages, no lock is
 * taken, and only memory that is there is read. */
#ifndef AUSPEX_PYTHON_H
#define AUSPEX_PYTHON_H
#include "stacks.h"

/* How one frame of the C stack, the interpreter's loop, runs functions of Python, and
 * how that frame is told. */
enum loop {
    BY_CODE,   /* one function in each; by its program counter */
    BY_CFRAME, /* one function in each; by a record on the stack, the cframe */
    BY_FLAG,   /* up to the function with a flag; by the cframe */
    BY_SHIM,   /* up to a frame that no function has, which lies on the stack */
};

/* Where things lie in versions 3.first to 3.last, in bytes from an object's start. */
struct layout {
    uint8_t first, last;
    uint8_t loop;
    uint8_t state_frame;  /* of a thread's state: its innermost frame; 0: the cframe has it */
    uint8_t state_cframe; /* the same: its cframe, 0 without */
    uint8_t cframe_frame, cframe_previous;
    uint8_t code, previous, mark; /* of a frame; mark is the flag, or whose it is */
    uint8_t name, file, line;     /* of a code object */
    uint8_t ascii, other;         /* length of a string's head, by what it holds */
};

/* What was found. */
struct interpreter {
    const struct layout *layout; /* NULL without an interpreter that is known */
    int off;                     /* the layout is not its */
    void *(*state)(void); /* of the calling thread */
    int (*initialized)(void);
    uintptr_t code_type, string_type;
    uintptr_t loop_start, loop_end;
};
extern struct interpreter auspex_interpreter HIDDEN;

enum { PAGES_KNOWN = 256, CODES_KNOWN = 1024, MOST_FUNCTIONS = 4096 };

/* A code object that was seen, with all that tells whether it still is the same: its
 * memory may have come to another's. */
struct code_known { uintptr_t code, name, file; int64_t hash, length; int32_t line; struct function *function; };

/* A function of this thread's record. */
struct function {
    uint64_t hash;               /* of its name, file and line */
    uint32_t at, walk;           /* where it stands in the stack of which walk */
    struct auspex_region region; /* where it called MPI */
};

/* What a thread needs to walk its frames of Python. */
struct python {
    int busy;        /* a sample came while its tables were in use */
    uint32_t walk;   /* how many there were */
    uint32_t left;   /* frames that this one may still read */
    uintptr_t frame, cframe, marker; /* what it comes to next */
    struct { uintptr_t page; uint32_t walk; } pages[PAGES_KNOWN];
    struct chunk *room;
    struct code_known codes[CODES_KNOWN];
    uint32_t functions;
    struct function function[MOST_FUNCTIONS]; /* by their numbers */
    uint16_t number[2 * MOST_FUNCTIONS];      /* by their hashes, open addressing; one more than it is */
};

enum { PAGE = 4096, TRUSTED = 16, TYPE = 8 }; /* TYPE: where every object has its own */

int auspex_python_page(struct python *p, uintptr_t page);

/* Frames of a running thread and what they refer to stay where they are: a page that
 * was there a few walks ago is. What is to be caught is an address that is none. */
static inline int page_there(struct python *p, uintptr_t page)
{
    uint32_t i = (uint32_t)(page / PAGE) % PAGES_KNOWN;
    return likely(p->pages[i].page == page && p->walk - p->pages[i].walk < TRUSTED) || auspex_python_page(p, page);
}

/* What lies at an address, NULL where it cannot be read. */
static inline const void *at(struct python *p, uintptr_t from, size_t size)
{
    if (unlikely(from < PAGE || from >= PYTHON_BIT - size))
        return NULL;
    uintptr_t first = from & ~(uintptr_t)(PAGE - 1), last = (from + size - 1) & ~(uintptr_t)(PAGE - 1);
    return page_there(p, first) && (likely(last == first) || page_there(p, last)) ? (const void *)from : NULL;
}

/* The same of an object, of which all begin at full words. */
static inline const void *object(struct python *p, uintptr_t from, size_t size)
{
    return likely(from % sizeof from == 0) ? at(p, from, size) : NULL;
}

static inline uintptr_t word(const void *object, size_t offset) { return *(const uintptr_t *)((const char *)object + offset); }

/* python_find.c */
void auspex_python_misfit(void);
void auspex_python_fits(void);

/* python_names.c */
extern struct function auspex_python_import HIDDEN; /* stands for those that are left out */
struct function *auspex_python_function(struct thread *t, uintptr_t code);
#endif
