package lint

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestDistStartsOnOlderClusters builds the released binary and makes sure that
// it asks the system for no C library at all, or for none newer than 2.28.
func TestDistStartsOnOlderClusters(t *testing.T) {
	if testing.Short() {
		t.Skip("links the whole program")
	}
	if runtime.GOOS != "linux" {
		t.Skip("clusters run Linux")
	}
	binary := filepath.Join(t.TempDir(), "auspex")
	if out, err := exec.Command("make", "-C", "../..", "dist", "DIST="+binary).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// docs/RATIONALE.md says 98 MB.
	if info, err := os.Stat(binary); err != nil || info.Size() > 99e6 {
		t.Errorf("the binary has %d bytes, more than the documents say: %v", info.Size(), err)
	}
	file, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.ImportedSymbols()
	if err != nil && err != elf.ErrNoSymbols {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if version, ok := strings.CutPrefix(s.Version, "GLIBC_"); ok && newer(version, []int{2, 28}) {
			t.Errorf("%s needs glibc %s", s.Name, version)
		}
	}
	libraries, err := file.ImportedLibraries()
	if err == nil && len(libraries) > 0 {
		t.Logf("not fully static: %v", libraries)
	}
	runs(t, binary)
	t.Run("packages", func(t *testing.T) { checkPackages(t, binary) })
}

// newer compares a dotted version with a limit.
func newer(version string, limit []int) bool {
	for i, part := range strings.Split(version, ".") {
		n := 0
		for _, c := range part {
			n = 10*n + int(c-'0')
		}
		if i >= len(limit) || n != limit[i] {
			return i >= len(limit) || n > limit[i]
		}
	}
	return false
}
