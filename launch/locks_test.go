package launch

import (
	"path/filepath"
	"testing"
)

// Waiting for a critical section or a lock is a region of its own, and the time is
// not that of the function that asked for it.
func TestWaitingForLocks(t *testing.T) {
	for _, compiler := range []string{"gcc", "clang"} {
		t.Run(compiler, func(t *testing.T) {
			need(t, compiler)
			dir := write(t, map[string]string{"locks.c": `#include <omp.h>
#include <unistd.h>
static volatile int held;
static volatile double asked;
static omp_lock_t lock;
void hold(void)
{
    held++;
    usleep(60000);
}
void ask(int turn)
{
    if (turn == 0) {
#pragma omp critical(one)
        held = 0;
    } else {
        omp_set_lock(&lock);
        held = 0;
        omp_unset_lock(&lock);
    }
}
int main(void)
{
    omp_init_lock(&lock);
    for (int turn = 0; turn < 2; asked < 0.05 ? 0 : (turn++, asked = 0)) { /* again where it asked too late */
#pragma omp parallel num_threads(2)
        {
            if (omp_get_thread_num() == 0) {
                if (turn == 0) {
#pragma omp critical(one)
                    hold();
                } else {
                    omp_set_lock(&lock);
                    hold();
                    omp_unset_lock(&lock);
                }
            } else {
                while (!held)
                    ;
                double before = omp_get_wtime();
                ask(turn);
                asked += omp_get_wtime() - before;
            }
        }
    }
    return 0;
}
`})
			exe := filepath.Join(dir, "locks")
			if out, err := command(compiler, "-fopenmp", "-fsyntax-only", filepath.Join(dir, "locks.c")); err != nil {
				t.Skipf("%s has no OpenMP: %s", compiler, out)
			}
			mustCompile(t, compiler, "-g", "-O1", "-fopenmp", filepath.Join(dir, "locks.c"), "-o", exe)
			r, _ := measure(t, exe)
			for _, region := range []string{"OpenMP critical", "OpenMP lock"} {
				if waited := value(t, r.Experiment, 0, 1, "ask/"+region, "wtime"); waited < 0.03 {
					t.Errorf("%s: waited %.3f s of 0.06", region, waited)
				}
			}
			if own := value(t, r.Experiment, 0, 1, "ask", "cpu_time"); own > 0.03 {
				t.Errorf("what asks computed for %.3f s", own)
			}
			if t.Failed() {
				t.Log(callsByPath(r.Experiment))
			}
		})
	}
}
