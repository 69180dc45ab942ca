package launch

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"auspex/model"
)

// callsByPath sums the calls of each region over all units.
func callsByPath(e *model.Experiment) map[string]float64 {
	column := slices.IndexFunc(e.Metrics, func(m model.Metric) bool { return m.Name == model.Calls })
	calls, paths := map[string]float64{}, model.Paths(e.Regions)
	for row := range e.Summaries.Rows() {
		calls[paths[e.Summaries.Region[row]]] += e.Summaries.Values[column][row]
	}
	return calls
}

const taskSource = `#include <stdio.h>
#include <omp.h>
static volatile double sink;
void work(int n)
{
    double x = 0;
    for (int i = 0; i < n; i++)
        x += i * 0.5;
    sink = x;
}
int main(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < 50; i++) {
#pragma omp task
        work(1000);
    }
#pragma omp parallel num_threads(3)
    {
#pragma omp single nowait
        for (int i = 0; i < 10; i++) {
#pragma omp task
            {
#pragma omp task
                work(1000);
#pragma omp taskwait
            }
        }
#pragma omp barrier
        work(10);
    }
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < 20; i++)
        work(1000);
    return 0;
}
`

// A task is a region below the one that it was made in, whichever thread runs it and
// wherever that thread waits: never below a barrier.
func TestTasks(t *testing.T) {
	for _, compiler := range []string{"gcc", "clang"} {
		t.Run(compiler, func(t *testing.T) {
			need(t, compiler)
			dir := write(t, map[string]string{"tasks.c": taskSource})
			exe := filepath.Join(dir, "tasks")
			if out, err := command(compiler, "-fopenmp", "-fsyntax-only", filepath.Join(dir, "tasks.c")); err != nil {
				t.Skipf("%s has no OpenMP: %s", compiler, out)
			}
			mustCompile(t, compiler, "-g", "-O1", "-fopenmp", filepath.Join(dir, "tasks.c"), "-o", exe)
			r, _ := measure(t, exe)
			if r.Status != 0 {
				t.Fatalf("status %d", r.Status)
			}
			tasks, work := 0.0, 0.0
			for path, n := range callsByPath(r.Experiment) {
				_, below, ok := strings.Cut(path, "/OpenMP task@")
				if strings.Contains(path, "OpenMP barrier/") {
					t.Errorf("%s: a barrier is waited at, nothing is done in it", path)
				}
				if strings.HasSuffix(path, "/work") && ok {
					work += n
				}
				if ok && !strings.Contains(below, "/") || strings.Contains(below, "/OpenMP task@") && strings.Count(below, "/") == 1 {
					tasks += n
				}
			}
			if tasks != 50+10+10+20 || work != 50+10+20 {
				t.Errorf("%g tasks, %g calls in them; want 90 and 80", tasks, work)
			}
			if t.Failed() {
				t.Log(callsByPath(r.Experiment))
			}
		})
	}
}

// What a task is given arrives, however it is copied.
func TestTaskData(t *testing.T) {
	need(t, "g++")
	dir := write(t, map[string]string{"data.cc": `#include <omp.h>
#include <stdio.h>
#include <string.h>
struct counted {
    int v;
    static int alive;
    counted(int x) : v(x) { __atomic_fetch_add(&alive, 1, 5); }
    counted(const counted &o) : v(o.v) { __atomic_fetch_add(&alive, 1, 5); }
    ~counted() { __atomic_fetch_sub(&alive, 1, 5); }
};
int counted::alive;
struct big { char bytes[40000]; };
struct alignas(64) wide { double d[8]; };
static int wrong;
static void check(int ok, int what) { if (!ok) { __atomic_fetch_or(&wrong, 1 << what, 5); } }
int main()
{
    for (int threads = 1; threads <= 3; threads++) {
        long sum = 0, loop = 0, last = -1, ordered = 0, sum2 = 0;
        int many = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
        {
            for (int i = 0; i < 30; i++) {
                counted c(i);
                big b;
                wide w;
                memset(&b, i, sizeof b);
                w.d[7] = i;
#pragma omp task firstprivate(c, b, w, i) shared(sum)
                {
                    check(c.v == i && b.bytes[39999] == i && w.d[7] == i && (unsigned long)&w % 64 == 0, 0);
#pragma omp atomic
                    sum += c.v;
                }
#pragma omp task firstprivate(b, i)
                check(b.bytes[20000] == i, 1);
            }
#pragma omp taskwait
            check(sum == 435, 2);
            for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : ordered) firstprivate(i) priority(i)
                { check(ordered == i, 3); ordered++; }
            }
#pragma omp taskgroup
            {
#pragma omp taskloop lastprivate(last) grainsize(3)
                for (long i = 0; i < 100; i++) {
#pragma omp atomic
                    loop += i;
                    last = i;
                }
            }
            check(loop == 4950 && last == 99, 4);
            counted k(7);
#pragma omp taskloop firstprivate(k) reduction(+ : sum2) num_tasks(5)
            for (unsigned long long i = 0; i < 1000; i++)
                sum2 += k.v;
            check(sum2 == 7000, 5);
#pragma omp taskloop grainsize(1) shared(many)
            for (int i = 0; i < 20000; i++) {
#pragma omp atomic
                many++;
            }
            check(many == 20000, 6);
            int seen = 0;
#pragma omp task if (0) shared(seen)
            seen = 1;
            check(seen == 1, 7);
#if _OPENMP >= 201511 && __GNUC__ >= 11
            omp_event_handle_t event;
#pragma omp task detach(event)
            omp_fulfill_event(event);
            omp_event_handle_t second;
#pragma omp task detach(second) firstprivate(k)
            { check(k.v == 7, 8); omp_fulfill_event(second); }
#endif
        }
        check(counted::alive == 0, 9);
    }
    printf("wrong %x", wrong);
    return wrong != 0;
}
`})
	exe := filepath.Join(dir, "data")
	if out, err := command("g++", "-g", "-O1", "-fopenmp", filepath.Join(dir, "data.cc"), "-o", exe); err != nil {
		t.Fatal(out)
	}
	r, out := measure(t, exe)
	if r.Status != 0 || out != "wrong 0" {
		t.Fatalf("status %d: %s", r.Status, out)
	}
}
