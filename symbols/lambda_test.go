package symbols

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The body of a lambda that was inlined is a function of its own, by the function and the
// line that it stands in, also within another.
func TestInlinedLambdas(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("g++ is not installed")
	}
	exe := filepath.Join(t.TempDir(), "lambda")
	file := exe + ".cpp"
	text := `template <class F> static inline __attribute__((always_inline)) void each(volatile int *p, F f)
{
    for (int i = 0; i < 50; i++)
        f(p, i);
}
extern "C" __attribute__((noinline)) void outer(volatile int *p)
{
    each(p, [](volatile int *q, int i) { *q = *q * 7 + i; *q = *q / 3; });
    each(p, [](volatile int *q, int i) {
        each(q, [i](volatile int *r, int j) { *r = *r % 1009 + i * j; *r = *r / 7; });
    });
}
int main() { volatile int x = 0; outer(&x); }
`
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("g++", "-g", "-O2", file, "-o", exe).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	o := Open(exe)
	seen := map[string]bool{}
	at := addressOf(t, exe, "outer")
	for offset := range uint64(200) {
		for _, f := range o.Frames(at + offset) {
			if strings.Contains(f.Name, "lambda@") {
				seen[fmt.Sprintf("%s %s:%d", f.Name, filepath.Base(f.File), f.Line)] = true
			}
		}
	}
	for _, want := range []string{"outer::{lambda@8} lambda.cpp:8", "outer::{lambda@9}::{lambda@10} lambda.cpp:10"} {
		if !seen[want] {
			t.Errorf("no %s in %v", want, seen)
		}
	}
}
