package launch

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// hostileProcesses do unusual things with processes, stacks, signals and memory.
var hostileProcesses = []hostile{
	{name: "fork", text: `#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int n;
static void work(void)
{
    n++;
}
int main(void)
{
    int status = 0;
    work();
    fflush(stdout);
    if (fork() == 0) {
        work();
        work();
        printf("child %d\n", n);
        return 3;
    }
    wait(&status);
    work();
    printf("parent %d %d\n", n, WEXITSTATUS(status));
    return 0;
}
`, calls: map[string]float64{"work": 2}},
	{name: "the parent goes first", text: `#include <stdio.h>
#include <unistd.h>
static void work(void)
{
    puts("left");
    fflush(stdout);
}
int main(void)
{
    int ready[2];
    char c;
    if (pipe(ready) != 0)
        return 9;
    if (fork() == 0) {
        close(ready[1]);
        if (read(ready[0], &c, 1) == 0) /* the parent has gone */
            puts("alone");
        return 0;
    }
    work();
    return 2;
}
`, calls: map[string]float64{"work": 1}},
	{name: "exit in the middle", text: `#include <stdio.h>
#include <stdlib.h>
static void last(void)
{
    puts("last");
}
static void inner(int n)
{
    if (n == 3)
        exit(n);
}
static void outer(void)
{
    for (int i = 0; i < 10; i++)
        inner(i);
}
int main(void) { atexit(last); outer(); return 0; }
`, calls: map[string]float64{"outer": 1, "inner": 4}},
	{name: "itself anew, without an environment", text: `#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void work(int n)
{
    printf("image %d\n", n);
    fflush(stdout);
}
int main(int argc, char **argv)
{
    work(argc);
    if (argc > 1)
        return 4;
    clearenv();
    execl("/proc/self/exe", argv[0], "again", (char *)0);
    return 9;
}
`, calls: map[string]float64{"work": 1}},
	{name: "libraries come and go", flags: []string{"-ldl"}, text: `#include <dlfcn.h>
#include <stdio.h>
static double work(int n)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        void *m = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
        double (*f)(double) = 0;
        if (m)
            *(void **)&f = dlsym(m, "cos");
        s += f ? f(0) : 0;
        if (m)
            dlclose(m);
    }
    return s;
}
int main(void) { printf("%g\n", work(20)); return 0; }
`, calls: map[string]float64{"work": 1}},
	{name: "jumps out of a handler", text: `#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
static sigjmp_buf back;
static void handler(int s)
{
    siglongjmp(back, s);
}
static void work(int i)
{
    if (i % 2)
        raise(SIGUSR1);
}
int main(void)
{
    volatile int jumped = 0;
    signal(SIGUSR1, handler);
    for (int i = 0; i < 50; i++)
        if (sigsetjmp(back, 1) == 0)
            work(i);
        else
            jumped++;
    printf("%d\n", jumped);
    return 0;
}
`, calls: map[string]float64{"work": 50, "handler": 25}},
	{name: "a handler for every signal", text: `#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
static volatile int surprises, own;
static void handler(int s)
{
    if (s == SIGRTMIN + 1 || s == SIGRTMAX - 3)
        own++;
    else
        surprises++;
}
static void work(void)
{
    clock_t start = clock();
    while (clock() - start < CLOCKS_PER_SEC / 20)
        ;
}
int main(void)
{
    struct sigaction a, old;
    memset(&a, 0, sizeof a);
    a.sa_handler = handler;
    for (int s = 1; s <= SIGRTMAX; s++)
        if (s % 2 ? sigaction(s, &a, 0) != 0 : signal(s, handler) == SIG_ERR)
            continue;
    work();
    raise(SIGRTMIN + 1);
    raise(SIGRTMAX - 3);
    sigaction(SIGRTMAX - 3, 0, &old);
    printf("%d of its own, %d surprises, %d\n", own, surprises, old.sa_handler == handler);
    return 0;
}
`, calls: map[string]float64{"work": 1}},
	{name: "two stacks by turns", text: `#include <stdio.h>
#include <ucontext.h>
static ucontext_t first, second;
static char stack[1 << 16];
static int n;
static void there(void)
{
    for (int i = 0; i < 10; i++) {
        n += 2;
        swapcontext(&second, &first);
    }
}
static void here(int k)
{
    n += k;
    swapcontext(&first, &second);
}
int main(void)
{
    getcontext(&second);
    second.uc_stack.ss_sp = stack;
    second.uc_stack.ss_size = sizeof stack;
    second.uc_link = &first;
    makecontext(&second, there, 0);
    for (int i = 0; i < 10; i++)
        here(1);
    printf("%d\n", n);
    return 0;
}
`, calls: map[string]float64{"here": 10, "there": 1}},
	{name: "the stack runs over", flags: []string{"-O0"}, text: `#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char other[1 << 16];
static volatile int depth;
static void over(int s)
{
    (void)s;
    if (write(1, "over\n", 5) == 5)
        _exit(7);
}
static int down(int n)
{
    volatile char room[4096];
    room[n % 4096] = (char)n;
    depth++;
    return down(n + 1) + room[depth % 4096];
}
int main(void)
{
    stack_t s;
    struct sigaction a;
    memset(&s, 0, sizeof s);
    memset(&a, 0, sizeof a);
    s.ss_sp = other;
    s.ss_size = sizeof other;
    sigaltstack(&s, 0);
    a.sa_handler = over;
    a.sa_flags = SA_ONSTACK;
    sigaction(SIGSEGV, &a, 0);
    return down(0);
}
`, calls: map[string]float64{"over": 1}},
	{name: "main ends before its thread", flags: []string{"-pthread"}, text: `#include <pthread.h>
#include <stdio.h>
static pthread_t first;
static void *work(void *p)
{
    pthread_join(first, NULL);
    puts("after main");
    return p;
}
int main(void)
{
    pthread_t t;
    first = pthread_self();
    pthread_create(&t, NULL, work, NULL);
    pthread_detach(t);
    pthread_exit(NULL);
}
`},
	{name: "a thread is cancelled", flags: []string{"-pthread"}, text: `#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>
static sem_t begun;
static void clean(void *p) { *(int *)p = 1; }
static void *work(void *p)
{
    pthread_cleanup_push(clean, p);
    sem_post(&begun);
    for (;;)
        pause();
    pthread_cleanup_pop(0);
    return p;
}
int main(void)
{
    int cleaned = 0;
    void *result;
    pthread_t t;
    sem_init(&begun, 0, 0);
    pthread_create(&t, NULL, work, &cleaned);
    sem_wait(&begun);
    pthread_cancel(t);
    pthread_join(t, &result);
    printf("%d %d\n", cleaned, result == PTHREAD_CANCELED);
    return 0;
}
`},
	{name: "memory of its own", text: `#include <stddef.h>
#include <stdio.h>
#include <string.h>
static char heap[1 << 24];
static size_t used;
void *malloc(size_t n)
{
    size_t at = __atomic_fetch_add(&used, (n + 31) & ~(size_t)15, __ATOMIC_RELAXED);
    if (at + n + 32 > sizeof heap)
        return 0;
    *(size_t *)(heap + at) = n;
    return heap + at + 16;
}
void free(void *p) { (void)p; }
void *calloc(size_t a, size_t b) { return malloc(a * b); }
void *realloc(void *p, size_t n)
{
    void *q = malloc(n);
    if (p && q)
        memcpy(q, p, ((size_t *)p)[-2] < n ? ((size_t *)p)[-2] : n);
    return q;
}
static int work(void)
{
    char *p = malloc(100);
    strcpy(p, "mine");
    return p > heap && p < heap + sizeof heap;
}
int main(void) { printf("%d\n", work()); return 0; }
`, calls: map[string]float64{"work": 1}},
	{name: "asks who handles its signals", text: `#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int seen;
static void note(int sig) { seen = sig; }
static void work(void)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT, SIGHUP, SIGXCPU};
    struct sigaction a, old;
    for (unsigned i = 0; i < sizeof deadly / sizeof deadly[0]; i++) {
        sigaction(deadly[i], NULL, &old);
        printf("%d%d ", old.sa_handler == SIG_DFL, (old.sa_flags & SA_SIGINFO) == 0);
    }
    memset(&a, 0, sizeof a);
    a.sa_handler = note;
    sigaction(SIGINT, &a, &old); /* the usual save and restore */
    raise(SIGINT);
    printf("%d %d\n", seen, old.sa_handler == SIG_DFL);
    sigaction(SIGINT, &old, &a);
    printf("%d ", a.sa_handler == note);
    printf("%d ", signal(SIGHUP, note) == SIG_DFL);
    printf("%d ", signal(SIGHUP, SIG_IGN) == note);
    raise(SIGHUP);
    printf("%d %d\n", seen, signal(SIGHUP, SIG_DFL) == SIG_IGN);
    fflush(stdout);
}
int main(void)
{
    int status = 0;
    work();
    if (fork() == 0) {
        signal(SIGINT, SIG_DFL);
        raise(SIGINT);
        return 9;
    }
    wait(&status);
    printf("child %d\n", WTERMSIG(status));
    fflush(stdout);
    raise(SIGTERM);
    return 9;
}
`, calls: map[string]float64{"work": 1}},
	{name: "killed by itself", text: `#include <signal.h>
static void work(void)
{
    raise(SIGKILL);
}
int main(void) { work(); return 0; }
`, calls: map[string]float64{"work": 1}},
}

