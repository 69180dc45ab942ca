/* Where peers meet: listening, connecting, and both ends making sure that the
 * other has the run's key before anything else is said. */
#include "state.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

void p2p_copy_address(char *to, const char *address)
{
    size_t n = strnlen(address, 63);
    memmove(to, address, n);
    to[n] = 0;
}

static int at(struct sockaddr_in *a, const char *address, int port)
{
    memset(a, 0, sizeof *a);
    a->sin_family = AF_INET;
    a->sin_port = htons((uint16_t)port);
    return inet_pton(AF_INET, address, &a->sin_addr) == 1;
}

/* The port, inherited where the launcher holds it, which is the case on its own
 * host. */
static int bound(int type, int held)
{
    struct sockaddr_in a;
    if (held >= 0)
        return fcntl(held, F_SETFD, FD_CLOEXEC) == 0 && fcntl(held, F_SETFL, 0) == 0 ? held : -1;
    int on = 1, fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
    if (fd >= 0 && type == SOCK_STREAM)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (fd < 0 || !at(&a, R.address, R.port) || bind(fd, (struct sockaddr *)&a, sizeof a) != 0) {
        fprintf(stderr, "p2psap: peer %d cannot listen at %s:%d: %s\n", R.rank, R.address, R.port, strerror(errno));
        return -1;
    }
    return fd;
}

