package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"auspex/depend"
)

// Templates stand in headers: their loops can be looked at, and a file of no known
// language is named once.
func TestSourceHeaders(t *testing.T) {
	dir := t.TempDir()
	header, other := filepath.Join(dir, "csr.hpp"), filepath.Join(dir, "notes.txt")
	for path, text := range map[string]string{header: "template <class T> T sum(const T *a, int n) { T s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }\n", other: "words\n"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	files, err := parseSources(context.Background(), []string{header}, "")
	if err != nil || len(depend.New(files...).Loops()) != 1 {
		t.Errorf("%d files, %v", len(files), err)
	}
	if _, err := parseSources(context.Background(), []string{other}, ""); err == nil || strings.Count(err.Error(), other) != 1 {
		t.Errorf("%v", err)
	}
}
