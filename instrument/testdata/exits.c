#include <stdio.h>
#include <stdlib.h>

static int early(int n)
{
  int i, s = 0;
  for (i = 0; i < n; i++) {
    if (i == 5)
      return s;
    s += i;
  }
  return -s;
}

static int jumps(int n)
{
  int i, j, s = 0;
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) {
      if (i * j == 12)
        goto out;
      if (j > i)
        break;
      s++;
    }
  }
out:
  while (s > 0) {
    s -= 7;
    if (s == 3)
      continue;
  }
  return s;
}

/* the loops are the only statements of if and else, and a label stands before one */
static int bare(int n)
{
  int s = 0, i = 0;
  if (n > 3)
    for (i = 0; i < n; i++)
      for (int j = 0; j < i; j++)
        s += j;
  else
    do
      s--;
    while (s > -20);
again: for (int k = 0; k < 2; k++) for (int m = 0; m < n; m++) s++;
  if (s < 10) goto again;
  switch (n) {
  case 4: for (i = 0; i < n; i++) for (int q = 0; q < n; q++) s++;
    /* fall through */
  default: s *= 2;
  }
  return s;
}

/* goto into a loop, and a case label inside one: these loops are left alone */
static int inside(int n)
{
  int i = 0, s = 0;
  goto middle;
  for (i = 0; i < n; i++) {
    s += 2;
middle:
    s++;
    if (s > 1000)
      break;
    s += i;
    s -= 1;
  }
  switch (n % 3) {
  case 0:
    do {
      s++;
  case 1:
      s++;
  case 2:
      s++;

      n--;

    } while (n > 0);
  }
  return s;
}

#define LOOP(i, n) for (int i = 0; i < (n); i++)
static int macros(int n)
{
  int s = 0;
  LOOP(i, n) {
    s += i;
  }
  do {
    s++;
    if (s > 3)
      break;
    s++;
  } while (0);
#ifdef NEVER
  for (int i = 0; i < n; i++) {
#else
  for (int i = 0; i < 2 * n; i++) {
#endif
    s += i;
    s ^= 1;
  }
  return s;
}

int old_style(a, b)
int a;
int b;
{
  int c = a;
  c += b;
  c *= 2;


  return c;
}

static int parallel(int n)
{
  int i, s = 0;
#ifdef _OPENMP
#pragma omp parallel for \
  reduction(+:s)
#endif
  for (i = 0; i < n; i++)
  {
    s += i;
    s += 1;
    s -= 1;
    s += 0;
    s -= 0;
  }
#pragma omp parallel default(none) shared(n) reduction(+:s)
  {
    int k;
#pragma omp for collapse(2)
    for (i = 0; i < n; i++)
      for (k = 0; k < n; k++)
        s++;
    for (k = 0; k < 3; k++)
      s += 0;
  }
  return s;
}

int main(void)
{
  printf("%d %d\n", early(3), early(10));
  printf("%d %d\n", jumps(3), jumps(9));
  printf("%d %d\n", bare(4), bare(2));
  printf("%d %d %d\n", inside(1), inside(5), inside(6));
  printf("%d\n", macros(4));
  printf("%d\n", old_style(1, 2));
  printf("%d\n", parallel(100));
  if (early(1) > 100)
    return 3;
  exit(0);
}
