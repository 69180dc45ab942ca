/* A runtime for tests: it keeps the stack of open regions, dies if a region is
   left that is not the innermost one, and at exit writes to standard error a
   line "name calls iterations" per region and how many are still open. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct auspex_region { const char *name, *file; int line, kind, id, off; };
enum { most = 200 };
static struct { char name[200]; long calls, iterations; } seen[most];
static int count, stack[1000], depth;

static int find(const char *name, size_t n)
{
  int i;
  for (i = 0; i < count; i++)
    if (strlen(seen[i].name) == n && memcmp(seen[i].name, name, n) == 0) return i;
  memcpy(seen[count].name, name, n);
  return count++;
}

static void report(void)
{
  int i;
  for (i = 0; i < count; i++)
    fprintf(stderr, "%s %ld %ld\n", seen[i].name, seen[i].calls, seen[i].iterations);
  fprintf(stderr, "open %d\n", depth);
}

static void enter(int i)
{
  static int first = 1;
  if (first) { first = 0; atexit(report); }
  if (depth >= 1000) { fprintf(stderr, "too deep\n"); abort(); }
  stack[depth++] = i;
  seen[i].calls++;
}

static void leave(int i)
{
  if (depth == 0 || stack[depth - 1] != i) {
    fprintf(stderr, "left %s, but %s is open\n", seen[i].name, depth ? seen[stack[depth - 1]].name : "nothing");
    abort();
  }
  depth--;
}

int auspex_enter(struct auspex_region *r)
{
  if (r->id < 0) r->id = find(r->name, strlen(r->name));
  enter(r->id);
  return 0;
}
int auspex_leave(struct auspex_region *r) { leave(r->id); return 0; }
int auspex_iterations(struct auspex_region *r, unsigned long n) { seen[r->id].iterations += n; return 0; }

static int spec(const char *s, size_t n)
{
  const char *bar = memchr(s, '|', n);
  return find(s, bar ? (size_t)(bar - s) : n);
}
void auspex_f_enter_(const char *s, size_t n) { enter(spec(s, n)); }
void auspex_f_leave_(const char *s, size_t n) { leave(spec(s, n)); }
void auspex_f_iterations_(const char *s, const long long *k, size_t n) { if (*k > 0) seen[spec(s, n)].iterations += *k; }
