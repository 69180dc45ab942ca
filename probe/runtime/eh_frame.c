/* Reading call frame tables: DWARF 5, section 6.4, as the Linux Standard Base
 * changes it for .eh_frame and .eh_frame_hdr. */
#include "eh_frame.h"
#include <dlfcn.h>
#include <link.h>
#include <string.h>

struct tables { const uint8_t *header; };

/* ---- numbers ---- */

SAMPLED uint64_t auspex_unsigned(const uint8_t **p)
{
    uint64_t v = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        uint8_t b = *(*p)++;
        v |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80))
            break;
    }
    return v;
}

SAMPLED int64_t auspex_signed(const uint8_t **p)
{
    int64_t v = 0;
    int shift = 0;
    uint8_t b;
    do {
        b = *(*p)++;
        v |= (int64_t)((uint64_t)(b & 0x7f) << shift);
        shift += 7;
    } while (b & 0x80 && shift < 64);
    if (shift < 64 && b & 0x40)
        v |= -(int64_t)((uint64_t)1 << shift);
    return v;
}

#define FIXED(type) do { type v_; memcpy(&v_, *p, sizeof v_); *p += sizeof v_; v = (uint64_t)(int64_t)v_; } while (0)

/* An address as its encoding says; *ok is cleared for encodings that compilers
 * do not use here. */
SAMPLED static uintptr_t encoded(const uint8_t **p, uint8_t encoding, int *ok)
{
    uintptr_t here = (uintptr_t)*p;
    uint64_t v = 0;
    if (encoding == 0xff)
        return 0;
    switch (encoding & 0x0f) {
    case 0x00: case 0x04: case 0x0c: FIXED(uint64_t); break;
    case 0x01: v = auspex_unsigned(p); break;
    case 0x02: FIXED(uint16_t); break;
    case 0x03: FIXED(uint32_t); break;
    case 0x09: v = (uint64_t)auspex_signed(p); break;
    case 0x0a: FIXED(int16_t); break;
    case 0x0b: FIXED(int32_t); break;
    default: *ok = 0;
    }
    switch (encoding & 0x70) {
    case 0x00: break;
    case 0x10: v += here; break;
    default: *ok = 0;
    }
    return (uintptr_t)v;
}

/* ---- the entry of a program counter ---- */

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
SAMPLED static int tables_of(uintptr_t pc, struct tables *t)
{
    struct dl_find_object found;
    if (_dl_find_object((void *)pc, &found) != 0)
        return 0;
    t->header = found.dlfo_eh_frame;
    return t->header != NULL;
}
#else
/* Before that the loader's list is behind a lock that the thread itself may
 * hold; it counts how often it was taken, so that is no deadlock. */
static int one_object(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct { uintptr_t pc; struct tables *t; } *look = argument;
    int here = 0;
    const uint8_t *header = NULL;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && look->pc >= at && look->pc < at + info->dlpi_phdr[i].p_memsz)
            here = 1;
        if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
            header = (const uint8_t *)at;
    }
    if (here)
        look->t->header = header;
    return here;
}

SAMPLED static int tables_of(uintptr_t pc, struct tables *t)
{
    struct { uintptr_t pc; struct tables *t; } look = {pc, t};
    t->header = NULL;
    return dl_iterate_phdr(one_object, &look) && t->header;
}
#endif

/* Finds the description of the function around pc by halving the sorted table
 * in .eh_frame_hdr; linkers always write it as pairs of 32-bit offsets. */
SAMPLED static const uint8_t *description_at(const struct tables *t, uintptr_t pc)
{
    const uint8_t *h = t->header, *p = h + 4;
    int ok = 1;
    if (h[0] != 1 || h[3] != 0x3b)
        return NULL;
    encoded(&p, h[1], &ok);
    uint64_t n = h[2] == 0x03 ? 0 : UINT64_MAX;
    if (n == 0) {
        uint32_t count;
        memcpy(&count, p, 4);
        n = count;
        p += 4;
    }
    if (!ok || n == 0 || n == UINT64_MAX)
        return NULL;
    const int32_t *table = (const int32_t *)(const void *)p;
    uint64_t low = 0, high = n;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if ((uintptr_t)h + (uintptr_t)(intptr_t)table[2 * middle] <= pc)
            low = middle;
        else
            high = middle;
    }
    return h + table[2 * low + 1];
}

SAMPLED static int read_common(const uint8_t *p, struct entry *e, uint8_t *encoding, int *augmented)
{
    uint32_t length, id;
    memcpy(&length, p, 4);
    memcpy(&id, p + 4, 4);
    if (length == 0 || length == UINT32_MAX || id != 0)
        return 0;
    e->initial_end = p + 4 + length;
    uint8_t version = p[8];
    const char *augmentation = (const char *)p + 9;
    p = (const uint8_t *)augmentation + strlen(augmentation) + 1;
    e->code = auspex_unsigned(&p);
    e->data = auspex_signed(&p);
    e->back = version == 1 ? *p++ : (uint32_t)auspex_unsigned(&p);
    *augmented = augmentation[0] == 'z';
    if (!*augmented)
        return e->initial = p, augmentation[0] == 0;
    uint64_t size = auspex_unsigned(&p);
    e->initial = p + size;
    for (const char *a = augmentation + 1; *a; a++) {
        int ok = 1;
        switch (*a) {
        case 'R': *encoding = *p++; break;
        case 'L': p++; break;
        case 'P': {
            uint8_t how = *p++;
            encoded(&p, how & 0x7f, &ok);
            break;
        }
        case 'S': e->signal = 1; break;
        case 'B': break;
        default: return 0;
        }
    }
    return 1;
}

