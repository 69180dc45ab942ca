package symbols

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const scoped = `static volatile double sink;
#define MADE __attribute__((always_inline)) inline
namespace outer {
namespace {
MADE void hidden(int n) { for (int i = 0; i < n; i++) sink = sink + i; }
struct Kept {
    double v;
    MADE bool operator==(const Kept &o) const { for (int i = 0; i < 3; i++) sink = sink + v; return v == o.v; }
};
}
template <class T> struct Box {
    T v;
    struct Inner { T w; MADE void push(int n) { for (int i = 0; i < n; i++) sink = sink + w * i; } };
    MADE void fill(int n) { Inner in{v}; in.push(n); }
};
static MADE void local(int n) { for (int i = 0; i < n; i++) sink = sink - i; }
}
__attribute__((noinline)) void work(int n)
{
    outer::hidden(n);
    outer::Kept k{2.0}, l{3.0};
    if (k == l)
        sink = 3;
    outer::Box<double> b{1.0};
    b.fill(n);
    outer::local(n);
    struct Own { static __attribute__((noinline)) void go(int n) { for (int i = 0; i < n; i++) sink = sink / 2; } };
    Own::go(n);
}
int main() { work(3); return 0; }
`

// Functions of C++ have the namespaces and types around them, inlined or not and with a
// symbol or not. Of gcc's least debug information only those with a symbol do.
func TestQualifiedNames(t *testing.T) {
	all := []string{"work", "outer::(anonymous namespace)::hidden", "outer::(anonymous namespace)::Kept::operator==", "outer::Box<double>::fill", "outer::Box<double>::Inner::push", "outer::local"}
	for _, c := range []struct {
		command string
		want    []string
	}{
		{"g++ -gdwarf-5", append(all, "work::Own::go")},
		{"g++ -gdwarf-4", append(all, "work::Own::go")},
		{"clang++ -g", append(all, "work(int)::Own::go")},
		{"g++ -g1", []string{"work", "hidden", "operator==", "outer::Box<double>::fill", "outer::Box<double>::Inner::push", "local", "go"}},
	} {
		t.Run(c.command, func(t *testing.T) {
			exe := filepath.Join(t.TempDir(), "scoped")
			if err := os.WriteFile(exe+".cc", []byte(scoped), 0o666); err != nil {
				t.Fatal(err)
			}
			words := append(strings.Fields(c.command), "-O2", exe+".cc", "-o", exe)
			if _, err := exec.LookPath(words[0]); err != nil {
				t.Skip(words[0] + " is not installed")
			}
			if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			o := Open(exe)
			seen := map[string]bool{}
			for _, f := range []string{"_Z4worki", "_ZZ4workiEN3Own2goEi"} {
				at := addressOf(t, exe, f)
				for offset := range uint64(512) {
					for _, f := range o.Frames(at + offset) {
						seen[f.Name] = true
					}
				}
			}
			for _, name := range c.want {
				if !seen[name] {
					t.Errorf("no %s in %v", name, seen)
				}
			}
		})
	}
}
