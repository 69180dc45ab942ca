package probe

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// settling asks threshold.c about made-up windows of a loop: their seconds and turns,
// how many turns there will be, whether each asks, and how often windows were compared before.
const settling = `
#include "threshold.c"
double auspex_rate = 1;

static int says(double settle_s, double before_s, double now_s, int turns, long total, int asks, int compared)
{
    static struct watch w;
    memset(&w, 0, sizeof w);
    epsilon = 0.02;
    least = 1e9 * settle_s;
    w.faults = faults();
    w.entries = 1;
    w.compared = compared;
    w.before = (struct window){.ticks = 1e9 * before_s, .turns = turns, .looks = 1};
    w.now = (struct window){.ticks = 1e9 * now_s, .turns = turns, .looks = 1};
    w.done = 2 * turns;
    w.sum = w.before.ticks + w.now.ticks;
    settle(&w, total, asks);
    return w.why;
}

/* What is reckoned for an entry whose iterations take from to to ticks, from the first
 * entry after the loop has settled to the last of so many, of what was. */
static double entries(int many, double mean, double from, double to)
{
    static struct watch w;
    memset(&w, 0, sizeof w);
    w.mean = mean;
    for (int i = 0; i < many; i++)
        stray(&w, from + (to - from) * i / (many - 1));
    return w.scale;
}

/* The mean of an iteration by the paper's rule, or ours: 100 that took 9 s, then two
 * windows of 100 that took 1 s each. */
static double mean(int the_papers)
{
    static struct watch w;
    memset(&w, 0, sizeof w);
    paper = the_papers;
    epsilon = 0.9;
    least = 1e9;
    w.faults = faults();
    w.entries = 1;
    w.before = w.now = (struct window){.ticks = 1e9, .turns = 100, .looks = 1};
    w.done = 300;
    w.sum = 11e9;
    w.average = 5e7;
    settle(&w, 0, 1);
    paper = 0;
    return w.mean;
}

int main(void)
{
    printf("%d\n", says(0.05, 0.500, 0.505, 100, 0, 1, 0)); /* within epsilon */
    printf("%d\n", says(0.05, 0.2, 0.4, 100, 0, 1, 0));       /* twice as long, whatever --settle is */
    printf("%d\n", says(0.05, 0.2, 0.4, 100, 300, 1, 0));     /* though few are left */
    printf("%d\n", says(1, 2, 2.3, 100, 0, 1, 2));         /* the third look at a machine that drifts */
    printf("%d\n", says(1, 2, 2.3, 100, 0, 1, 0));         /* the first */
    printf("%d\n", says(1, 20, 23, 100, 0, 1, 0));         /* the first of a slow one, which settles no sooner */
    printf("%d\n", says(1, 20, 40, 100, 0, 1, 9));         /* twice as long, however often */
    printf("%d\n", says(1, 1, 1, 10000000, 0, 1, 0));         /* mostly the question */
    printf("%d\n", says(1, 1, 1, 10000000, 0, 0, 0));         /* which is not asked */
    printf("%.0f %.0f\n", entries(12, 5e4, 5e4, 1e4), entries(3, 5e5, 5e5, 5e5)); /* too few are known; a few long ones suffice */
    printf("%.0f\n", entries(200, 5e4, 5e4, 5.4e4));                            /* much alike */
    printf("%.1f\n", entries(200, 5e4, 6e4, 0.5e4));                            /* ever shorter: 0.7e4 of 5.8e4 */
    printf("%.1f\n", entries(9, 5e5, 1e5, 9e5));                                /* longer: 8e5 of 2e5 */
    printf("%.0f %.0f\n", mean(0), mean(1)); /* of the latest two windows; of all from the first on */
    return 0;
}
`

// TestSettling: what counts as settled, and what entries after that are reckoned with.
func TestSettling(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler")
	}
	dir := t.TempDir()
	program, text := filepath.Join(dir, "settling"), filepath.Join(dir, "settling.c")
	if err := os.WriteFile(text, []byte(settling), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-std=gnu99", "-O1", "-ffunction-sections", "-Wl,--gc-sections", "-Iruntime", "-o", program, text, "-lm").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).Output()
	const cut, moving, fine = "0\n", "2\n", "6\n"
	if want := cut + moving + moving + cut + moving + moving + moving + fine + cut + "0 1\n1\n0.1\n4.0\n10000000 36666667\n"; err != nil || string(out) != want {
		t.Errorf("%v\n%s, want\n%s", err, out, want)
	}
}
