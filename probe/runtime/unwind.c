/* Steps from frame to frame by the rules of the call frame tables. */
#include "eh_frame.h"
#include <string.h>
#include <ucontext.h>

#ifdef __x86_64__
static const uint8_t kept[KEPT] = {3, 6, 12, 13, 14, 15};
#elif defined(__aarch64__)
static const uint8_t kept[KEPT] = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30};
#else
static const uint8_t kept[KEPT] = {0};
#endif

SAMPLED static int word(const struct cursor *c, uintptr_t address, uintptr_t *v)
{
    if (address < c->low || address > c->high - sizeof *v || address % sizeof *v != 0)
        return 0;
    memcpy(v, (const void *)address, sizeof *v);
    return 1;
}

/* ---- what a walk went by ---- */

SAMPLED static void goes_by(const struct cursor *c, uintptr_t at, uintptr_t value)
{
    struct trail *l = c->trail;
    if (!l || !l->begun)
        return;
    if (l->checks < CHECKS)
        l->check[l->checks++] = (struct check){at, value};
    else
        l->untold = 1;
}

/* Where the stack pointer is follows from the frame that the walk began at. */
SAMPLED static void goes_by_register(const struct cursor *c, uint32_t i)
{
    struct trail *l = c->trail;
    if (!l || !l->begun || i == STACK_POINTER)
        return;
    if (l->origin[i] >= l->base)
        goes_by(c, l->origin[i], c->reg[i]);
    else
        l->untold = 1; /* it was read before, or never */
}

/* The few operations that compilers and C libraries use: stacks aligned anew,
 * procedure linkage tables, signal frames. */
SAMPLED static int evaluate(const struct cursor *c, const uint8_t *p, const uintptr_t *first, uintptr_t *result)
{
    uintptr_t stack[16];
    int n = 0;
    uint64_t length = auspex_unsigned(&p);
    const uint8_t *end = p + length;
    if (first)
        stack[n++] = *first;
    while (p < end) {
        uint8_t op = *p++;
        if (n >= 15)
            return 0;
        if (op >= 0x30 && op <= 0x4f)
            stack[n++] = op - 0x30;
        else if (op >= 0x70 && op <= 0x8f) {
            int64_t v = auspex_signed(&p);
            if (op - 0x70 >= REGISTERS)
                return 0;
            goes_by_register(c, (uint32_t)op - 0x70);
            stack[n++] = c->reg[op - 0x70] + (uintptr_t)v;
        } else if (op == 0x08)
            stack[n++] = *p++;
        else if (op == 0x09)
            stack[n++] = (uintptr_t)(intptr_t)(int8_t)*p++;
        else if (op == 0x10)
            stack[n++] = auspex_unsigned(&p);
        else if (op == 0x11)
            stack[n++] = (uintptr_t)auspex_signed(&p);
        else if (op == 0x23 && n > 0)
            stack[n - 1] += auspex_unsigned(&p);
        else if (op == 0x06 && n > 0) {
            uintptr_t at = stack[n - 1];
            if (!word(c, at, &stack[n - 1]))
                return 0;
            goes_by(c, at, stack[n - 1]);
        } else if (n >= 2) {
            uintptr_t b = stack[--n], *a = &stack[n - 1];
            switch (op) {
            case 0x1a: *a &= b; break;
            case 0x1c: *a -= b; break;
            case 0x21: *a |= b; break;
            case 0x22: *a += b; break;
            case 0x24: *a = b < 64 ? *a << b : 0; break;
            case 0x2a: *a = (intptr_t)*a >= (intptr_t)b; break;
            default: return 0;
            }
        } else
            return 0;
    }
    *result = n > 0 ? stack[n - 1] : 0;
    return n > 0;
}

/* ---- a step ---- */

SAMPLED static int usable(uintptr_t frame, const struct cursor *c)
{
    return frame > c->low && frame <= c->high && frame % sizeof(uintptr_t) == 0;
}

SAMPLED static uintptr_t strip(uintptr_t address)
{
#ifdef __aarch64__
    return address & (((uintptr_t)1 << 48) - 1); /* without the signature */
#else
    return address;
#endif
}

SAMPLED static void remember(struct shortcut *s, const struct row *r, const struct entry *e)
{
    struct shortcut new = {0, (uint32_t)(r->to - r->from), (int32_t)r->offset, {0}, 0, (uint8_t)r->base};
    if (r->expression || r->offset != new.offset || e->signal || r->rule[e->back] != AT || r->to - r->from != new.length)
        return;
    for (int i = 0; i < REGISTERS; i++) {
        if (r->rule[i] == SAME || r->rule[i] == UNDEFINED)
            continue;
        int64_t words = r->of[i] / (int64_t)sizeof(uintptr_t);
        if (r->rule[i] != AT || r->of[i] % (int64_t)sizeof(uintptr_t) != 0 || words == 0 || words < INT16_MIN || words > INT16_MAX)
            return;
        if (i == (int)e->back)
            new.back = (int16_t)words;
        for (int k = 0; k < KEPT; k++)
            if (kept[k] == i)
                new.kept[k] = (int16_t)words;
    }
    s->from = 0; /* a sample may come while this is written */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    *s = new;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    s->from = r->from;
}

