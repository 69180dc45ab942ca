// Package builtonce keeps what was compiled for the next time: it is built in a
// folder of its own and moved into place, so that others find it whole or not
// at all.
package builtonce

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// At gives the path, at which there is a file or a folder with what build makes;
// build is called with an empty folder where there is none, and says what in it,
// or that folder itself, is to be kept.
func At(path string, build func(dir string) (made string, err error)) (string, error) {
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	beside := filepath.Dir(path)
	if err := os.MkdirAll(beside, 0o777); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(beside, "build-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", err
	}
	made, err := build(dir)
	if err != nil {
		return "", err
	}
	if err := os.Rename(made, path); err != nil {
		// Another process may have made the same in the meantime.
		if _, there := os.Stat(path); there != nil {
			return "", err
		}
	}
	return path, nil
}

// Hash writes all files with their names, so that what is built from others is
// kept under another name.
func Hash(into io.Writer, files fs.FS) error {
	room := make([]byte, 16<<10) // for all of them: every run of a program hashes some
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		f, err := files.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		fmt.Fprintf(into, "%s %d\n", name, info.Size())
		_, err = io.CopyBuffer(into, f, room)
		return err
	})
}
