/* Tells the measurement runtime, where auspex run has put it into the program,
 * what is called and what travels. */
#include "state.h"
#include <dlfcn.h>

static void (*joined)(int rank, int peers);
static void (*enter)(const char *name, const void *from);
static void (*leave)(int sent, int peer, int tag, long bytes, unsigned long dropped);

void p2p_measure_start(void)
{
    *(void **)&joined = dlsym(RTLD_DEFAULT, "auspex_p2p_joined");
    *(void **)&enter = dlsym(RTLD_DEFAULT, "auspex_p2p_enter");
    *(void **)&leave = dlsym(RTLD_DEFAULT, "auspex_p2p_leave");
    if (joined)
        joined(R.rank, R.peers);
}

void p2p_enter(const char *name, const void *from)
{
    if (enter)
        enter(name, from);
}

/* sent is 1 of a message sent, -1 of one received, 0 of neither. */
void p2p_leave(int sent, int peer, int tag, long bytes, unsigned long dropped)
{
    if (leave)
        leave(sent, peer, tag, bytes, dropped);
}
