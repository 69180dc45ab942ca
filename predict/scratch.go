package predict

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// leftOut are directories that are no part of a program's source.
var leftOut = map[string]bool{".git": true, ".hg": true, ".svn": true, ".auspex": true}

// maxTree is how much source is copied at most, in bytes: a tree this large was
// not meant.
const maxTree = 4 << 30

// copyTree copies a source tree into a new directory. What is neither file nor
// directory nor symbolic link is left out, and so are objects and programs: a
// make that found those of another level would build nothing. So is except, which
// lies within the tree where temporary files are kept there.
func copyTree(ctx context.Context, from, to, except string) error {
	own, _ := os.Stat(except)
	total := int64(0)
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		place := filepath.Join(to, name)
		switch {
		case entry.IsDir() && name != "." && leftOut[entry.Name()]:
			return filepath.SkipDir
		case entry.IsDir():
			if info, err := entry.Info(); err == nil && own != nil && os.SameFile(info, own) {
				return filepath.SkipDir
			}
			return os.MkdirAll(place, 0o777)
		case entry.Type()&fs.ModeSymlink != 0:
			return copyLink(from, path, place)
		case !entry.Type().IsRegular():
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if isBuilt(path) {
			return nil
		}
		if total += info.Size(); total > maxTree {
			return fmt.Errorf("%s holds more than %d GB: name the source's own directory with --source", from, maxTree>>30)
		}
		return copyFile(path, place, info)
	})
}

// isBuilt recognises object files and programs in ELF form; shared libraries may
// be what the program is linked with.
func isBuilt(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	var head [18]byte
	if _, err := io.ReadFull(file, head[:]); err != nil || string(head[:4]) != elf.ELFMAG {
		return false
	}
	switch kind := elf.Type(head[16]) | elf.Type(head[17]); kind { // in either byte order
	case elf.ET_REL, elf.ET_EXEC:
		return true
	case elf.ET_DYN:
		return !strings.Contains(filepath.Base(path), ".so")
	}
	return false
}

// notMade names a few programs of a tree that copyTree left out of its copy and that
// are still not there.
func notMade(from, to string) []string {
	const few = 3
	var list []string
	filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		name, out := filepath.Rel(from, path)
		switch {
		case err != nil || out != nil || len(list) > few:
			return filepath.SkipAll
		case entry.IsDir() && name != "." && leftOut[entry.Name()]:
			return filepath.SkipDir
		case !entry.Type().IsRegular() || filepath.Ext(name) == ".o" || !isBuilt(path):
			return nil
		}
		if _, err := os.Stat(filepath.Join(to, name)); err != nil {
			list = append(list, name)
		}
		return nil
	})
	if len(list) > few {
		list = append(list[:few], "…")
	}
	return list
}

// copyLink keeps links within the tree as they are; others lead to where they
// led.
func copyLink(root, path, place string) error {
	target, err := os.Readlink(path)
	if err != nil {
		return err
	}
	if !filepath.IsAbs(target) {
		whole := filepath.Join(filepath.Dir(path), target)
		if within, err := filepath.Rel(root, whole); err != nil || !filepath.IsLocal(within) {
			if target, err = filepath.Abs(whole); err != nil {
				return err
			}
		}
	}
	return os.Symlink(target, place)
}

// copyFile keeps the time of change, so that make sees the tree as it was.
func copyFile(from, to string, info fs.FileInfo) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close(), os.Chtimes(to, info.ModTime(), info.ModTime()))
}
