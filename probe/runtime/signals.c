/* The signal that samples come by stays the runtime's. A program that puts a
 * handler in for every signal there is believes that it has this one too, and its
 * handler is called when somebody else sends it. */
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

EXPORT int sigaction(int sig, const struct sigaction *mine, struct sigaction *old)
{
    if (!ours(sig))
        return auspex_sigaction(sig, mine, old);
    struct sigaction was = theirs;
    if (mine)
        theirs = *mine;
    if (old)
        *old = was;
    return 0;
}

EXPORT handler signal(int sig, handler mine)
{
    static handler (*real)(int, handler);
    if (!ours(sig)) {
        if (!real)
            *(void **)&real = dlsym(RTLD_NEXT, "signal");
        return real(sig, mine);
    }
    handler was = theirs.sa_handler;
    memset(&theirs, 0, sizeof theirs);
    theirs.sa_handler = mine;
    theirs.sa_flags = SA_RESTART;
    return was;
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
