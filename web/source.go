package web

import (
	"auspex/view"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxSource is the largest source file shown.
const maxSource = 4 << 20

// shownFile is a file that regions come from, and whether it can be shown.
type shownFile struct {
	view.SourceFile
	Available bool `json:"available"`
}

func (s *Server) sourceFiles(_ context.Context, q *asked) (any, error) {
	d, err := s.dataset(q)
	if err != nil {
		return nil, err
	}
	files, err := view.SourceFiles(d)
	if err != nil {
		return nil, err
	}
	shown := []shownFile{}
	for _, f := range files {
		file, err := s.openSource(f.File)
		if err == nil {
			file.Close()
		}
		shown = append(shown, shownFile{f, err == nil})
	}
	return map[string]any{"name": d.Name, "files": shown}, nil
}

func (s *Server) sourceFile(_ context.Context, q *asked) (any, error) {
	d, err := s.dataset(q)
	if err != nil {
		return nil, err
	}
	name := q.query.Get("file")
	files, err := view.SourceFiles(d)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(files, func(f view.SourceFile) bool { return f.File == name }) {
		return nil, statusError{http.StatusNotFound, fmt.Sprintf("no region of %s comes from a file %q", d.Name, name)}
	}
	lines, err := s.readSource(name)
	if err != nil {
		return nil, err
	}
	marks, err := view.SourceMarks(d, name)
	if err != nil {
		return nil, err
	}
	return map[string]any{"name": d.Name, "file": name, "lines": lines, "marks": marks}, nil
}

func (s *Server) readSource(name string) ([]string, error) {
	file, err := s.openSource(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSource+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxSource {
		return nil, statusError{http.StatusRequestEntityTooLarge, fmt.Sprintf("%s is larger than %d MiB", name, maxSource>>20)}
	}
	plain := strings.ReplaceAll(strings.ToValidUTF8(string(text), "\uFFFD"), "\r\n", "\n")
	return strings.Split(strings.TrimSuffix(plain, "\n"), "\n"), nil
}

// openSource finds a file under the declared directories. A profile names it
// as the compiler saw it, so leading folders may have to be left out. os.Root
// sees to it that nothing outside is opened, links included.
func (s *Server) openSource(name string) (*os.File, error) {
	for _, dir := range s.sources {
		root, err := os.OpenRoot(dir)
		if err != nil {
			continue
		}
		file, err := openUnder(root, dir, name)
		root.Close()
		if err == nil {
			return file, nil
		}
	}
	if len(s.sources) == 0 {
		return nil, statusError{http.StatusNotFound, fmt.Sprintf("%s cannot be shown: no directory was declared with --source", name)}
	}
	file, why := s.searchSource(name)
	if file != nil {
		return file, nil
	}
	return nil, statusError{http.StatusNotFound, fmt.Sprintf("%s cannot be shown: %s", name, why)}
}

// mostSearched is how many files are looked through below the declared
// directories for those that profiles name without their folders.
const mostSearched = 50_000

// foundSource is a file below a declared directory.
type foundSource struct{ dir, path string }

// indexSources lists the files below the declared directories by their last name.
func (s *Server) indexSources() map[string][]foundSource {
	index, seen := map[string][]foundSource{}, 0
	for _, dir := range s.sources {
		root, err := os.OpenRoot(dir)
		if err != nil {
			continue
		}
		fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
			if seen++; seen > mostSearched {
				return fs.SkipAll
			}
			switch {
			case err != nil, entry.IsDir() && path != "." && strings.HasPrefix(entry.Name(), "."):
				return fs.SkipDir
			case entry.Type().IsRegular():
				index[entry.Name()] = append(index[entry.Name()], foundSource{dir, filepath.FromSlash(path)})
			}
			return nil
		})
		root.Close()
	}
	return index
}

// searchSource looks below the declared directories for the file whose path ends
// most like the name; why says what is in the way of one.
func (s *Server) searchSource(name string) (file *os.File, why string) {
	var best []foundSource
	most := 0
	for _, f := range s.sourceIndex()[filepath.Base(name)] {
		switch n := sameEnding(f.path, name); {
		case n > most:
			best, most = []foundSource{f}, n
		case n == most:
			best = append(best, f)
		}
	}
	if len(best) == 0 {
		return nil, "no file of that name lies under the directories that --source declared"
	}
	if len(best) > 1 {
		return nil, fmt.Sprintf("%s and %s could both be it; declare the one with --source", filepath.Join(best[0].dir, best[0].path), filepath.Join(best[1].dir, best[1].path))
	}
	root, err := os.OpenRoot(best[0].dir)
	if err != nil {
		return nil, err.Error()
	}
	defer root.Close()
	if file, err = openRegular(root, best[0].path); err != nil {
		return nil, err.Error()
	}
	return file, ""
}

// sameEnding counts the folders and names in which two paths end alike.
func sameEnding(a, b string) int {
	x, y := strings.Split(filepath.ToSlash(a), "/"), strings.Split(filepath.ToSlash(b), "/")
	n := 0
	for n < len(x) && n < len(y) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n
}

func openUnder(root *os.Root, dir, name string) (*os.File, error) {
	name = filepath.Clean(name)
	if filepath.IsAbs(name) {
		if inside, err := filepath.Rel(dir, name); err == nil && filepath.IsLocal(inside) {
			name = inside
		}
	}
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == filepath.Separator })
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == ".." })
	for from := range parts {
		if file, err := openRegular(root, filepath.Join(parts[from:]...)); err == nil {
			return file, nil
		}
	}
	return nil, fs.ErrNotExist
}

func openRegular(root *os.Root, name string) (*os.File, error) {
	// Looked at before it is opened: opening a pipe would wait for a writer.
	if info, err := root.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fs.ErrNotExist)
	}
	return root.Open(name)
}
