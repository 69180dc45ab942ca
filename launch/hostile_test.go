package launch

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"auspex/instrument"
)

// hostile is a program that makes measuring hard.
type hostile struct {
	name     string
	file     string
	text     string
	compiler string   // gcc where empty
	before   []string // words before the source
	flags    []string // for compiling and linking
	calls    map[string]float64
	said     string // by auspex cc: a part of it; nothing where empty
	not      string // why nothing can be measured
}

var hostilePrograms = []hostile{
	{name: "_exit", text: `#include <unistd.h>
static void work(int n)
{
    if (n > 0)
        _exit(n);
}
int main(void) { work(4); return 0; }
`, calls: map[string]float64{"work": 1}},
	{name: "abort", text: `#include <stdlib.h>
static void work(int n)
{
    if (n > 0)
        abort();
}
int main(void) { work(4); return 0; }
`, calls: map[string]float64{"work": 1}},
	{name: "segfault", text: `static volatile int *nowhere;
static void work(int n)
{
    *nowhere = n;
}
int main(void) { work(4); return 0; }
`, calls: map[string]float64{"work": 1}},
	{name: "exec", text: `#include <unistd.h>
static void work(void)
{
    execl("/bin/echo", "echo", "hello", (char *)0);
}
int main(void) { work(); return 9; }
`, calls: map[string]float64{"work": 1}},
	{name: "longjmp", text: `#include <setjmp.h>
#include <stdio.h>
static jmp_buf back;
static void inner(int i)
{
    if (i % 2)
        longjmp(back, 1);
}
static void outer(int i)
{
    if (setjmp(back) == 0)
        inner(i);
}
int main(void)
{
    for (int i = 0; i < 100; i++)
        outer(i);
    printf("done\n");
    return 0;
}
`, calls: map[string]float64{"outer": 100, "outer/inner": 100}},
	{name: "recursion", text: `#include <stdio.h>
static volatile int s;
static int down(int n)
{
    s++;
    return n == 0 ? 0 : 1 + down(n - 1);
}
int main(void)
{
    printf("%d\n", down(100000));
    return 0;
}
`, flags: []string{"-O0"}, calls: map[string]float64{"down": 100001}},
	{name: "threads", text: `#include <pthread.h>
#include <stdio.h>
static void *work(void *p)
{
    *(int *)p += 1;
    return p;
}
int main(void)
{
    int n[20] = {0}, sum = 0;
    pthread_t t[20];
    for (int i = 0; i < 20; i++)
        pthread_create(&t[i], NULL, work, &n[i]);
    for (int i = 0; i < 20; i++)
        pthread_join(t[i], NULL), sum += n[i];
    printf("%d\n", sum);
    return 0;
}
`, flags: []string{"-pthread"}},
	{name: "exceptions", file: "x.cpp", compiler: "g++", text: `#include <cstdio>
struct counted { counted() { n++; } ~counted() { n--; } static int n; };
int counted::n;
static void inner(int i)
{
    counted c;
    if (i % 3 == 0)
        throw i;
}
static void outer(int i)
{
    try {
        inner(i);
    } catch (int) {
        std::puts("caught");
    }
}
int main()
{
    for (int i = 0; i < 9; i++)
        outer(i);
    return counted::n;
}
`, calls: map[string]float64{"outer": 9, "outer/inner": 9}},
	{name: "coroutine", file: "x.cpp", compiler: "g++", flags: []string{"-std=c++20"}, text: `#include <coroutine>
#include <cstdio>
struct task {
    struct promise_type {
        task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> h;
};
static task steps(int n)
{
    for (int i = 0; i < n; i++)
        co_await std::suspend_always{};
    std::puts("end");
}
static int drive()
{
    task t = steps(3);
    int n = 0;
    while (!t.h.done()) {
        t.h.resume();
        n++;
    }
    t.h.destroy();
    return n;
}
int main() { std::printf("%d\n", drive()); return 0; }
`, calls: map[string]float64{"drive": 1}},
	{name: "templates and lambdas", file: "x.cpp", compiler: "g++", text: `#include <cstdio>
template <class T> struct box {
    T v;
    T twice(int n)
    {
        T s = v;
        for (int i = 0; i < n; i++)
            s += v;
        return s;
    }
};
static int run()
{
    box<int> b{2};
    auto f = [&](int n) { return b.twice(n); };
    return f(3);
}
int main() { std::printf("%d\n", run()); return 0; }
`, calls: map[string]float64{"run": 1}},
	{name: "link-time optimisation", flags: []string{"-O2", "-flto"}, text: `#include <stdio.h>
__attribute__((noinline)) static int work(int n)
{
    return n + 1;
}
int main(void) { printf("%d\n", work(2)); return 0; }
`, calls: map[string]float64{"work": 1}},
	{name: "address sanitizer", flags: []string{"-fsanitize=address"}, text: `#include <stdio.h>
#include <stdlib.h>
static int work(int n)
{
    int *p = malloc(sizeof *p);
    *p = n;
    n = *p + 1;
    free(p);
    return n;
}
int main(void) { printf("%d\n", work(2)); return 0; }
`, calls: map[string]float64{"work": 1}},
	{name: "byte order mark", text: "\xef\xbb\xbf" + `#include <stdio.h>
static void work(void)
{
    puts("marked");
}
int main(void) { work(); return 0; }
`, calls: map[string]float64{"work": 1}},
	{name: "carriage returns", text: strings.ReplaceAll(`#include <stdio.h>
#define TWO(a) \
    a; \
    a
static void work(void)
{
    TWO(puts("crlf"));
}
int main(void) { work(); return 0; }
`, "\n", "\r\n"), calls: map[string]float64{"work": 1}},
	{name: "line directives", text: `#include <stdio.h>
#line 100 "elsewhere.y"
static void work(void)
{
    printf("%d %s\n", __LINE__, __FILE__);
}
int main(void) { work(); return 0; }
`, calls: map[string]float64{"work": 1}},
	{name: "includes itself", text: `#ifndef TYPE
#include <stdio.h>
#define TYPE int
#define NAME sum_int
#include "x.c"
#undef TYPE
#undef NAME
#define TYPE double
#define NAME sum_double
#include "x.c"
int main(void) { printf("%d %g\n", sum_int(10), sum_double(10)); return 0; }
#else
static TYPE NAME(int n)
{
    TYPE s = 0;
    for (int i = 0; i < n; i++)
        s += i * (TYPE)1.5;
    return s;
}
#endif
`, calls: map[string]float64{"NAME": 2}},
	{name: "language by option", file: "x.txt", flags: []string{"-O1"}, compiler: "gcc", before: []string{"-x", "c"}, text: `#include <stdio.h>
static void work(void)
{
    puts("named otherwise");
}
int main(void) { work(); return 0; }
`, calls: map[string]float64{"work": 1}},
	{name: "old style", flags: []string{"-std=gnu89"}, text: `#include <stdio.h>
static int work(a, b)
    int a;
    int b;
{
    printf("%d\n", a + b);
    return 0;
}
int main() { work(1, 2); return 0; }
`, calls: map[string]float64{"work": 1}},
	{name: "computed goto", text: `#include <stdio.h>
static int work(int n)
{
    static void *to[] = {&&a, &&b, &&end};
    int i = 0;
    goto *to[n];
a:
    i++;
    goto *to[1];
b:
    i += 2;
end:
    return i;
}
int main(void) { printf("%d\n", work(0)); return 0; }
`, calls: map[string]float64{"work": 1}},
	{name: "attributes between", text: `#include <stdio.h>
static void*__attribute__((noinline)) work(void *p)
{
    puts("there");
    return p;
}
int main(int argc, char **argv) { (void)argc; return work(argv) == 0; }
`, calls: map[string]float64{"work": 1}},
	{name: "all warnings are errors", compiler: "clang", flags: []string{"-Weverything", "-Werror", "-Wno-unknown-warning-option", "-Wno-unsafe-buffer-usage", "-Wno-disabled-macro-expansion"}, text: `int main(void);
static volatile int sum;
static void work(int n)
{
    sum += n;
}
int main(void) { work(3); return sum; }
`, calls: map[string]float64{"work": 1}},
	{name: "strict old C", flags: []string{"-std=c90", "-pedantic-errors", "-Wall", "-Wextra", "-Werror"}, text: `int printf(const char *, ...);
static int work(int n)
{
    int i, s = 0;
    for (i = 0; i < n; i++) {
        s += i;
    }
    return s;
}
int main(void) { printf("%d\n", work(5)); return 0; }
`, calls: map[string]float64{"work": 1}},
	{name: "statically linked", flags: []string{"-static"}, text: `#include <stdio.h>
static void work(void)
{
    puts("alone");
}
int main(void) { work(); return 6; }
`, not: "linked statically"},
	{name: "closes what it does not know", text: `#include <stdio.h>
#include <unistd.h>
static void work(void)
{
    for (int i = 3; i < 4096; i++)
        close(i);
}
int main(void) { work(); puts("closed"); return 0; }
`, calls: map[string]float64{"work": 1}},
	{name: "a clock of its own", text: `#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile int rang;
static void ring(int s) { (void)s; rang++; }
static void work(void)
{
    struct itimerval t = {{0, 1000}, {0, 1000}};
    signal(SIGPROF, ring);
    setitimer(ITIMER_PROF, &t, 0);
    while (rang < 3)
        ;
}
int main(void) { work(); puts("rang"); return 0; }
`, calls: map[string]float64{"work": 1}},
	{name: "signals blocked", text: `#include <signal.h>
#include <stdio.h>
static volatile double s;
static void work(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, 0);
    for (int i = 0; i < 1000000; i++)
        s += i;
}
int main(void) { work(); puts("blocked"); return 0; }
`, calls: map[string]float64{"work": 1}},
}

