package web

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A profile names a file without its folders: it is found below the directories
// that were declared, unless two could be it.
func TestSourceBelowDeclaredDirectory(t *testing.T) {
	dir := t.TempDir()
	write := func(path string) {
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(path+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("seismic/seismic.c")
	write("one/same.c")
	write("two/same.c")
	s, err := New(Config{Store: testStore(t), Token: testToken, Sources: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"seismic.c": "seismic/seismic.c", "/home/me/seismic.c": "seismic/seismic.c", "two/same.c": "two/same.c", "/src/x/two/same.c": "two/same.c"} {
		if lines, err := s.readSource(name); err != nil || lines[0] != want {
			t.Errorf("%s is %v, %v", name, lines, err)
		}
	}
	if _, err := s.readSource("same.c"); err == nil || !strings.Contains(err.Error(), "could both be it") {
		t.Errorf("same.c: %v", err)
	}
	if _, err := s.readSource("nowhere.c"); err == nil || !strings.Contains(err.Error(), "no file of that name") {
		t.Errorf("nowhere.c: %v", err)
	}
}
