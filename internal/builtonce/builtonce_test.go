package builtonce

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

func TestAt(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "new", "cache")
	built := 0
	build := func(dir string) (string, error) {
		built++
		made := filepath.Join(dir, "x.so")
		return made, os.WriteFile(made, []byte("x"), 0o666)
	}
	for range 2 {
		path, err := At(filepath.Join(cache, "a.so"), build)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "x" {
			t.Fatal(err)
		}
	}
	if built != 1 {
		t.Errorf("built %d times", built)
	}
	whole := filepath.Join(cache, "folder")
	for range 2 { // the second finds it there when it is done
		if _, err := At(whole, func(dir string) (string, error) { return dir, os.WriteFile(filepath.Join(dir, "y"), nil, 0o666) }); err != nil {
			t.Fatal(err)
		}
	}
	failure := errors.New("no compiler")
	if _, err := At(filepath.Join(cache, "b.so"), func(string) (string, error) { return "", failure }); !errors.Is(err, failure) {
		t.Error(err)
	}
	left, err := os.ReadDir(cache)
	if err != nil || len(left) != 2 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// Another process was faster.
func TestMadeMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder")
	if _, err := At(path, func(dir string) (string, error) {
		if err := os.MkdirAll(filepath.Join(path, "theirs"), 0o777); err != nil {
			return "", err
		}
		return dir, nil
	}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(path, "theirs")); err != nil {
		t.Error(err)
	}
}

func TestHash(t *testing.T) {
	var a, b bytes.Buffer
	if err := errors.Join(Hash(&a, fstest.MapFS{"x/a": {Data: []byte("bc")}}), Hash(&b, fstest.MapFS{"x/ab": {Data: []byte("c")}})); err != nil {
		t.Fatal(err)
	}
	if a.String() == b.String() {
		t.Error("other files are hashed alike")
	}
}
