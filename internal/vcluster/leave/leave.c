/* Preloaded into what runs on a lab's hosts: an MPI process leaves a file in DIR
 * as long as it is in MPI, running.PID, and leaving.PID from when it enters
 * MPI_Finalize. It needs no header of any MPI. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int inside;

static void name(char *path, size_t size, const char *state) { snprintf(path, size, DIR "/%s.%d", state, (int)getpid()); }

static void *next(const char *function)
{
    void *f = dlsym(RTLD_NEXT, function);
    if (!f) {
        fprintf(stderr, "auspex lab: there is no %s\n", function);
        abort();
    }
    return f;
}

static int begun(int result)
{
    char path[4096];
    int fd;
    name(path, sizeof path, "running");
    if (result == 0 && (fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644)) >= 0)
        close(fd);
    return result;
}

static int leave(const char *function)
{
    int (*f)(void) = (int (*)(void))next(function);
    char running[4096], leaving[4096];
    int result, first = inside++ == 0; /* MPI_Finalize may call PMPI_Finalize */
    name(running, sizeof running, "running");
    name(leaving, sizeof leaving, "leaving");
    if (first)
        rename(running, leaving);
    result = f();
    if (first)
        unlink(leaving);
    return result;
}

int MPI_Init(int *argc, char ***argv) { return begun(((int (*)(int *, char ***))next("MPI_Init"))(argc, argv)); }
int PMPI_Init(int *argc, char ***argv) { return begun(((int (*)(int *, char ***))next("PMPI_Init"))(argc, argv)); }
int MPI_Init_thread(int *argc, char ***argv, int want, int *have)
{
    return begun(((int (*)(int *, char ***, int, int *))next("MPI_Init_thread"))(argc, argv, want, have));
}
int PMPI_Init_thread(int *argc, char ***argv, int want, int *have)
{
    return begun(((int (*)(int *, char ***, int, int *))next("PMPI_Init_thread"))(argc, argv, want, have));
}
int MPI_Finalize(void) { return leave("MPI_Finalize"); }
int PMPI_Finalize(void) { return leave("PMPI_Finalize"); }
