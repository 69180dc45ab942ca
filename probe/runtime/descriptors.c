/* Files that the runtime keeps open. Their numbers are high, so that the program
 * finds its own as it would without the runtime. It may close them all the same, as
 * servers do with whatever they did not open, and open its own in their place:
 * before one is used it is asked for whether it is still the same file. */
#include "probe.h"
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { HIGH = 900, NUMBERS = 1 << 14 };
static struct { dev_t device; ino_t file; } mine[NUMBERS];

/* Half of what there is is the program's where that is little. */
static int high(void)
{
    struct rlimit files;
    return getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur / 2 < HIGH ? (int)(files.rlim_cur / 2) : HIGH;
}

/* Takes a descriptor over and returns its new number; -1 where there was none, or
 * there is no room. The calls are made directly, past what io.c counts. */
int auspex_keep(int low)
{
    struct stat s;
    if (low < 0)
        return -1;
    int fd = (int)syscall(SYS_fcntl, low, F_DUPFD_CLOEXEC, (long)high());
    syscall(SYS_close, low);
    if (fd >= NUMBERS || (fd >= 0 && fstat(fd, &s) != 0)) {
        syscall(SYS_close, fd);
        return -1;
    }
    if (fd >= 0) {
        mine[fd].device = s.st_dev;
        mine[fd].file = s.st_ino;
    }
    return fd;
}

int auspex_kept(int fd)
{
    struct stat s;
    return fd >= 0 && fd < NUMBERS && mine[fd].file && fstat(fd, &s) == 0 && s.st_dev == mine[fd].device && s.st_ino == mine[fd].file;
}

void auspex_let_go(int fd)
{
    if (!auspex_kept(fd))
        return;
    mine[fd].file = 0;
    syscall(SYS_close, fd);
}
