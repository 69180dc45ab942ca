/* What kinds of work take on a machine, beside those of its signature: the least and the
 * mean of 15 times by turns, in ms of CPU time. gcc -O2 kinds.c -lm */
#define _GNU_SOURCE
#include <emmintrin.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FLOATS = 1024, SHORTS = 2048, BYTES = 4096, SMALL = 1 << 12, MIDDLE = 1 << 17, LARGE = 1 << 21, TIMES = 15 };
static float f[4][FLOATS] __attribute__((aligned(64)));
static int16_t s[3][SHORTS] __attribute__((aligned(64)));
static uint8_t b[3][BYTES] __attribute__((aligned(64)));
static uint32_t small[SMALL], middle[MIDDLE], next[LARGE], counts[SMALL];
static double x[LARGE], y[LARGE];

/* Packed floats as in a profile's forward algorithm: each sum waits for the one before. */
static double packed_chain(void)
{
    __m128 sum = _mm_setzero_ps();
    for (int r = 0; r < 40000; r++)
        for (int i = 0; i < FLOATS; i += 4) {
            sum = _mm_add_ps(_mm_mul_ps(sum, _mm_load_ps(f[0] + i)), _mm_mul_ps(_mm_load_ps(f[1] + i), _mm_load_ps(f[2] + i)));
            _mm_store_ps(f[3] + i, sum);
        }
    return f[3][5];
}

/* The same without waiting. */
static double packed_free(void)
{
    for (int r = 0; r < 60000; r++)
        for (int i = 0; i < FLOATS; i += 4)
            _mm_store_ps(f[3] + i, _mm_add_ps(_mm_mul_ps(_mm_load_ps(f[0] + i), _mm_load_ps(f[1] + i)), _mm_load_ps(f[2] + i)));
    return f[3][7];
}

/* Packed bytes as in a filter by ungapped alignments. */
static double packed_bytes(void)
{
    for (int r = 0; r < 40000; r++) {
        __m128i most = _mm_setzero_si128(), bias = _mm_set1_epi8(3);
        for (int i = 0; i < BYTES; i += 16) {
            __m128i a = _mm_max_epu8(_mm_load_si128((void *)(b[0] + i)), most);
            a = _mm_subs_epu8(_mm_adds_epu8(a, bias), _mm_load_si128((void *)(b[1] + i)));
            most = _mm_max_epu8(most, a);
            _mm_store_si128((void *)(b[2] + i), a);
        }
    }
    return b[2][9];
}

/* Packed words as in Viterbi's algorithm. */
static double packed_words(void)
{
    for (int r = 0; r < 40000; r++) {
        __m128i most = _mm_set1_epi16(-30000), open = _mm_set1_epi16(7);
        for (int i = 0; i < SHORTS; i += 8) {
            __m128i a = _mm_adds_epi16(_mm_load_si128((void *)(s[0] + i)), _mm_load_si128((void *)(s[1] + i)));
            a = _mm_max_epi16(a, _mm_subs_epi16(most, open));
            most = _mm_max_epi16(most, a);
            _mm_store_si128((void *)(s[2] + i), a);
        }
    }
    return s[2][9];
}

static double look_up(const uint32_t *table, uint32_t last, int n)
{
    uint32_t p = 1, q = 2, r = 3, t = 4;
    for (int i = 0; i < n; i++)
        p = table[p & last] + i, q = table[q & last] + i, r = table[r & last] + i, t = table[t & last] + i;
    return p + q + r + t;
}
static double tables_16k(void) { return look_up(small, SMALL - 1, 6000000); }
static double tables_512k(void) { return look_up(middle, MIDDLE - 1, 2500000); }

static double branches(void)
{
    uint64_t n = 88172645463325252u;
    long sum = 0;
    for (int i = 0; i < 5000000; i++) {
        n ^= n << 13, n ^= n >> 7, n ^= n << 17;
        if (n & 1)
            sum += n >> 60;
        else if (n & 2)
            sum -= i;
        else
            sum ^= n & 15;
        if ((n & 0x300) == 0x100)
            sum *= 3;
    }
    return sum;
}

