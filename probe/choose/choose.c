/* Where a shell or a script stands between the launcher and the program, nobody
 * knows beforehand which MPI a process uses, and the runtime for another MPI would
 * end it. This is loaded in the runtime's place: it looks which MPI's library is
 * loaded, and has the process start anew with the runtime that fits. That runtime
 * puts this one back for the children: see at_start in tree.c.
 *
 * AUSPEX_CHOICES holds LIBRARY=RUNTIME:…; the last, without LIBRARY, is for all
 * other processes. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {"libmpi.so", "libmpich.so", "libmpi_cray.so", "libmpi_gnu"};

static int look(struct dl_phdr_info *info, size_t size, void *found)
{
    const char *base = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    (void)size;
    for (size_t i = 0; base && i < sizeof names / sizeof names[0]; i++)
        if (strncmp(base + 1, names[i], strlen(names[i])) == 0)
            return snprintf(found, 256, "%s", base + 1);
    return 0;
}

/* The words of the process, from where the kernel shows them. */
static char **words(void)
{
    size_t room = 1 << 16, used = 0, count = 0;
    char *text = malloc(room);
    ssize_t n;
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    while (text && file >= 0 && (n = read(file, text + used, room - used)) > 0)
        if ((used += (size_t)n) == room) {
            char *more = realloc(text, room *= 2);
            if (!more)
                free(text);
            text = more;
        }
    if (file >= 0)
        close(file);
    if (!text || used == 0 || text[used - 1] != 0)
        return NULL;
    for (size_t i = 0; i < used; i++)
        count += text[i] == 0;
    char **argv = calloc(count + 1, sizeof *argv), *at = text;
    for (size_t i = 0; argv && i < count; i++, at += strlen(at) + 1)
        argv[i] = at;
    return argv;
}

/* The environment with two changed. Shells have a setenv of their own, which does
 * nothing yet, so this is done by hand. */
static char **environment(const char *runtime, const char *now)
{
    size_t n = 0, k = 0;
    while (environ[n])
        n++;
    char **all = calloc(n + 3, sizeof *all), *load = NULL, *kept = NULL;
    if (!all || asprintf(&load, "LD_PRELOAD=%s", runtime) < 0 || asprintf(&kept, "AUSPEX_PRELOAD=%s", now) < 0)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0 && strncmp(environ[i], "AUSPEX_PRELOAD=", 15) != 0)
            all[k++] = environ[i];
    all[k++] = load;
    all[k] = kept;
    return all;
}

__attribute__((constructor)) static void choose(void)
{
    char library[256] = "", runtime[4096] = "", preload[8192];
    const char *choices = getenv("AUSPEX_CHOICES"), *me = getenv("AUSPEX_CHOOSER"), *now = getenv("LD_PRELOAD"), *mine;
    if (!choices || !me || !now || !(mine = strstr(now, me)))
        return;
    dl_iterate_phdr(look, library);
    for (const char *at = choices; *at; at += strcspn(at, ":"), at += *at == ':') {
        size_t name = strcspn(at, "="), all = strcspn(at, ":");
        /* libmpi.so.40 is also libmpi.so.40.30.4 */
        if (name == 0 || (library[0] && strncmp(library, at, name) == 0 && (library[name] == 0 || library[name] == '.'))) {
            snprintf(runtime, sizeof runtime, "%.*s", (int)(all - name - 1), at + name + 1);
            break;
        }
    }
    char **argv = runtime[0] ? words() : NULL;
    if (!argv || (size_t)snprintf(preload, sizeof preload, "%.*s%s%s", (int)(mine - now), now, runtime, mine + strlen(me)) >= sizeof preload)
        return;
    char **with = environment(preload, now);
    if (with)
        execve("/proc/self/exe", argv, with);
    /* It could not: it runs unmeasured. */
}