func TestHostileProcesses(t *testing.T) {
	for _, h := range hostileProcesses {
		t.Run(h.name, func(t *testing.T) { h.test(t) })
	}
}

// Batch systems and shells limit what a process may have. What the runtime takes
// must leave the program its own, and where it cannot have enough, the program runs
// without being measured.
func TestLittleRoom(t *testing.T) {
	need(t, "gcc", "prlimit")
	dir := write(t, map[string]string{"x.c": `#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int work(size_t n)
{
    char *p = malloc(n);
    if (p)
        memset(p, 1, n);
    return p != 0;
}
int main(void) { printf("%d\n", work(200 << 20)); return 3; }
`})
	exe := filepath.Join(dir, "x")
	mustCompile(t, "gcc", "-g", filepath.Join(dir, "x.c"), "-o", exe)
	for _, c := range []struct {
		limit    string
		measured bool
	}{{"--as=500000000", true}, {"--nofile=12", true}, {"--sigpending=0", true}, {"--stack=200000", true}, {"--fsize=50000", false}} {
		t.Run(c.limit[2:], func(t *testing.T) {
			limited := []string{"prlimit", c.limit, exe}
			want, err := exec.Command(limited[0], limited[1:]...).Output()
			if status, _ := exitStatus(err); status != 3 {
				t.Skipf("without auspex it prints %q: %v", want, err)
			}
			var out bytes.Buffer
			r := Runner{Command: limited, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000, Overhead: 1, Out: &out, Err: os.Stderr}
			result, err := r.Run(context.Background())
			if result == nil {
				t.Fatal(err)
			}
			if result.Status != 3 || out.String() != string(want) {
				t.Errorf("status %d; printed %q, want %q", result.Status, out.String(), want)
			}
			if measured := err == nil; measured != c.measured {
				t.Errorf("measured: %v (%v)", measured, err)
			}
			if err == nil {
				expect(t, result.Experiment, 0, "work", map[string]float64{"calls": 1})
			}
		})
	}
}