int p2p_listen(void)
{
    int size = 4 << 20;
    R.listener = bound(SOCK_STREAM, R.listener);
    if (R.listener < 0)
        return P2P_NOWHERE;
    R.datagrams = bound(SOCK_DGRAM, R.datagrams);
    if (R.datagrams < 0)
        return P2P_NOWHERE;
    setsockopt(R.datagrams, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    if (listen(R.listener, 1024) != 0)
        return P2P_NOWHERE;
    return 0;
}

static int readable(int fd, double until)
{
    struct pollfd p = {fd, POLLIN, 0};
    double left = until - p2p_now();
    return left > 0 && poll(&p, 1, (int)(left * 1000) + 1) > 0;
}

/* Reads one packet of an opening connection, which must come soon. */
static int read_opening(int fd, const struct p2p_key *key, struct p2p_packet *k, unsigned char *room, size_t size, double until)
{
    size_t have = 0;
    for (;;) {
        long whole = p2p_measure(room, have);
        if (whole < 0 || whole > (long)size)
            return whole < 0 ? (int)whole : REFUSED_SIZE;
        if (whole > 0 && have == (size_t)whole)
            return p2p_open(room, have, key, k);
        if (!readable(fd, until))
            return REFUSED_SHORT;
        ssize_t n = recv(fd, room + have, (whole > 0 ? (size_t)whole : P2P_HEAD) - have, 0);
        if (n <= 0)
            return REFUSED_SHORT;
        have += (size_t)n;
    }
}

static int write_opening(int fd, struct p2p_packet k, const struct p2p_key *key)
{
    unsigned char room[P2P_HEAD + 128];
    k.from = (uint32_t)R.rank;
    k.incarnation = R.incarnation;
    p2p_seal(&k, key, room);
    return send(fd, room, P2P_HEAD + k.size, MSG_NOSIGNAL) == (ssize_t)(P2P_HEAD + k.size);
}

static uint64_t made_up(void)
{
    uint64_t v = 0;
    if (getrandom(&v, sizeof v, 0) != sizeof v)
        v = (uint64_t)(p2p_now() * 1e9) ^ (uint64_t)(uintptr_t)&v;
    return v;
}

static void ready(int fd)
{
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(fd, F_SETFL, O_NONBLOCK);
}

/* Connects to a peer that is known: the descriptor and the connection's key, -1
 * where it is not to be reached. */
int p2p_connect(struct peer *p, struct p2p_key *key)
{
    struct sockaddr_in a, mine;
    unsigned char room[P2P_HEAD + 128];
    char where[80], address[64];
    struct p2p_packet k;
    double until = p2p_now() + 2;
    uint64_t nonce = made_up();
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    pthread_mutex_lock(&R.lock);
    int known = at(&a, p->address, p->port), port = p->port;
    p2p_copy_address(address, p->address);
    pthread_mutex_unlock(&R.lock);
    if (fd < 0)
        return -1;
    at(&mine, R.address, 0);
    bind(fd, (struct sockaddr *)&mine, sizeof mine);
    if (!known || (connect(fd, (struct sockaddr *)&a, sizeof a) != 0 && errno != EINPROGRESS))
        goto no;
    struct pollfd w = {fd, POLLOUT, 0};
    int error = 0;
    socklen_t size = sizeof error;
    if (poll(&w, 1, 2000) <= 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error)
        goto no;
    int n = snprintf(where, sizeof where, "%s %d", R.address, R.port);
    if (!write_opening(fd, (struct p2p_packet){.kind = K_HELLO, .to = (uint32_t)p->rank, .value = nonce, .size = (uint32_t)n, .data = (unsigned char *)where}, &R.key))
        goto no;
    if (read_opening(fd, &R.key, &k, room, sizeof room, until) != 0 || (int)k.from != p->rank || (int)k.to != R.rank || k.freeze != nonce)
        goto no;
    if (k.kind == K_FINISH) {
        pthread_mutex_lock(&R.lock);
        R.finished_before = 1;
        p2p_changed();
        pthread_mutex_unlock(&R.lock);
    }
    if (k.kind != K_HELLO)
        goto no;
    pthread_mutex_lock(&R.lock);
    int old = k.incarnation < p->incarnation;
    if (!old)
        p2p_introduce(p, address, port, k.incarnation); /* by now it may be said to be elsewhere */
    pthread_mutex_unlock(&R.lock);
    *key = p2p_derive(&R.key, nonce, k.value);
    if (old || !write_opening(fd, (struct p2p_packet){.kind = K_ACK, .to = k.from}, key))
        goto no;
    ready(fd);
    return fd;
no:
    close(fd);
    return -1;
}

/* What a HELLO says must be possible: another's rank, listening where the others
 * say it does. Returns the peer or NULL. */
static struct peer *believable(const struct p2p_packet *k, char *address, int *port)
{
    char text[100] = "";
    if (k->kind != K_HELLO || (int)k->to != R.rank || k->from == (uint32_t)R.rank || k->from >= (uint32_t)R.peers || k->size >= 80)
        return NULL;
    memcpy(text, k->data, k->size);
    if (sscanf(text, "%63s %d", address, port) != 2 || *port < 1 || *port > 65535)
        return NULL;
    struct peer *p = &R.peer[k->from];
    if (k->incarnation < p->incarnation || p->finished)
        return NULL;
    if (p->introduced && k->incarnation == p->incarnation && (strcmp(p->address, address) || p->port != *port))
        return NULL;
    return p;
}

/* One that takes the place of a peer which had finished is told so. */
static int finished_before(const struct p2p_packet *k)
{
    return k->kind == K_HELLO && (int)k->to == R.rank && k->from < (uint32_t)R.peers && R.peer[k->from].finished && k->incarnation > R.peer[k->from].incarnation;
}

static void welcome(int fd)
{
    unsigned char room[P2P_HEAD + 128];
    struct p2p_packet k;
    char address[64];
    int port;
    double until = p2p_now() + 1;
    uint64_t nonce = made_up();
    int refused = read_opening(fd, &R.key, &k, room, sizeof room, until);
    if (refused == 0) {
        struct p2p_packet hello = k;
        pthread_mutex_lock(&R.lock);
        struct peer *p = believable(&k, address, &port);
        int past = finished_before(&k);
        pthread_mutex_unlock(&R.lock);
        if (past) {
            write_opening(fd, (struct p2p_packet){.kind = K_FINISH, .to = k.from, .freeze = k.value}, &R.key);
            close(fd);
            return;
        }
        struct p2p_key key = p2p_derive(&R.key, k.value, nonce);
        if (p && write_opening(fd, (struct p2p_packet){.kind = K_HELLO, .to = k.from, .value = nonce, .freeze = k.value}, &R.key) &&
            read_opening(fd, &key, &k, room, sizeof room, until) == 0 && k.kind == K_ACK && k.from == hello.from) {
            ready(fd);
            pthread_mutex_lock(&R.lock);
            p2p_introduce(p, address, port, hello.incarnation);
            if (p->rank < R.rank) { /* it only says where it is: we connect */
                pthread_mutex_unlock(&R.lock);
                close(fd);
                return;
            }
            if (p->handed >= 0)
                close(p->handed);
            p->handed = fd;
            p->handed_key = key;
            p2p_wake(p);
            pthread_mutex_unlock(&R.lock);
            return;
        }
    }
    pthread_mutex_lock(&R.lock);
    R.counts.refused++;
    pthread_mutex_unlock(&R.lock);
    close(fd);
}

void *p2p_accept(void *none)
{
    (void)none;
    while (!R.ending) {
        struct pollfd p[2] = {{R.listener, POLLIN, 0}, {R.launcher, 0, 0}};
        if (poll(p, 2, 100) <= 0)
            continue;
        if (p[1].revents & POLLHUP) {
            fprintf(stderr, "p2psap: peer %d ends, for the launcher is gone\n", R.rank);
            _exit(1);
        }
        if (!p[0].revents)
            continue;
        int fd = accept4(R.listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0)
            welcome(fd);
    }
    return NULL;
}

/* Datagrams are sealed with the run's key, and belong to one incarnation. */
void *p2p_datagrams(void *none)
{
    static unsigned char room[65536];
    (void)none;
    while (!R.ending) {
        struct pollfd w = {R.datagrams, POLLIN, 0};
        struct p2p_packet k;
        if (poll(&w, 1, 100) <= 0)
            continue;
        ssize_t n = recv(R.datagrams, room, sizeof room, MSG_DONTWAIT);
        if (n < 0)
            continue;
        int refused = p2p_open(room, (size_t)n, &R.key, &k);
        pthread_mutex_lock(&R.lock);
        if (refused || k.kind != K_PIECE || (int)k.to != R.rank || k.from >= (uint32_t)R.peers || (int)k.from == R.rank)
            R.counts.refused++;
        else if (k.incarnation == R.peer[k.from].incarnation)
            p2p_take(&R.peer[k.from], &k);
        pthread_mutex_unlock(&R.lock);
    }
    return NULL;
}

/* A descriptor for datagrams to one peer; little may wait in it, so that what is
 * sent is new. */
int p2p_outgoing(struct peer *p)
{
    struct sockaddr_in a;
    int size = 32 << 10, fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    if ((at(&a, R.address, 0) && bind(fd, (struct sockaddr *)&a, sizeof a) != 0) || !at(&a, p->address, p->port) ||
        connect(fd, (struct sockaddr *)&a, sizeof a) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}
