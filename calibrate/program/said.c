#include "pingpong.h"

#include <stdarg.h>

/* Lines wait here for the end, when rank 0 prints those of all: what ranks
 * print themselves may come out mixed up. */
static char *said;
static size_t said_length, said_room;

void say(const char *format, ...)
{
    va_list args;

    if (said_room - said_length < 1024) {
        said_room = 2 * said_room + 4096;
        said = realloc(said, said_room);
        if (said == NULL)
            abort();
    }
    va_start(args, format);
    said_length += (size_t)vsnprintf(said + said_length, 1024, format, args);
    va_end(args);
}

void print_all(int me, int ranks)
{
    if (me > 0) {
        MPI_Send(said, (int)said_length, MPI_CHAR, 0, TEXT, MPI_COMM_WORLD);
        return;
    }
    fwrite(said, 1, said_length, stdout);
    for (int rank = 1; rank < ranks; rank++) {
        MPI_Status status;
        int n;
        MPI_Probe(rank, TEXT, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_CHAR, &n);
        char *theirs = malloc((size_t)n + 1);
        if (theirs == NULL)
            abort();
        MPI_Recv(theirs, n, MPI_CHAR, rank, TEXT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        fwrite(theirs, 1, (size_t)n, stdout);
        free(theirs);
    }
    puts("done");
    fflush(stdout);
}
