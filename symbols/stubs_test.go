package symbols

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestStubs: what is in a stub belongs to the function that it leads to, in each form
// that linkers give them.
func TestStubs(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	dir := t.TempDir()
	text := filepath.Join(dir, "stubs.c")
	if err := os.WriteFile(text, []byte("#include <math.h>\n#include <stdlib.h>\nint main(int n, char **v) { return (int)(sin(n) + cos(n)) + abs(v[0][0]); }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{{"-fcf-protection=full", "-Wl,-z,ibtplt"}, {"-fcf-protection=none"}, {"-Wl,-z,now"}, {"-no-pie"}} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			exe := filepath.Join(t.TempDir(), "stubs")
			if out, err := exec.Command("gcc", append(flags, "-O1", "-fno-builtin", "-o", exe, text, "-lm")...).CombinedOutput(); err != nil {
				t.Skipf("%v: %s", err, out)
			}
			file, err := elf.Open(exe)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			o, seen := Open(exe), map[string]bool{}
			for _, s := range file.Sections {
				if strings.HasPrefix(s.Name, ".plt") {
					for at := s.Addr; at < s.Addr+s.Size; at++ {
						for _, f := range o.Frames(at) {
							seen[f.Name] = true
						}
					}
				}
			}
			if !seen["sin"] || !seen["cos"] || !seen["abs"] {
				t.Errorf("stubs of %v", seen)
			}
		})
	}
}
