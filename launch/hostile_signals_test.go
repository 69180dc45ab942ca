package launch

import (
	"path/filepath"
	"testing"
)

// hostileNeighbours do with descriptors, signals and stacks what is their own affair,
// and would notice somebody else there.
var hostileNeighbours = []hostile{
	{name: "its own files where others were", flags: []string{"-pthread"}, text: `#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int over[2], file[1200];
static void *wait_for_it(void *p)
{
    char c;
    return read(over[0], &c, 1) == 1 ? p : NULL;
}
static void work(void)
{
    for (int i = 5; i < 1024; i++)
        close(i);
    for (int i = 0; i < 1000; i++)
        file[i] = open("/dev/null", O_WRONLY);
}
int main(void)
{
    pthread_t t;
    int bad = 0;
    if (pipe(over) != 0 || pthread_create(&t, NULL, wait_for_it, NULL) != 0)
        return 9;
    printf("the first is %d\n", over[0]);
    work();
    if (write(over[1], "x", 1) != 1)
        return 9;
    pthread_join(t, NULL);
    for (int i = 0; i < 1000; i++)
        bad += file[i] >= 0 && write(file[i], "x", 1) != 1;
    printf("%d are not there\n", bad);
    return 0;
}
`, calls: map[string]float64{"work": 1}},
	{name: "waits for any signal", text: `#include <signal.h>
#include <stdio.h>
#include <time.h>
static sigset_t all, pending, now;
static void work(void)
{
    for (clock_t end = clock() + CLOCKS_PER_SEC / 20; clock() < end;)
        ;
}
int main(void)
{
    struct timespec none = {0, 0};
    siginfo_t info;
    int n = 0, m = 0;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    work();
    sigpending(&pending);
    sigprocmask(SIG_BLOCK, NULL, &now);
    for (int s = 1; s <= SIGRTMAX; s++)
        n += sigismember(&pending, s) == 1, m += sigismember(&now, s) == 1;
    printf("%d pending, %d blocked, %d came\n", n, m, sigtimedwait(&all, &info, &none));
    return 0;
}
`, calls: map[string]float64{"work": 1}},
	{name: "waits for one signal", text: `#include <signal.h>
#include <stdio.h>
#include <time.h>
static sigset_t one;
static void work(void)
{
    for (clock_t end = clock() + CLOCKS_PER_SEC / 20; clock() < end;)
        ;
}
int main(void)
{
    siginfo_t info;
    union sigval v = {.sival_int = 7};
    sigemptyset(&one);
    sigaddset(&one, SIGRTMAX - 3);
    sigprocmask(SIG_BLOCK, &one, NULL);
    work();
    sigqueue(getpid(), SIGRTMAX - 3, v);
    sigwaitinfo(&one, &info);
    printf("%d\n", info.si_value.sival_int);
    return 0;
}
`, flags: []string{"-include", "unistd.h"}, calls: map[string]float64{"work": 1}},
	{name: "a small stack", text: `#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
static ucontext_t outside, inside;
static void work(void)
{
    for (clock_t end = clock() + CLOCKS_PER_SEC / 20; clock() < end;)
        ;
}
int main(void)
{
    int bad = 0;
    stack_t s;
    char *p = mmap(0, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(p, 0xab, 12288);
    getcontext(&inside);
    inside.uc_stack.ss_sp = p + 12288;
    inside.uc_stack.ss_size = 4096;
    inside.uc_link = &outside;
    makecontext(&inside, work, 0);
    swapcontext(&outside, &inside);
    for (int i = 0; i < 12288; i++)
        bad += (unsigned char)p[i] != 0xab;
    sigaltstack(NULL, &s);
    printf("%d bytes below it, another stack: %d\n", bad, !(s.ss_flags & SS_DISABLE));
    return 0;
}
`, calls: map[string]float64{"work": 1}},
	{name: "a small stack for signals in every thread", flags: []string{"-pthread"}, text: `#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
static int on;
static void handle(int s)
{
    stack_t now;
    (void)s;
    sigaltstack(NULL, &now);
    on = now.ss_flags;
}
static void work(void)
{
    struct timespec t = {0, 0}; /* samples do more once a second */
    while (t.tv_sec < 1 || t.tv_nsec < 200000000)
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
}
static void *thread(void *p)
{
    stack_t small, now, none;
    char *at = mmap(0, 12288, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(at, 4096, PROT_NONE);
    memset(&small, 0, sizeof small);
    memset(&none, 0, sizeof none);
    none.ss_flags = SS_DISABLE;
    small.ss_sp = at + 4096;
    small.ss_size = 1024;
    printf("%d ", sigaltstack(&small, NULL) == -1 && errno == ENOMEM);
    small.ss_size = 8192;
    printf("%d ", sigaltstack(&small, &now) == 0 && now.ss_flags == SS_DISABLE);
    work();
    raise(SIGUSR1);
    printf("%d ", on == SS_ONSTACK);
    printf("%d ", sigaltstack(&none, &now) == 0 && now.ss_sp == small.ss_sp && now.ss_size == 8192 && now.ss_flags == 0);
    printf("%d\n", sigaltstack(NULL, &now) == 0 && now.ss_flags == SS_DISABLE);
    return p;
}
int main(void)
{
    pthread_t t;
    struct sigaction a;
    memset(&a, 0, sizeof a);
    a.sa_handler = handle;
    a.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &a, NULL);
    thread(NULL);
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    return 0;
}
`, calls: map[string]float64{"thread": 1, "work": 1}},
	{name: "forbids itself system calls", text: `#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#define ALLOW(n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, n, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
static volatile double s;
static void work(void)
{
    for (int i = 0; i < 20000000; i++)
        s += i;
}
int main(void)
{
    struct sock_filter f[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)), ALLOW(SYS_write), ALLOW(SYS_exit_group), ALLOW(SYS_rt_sigreturn), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
    struct sock_fprog p = {sizeof f / sizeof f[0], f};
    setvbuf(stdout, NULL, _IONBF, 0);
    work();
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p) != 0)
        return 9;
    work();
    puts("alive");
    return 4;
}
`, calls: map[string]float64{"work": 1}},
	{name: "ThreadSanitizer", flags: []string{"-fsanitize=thread", "-pthread"}, not: "ThreadSanitizer", text: `#include <pthread.h>
#include <stdio.h>
static volatile double s;
static void *work(void *p)
{
    for (int i = 0; i < 1000000; i++)
        s += i;
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    puts("done");
    return 0;
}
`},
	{name: "musl", compiler: "musl-gcc", not: "musl", text: `#include <stdio.h>
int main(void) { puts("small"); return 3; }
`},
}