static double divisions(void)
{
    double p = 1.1, q = 1.2, r = 1.3, t = 1.4;
    for (int i = 0; i < 3000000; i++)
        p = 1 / p + .5, q = 1 / q + .6, r = 1 / r + .7, t = 1 / t + .8;
    return p + q + r + t;
}

static double exponentials(void)
{
    double sum = 0;
    for (int i = 0; i < 1500000; i++)
        sum += exp(-(i & 1023) * .01);
    return sum;
}

static double one_chain(void)
{
    double p = 1;
    for (int i = 0; i < 12000000; i++)
        p = p * .999 + .5;
    return p;
}

/* The four of a signature, in C: the compiler makes other code of them. */
static double integer(void)
{
    uint64_t n[4] = {88172645463325252u, 1234567891234567u, 998877665544332211u, 314159265358979u};
    for (int i = 0; i < 1500000; i++)
        for (int k = 0; k < 4; k++) {
            n[k] ^= n[k] << 13, n[k] ^= n[k] >> 7, n[k] ^= n[k] << 17;
            counts[n[k] & (SMALL - 1)]++;
        }
    return counts[n[0] & (SMALL - 1)];
}

static double floating(void)
{
    double n[12];
    for (int k = 0; k < 12; k++)
        n[k] = 1 + .1 * k;
    for (int i = 0; i < 2000000; i++)
#pragma GCC unroll 12
        for (int k = 0; k < 12; k++)
            n[k] = n[k] * (.999 - .001 * k) + .5;
    double sum = 0;
    for (int k = 0; k < 12; k++)
        sum += n[k];
    return sum;
}

static double memory(void)
{
    for (int i = 1; i < LARGE - 1; i++)
        y[i] = .25 * (x[i - 1] + x[i + 1]) + .5 * y[i];
    return y[LARGE / 2];
}

static double access_(void)
{
    uint32_t at = 1;
    for (int i = 0; i < 200000; i++)
        at = next[at];
    return at;
}

static const struct { const char *name; double (*run)(void); } kinds[] = {
    {"integer", integer}, {"floating", floating}, {"memory", memory}, {"access", access_}, {"packed chain", packed_chain}, {"packed free", packed_free},
    {"packed bytes", packed_bytes}, {"packed words", packed_words}, {"tables 16K", tables_16k}, {"tables 512K", tables_512k}, {"branches", branches},
    {"divisions", divisions}, {"exp", exponentials}, {"one chain", one_chain},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

int main(void)
{
    static volatile double kept; /* keeps the compiler from leaving work out */
    double least[KINDS], sum[KINDS] = {0};
    for (int i = 0; i < FLOATS; i++)
        f[0][i] = .3f, f[1][i] = .2f + i % 7 * .01f, f[2][i] = .1f;
    for (int i = 0; i < BYTES; i++)
        b[0][i] = i * 7, b[1][i] = i * 13 & 15, small[i] = i * 2654435761u;
    for (int i = 0; i < SHORTS; i++)
        s[0][i] = i * 31, s[1][i] = -i % 50;
    for (int i = 0; i < MIDDLE; i++)
        middle[i] = i * 2654435761u >> 7;
    for (int i = 0; i < LARGE; i++)
        x[i] = i, y[i] = 1, next[i] = (i * 1664525u + 1013904223u) % LARGE;
    for (int time = 0; time < TIMES; time++)
        for (int k = 0; k < KINDS; k++) {
            double took = now();
            kept += kinds[k].run();
            took = now() - took;
            least[k] = time > 0 && least[k] < took ? least[k] : took;
            sum[k] += took / TIMES;
        }
    for (int k = 0; k < KINDS; k++)
        printf("%-13s %7.2f %7.2f\n", kinds[k].name, least[k], sum[k]);
    return 0;
}
