/* Which function of the program a parallel region or a task of libomp runs. Tools are
 * told where it was made: by a call that may be the last of its function, which then
 * is not seen, or from inside the library. */
#include "probe.h"
#include <dlfcn.h>

/* The beginning of kmp_task_t, as compilers know it. */
struct kmp_task { void *shared; int (*body)(int, void *); };

static __thread const void *making; /* what the call that the thread is in makes tasks of */
static const void *looping;         /* what loops whose turns are tasks do, if it is one thing */
static int loops;                   /* so many are being made */

/* Where what is made begins, in a form that reads as a return address; otherwise
 * where nothing is known. */
const void *auspex_body(const void *otherwise)
{
    /* Threads that have run out of turns make tasks of the loop's for it. */
    const void *body = making ? making : __atomic_load_n(&looping, __ATOMIC_RELAXED);
    return body ? (const char *)body + 1 : otherwise;
}

static const void *make(const struct kmp_task *task)
{
    const void *before = making;
    making = task ? (const void *)(uintptr_t)task->body : NULL;
    return before;
}

static const void *make_loop(const struct kmp_task *task)
{
    const void *before = make(task);
    int first = __atomic_fetch_add(&loops, 1, __ATOMIC_RELAXED) == 0;
    if (first || __atomic_load_n(&looping, __ATOMIC_RELAXED) != making)
        __atomic_store_n(&looping, first ? making : NULL, __ATOMIC_RELAXED);
    return before;
}

static void made(const void *before) { making = before; }

static void made_loop(const void *before)
{
    making = before;
    __atomic_fetch_sub(&loops, 1, __ATOMIC_RELAXED);
}

#define MAKES(kind, name, parameters, arguments)       \
    EXPORT int name parameters;                        \
    int name parameters                                \
    {                                                  \
        static int (*real) parameters;                 \
        if (unlikely(!real))                           \
            *(void **)&real = dlsym(RTLD_NEXT, #name); \
        const void *before = make##kind(task);         \
        int status = real arguments;                   \
        made##kind(before);                            \
        return status;                                 \
    }

/* Some return nothing: what they leave there is nobody's. */
MAKES(, __kmpc_omp_task, (void *at, int thread, struct kmp_task *task), (at, thread, task))
MAKES(, __kmpc_omp_task_begin_if0, (void *at, int thread, struct kmp_task *task), (at, thread, task))
MAKES(, __kmpc_omp_task_with_deps, (void *at, int thread, struct kmp_task *task, int n, void *list, int others, void *other_list), (at, thread, task, n, list, others, other_list))
MAKES(_loop, __kmpc_taskloop, (void *at, int thread, struct kmp_task *task, int deferred, void *from, void *to, int64_t step, int nogroup, int schedule, uint64_t grain, void *copy),
    (at, thread, task, deferred, from, to, step, nogroup, schedule, grain, copy))
MAKES(_loop, __kmpc_taskloop_5, (void *at, int thread, struct kmp_task *task, int deferred, void *from, void *to, int64_t step, int nogroup, int schedule, uint64_t grain, int strict, void *copy),
    (at, thread, task, deferred, from, to, step, nogroup, schedule, grain, strict, copy))

static __thread const void *forking; /* what the parallel region that is being opened runs */

/* Where the body of the parallel region begins that the thread opens now, in a form
 * that reads as a return address; otherwise where it is not known. */
const void *auspex_forked(const void *otherwise)
{
    const void *body = forking;
    forking = NULL;
    return body ? (const char *)body + 1 : otherwise;
}

#if defined(__x86_64__)
/* Notes the body, and says where to go on. */
__attribute__((used)) void *auspex_forks(const void *body);
void *auspex_forks(const void *body)
{
    static void *real;
    if (unlikely(!real))
        real = dlsym(RTLD_NEXT, "__kmpc_fork_call");
    forking = body;
    return real;
}

/* void __kmpc_fork_call(ident *at, int n, void (*body)(), ...) takes n pointers more:
 * all of them are left as they are. */
__asm__(
    ".text\n"
    ".globl __kmpc_fork_call\n"
    ".type __kmpc_fork_call, @function\n"
    "__kmpc_fork_call:\n"
    ".cfi_startproc\n"
    "endbr64\n"
    "subq $56, %rsp\n"
    ".cfi_adjust_cfa_offset 56\n"
    "movq %rdi, 0(%rsp)\n"
    "movq %rsi, 8(%rsp)\n"
    "movq %rdx, 16(%rsp)\n"
    "movq %rcx, 24(%rsp)\n"
    "movq %r8, 32(%rsp)\n"
    "movq %r9, 40(%rsp)\n"
    "movq %rax, 48(%rsp)\n"
    "movq %rdx, %rdi\n"
    "call auspex_forks\n"
    "movq %rax, %r11\n"
    "movq 0(%rsp), %rdi\n"
    "movq 8(%rsp), %rsi\n"
    "movq 16(%rsp), %rdx\n"
    "movq 24(%rsp), %rcx\n"
    "movq 32(%rsp), %r8\n"
    "movq 40(%rsp), %r9\n"
    "movq 48(%rsp), %rax\n"
    "addq $56, %rsp\n"
    ".cfi_adjust_cfa_offset -56\n"
    "jmp *%r11\n"
    ".cfi_endproc\n"
    ".size __kmpc_fork_call, . - __kmpc_fork_call\n");
#endif
