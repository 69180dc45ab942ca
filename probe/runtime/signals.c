/* Signals: programs find them as they would without the runtime.
 *
 * The signal that samples come by stays the runtime's. A program that puts a
 * handler in for every signal there is believes that it has this one too, and its
 * handler is called when somebody else sends it. Those that may end the process are
 * noted before they do. */
#include "stacks.h"
#include <dlfcn.h>
#include <signal.h>
#include <string.h>

typedef void (*handler)(int);
typedef int (*action)(int, const struct sigaction *, struct sigaction *);

static struct sigaction theirs;

int auspex_sample_signal(void) { return SIGRTMAX - 3; }

/* sigaction as the C library has it. */
int auspex_sigaction(int sig, const struct sigaction *mine, struct sigaction *old)
{
    static action real;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "sigaction");
    return real(sig, mine, old);
}

static int ours(int sig) { return auspex_sampling && sig == auspex_sample_signal(); }

/* ---- signals that may end the process ---- */

static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT, SIGHUP, SIGXCPU};
enum { DEADLY = sizeof deadly / sizeof deadly[0] };
static struct sigaction before[DEADLY]; /* what the program takes to be there */

static int place(int sig)
{
    int i = 0;
    while (i < DEADLY && deadly[i] != sig)
        i++;
    return i;
}

/* A thread that dies of noting that it does is let die. */
static int noted(int sig)
{
    static __thread int noting __attribute__((tls_model("initial-exec")));
    if (noting)
        return 0;
    noting = 1;
    int measured = auspex_dying(sig);
    noting = 0;
    return measured;
}

static void last_words(int sig, siginfo_t *info, void *context)
{
    int measured = noted(sig);
    const struct sigaction *a = &before[place(sig)];
    if (a->sa_flags & SA_SIGINFO)
        a->sa_sigaction(sig, info, context);
    else if (a->sa_handler != SIG_DFL)
        a->sa_handler(sig);
    else {
        struct sigaction plain;
        memset(&plain, 0, sizeof plain);
        auspex_sigaction(sig, &plain, NULL);
        raise(sig);
        return;
    }
    if (measured)
        auspex_survived();
}

/* Has a signal noted before whoever else handles it. */
static void watch(int i, const struct sigaction *there)
{
    struct sigaction mine;
    if (there->sa_handler == SIG_IGN || there->sa_sigaction == last_words)
        return;
    before[i] = *there;
    memset(&mine, 0, sizeof mine);
    mine.sa_sigaction = last_words;
    mine.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    auspex_sigaction(deadly[i], &mine, NULL);
}

/* Notes which signal ends the process. MPI libraries put their own handlers in, so
 * this is done again after their start. */
void auspex_watch_signals(void)
{
    struct sigaction there;
    for (int i = 0; i < DEADLY; i++)
        if (auspex_sigaction(deadly[i], NULL, &there) == 0)
            watch(i, &there);
}

/* Puts back what the program takes to be there. */
void auspex_leave_signals(void)
{
    struct sigaction there;
    for (int i = 0; i < DEADLY; i++)
        if (auspex_sigaction(deadly[i], NULL, &there) == 0 && there.sa_sigaction == last_words)
            auspex_sigaction(deadly[i], &before[i], NULL);
}

/* What a program asks for is what it would find without the runtime: Python takes
 * Ctrl-C over, and Open MPI prints where a program crashed, only where nobody handles
 * these signals. Its own handlers are put in as they are. */
static void as_without(int sig, const struct sigaction *mine, struct sigaction *was)
{
    int i = place(sig);
    if (i == DEADLY)
        return;
    if (was->sa_sigaction == last_words)
        *was = before[i];
    if (mine && mine->sa_handler == SIG_DFL && auspex_measures_itself())
        watch(i, mine);
}

/* ---- what programs call ---- */

EXPORT int sigaction(int sig, const struct sigaction *mine, struct sigaction *old)
{
    struct sigaction was = theirs;
    if (ours(sig)) {
        if (mine)
            theirs = *mine;
    } else {
        struct sigaction set;
        if (mine)
            set = *mine; /* old may be the same memory */
        if (auspex_sigaction(sig, mine, &was) != 0)
            return -1;
        as_without(sig, mine ? &set : NULL, &was);
    }
    if (old)
        *old = was;
    return 0;
}

EXPORT handler signal(int sig, handler mine)
{
    static handler (*real)(int, handler);
    struct sigaction set, was = theirs;
    memset(&set, 0, sizeof set);
    set.sa_handler = mine;
    set.sa_flags = SA_RESTART;
    if (ours(sig)) {
        theirs = set;
    } else {
        if (!real)
            *(void **)&real = dlsym(RTLD_NEXT, "signal");
        was.sa_handler = real(sig, mine);
        if (was.sa_handler == SIG_ERR)
            return SIG_ERR;
        as_without(sig, &set, &was);
    }
    return was.sa_handler;
}

/* A signal that is no sample; nothing where the program has no handler for it. */
void auspex_hand_on(int sig, siginfo_t *info, void *context)
{
    struct sigaction a = theirs;
    if (a.sa_flags & SA_SIGINFO)
        a.sa_sigaction(sig, info, context);
    else if (a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN)
        a.sa_handler(sig);
}