SAMPLED int auspex_entry(uintptr_t pc, struct entry *e)
{
    struct tables t;
    const uint8_t *p;
    uint32_t length, back;
    uint8_t encoding = 0;
    int ok = 1, augmented = 0;
    if (!tables_of(pc, &t) || !(p = description_at(&t, pc)))
        return 0;
    memset(e, 0, sizeof *e);
    memcpy(&length, p, 4);
    memcpy(&back, p + 4, 4);
    if (length == 0 || length == UINT32_MAX || back == 0)
        return 0;
    e->body_end = p + 4 + length;
    if (!read_common(p + 4 - back, e, &encoding, &augmented))
        return 0;
    p += 8;
    e->start = encoded(&p, encoding, &ok);
    e->end = e->start + encoded(&p, encoding & 0x0f, &ok);
    if (augmented) {
        uint64_t size = auspex_unsigned(&p);
        p += size;
    }
    e->body = p;
    return ok && pc >= e->start && pc < e->end && e->back < REGISTERS;
}

/* ---- the rules in force at a program counter ---- */

SAMPLED int auspex_rules(const uint8_t *p, const uint8_t *end, const struct entry *e, uintptr_t pc, struct row *r, const struct row *initial)
{
    struct row kept_rows[4];
    int depth = 0;
    uintptr_t at = e->start;
    while (p < end) {
        uint8_t op = *p++;
        uint64_t n = op & 0x3f, column;
        r->from = at;
        switch (op & 0xc0) {
        case 0x40:
            if ((at += n * e->code) > pc)
                return r->to = at, 1;
            continue;
        case 0x80:
            column = n;
            n = auspex_unsigned(&p);
            if (column < REGISTERS)
                r->rule[column] = AT, r->of[column] = (int64_t)n * e->data;
            continue;
        case 0xc0:
            if (n < REGISTERS)
                r->rule[n] = initial ? initial->rule[n] : SAME, r->of[n] = initial ? initial->of[n] : 0;
            continue;
        }
        switch (op) {
        case 0x00: break;
        case 0x01: {
            return 0; /* set_loc: not written by compilers for these machines */
        }
        case 0x02: at += (uintptr_t)*p++ * e->code; break;
        case 0x03: { uint16_t v; memcpy(&v, p, 2); p += 2; at += (uintptr_t)v * e->code; break; }
        case 0x04: { uint32_t v; memcpy(&v, p, 4); p += 4; at += (uintptr_t)v * e->code; break; }
        case 0x05: column = auspex_unsigned(&p); n = auspex_unsigned(&p);
            if (column < REGISTERS) r->rule[column] = AT, r->of[column] = (int64_t)n * e->data;
            break;
        case 0x06: column = auspex_unsigned(&p);
            if (column < REGISTERS) r->rule[column] = initial ? initial->rule[column] : SAME, r->of[column] = initial ? initial->of[column] : 0;
            break;
        case 0x07: column = auspex_unsigned(&p); if (column < REGISTERS) r->rule[column] = UNDEFINED; break;
        case 0x08: column = auspex_unsigned(&p); if (column < REGISTERS) r->rule[column] = SAME; break;
        case 0x09: column = auspex_unsigned(&p); n = auspex_unsigned(&p);
            if (column < REGISTERS) r->rule[column] = REGISTER, r->of[column] = (int64_t)n;
            break;
        case 0x0a:
            if (depth == 4) return 0;
            kept_rows[depth++] = *r;
            break;
        case 0x0b:
            if (depth == 0) return 0;
            *r = kept_rows[--depth];
            r->from = at;
            break;
        case 0x0c: r->base = (uint32_t)auspex_unsigned(&p); r->offset = (int64_t)auspex_unsigned(&p); r->expression = NULL; break;
        case 0x0d: r->base = (uint32_t)auspex_unsigned(&p); r->expression = NULL; break;
        case 0x0e: r->offset = (int64_t)auspex_unsigned(&p); break;
        case 0x0f: r->expression = p; n = auspex_unsigned(&p); p += n; break;
        case 0x10: case 0x16: column = auspex_unsigned(&p);
            if (column < REGISTERS) r->rule[column] = op == 0x10 ? EXPRESSION : VALUE_EXPRESSION, r->of[column] = (int64_t)(uintptr_t)p;
            n = auspex_unsigned(&p); p += n; break;
        case 0x11: column = auspex_unsigned(&p); { int64_t v = auspex_signed(&p); if (column < REGISTERS) r->rule[column] = AT, r->of[column] = v * e->data; } break;
        case 0x12: r->base = (uint32_t)auspex_unsigned(&p); r->offset = auspex_signed(&p) * e->data; r->expression = NULL; break;
        case 0x13: r->offset = auspex_signed(&p) * e->data; break;
        case 0x14: case 0x15: column = auspex_unsigned(&p);
            { int64_t v = op == 0x14 ? (int64_t)auspex_unsigned(&p) : auspex_signed(&p); if (column < REGISTERS) r->rule[column] = VALUE, r->of[column] = v * e->data; }
            break;
        case 0x2d: break; /* aarch64: return addresses signed or not; see strip */
        case 0x2e: auspex_unsigned(&p); break;
        default: return 0;
        }
        if (at > pc)
            return r->to = at, 1;
    }
    r->from = at;
    r->to = e->end;
    return 1;
}

