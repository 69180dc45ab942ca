package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// A token is made once, for its owner alone, and is the same the next time; a
// file that holds something else is refused.
func TestKeptToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	first, err := keptToken(file)
	if err != nil || len(first) < 16 {
		t.Fatal(first, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v: %v", info.Mode(), err)
	}
	if second, err := keptToken(file); err != nil || second != first {
		t.Errorf("%q, then %q: %v", first, second, err)
	}
	for _, bad := range []string{"", "short", "two words in one line of it", "0123456789abcdef&x=1"} {
		if err := os.WriteFile(file, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := keptToken(file); err == nil {
			t.Errorf("%q is taken for a token", bad)
		}
	}
	if a, err := keptToken(""); err != nil || a == "" {
		t.Error(a, err)
	}
}