func TestHostileNeighbours(t *testing.T) {
	for _, h := range hostileNeighbours {
		t.Run(h.name, func(t *testing.T) { h.test(t) })
	}
}

// TestMuslInShell: a program linked with musl starts as a shell's child, too.
func TestMuslInShell(t *testing.T) {
	need(t, "musl-gcc")
	dir := write(t, map[string]string{"x.c": "#include <stdio.h>\nint main(void) { puts(\"small\"); return 3; }\n"})
	exe := filepath.Join(dir, "x")
	if out, err := command("musl-gcc", filepath.Join(dir, "x.c"), "-o", exe); err != nil {
		t.Skip(out)
	}
	status, out, _ := unmeasured(t, "sh", "-c", exe+"; exit $?")
	if status != 3 || out != "small\n" {
		t.Errorf("status %d, printed %q", status, out)
	}
}

// TestSampledWhileBlocked: samples come to threads that block all signals, or were
// made by one that does.
func TestSampledWhileBlocked(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"blocked.c": sampleHere + `
#include <pthread.h>
#include <signal.h>
NOINLINE static void encode(void) { take(3); sink++; }
NOINLINE static void *thread(void *p) { encode(); sink++; return p; }
int main(void)
{
    sigset_t all, old;
    pthread_t t;
    find();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    encode();
    return 0;
}
`})
	exe := filepath.Join(dir, "blocked")
	mustCompilePlain(t, "gcc", "-g", "-O1", "-pthread", filepath.Join(dir, "blocked.c"), "-o", exe, "-ldl")
	r, _ := byHand(t, exe)
	samplesAt(t, r.Experiment, 0, map[string]float64{"blocked/main/encode": 3})
	samplesAt(t, r.Experiment, 1, map[string]float64{"blocked/thread/encode": 3})
}
