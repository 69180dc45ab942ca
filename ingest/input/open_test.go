package input

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestByteOrderMark: what some editors put before text is no part of it, packed or not.
func TestByteOrderMark(t *testing.T) {
	for name, text := range map[string]string{"a.json": "\ufeff[{}]", "b.json": "[{}]", "a.json.gz": "\ufeff[{}]", "short.txt": "[]"} {
		path := filepath.Join(t.TempDir(), name)
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		out := io.WriteCloser(file)
		if strings.HasSuffix(name, ".gz") {
			out = gzip.NewWriter(file)
		}
		if _, err := io.WriteString(out, text); err != nil {
			t.Fatal(err)
		}
		out.Close()
		file.Close()
		head, _, err := ReadHead(path)
		if err != nil {
			t.Fatal(err)
		}
		in, err := (&Source{Path: path, Given: path}).Open(path)
		if err != nil {
			t.Fatal(err)
		}
		all, err := io.ReadAll(in)
		in.Close()
		if want := strings.TrimPrefix(text, "\ufeff"); string(head) != want || string(all) != want || err != nil {
			t.Errorf("%s: head %q, text %q, %v", name, head, all, err)
		}
	}
}

// TestKnownInAFolder: of a folder without a profile it is said what a file in it is.
func TestKnownInAFolder(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{"hello.txt": "formats read: x", "rank0.json": "rank0.json: text in UTF-16"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(map[string]string{"hello.txt": "hello", "rank0.json": "\xff\xfe[\x00"}[name]), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Find([]Format{{Name: "x"}}, []string{dir}, "")
		if err == nil || !strings.Contains(err.Error(), "no profile found here; "+want) {
			t.Errorf("%s: %v", name, err)
		}
		os.Remove(filepath.Join(dir, name))
	}
}
