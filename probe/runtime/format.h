/* The file a measured process writes: a header, then chunks of equal size.
 * The file is mapped and the runtime counts in place, so what a killed process
 * has counted is in the file without its doing. Package probe reads it. */
#ifndef AUSPEX_FORMAT_H
#define AUSPEX_FORMAT_H
#include <stdint.h>

#define AUSPEX_MAGIC "auspexP\n"
#define AUSPEX_VERSION 9
#define HEADER_SIZE 4096
#define CHUNK_SIZE 16384

enum state { RUNNING = 0, FINISHED = 1, ABORTED = 2, SIGNALLED = 3, REPLACED = 4, CONFINED = 5 };
enum chunk_kind { REGIONS = 1, THREAD = 2, NODES = 3, SAMPLES = 4, OBJECTS = 5, SWITCHED = 6, FUNCTIONS = 7 };
enum region_kind { FUNCTION = 1, LOOP = 2, USER = 3, MPI_CALL = 4, BARRIER = 5, PARALLEL = 6, COMPUTE = 7, PROGRAM = 8, FRAME = 9, FILE_CALL = 10, PAUSE = 11 };

/* Whether functions of Python are named; why not. PYTHON_KNOWN: none was seen yet. */
enum python_state { NO_PYTHON = 0, PYTHON_KNOWN = 1, PYTHON_NAMED = 2, PYTHON_UNKNOWN = 3, PYTHON_THREADS_FREELY = 4, PYTHON_MISFIT = 5 };

/* Counters of the hardware, in groups that count at once. */
enum { COUNTERS = 8, COUNTER_GROUPS = 4, COUNTER_NAME = 24, ALLOWED_WORDS = 16 };

struct header {
    char magic[8];
    uint32_t version, order; /* order is 0x01020304 as the writer sees it */
    uint32_t header_size, chunk_size, node_size, counters;
    uint64_t used;           /* bytes of the file that are in use */
    int32_t pid, rank, ranks, state;
    int32_t code;            /* exit status, abort code or signal */
    int32_t threads;
    /* Two readings of the tick counter and the monotonic clock give its rate. */
    uint64_t ticks0, nanos0, ticks1, nanos1;
    uint64_t realtime;       /* nanoseconds since 1970 at the first reading */
    uint64_t peak_memory;    /* bytes */
    uint64_t lost;           /* events not counted for want of space */
    uint64_t price;          /* ticks that entering and leaving a region takes */
    uint64_t budget;         /* millionths of the run that probes may take */
    uint64_t sampling;       /* nanoseconds of CPU time between samples, 0 without */
    uint64_t asked;          /* those that were asked for; fewer where a sample takes too long */
    uint64_t sample_price;   /* ticks that a sample takes, the interrupt included */
    uint64_t own;            /* ticks that starting and ending took */
    uint64_t call_price;     /* ticks that a call of MPI takes longer, and one for a file */
    uint64_t file_price;
    uint64_t children;       /* ns of CPU time of children that it has waited for */
    char host[256];
    char program[1024];
    char mpi[512];
    char name[256];          /* that the program was started by */
    char counter_name[COUNTERS][COUNTER_NAME]; /* the first `counters` of them */
    uint8_t counter_group[COUNTERS];
    uint64_t began, ended;   /* ticks at the end of MPI_Init and the beginning of MPI_Finalize, 0 where not called */
    uint64_t cpu0, cpu1;     /* ns of CPU time of all threads at the two readings of the clocks */
    uint64_t python_at;      /* an address of Python's interpreter */
    uint32_t python_state, filler;
    char python[24];         /* its version */
    uint64_t user, system;   /* ns of CPU time of all threads, as the kernel has it */
    uint64_t team_price;     /* ticks that a parallel region takes longer */
    uint64_t allowed[ALLOWED_WORDS]; /* the cores that its threads may run on, a bit each; 0 where not known */
};

struct chunk {
    uint32_t kind, thread, used, filler; /* used counts the bytes after this */
};

/* Region records follow one another, each a multiple of 8 bytes long; their
 * number is their order. Where object is not empty the region is known by its
 * address in that file. */
struct region_record {
    uint32_t size;
    uint16_t kind, name, file, object; /* lengths of the three texts after this */
    int32_t line;
    uint64_t offset;
};

/* A node of a thread's call-path tree; its number is its order among the
 * thread's nodes. All values are exclusive. */
struct node {
    uint32_t region, parent;
    uint64_t calls, wall, cpu, iterations;
    uint64_t blocked; /* of wall: it had given its core up, as far as the kernel was asked */
    uint64_t messages, sent, received, collective, overtaken;
    uint64_t io_time, io_read, io_written;
    uint64_t faults, switches;
    uint64_t counter[COUNTERS];
    uint64_t watched, running[COUNTER_GROUPS]; /* ns: in all, and while a group counted */
};

/* A step of a sampled stack: an address, below another step of its thread or
 * none, seen while the thread was in a place. Its number is its order. Addresses
 * from 1 << 63 on are functions of Python, by their numbers in the thread; one that
 * has no such number is not known by name. LOST_FROM stands for callers that are not
 * known, where the stack could not be walked to the end. */
#define LOST_FROM 0
struct sample { uint64_t pc; uint32_t parent, place; uint64_t count; };

/* A function of Python, each a multiple of 8 bytes long; its number is its order in
 * its thread. Its name and file follow, with a zero after each. */
struct function_record { uint32_t size; uint16_t name, file; int32_t line; uint32_t filler; };

/* A region that was switched off, by which thread and when (ticks). */
struct switched { uint32_t region, thread; uint64_t when; };

/* An object that was loaded, each a multiple of 8 bytes long: addresses from
 * start to end are those of the file plus bias. Its path follows. */
struct object_record { uint64_t bias, start, end; uint32_t size, path; };

/* The first part of a THREAD chunk. */
struct thread_record {
    int32_t id;
    uint32_t current;  /* node the thread is in */
    uint64_t first, last; /* ticks of its first and latest event */
    uint64_t looks; /* at the CPU clock */
    /* Samples; of these, inside MPI, not unwound to the end, and not kept
     * for want of space. */
    uint64_t samples, inside, broken, dropped;
    /* How often it was interrupted for them: one counts for several where they would
     * take too much; and the ticks that took. */
    uint64_t taken, taking;
    uint64_t files;   /* calls for files that were timed */
    uint64_t walking; /* ticks that taking samples and looking at slow clocks took */
    /* What it has spent since `last`, as far as it was seen, in ticks; to be added to
     * the node it is in where since is still `last`. */
    uint64_t since, wall, cpu, blocked;
    /* Whether it has ended, and whether its time between events is its own: OpenMP's
     * workers rest between parallel regions. */
    uint32_t over, own;
};
#endif
