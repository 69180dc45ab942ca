#include "pingpong.h"

enum { SMALL = 64 }; /* bytes of a message after more and more computation */

static void send_token(int peer) { MPI_Send(NULL, 0, MPI_BYTE, peer, TOKEN, MPI_COMM_WORLD); }

static void recv_token(int peer)
{
    MPI_Recv(NULL, 0, MPI_BYTE, peer, TOKEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_data(int peer, int n) { MPI_Send(buffer, n, MPI_BYTE, peer, DATA, MPI_COMM_WORLD); }

static void recv_data(int peer, int n)
{
    MPI_Recv(other, n, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Exchanges in a row, as those of collectives are: alone, the rank that comes to it
 * later finds the other's message half on its way. */
static double exchange_in_a_row(int peer, int n)
{
    int row = n < 32 << 10 ? 8 : 1;
    double start = now();

    for (int i = 0; i < row; i++)
        MPI_Sendrecv(buffer, n, MPI_BYTE, peer, DATA, other, n, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return (now() - start) / row;
}

/* An exchange after computation. The rank that comes to it first waits for the
 * other, so the other's time is the one that counts. */
static double exchange_cold(int peer, int n, long work)
{
    double mine, theirs;

    compute_over(work);
    mine = now();
    MPI_Sendrecv(buffer, n, MPI_BYTE, peer, DATA, other, n, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    mine = now() - mine;
    MPI_Sendrecv(&mine, 1, MPI_DOUBLE, peer, TOKEN, &theirs, 1, MPI_DOUBLE, peer, TOKEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return mine < theirs ? mine : theirs;
}

/* Messages both ways during computation; what is left of their time after it. */
static double exchange_meanwhile(int peer, int n, double seconds)
{
    MPI_Request both[2];
    double start = now();

    MPI_Irecv(other, n, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(buffer, n, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, &both[1]);
    while (now() < start + seconds)
        ;
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    return now() - start - seconds;
}

/* Small messages that the system carries while their sender computes: the receiver
 * counts those that have come by the end of it. The connection is new then; its
 * buffers grow with use. */
static const double meanwhile = 0.1; /* seconds */

static void send_and_compute(int peer)
{
    MPI_Request all[LINES];
    double end;

    for (int i = 0; i < LINES; i++)
        MPI_Isend(buffer, LINE, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, &all[i]);
    for (end = now() + meanwhile; now() < end;)
        ;
    MPI_Waitall(LINES, all, MPI_STATUSES_IGNORE);
}

/* Returns the bytes that came, 0 for all there were: also where a slow network, not
 * a buffer, kept them. */
long receive_meanwhile(int peer)
{
    MPI_Request all[LINES];
    double start = now(), last = 0;
    int done = 0, flag;

    for (int i = 0; i < LINES; i++)
        MPI_Irecv(other, LINE, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, &all[i]);
    while (done < LINES && now() - start < 0.9 * meanwhile) {
        MPI_Test(&all[done], &flag, MPI_STATUS_IGNORE);
        if (flag)
            done++, last = now() - start;
    }
    if (done < LINES)
        MPI_Waitall(LINES - done, &all[done], MPI_STATUSES_IGNORE);
    return done == LINES || last > meanwhile / 2 ? 0 : (long)done * LINE;
}

/* The leader's part of one measurement; returns seconds. */
double lead(const Order *o, int peer)
{
    MPI_Request request;
    int n = (int)o->bytes;
    double start, time;

    switch (o->kind) {
    case PINGPONG:
        start = now();
        send_data(peer, n);
        recv_data(peer, n);
        return (now() - start) / 2;
    case EXCHANGE:
        send_token(peer);
        recv_token(peer);
        return exchange_in_a_row(peer, n);
    case SEND:
    case LATE:
        recv_token(peer); /* the follower is there, and with SEND has its receive posted */
        start = now();
        send_data(peer, n);
        return now() - start;
    case ISEND:
        recv_token(peer);
        start = now();
        MPI_Isend(buffer, n, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, &request);
        time = now() - start;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return time;
    case COLD:
        return exchange_cold(peer, n, MUCH);
    case COOL:
        return exchange_cold(peer, SMALL, o->bytes);
    case WORK:
        start = now();
        compute_over(o->bytes);
        return now() - start;
    case OVERLAP:
        send_token(peer);
        recv_token(peer);
        return exchange_meanwhile(peer, n, o->delay);
    case SKEWED:
        send_token(peer);
        recv_token(peer);
        return exchange_in_a_row(peer, n) - o->delay;
    case SELF: /* after computation too, as in a program */
        compute();
        start = now();
        MPI_Sendrecv(buffer, n, MPI_BYTE, peer, DATA, other, n, MPI_BYTE, peer, DATA, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        return now() - start;
    default: /* RECV, of what has come already; ALONE */
        send_token(peer);
        recv_token(peer);
        start = now();
        recv_data(peer, n);
        return now() - start;
    }
}

/* The follower's part. */
void follow(const Order *o, int peer)
{
    MPI_Request request;
    int n = (int)o->bytes, seen;

    switch (o->kind) {
    case PINGPONG:
        recv_data(peer, n);
        send_data(peer, n);
        break;
    case EXCHANGE:
        recv_token(peer);
        send_token(peer);
        exchange_in_a_row(peer, n);
        break;
    case SEND:
    case ISEND:
        MPI_Irecv(other, n, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, &request);
        send_token(peer);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case LATE:
        send_token(peer);
        for (double end = now() + o->delay; now() < end;)
            ;
        recv_data(peer, n);
        break;
    case COLD:
        exchange_cold(peer, n, MUCH);
        break;
    case COOL:
        exchange_cold(peer, SMALL, o->bytes);
        break;
    case WORK:
        compute_over(o->bytes);
        break;
    case OVERLAP:
        recv_token(peer);
        send_token(peer);
        exchange_meanwhile(peer, n, o->delay);
        break;
    case SKEWED: /* comes later by the delay, and has seen the other's message by then */
        recv_token(peer);
        send_token(peer);
        for (double end = now() + o->delay; now() < end;)
            MPI_Iprobe(peer, TOKEN, MPI_COMM_WORLD, &seen, MPI_STATUS_IGNORE);
        exchange_in_a_row(peer, n);
        break;
    case SENDBUFFER:
        send_and_compute(peer);
        break;
    default: /* RECV, ALONE: the token overtakes nothing */
        recv_token(peer);
        MPI_Isend(buffer, n, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, &request);
        send_token(peer);
        for (double end = now() + o->delay; now() < end;)
            ;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}
