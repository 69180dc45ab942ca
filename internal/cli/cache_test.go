package cli

import (
	"os"
	"testing"
)

// TestCacheOfRoot: whoever a program of root's becomes can load what is there, and
// nobody else can change it.
func TestCacheOfRoot(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("this is about root")
	}
	t.Setenv("AUSPEX_CACHE", "")
	t.Setenv("HOME", t.TempDir())
	dir := cacheDir()
	if dir != rootsCache {
		t.Skipf("%s cannot be written", rootsCache)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%v, %v", info, err)
	}
}
