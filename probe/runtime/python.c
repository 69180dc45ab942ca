/* Walks the frames of Python beside those of the C stack. */
#include "python.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Frames that a walk reads at most, some twice: Python lets calls nest 1,000 deep,
 * unless it is told otherwise. */
enum { MOST_FRAMES = 8000 };

/* ---- reading memory ---- */

/* Whether the kernel can read there. It is told to block signals in a way that there
 * is not, and finds that out only after it has read which. */
static int there(uintptr_t address)
{
    int error = errno, found = syscall(SYS_rt_sigprocmask, ~0, address, NULL, 8L) != 0 && errno == EINVAL;
    errno = error;
    return found;
}

int auspex_python_page(struct python *p, uintptr_t page)
{
    uint32_t i = (uint32_t)(page / PAGE) % PAGES_KNOWN;
    if (!there(page))
        return 0;
    p->pages[i].page = page;
    p->pages[i].walk = p->walk;
    return 1;
}

/* ---- frames ---- */

enum { OF_C_STACK = 3 }; /* whose a frame is that no function has */

/* A frame, of which as much can be read as is wanted; NULL without. */
static const void *frame_at(struct python *p, uintptr_t frame)
{
    const struct layout *l = auspex_interpreter.layout;
    size_t last = l->code > l->previous ? l->code : l->previous;
    return object(p, frame, (l->mark > last ? l->mark : last) + sizeof frame);
}

static uint8_t mark(const void *frame) { return ((const uint8_t *)frame)[auspex_interpreter.layout->mark]; }

/* A word of a thread's state or of a cframe. */
static uintptr_t word_at(struct python *p, uintptr_t from)
{
    const void *w = object(p, from, sizeof from);
    return w ? word(w, 0) : 0;
}

/* Finds where on the C stack the loop is that runs the functions from p->frame on. */
static void find_marker(struct python *p)
{
    const struct layout *l = auspex_interpreter.layout;
    p->marker = p->cframe;
    if (l->loop != BY_SHIM)
        return;
    uintptr_t frame = p->frame;
    const void *f;
    for (; p->left > 0 && (f = frame_at(p, frame)) && mark(f) != OF_C_STACK; p->left--)
        frame = word(f, l->previous);
    p->marker = frame;
}

/* While it ends, the interpreter takes the states of threads away under them. */
static int ending(void)
{
    static int begun;
    int initialized = auspex_interpreter.initialized();
    begun |= initialized;
    return begun && !initialized;
}

/* Begins at the innermost frame of Python that the calling thread has; NULL without
 * one. auspex_python_end is to follow. */
SAMPLED struct python *auspex_python_begin(struct thread *t)
{
    const struct interpreter *i = &auspex_interpreter;
    struct walker *w = t->walker;
    uintptr_t state;
    if (likely(!i->layout) || i->off || ending() || !(state = (uintptr_t)i->state()))
        return NULL;
    if (!w->python) {
        void *pages = (void *)syscall(SYS_mmap, NULL, sizeof *w->python, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
        if (pages == MAP_FAILED)
            return NULL;
        w->python = pages;
    }
    struct python *p = w->python;
    if (p->busy)
        return NULL;
    p->busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    p->walk++;
    p->left = MOST_FRAMES;
    p->cframe = i->layout->state_cframe ? word_at(p, state + i->layout->state_cframe) : 0;
    p->frame = i->layout->state_frame ? word_at(p, state + i->layout->state_frame)
        : p->cframe ? word_at(p, p->cframe + i->layout->cframe_frame) : 0;
    if (!p->frame) {
        p->busy = 0;
        return NULL;
    }
    find_marker(p);
    return p;
}

void auspex_python_end(struct python *p)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    p->busy = 0;
}

/* Whether a frame of the C stack, from low to high, is the loop that runs the functions
 * come to next. */
int auspex_python_here(const struct python *p, uintptr_t pc, uintptr_t low, uintptr_t high)
{
    if (auspex_interpreter.layout->loop == BY_CODE)
        return pc >= auspex_interpreter.loop_start && pc < auspex_interpreter.loop_end;
    return p->marker >= low && p->marker < high;
}

/* Puts a function on the stack of which n frames are known. One that is on it already
 * takes the place of that, and what was between goes: as recursion is folded anyway, so
 * it may be as deep as it likes. */
static uint32_t put(struct python *p, struct function *f, uintptr_t *pc, uint32_t n)
{
    uintptr_t number = f ? PYTHON_BIT | (uintptr_t)(f - p->function) : NAMELESS;
    if (f && f->walk == p->walk && f->at < n && pc[f->at] == number)
        return f->at + 1;
    if (n == FRAMES)
        return n;
    if (f) {
        f->walk = p->walk;
        f->at = n;
    }
    pc[n] = number;
    return n + 1;
}

/* Adds the functions that one loop runs, and goes on to those of the next; any tells
 * whether there are some. */
static uint32_t add(struct thread *t, uintptr_t *pc, uint32_t n, int *any)
{
    const struct layout *l = auspex_interpreter.layout;
    struct python *p = t->walker->python;
    int ends = 0;
    *any = 0;
    const void *f = NULL;
    while (!ends && p->left > 0 && (f = frame_at(p, p->frame))) {
        p->left--;
        p->frame = word(f, l->previous);
        if (l->loop == BY_SHIM && mark(f) == OF_C_STACK)
            break;
        ends = l->loop == BY_FLAG ? mark(f) : l->loop != BY_SHIM;
        struct function *function = auspex_python_function(t, word(f, l->code));
        if (function == &auspex_python_import)
            continue;
        n = put(p, function, pc, n);
        *any = 1;
    }
    if (!f || p->left == 0)
        p->frame = 0;
    if (p->cframe)
        p->cframe = word_at(p, p->cframe + l->cframe_previous);
    find_marker(p);
    return n;
}

/* Puts the functions that a loop runs in the place of its own frame, the last of n. */
uint32_t auspex_python_functions(struct thread *t, uintptr_t *pc, uint32_t n)
{
    int any;
    uint32_t with = add(t, pc, n - 1, &any);
    return any ? with : n;
}

/* Adds all functions that are left: where the C stack could not be walked to them, or
 * where a loop was missed since compilers put parts of a function elsewhere. */
uint32_t auspex_python_rest(struct thread *t, uintptr_t *pc, uint32_t n, int whole)
{
    int any;
    while ((!whole || auspex_interpreter.layout->loop == BY_CODE) && t->walker->python->frame)
        n = add(t, pc, n, &any);
    return n;
}

/* A number for the functions that run now: where the C stack is the same, other
 * functions may be on it. 0 without any. */
uint64_t auspex_python_stamp(struct thread *t)
{
    struct python *p = auspex_python_begin(t);
    uint64_t stamp = 1;
    if (!p)
        return 0;
    const void *f;
    for (; p->left > 0 && (f = frame_at(p, p->frame)); p->left--) {
        stamp = (stamp ^ word(f, auspex_interpreter.layout->code)) * 0x9e3779b97f4a7c15u;
        p->frame = word(f, auspex_interpreter.layout->previous);
    }
    auspex_python_end(p);
    return stamp;
}
