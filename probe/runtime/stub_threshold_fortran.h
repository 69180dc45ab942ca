/* The same for Fortran, in one object of its own. Only one loop of a process is
 * watched at a time. */
static struct auspex_turns auspex_f_current;
static struct auspex_loop auspex_f_loop;
void auspex_f_turns_(const char *text, long long *state, __SIZE_TYPE__ size);
void auspex_f_skip_(long long *state);
void auspex_f_done_(long long *state);
__attribute__((weak, visibility("hidden"))) void auspex_f_turns_(const char *text, long long *state, __SIZE_TYPE__ size)
{
    struct auspex_loop loop = {0, 0, 0};
    struct auspex_turns turns;
    __SIZE_TYPE__ i = 0;
    for (; i < size && text[i] != '|'; i++)
        loop.number = 10 * loop.number + (text[i] - '0');
    for (i++; i < size; i++)
        loop.communicates = 10 * loop.communicates + (text[i] - '0');
    *state = 0;
    auspex_turns_begin(&turns, &loop);
    if (!turns.watched)
        return;
    auspex_f_loop = loop;
    auspex_f_current = turns;
    auspex_f_current.loop = &auspex_f_loop;
    *state = 1;
}
__attribute__((weak, visibility("hidden"))) void auspex_f_skip_(long long *state)
{
    struct auspex_turns *t = &auspex_f_current;
    if (--t->left >= 0)
        return;
    if (t->skip)
        ++t->rest;
    else if (auspex_turns_check(t))
        *state = -1;
}
__attribute__((weak, visibility("hidden"))) void auspex_f_done_(long long *state)
{
    *state = 0;
    auspex_turns_end(&auspex_f_current);
}
#define AUSPEX_SPELT(name) \
    extern __typeof__(name##_) name __attribute__((weak, visibility("hidden"), alias(#name "_"))); \
    extern __typeof__(name##_) name##__ __attribute__((weak, visibility("hidden"), alias(#name "_")));
AUSPEX_SPELT(auspex_f_turns)
AUSPEX_SPELT(auspex_f_skip)
AUSPEX_SPELT(auspex_f_done)
