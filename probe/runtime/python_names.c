/* The names of Python's functions: each is written into the process's file when a
 * thread first meets it. */
#include "python.h"
#include <string.h>

enum { LONGEST_NAME = 400, LONGEST_FILE = 1000 };

/* The head of a string. */
struct string { uintptr_t count, type; int64_t length, hash; uint32_t state; };
enum { KIND_BIT = 2, COMPACT = 1 << 5, ASCII = 1 << 6 };

static const struct string *string(struct python *p, uintptr_t from)
{
    const struct string *s = object(p, from, sizeof *s);
    return s && s->type == auspex_interpreter.string_type && s->state & COMPACT && s->length >= 0 ? s : NULL;
}

static size_t utf8(char *to, uint32_t c)
{
    if (c < 0x80)
        return to[0] = (char)c, 1;
    if (c < 0x800)
        return to[0] = (char)(0xc0 | c >> 6), to[1] = (char)(0x80 | (c & 63)), 2;
    if (c < 0x10000)
        return to[0] = (char)(0xe0 | c >> 12), to[1] = (char)(0x80 | (c >> 6 & 63)), to[2] = (char)(0x80 | (c & 63)), 3;
    return to[0] = (char)(0xf0 | (c >> 18 & 7)), to[1] = (char)(0x80 | (c >> 12 & 63)), to[2] = (char)(0x80 | (c >> 6 & 63)), to[3] = (char)(0x80 | (c & 63)), 4;
}

/* Reads a string as UTF-8, cut where it is too long; returns its length, 0 where it
 * cannot be read. to has room for most bytes. */
static size_t text(struct python *p, uintptr_t from, char *to, size_t most)
{
    const struct layout *l = auspex_interpreter.layout;
    const struct string *s = string(p, from);
    size_t n = 0;
    uint32_t width = s ? s->state >> KIND_BIT & 7 : 0;
    if (width != 1 && width != 2 && width != 4)
        return 0;
    from += s->state & ASCII ? l->ascii : l->other;
    for (int64_t i = 0; i < s->length && n + 4 < most; i++, from += width) {
        const void *c = at(p, from, width);
        if (!c)
            return 0;
        n += utf8(to + n, width == 1 ? *(const uint8_t *)c : width == 2 ? *(const uint16_t *)c : *(const uint32_t *)c);
    }
    return n;
}

static uint64_t mix(uint64_t h, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
    return h;
}

/* Writes a function's record and returns where its texts are, NULL without room. */
static const char *record(struct thread *t, const char *name, size_t name_size, const char *file, size_t file_size, int32_t line)
{
    struct python *p = t->walker->python;
    uint32_t size = (uint32_t)(sizeof(struct function_record) + name_size + 1 + file_size + 1 + 7) & ~7u;
    if (!p->room || p->room->used + size > CHUNK_SIZE - sizeof(struct chunk)) {
        struct chunk *c = auspex_chunk_now(FUNCTIONS, (uint32_t)t->record.id);
        if (!c)
            return NULL;
        p->room = c;
    }
    struct function_record *r = (void *)((char *)(p->room + 1) + p->room->used);
    *r = (struct function_record){size, (uint16_t)name_size, (uint16_t)file_size, line, 0};
    memcpy(r + 1, name, name_size); /* what follows either is zero */
    memcpy((char *)(r + 1) + name_size + 1, file, file_size);
    __atomic_store_n(&p->room->used, p->room->used + size, __ATOMIC_RELEASE);
    return (const char *)(r + 1);
}

/* How modules are imported is of no interest, and as imports nest, folding it as
 * recursion would hide who imports whom. Python's own stacks leave it out, too. */
struct function auspex_python_import;
static const char import[] = "<frozen importlib._bootstrap";

static struct function *by_text(struct thread *t, const struct code_known *c)
{
    struct python *p = t->walker->python;
    char name[LONGEST_NAME], file[LONGEST_FILE];
    size_t name_size = text(p, c->name, name, sizeof name), file_size = text(p, c->file, file, sizeof file);
    if (name_size == 0)
        return NULL;
    if (file_size >= sizeof import - 1 && memcmp(file, import, sizeof import - 1) == 0)
        return &auspex_python_import;
    uint64_t hash = mix(mix(0xcbf29ce484222325u ^ (uint32_t)c->line, name, name_size) ^ 0xff, file, file_size) ;
    uint16_t *number = &p->number[hash >> 32 & (2 * MOST_FUNCTIONS - 1)];
    while (*number && p->function[*number - 1].hash != hash)
        number = number + 1 < p->number + 2 * MOST_FUNCTIONS ? number + 1 : p->number;
    if (*number)
        return &p->function[*number - 1];
    if (p->functions == MOST_FUNCTIONS)
        return NULL;
    const char *kept = record(t, name, name_size, file, file_size, c->line);
    if (!kept)
        return NULL;
    struct function *f = &p->function[p->functions];
    *f = (struct function){.hash = hash, .region = {kept, kept + name_size + 1, c->line, FRAME, -1, 0}};
    *number = (uint16_t)++p->functions;
    return f;
}

/* The function of a code object; NULL where it is none, or without room. */
struct function *auspex_python_function(struct thread *t, uintptr_t code)
{
    const struct layout *l = auspex_interpreter.layout;
    struct python *p = t->walker->python;
    const void *c = object(p, code, l->name + sizeof code);
    const struct string *name = c && word(c, TYPE) == auspex_interpreter.code_type ? string(p, word(c, l->name)) : NULL;
    if (!name)
        return auspex_python_misfit(), NULL;
    auspex_python_fits();
    struct code_known now = {code, word(c, l->name), word(c, l->file), name->hash, name->length, *(const int32_t *)((const char *)c + l->line), NULL};
    struct code_known *k = &p->codes[(code >> 4 ^ code >> 14) % CODES_KNOWN];
    if (likely(k->code == code && k->name == now.name && k->file == now.file && k->line == now.line && k->hash == now.hash && k->length == now.length))
        return k->function;
    now.function = by_text(t, &now);
    if (now.function)
        *k = now;
    return now.function;
}

/* The region of a function on the way to a call of MPI; not in signal handlers. */
uint32_t auspex_python_region(struct thread *t, uintptr_t pc)
{
    struct auspex_region *r = &t->walker->python->function[pc ^ PYTHON_BIT].region;
    return r->id >= 0 ? (uint32_t)r->id : auspex_intern(r);
}
