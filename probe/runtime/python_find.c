/* Finds the interpreter of Python in the process, once, and how its memory is laid
 * out. The layouts are those of its public headers. */
#include "eh_frame.h"
#include "python.h"
#include <stdlib.h>
#include <string.h>

static const struct layout layouts[] = {
    {.first = 6, .last = 7, .loop = BY_CODE, .state_frame = 24,
        .code = 32, .previous = 24, .name = 104, .file = 96, .line = 36, .ascii = 48, .other = 72},
    {.first = 8, .last = 9, .loop = BY_CODE, .state_frame = 24,
        .code = 32, .previous = 24, .name = 112, .file = 104, .line = 40, .ascii = 48, .other = 72},
    {.first = 10, .last = 10, .loop = BY_CFRAME, .state_frame = 24, .state_cframe = 48, .cframe_previous = 8,
        .code = 32, .previous = 24, .name = 112, .file = 104, .line = 40, .ascii = 48, .other = 72},
    {.first = 11, .last = 11, .loop = BY_FLAG, .state_cframe = 56, .cframe_frame = 8, .cframe_previous = 16,
        .code = 32, .previous = 48, .mark = 68, .name = 128, .file = 112, .line = 72, .ascii = 48, .other = 72},
    {.first = 12, .last = 12, .loop = BY_SHIM, .state_cframe = 56, .cframe_frame = 0,
        .code = 0, .previous = 8, .mark = 70, .name = 128, .file = 112, .line = 68, .ascii = 40, .other = 56},
    {.first = 13, .last = 13, .loop = BY_SHIM, .state_frame = 72,
        .code = 0, .previous = 8, .mark = 70, .name = 128, .file = 112, .line = 68, .ascii = 40, .other = 56},
};

struct interpreter auspex_interpreter;

static const struct layout *layout_of(const char *version)
{
    char *end;
    if (strncmp(version, "3.", 2) != 0)
        return NULL;
    long minor = strtol(version + 2, &end, 10);
    for (size_t i = 0; end > version + 2 && i < sizeof layouts / sizeof layouts[0]; i++)
        if (minor >= layouts[i].first && minor <= layouts[i].last)
            return &layouts[i];
    return NULL;
}

/* What a program that has an interpreter offers. Looking them up by name would have the
 * C library call the program's malloc where there is none, and change what dlerror says. */
extern void *PyGILState_GetThisThreadState(void) __attribute__((weak));
extern int Py_IsInitialized(void) __attribute__((weak));
extern const char *Py_GetVersion(void) __attribute__((weak));
extern void _PyEval_EvalFrameDefault(void) __attribute__((weak));
extern char PyCode_Type[] __attribute__((weak)), PyUnicode_Type[] __attribute__((weak));

/* Looks whether the process has an interpreter: the program itself, or a library that it
 * is linked with. */
void auspex_python_look(void)
{
    struct header *h = auspex_header;
    struct entry loop;
    if (!PyGILState_GetThisThreadState || !Py_IsInitialized || !Py_GetVersion || !_PyEval_EvalFrameDefault || !PyCode_Type || !PyUnicode_Type)
        return;
    struct interpreter found = {
        .state = PyGILState_GetThisThreadState, .initialized = Py_IsInitialized,
        .code_type = (uintptr_t)PyCode_Type, .string_type = (uintptr_t)PyUnicode_Type, .loop_start = (uintptr_t)_PyEval_EvalFrameDefault,
    };
    const char *said = getenv("AUSPEX_PYTHON_VERSION"); /* tests have one that is not known */
    said = said ? said : Py_GetVersion();
    const char *end = strchr(said, ' ');
    size_t length = end ? (size_t)(end - said) : strlen(said);
    memcpy(h->python, said, length < sizeof h->python ? length : sizeof h->python - 1);
    h->python_at = found.loop_start;
    if (auspex_entry(found.loop_start, &loop))
        found.loop_end = loop.end;
    found.layout = layout_of(said);
    if (strstr(said, "free-threading"))
        h->python_state = PYTHON_THREADS_FREELY;
    else if (!found.layout || (found.layout->loop == BY_CODE && !found.loop_end))
        h->python_state = PYTHON_UNKNOWN;
    else {
        h->python_state = PYTHON_KNOWN;
        auspex_interpreter = found;
    }
}

/* Whether the layout is right shows in the first stacks: a build of one's own may have
 * another. A single frame may be half made when a sample comes. */
enum { ENOUGH_MISFITS = 8 };

void auspex_python_fits(void)
{
    if (unlikely(auspex_header->python_state == PYTHON_KNOWN))
        auspex_header->python_state = PYTHON_NAMED;
}

void auspex_python_misfit(void)
{
    static int misfits;
    if (auspex_header->python_state != PYTHON_KNOWN || ++misfits < ENOUGH_MISFITS)
        return;
    auspex_interpreter.off = 1;
    auspex_header->python_state = PYTHON_MISFIT;
}