SAMPLED static enum step arrive(struct cursor *c, uintptr_t frame, uintptr_t back)
{
    c->frame = frame;
    c->low = frame;
    c->reg[STACK_POINTER] = frame;
    c->pc = strip(back);
    c->exact = 0;
    return c->pc == 0 ? OUTERMOST : STEPPED;
}

SAMPLED static enum step quick(struct cursor *c, const struct shortcut *s)
{
    uintptr_t frame = c->reg[s->base] + (uintptr_t)(intptr_t)s->offset, back, v[KEPT];
    uintptr_t back_at = frame + (uintptr_t)((intptr_t)s->back * (intptr_t)sizeof back);
    goes_by_register(c, s->base);
    if (!usable(frame, c) || !word(c, back_at, &back))
        return LOST;
    goes_by(c, back_at, back);
    for (int k = 0; k < KEPT; k++)
        if (s->kept[k] && !word(c, frame + (uintptr_t)((intptr_t)s->kept[k] * (intptr_t)sizeof back), &v[k]))
            return LOST;
    for (int k = 0; k < KEPT; k++)
        if (s->kept[k]) {
            c->reg[kept[k]] = v[k];
            if (c->trail)
                c->trail->origin[kept[k]] = frame + (uintptr_t)((intptr_t)s->kept[k] * (intptr_t)sizeof back);
        }
    return arrive(c, frame, back);
}

SAMPLED static enum step slowly(struct cursor *c, struct shortcut *s, uintptr_t pc)
{
    struct entry e;
    struct row r, initial;
    uintptr_t frame, v[REGISTERS];
    if (!auspex_entry(pc, &e))
        return LOST;
    memset(&r, 0, sizeof r);
    if (!auspex_rules(e.initial, e.initial_end, &e, UINTPTR_MAX, &r, NULL))
        return LOST;
    initial = r;
    if (!auspex_rules(e.body, e.body_end, &e, pc, &r, &initial))
        return LOST;
    if (r.rule[e.back] == UNDEFINED)
        return OUTERMOST;
    if (r.expression) {
        if (!evaluate(c, r.expression, NULL, &frame))
            return LOST;
    } else if (r.base < REGISTERS) {
        goes_by_register(c, r.base);
        frame = c->reg[r.base] + (uintptr_t)r.offset;
    } else
        return LOST;
    if (!usable(frame, c))
        return LOST;
    for (int i = 0; i < REGISTERS; i++) {
        uintptr_t at = frame + (uintptr_t)r.of[i];
        v[i] = c->reg[i];
        switch (r.rule[i]) {
        case AT: if (!word(c, at, &v[i])) return LOST; break;
        case VALUE: v[i] = at; break;
        case REGISTER: v[i] = (uint64_t)r.of[i] < REGISTERS ? c->reg[r.of[i]] : 0; break;
        case EXPRESSION:
            if (!evaluate(c, (const uint8_t *)(uintptr_t)r.of[i], &frame, &at) || !word(c, at, &v[i])) return LOST;
            break;
        case VALUE_EXPRESSION:
            if (!evaluate(c, (const uint8_t *)(uintptr_t)r.of[i], &frame, &v[i])) return LOST;
            break;
        }
    }
    if (c->trail) {
        for (int i = 0; i < REGISTERS; i++)
            if (r.rule[i] != SAME)
                c->trail->origin[i] = r.rule[i] == AT ? frame + (uintptr_t)r.of[i] : 0;
        if (r.rule[e.back] == AT)
            goes_by(c, frame + (uintptr_t)r.of[e.back], v[e.back]);
        if (c->trail->begun && (r.rule[e.back] != AT || r.rule[STACK_POINTER] != SAME))
            c->trail->untold = 1;
    }
    uintptr_t stack = r.rule[STACK_POINTER] == SAME ? frame : v[STACK_POINTER];
    uintptr_t back = v[e.back];
    memcpy(c->reg, v, sizeof v);
    remember(s, &r, &e);
    enum step result = arrive(c, frame, back);
    c->reg[STACK_POINTER] = stack;
    c->exact = e.signal; /* the caller of a signal frame was interrupted, it did not call */
    return result;
}

SAMPLED enum step auspex_step(struct cursor *c)
{
#if UNWINDS
    uintptr_t pc = c->exact ? c->pc : c->pc - 1;
    struct shortcut *s = &c->shortcuts[(pc >> STRETCH ^ pc >> (STRETCH + 9)) % SHORTCUTS];
    if (s->from && pc - s->from < s->length)
        return quick(c, s);
    return slowly(c, s, pc);
#else
    (void)c;
    return LOST;
#endif
}

SAMPLED void auspex_cursor_context(struct cursor *c, void *context)
{
    ucontext_t *u = context;
#if defined(__x86_64__)
    static const int order[16] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
        REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    for (int i = 0; i < 16; i++)
        c->reg[i] = (uintptr_t)u->uc_mcontext.gregs[order[i]];
    c->pc = c->reg[RETURN_ADDRESS] = (uintptr_t)u->uc_mcontext.gregs[REG_RIP]; /* stubs go by it */
#elif defined(__aarch64__)
    for (int i = 0; i < 31; i++)
        c->reg[i] = u->uc_mcontext.regs[i];
    c->reg[31] = u->uc_mcontext.sp;
    c->pc = u->uc_mcontext.pc;
#else
    (void)u;
    c->pc = 0;
#endif
    c->exact = 1;
    c->trail = NULL;
}
