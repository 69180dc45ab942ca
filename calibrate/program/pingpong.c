/* Measures the network between MPI ranks, and the speed of their processors.
 * Every pair of ranks in turn is a leader, which measures, and a follower. The
 * leader says what to do next: an order holds a kind, a size, and how often.
 *
 * Lines of the result:
 *     library NAME
 *     host RANK NAME
 *     KIND LEADER FOLLOWER BYTES TYPICAL LEAST TIMES     seconds: the median; of small messages, and large cold ones, a mean
 *     work LEADER FOLLOWER BYTES MEDIAN LEAST TIMES      of computation over so many bytes
 *     cool LEADER FOLLOWER BYTES MEDIAN LEAST TIMES      of a small exchange after that
 *     skewed LEADER FOLLOWER BYTES MEDIAN LEAST TIMES    of an exchange to which the follower came later, from then on
 *     sendbuffer LEADER FOLLOWER BYTES 0 0 1             that arrive while the sender computes
 *     kernel RANK NAME SECONDS                           a line a round
 *     done
 *
 *     pingpong [largest [budget]]     bytes, and seconds a size may take
 *     pingpong kernels                only the processors, and without MPI
 *     pingpong crowd [largest]        two ranks alone, then all at once:
 *     crowd RANKS 0 BYTES MEDIAN LEAST TIMES
 */
#include "pingpong.h"

char *buffer, *other;

int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    int me, ranks, length;
    char name[MPI_MAX_PROCESSOR_NAME];

    if (argc > 1 && strcmp(argv[1], "kernels") == 0) {
        for (int round = 0; round < ROUNDS; round++)
            kernels(0);
        print_all(0, 1);
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int crowded = argc > 1 && strcmp(argv[1], "crowd") == 0;
    argv += crowded, argc -= crowded;
    long largest = argc > 1 ? atol(argv[1]) : 16 << 20;
    double budget = argc > 2 ? atof(argv[2]) : 0.05;
    buffer = calloc((size_t)largest + 1, 1);
    other = calloc((size_t)largest + 1, 1);
    if (largest < 1 || buffer == NULL || other == NULL || ranks < 2) {
        if (me == 0)
            fprintf(stderr, "pingpong: wants 2 ranks or more, sizes from 1 byte on, and memory for them\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    memset(buffer, 1, (size_t)largest);
    memset(other, 1, (size_t)largest);
    MPI_Get_processor_name(name, &length);
    say("host %d %s\n", me, name);
    if (me == 0) {
        char library[MPI_MAX_LIBRARY_VERSION_STRING];
        MPI_Get_library_version(library, &length);
        say("library %.60s\n", strtok(library, "\n"));
    }
    if (crowded) {
        crowd(me, ranks, largest);
        print_all(me, ranks);
        MPI_Finalize();
        return 0;
    }
    for (int a = 0; a < ranks; a++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (me == a)
            lead_self(me, largest, budget);
        for (int b = a + 1; b < ranks; b++) {
            MPI_Barrier(MPI_COMM_WORLD);
            if (me == a)
                lead_all(me, b, largest, budget);
            else if (me == b)
                follow_all(a);
        }
    }
    for (int turn = 0; turn < ROUNDS * ranks; turn++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (me == turn % ranks)
            kernels(me);
    }
    print_all(me, ranks);
    MPI_Finalize();
    return 0;
}
