/* What the launcher says, by a descriptor that only this process has. */
#include "state.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int wrong(const char *what)
{
    fprintf(stderr, "p2psap: %s; start peers with auspex p2p run\n", what);
    return P2P_NOWHERE;
}

static int read_key(const char *text)
{
    for (int i = 0; i < 2; i++) {
        char half[17] = "";
        char *end;
        if (strlen(text) < 32)
            return 0;
        memcpy(half, text + 16 * i, 16);
        R.key.k[i] = strtoull(half, &end, 16);
        if (*end)
            return 0;
    }
    return 1;
}

static int read_sizes(char *text)
{
    int all = 0;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        int size = atoi(word);
        int *more = realloc(R.sizes, (size_t)(R.clusters + 1) * sizeof *more);
        if (!more || size < 1 || size > 65535)
            return 0;
        R.sizes = more;
        R.sizes[R.clusters++] = size;
        all += size;
    }
    R.peers = all;
    return all > 0 && all <= 65535;
}

/* A peer that is met first, or one that has finished. */
static int read_meet(const char *text, int fields)
{
    struct meet *m = calloc(1, sizeof *m);
    if (!m || sscanf(text, "%d %63s %d %u", &m->rank, m->address, &m->port, &m->incarnation) != fields)
        return 0;
    m->next = R.meet;
    R.meet = m;
    return 1;
}

static int read_line(char *line, int *version)
{
    char *value = strchr(line, ' ');
    if (!value)
        return 0;
    *value++ = 0;
    if (!strcmp(line, "p2psap"))
        *version = atoi(value);
    else if (!strcmp(line, "key"))
        return read_key(value);
    else if (!strcmp(line, "clusters"))
        return read_sizes(value);
    else if (!strcmp(line, "rank"))
        R.rank = atoi(value);
    else if (!strcmp(line, "incarnation"))
        R.incarnation = (uint32_t)atoi(value);
    else if (!strcmp(line, "scheme"))
        R.scheme = atoi(value);
    else if (!strcmp(line, "patience"))
        R.patience = atof(value);
    else if (!strcmp(line, "listen"))
        return sscanf(value, "%63s %d", R.address, &R.port) == 2;
    else if (!strcmp(line, "held"))
        return sscanf(value, "%d %d", &R.listener, &R.datagrams) == 2;
    else if (!strcmp(line, "meet") || !strcmp(line, "finished"))
        return read_meet(value, *line == 'm' ? 4 : 1);
    return 1;
}

static int meets_are_possible(void)
{
    for (struct meet *m = R.meet; m; m = m->next)
        if (m->rank < 0 || m->rank >= R.peers || m->port < 0 || m->port > 65535)
            return 0;
    return R.meet != NULL;
}

/* Reads until the line "end". Without a launcher this is a run of one peer. */
int p2p_configure(void)
{
    static char text[1 << 20];
    const char *number = getenv("AUSPEX_P2P_FD");
    size_t have = 0;
    int version = 0;
    R.patience = 30;
    R.launcher = -1;
    R.clusters = 0;
    if (!number) {
        static char one[] = "1";
        return read_sizes(one) ? 0 : P2P_NOWHERE;
    }
    int fd = atoi(number);
    while (have < 4 || memcmp(text + have - 4, "end\n", 4)) {
        ssize_t n = have < sizeof text - 1 ? read(fd, text + have, sizeof text - 1 - have) : 0;
        if (n <= 0)
            return wrong("the launcher's instructions are missing");
        have += (size_t)n;
    }
    R.launcher = fd; /* it stays open as long as the launcher is there */
    unsetenv("AUSPEX_P2P_FD");
    char *line = text, *end;
    for (; (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        if (strcmp(line, "end") && !read_line(line, &version))
            return wrong("the launcher's instructions cannot be understood");
    }
    memset(text, 0, sizeof text);
    if (version != P2P_VERSION)
        return wrong("the launcher speaks another version of the protocol: compile the program again with auspex p2p cc");
    if (R.rank < 0 || R.rank >= R.peers || !R.address[0] || !(R.patience > 0) || R.scheme < 0 || R.scheme > 2 || !meets_are_possible())
        return wrong("the launcher's instructions are not whole");
    return 0;
}
