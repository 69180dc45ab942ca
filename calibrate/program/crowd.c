#include "pingpong.h"

/* Messages both ways between ranks half of all apart, of the first pair alone and
 * of all pairs at once, in turn; the slowest pair counts. */
void crowd(int me, int ranks, long largest)
{
    enum { TURNS = 15 };
    double alone[TURNS], together[TURNS];
    int half = ranks / 2, peer = me < half ? me + half : me < 2 * half ? me - half : -1;

    for (long z = 64 << 10; z <= largest && half > 1; z *= 4) {
        for (int turn = 0; turn < 2 * TURNS; turn++) {
            int all = turn % 2;
            double mine = 0, worst, start;
            compute();
            MPI_Barrier(MPI_COMM_WORLD);
            start = now();
            if (peer >= 0 && (all || me % half == 0)) {
                MPI_Sendrecv(buffer, (int)z, MPI_BYTE, peer, DATA, other, (int)z, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                mine = now() - start;
            }
            MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            (all ? together : alone)[turn / 2] = worst;
        }
        qsort(alone, TURNS, sizeof *alone, ascending);
        qsort(together, TURNS, sizeof *together, ascending);
        if (me == 0) {
            say("crowd 2 0 %ld %.9g %.9g %d\n", z, alone[TURNS / 2], alone[0], TURNS);
            say("crowd %d 0 %ld %.9g %.9g %d\n", 2 * half, z, together[TURNS / 2], together[0], TURNS);
        }
    }
}
