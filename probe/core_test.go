package probe

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// coreWait reads made-up files of the kernel's with core.c, and lets a thread that
// gave its core up, or did not, ask.
const coreWait = `
#define getrusage getrusage_of_the_machine
#include "descriptors.c"
#include "core.c"
#undef getrusage
#include <stdio.h>
#include <string.h>

static long given;
int getrusage_of_the_machine(int who, struct rusage *u)
{
    (void)who;
    memset(u, 0, sizeof *u);
    u->ru_nvcsw = given;
    return 0;
}

static struct thread t;

static void said(const char *text, long gave, uint64_t lost)
{
    FILE *f = tmpfile();
    fputs(text, f);
    fflush(f);
    t.schedstat = auspex_keep(dup(fileno(f)));
    given += gave;
    printf("%d\n", (int)auspex_core_wait(&t, lost));
    auspex_core_close(&t);
    fclose(f);
}

int main(void)
{
    said("5000 1000 3\n", 1, 0);
    said("6000 1700 4\n", 0, 900);  /* it kept its core but for a hypervisor */
    said("7000 2000 5\n", 1, 900);  /* blocked for a part */
    said("8000 9000 6\n", 1, 900);  /* queued for longer than is asked about */
    said("nonsense", 1, 900);       /* another file in its place */
    said("", 1, 900);
    said("9000 99", 1, 900);        /* cut off */
    said("9000 9100 7\n", 2, 900);
    return 0;
}
`

// TestCoreWait: what a thread waited for a core, as the kernel tells it.
func TestCoreWait(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler")
	}
	dir := t.TempDir()
	text, program := filepath.Join(dir, "wait.c"), filepath.Join(dir, "wait")
	if err := os.WriteFile(text, []byte(coreWait), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-std=gnu99", "-O1", "-Iruntime", "-o", program, text).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := "0\n900\n300\n900\n0\n0\n0\n100\n"; string(out) != want {
		t.Errorf("waited:\n%swant:\n%s", out, want)
	}
}