// Each program does under auspex what it does without, and is measured right or
// with a clear word. Stacks are sampled and the budget holds, as by default.
func TestHostilePrograms(t *testing.T) {
	for _, h := range hostilePrograms {
		t.Run(h.name, func(t *testing.T) { h.test(t) })
	}
}

func (h hostile) test(t *testing.T) {
	t.Parallel()
	compiler, file := h.compiler, h.file
	if compiler == "" {
		compiler = "gcc"
	}
	if file == "" {
		file = "x.c"
	}
	need(t, compiler)
	dir := write(t, map[string]string{file: h.text})
	plain, probed := filepath.Join(dir, "plain"), filepath.Join(dir, "x")
	build := slices.Concat([]string{compiler, "-g"}, h.before, []string{filepath.Join(dir, file)}, h.flags)
	if out, err := command(build[0], append(build[1:], "-o", plain)...); err != nil {
		t.Skipf("%s does not compile it: %s", compiler, out)
	}
	want, wantErr := exec.Command(plain).Output()
	status, _ := exitStatus(wantErr)
	var said bytes.Buffer
	c := Compiler{Real: append(build, "-o", probed), Options: instrument.Options{MinLines: 2, Count: true}, Cache: testCache(), Out: &said, Err: &said}
	if code, err := c.Run(context.Background()); err != nil || code != 0 || !strings.Contains(said.String(), h.said) || h.said == "" && said.Len() > 0 {
		t.Fatalf("%v, status %d: %s", err, code, said.String())
	}
	if got, err := exec.Command(probed).Output(); string(got) != string(want) {
		t.Errorf("by itself it prints %q, want %q (%v)", got, want, err)
	}
	var out bytes.Buffer
	r := Runner{Command: []string{probed}, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000, Overhead: 1, Out: &out, Err: os.Stderr}
	result, err := r.Run(context.Background())
	if result == nil {
		t.Fatal(err)
	}
	if result.Status != status || out.String() != string(want) {
		t.Errorf("status %d, want %d; printed %q, want %q", result.Status, status, out.String(), want)
	}
	if h.not != "" {
		if err == nil || !strings.Contains(err.Error(), h.not) {
			t.Errorf("%v, want a word of %q", err, h.not)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for path, calls := range h.calls {
		expect(t, result.Experiment, 0, path, map[string]float64{"calls": calls})
	}
}
