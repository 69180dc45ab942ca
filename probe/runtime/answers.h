/* One rank alone. Part of mpi.c where it is built with AUSPEX_ANSWERS.
 *
 * With AUSPEX_RECORD=0,3 the ranks named write down what MPI gives them: buffers,
 * statuses, flags, what their communicators are. With AUSPEX_ANSWER=3 rank 3 is given
 * just that in another run, and nobody is asked: the other ranks sleep from MPI_Init on,
 * so that it has the machine to itself (Zhai, Chen and Zheng, "PHANTOM", PPoPP 2010). It
 * must make the same calls again: where it does not, it ends and says so.
 *
 * Both ways go through the same code: what is put into the record in one run is taken out
 * of it in the other. A record is a row of heads, each with its answer after it. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "answers_record.h"
#include "answers_comms.h"
#include "answers_requests.h"

/* ---- Fortran ---- */

#ifdef OPEN_MPI
/* What stands in Fortran for a constant of MPI's is a variable's address, under one of
 * the names that compilers make of it. */
enum { FORMS = 3 };
struct constant { const char *forms[FORMS]; void *at[FORMS]; int known; };
#define CONSTANT(name) {{"mpi_fortran_" name "_", "mpi_fortran_" name, "mpi_fortran_" name "__"}, {NULL}, 0}
static struct constant in_place = CONSTANT("in_place"), bottom = CONSTANT("bottom"), ignored = CONSTANT("status_ignore"), all_ignored = CONSTANT("statuses_ignore");

static int stands_for(const void *a, struct constant *c)
{
    for (int i = 0; !c->known && i < FORMS; i++)
        c->at[i] = dlsym(RTLD_DEFAULT, c->forms[i]);
    c->known = 1;
    for (int i = 0; i < FORMS; i++)
        if (a && a == c->at[i])
            return 1;
    return 0;
}

static void *fortran_buffer(void *a)
{
    if (stands_for(a, &in_place))
        return MPI_IN_PLACE;
    return stands_for(a, &bottom) ? MPI_BOTTOM : a;
}

static int fortran_ignores(const void *a) { return stands_for(a, &ignored) || stands_for(a, &all_ignored); }
#else
/* MPICH's entry points of Fortran do this. */
static void *fortran_buffer(void *a) { return a; }
static int fortran_ignores(const void *a) { return !a; }
#endif

/* ---- start and end ---- */

static int named_in(const char *list, int rank)
{
    for (const char *at = list; at && *at; at = strchr(at, ','), at += at ? 1 : 0)
        if (atoi(at) == rank)
            return 1;
    return 0;
}

/* Sleeps until the rank that is measured has come to its end, and ends. */
static void park(void)
{
    flock(lock_file, LOCK_SH);
    PMPI_Finalize();
    auspex_file_close(FINISHED, 0);
    _exit(0);
}

/* Opens the record of a rank that is to be answered; the others sleep. */
static void answer_alone(const char *dir, int rank, int mine)
{
    char path[4096];
    struct stat about;
    snprintf(path, sizeof path, "%s/lock", dir);
    lock_file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (mine)
        flock(lock_file, LOCK_EX);
    PMPI_Barrier(MPI_COMM_WORLD);
    if (!mine)
        park();
    snprintf(path, sizeof path, "%s/%d.record", dir, rank);
    record_file = open(path, O_RDONLY | O_CLOEXEC);
    if (record_file < 0 || fstat(record_file, &about) != 0 || !(record_size = (uint64_t)about.st_size) ||
        (record = mmap(NULL, record_size, PROT_READ, MAP_PRIVATE, record_file, 0)) == MAP_FAILED) {
        tell_refusal("its record cannot be read");
        departed();
    }
    madvise(record, record_size, MADV_SEQUENTIAL);
    answers = ANSWERING;
}

static void answers_start(void)
{
    const char *dir = getenv("AUSPEX_ANSWERS_DIR"), *record_of = getenv("AUSPEX_RECORD"), *answer_to = getenv("AUSPEX_ANSWER"), *limit = getenv("AUSPEX_RECORD_LIMIT");
    char path[4096];
    int rank;
    if (!dir || !auspex_header)
        return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (answer_to)
        answer_alone(dir, rank, atoi(answer_to) == rank);
    else if (named_in(record_of, rank)) {
        record_limit = limit ? strtoull(limit, NULL, 10) : UINT64_MAX;
        snprintf(path, sizeof path, "%s/%d.record", dir, rank);
        record_file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        answers = record_file < 0 ? 0 : RECORDING;
    }
}

static int answer_Init(int *argc, char ***argv)
{
    int result = PMPI_Init(argc, argv);
    answers_start();
    return result;
}

static int answer_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int result = PMPI_Init_thread(argc, argv, required, provided);
    answers_start();
    return result;
}

/* The record is whole with its last answer. Who sleeps is woken: MPI ends with all. */
static int answer_Finalize(void)
{
    if (answers == RECORDING)
        flush_answer();
    if (answers == RECORDING)
        give_up();
    if (answers == ANSWERING && (head.times > 1 || next_answer())) {
        tell_refusal("it ends after %llu calls, and went on to %s in the run with all ranks", (unsigned long long)calls_made, answered_call(head.call));
        departed();
    }
    flock(lock_file, LOCK_UN);
    return PMPI_Finalize();
}
