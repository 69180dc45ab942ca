package ingest

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"auspex/model"
)

// Source is one file or directory that makes one experiment.
type Source struct {
	Format string
	// Path is where to read; Given is how a person would name it, which
	// differs for what was unpacked from an archive.
	Path, Given string
	// Label is the name without folders and endings.
	Label string
	// Progress, where set, is told how many bytes more were read.
	Progress func(bytes int64)
}

// headSize is how much of a file decides on its format.
const headSize = 4096

// Found is what Find returns. Close removes what was unpacked.
type Found struct {
	Sources   []*Source
	Notes     []string // files that were passed over, and why
	unpackDir string
}

// Close removes unpacked archives.
func (f *Found) Close() error {
	if f.unpackDir == "" {
		return nil
	}
	return os.RemoveAll(f.unpackDir)
}

// Find lists the sources below the given paths, in a natural order. A format
// other than "" skips the look at the content.
func Find(paths []string, formatName string) (*Found, error) {
	found := &Found{}
	known := formats()
	if formatName != "" {
		known = slices.DeleteFunc(known, func(f format) bool { return f.name != formatName })
		if len(known) == 0 {
			return nil, fmt.Errorf("unknown format %q; one of: %s", formatName, formatNames())
		}
	}
	finder := finder{found: found, formats: known, forced: formatName != ""}
	for _, path := range paths {
		if err := finder.visit(path, path, true); err != nil {
			found.Close()
			return nil, err
		}
	}
	if len(found.Sources) == 0 {
		found.Close()
		return nil, model.InFile(paths[0], "no profile found here; formats read: %s", formatNames())
	}
	return found, nil
}

func formatNames() string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return strings.Join(names, ", ")
}

type finder struct {
	found   *Found
	formats []format
	forced  bool
}

// visit looks at one path. Only a path the user named (top) must be a
// profile; others found on the way are passed over.
func (f *finder) visit(path, given string, top bool) error {
	info, err := os.Stat(path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return model.InFile(given, "no such file or directory")
		}
		return err
	}
	if info.IsDir() {
		return f.visitDir(path, given)
	}
	if !info.Mode().IsRegular() {
		return f.reject(given, top, "not a regular file")
	}
	return f.visitFile(path, given, top)
}

func (f *finder) reject(given string, top bool, why string) error {
	if top {
		return model.InFile(given, "%s", why)
	}
	f.found.Notes = append(f.found.Notes, given+": "+why)
	return nil
}

func (f *finder) visitDir(path, given string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, fm := range f.formats {
		if fm.isDir != nil && fm.isDir(path, entries) {
			f.add(fm.name, path, given)
			return nil
		}
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return compareNatural(a.Name(), b.Name()) })
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || e.Type()&os.ModeSymlink != 0 {
			continue
		}
		if err := f.visit(filepath.Join(path, e.Name()), filepath.Join(given, e.Name()), false); err != nil {
			return err
		}
	}
	return nil
}

func (f *finder) visitFile(path, given string, top bool) error {
	head, gzipped, err := readHead(path)
	if err != nil {
		return f.reject(given, top, err.Error())
	}
	if len(head) == 0 {
		return f.reject(given, top, "the file is empty")
	}
	for _, fm := range f.formats {
		if fm.isFile != nil && (f.forced || fm.isFile(filepath.Base(path), head)) {
			f.add(fm.name, path, given)
			return nil
		}
		// A file that belongs to a profile directory stands for it:
		// experiment.xml, meta.db, traces.otf2 …
		if fm.isDir != nil && fm.isFile == nil && top {
			dir := filepath.Dir(path)
			if entries, err := os.ReadDir(dir); err == nil && fm.isDir(dir, entries) {
				f.add(fm.name, dir, filepath.Dir(given))
				return nil
			}
		}
	}
	if isArchive(head) {
		return f.visitArchive(path, given, gzipped)
	}
	if !top {
		return f.reject(given, top, "passed over, not a profile")
	}
	return f.reject(given, top, "no known profile format; one of: "+formatNames())
}

func (f *finder) visitArchive(path, given string, gzipped bool) error {
	if f.found.unpackDir == "" {
		dir, err := os.MkdirTemp("", "auspex-unpack-")
		if err != nil {
			return err
		}
		f.found.unpackDir = dir
	}
	dir, err := os.MkdirTemp(f.found.unpackDir, "")
	if err != nil {
		return err
	}
	if err := unpack(path, given, dir, gzipped); err != nil {
		return err
	}
	return f.visitDir(dir, given)
}

func (f *finder) add(format, path, given string) {
	f.found.Sources = append(f.found.Sources, &Source{
		Format: format, Path: path, Given: given, Label: label(given),
	})
}

// label strips folders and known endings from a name.
func label(given string) string {
	name := filepath.Base(given)
	if name == "." || name == string(filepath.Separator) {
		if abs, err := filepath.Abs(given); err == nil {
			name = filepath.Base(abs)
		}
	}
	for _, ending := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, ending)
	}
	for _, ending := range []string{
		".ppk", ".json", ".jsonl", ".csv", ".parquet", ".cubex", ".cali", ".xml", ".tgz", ".tar", ".zip", ".pb", ".pprof", ".prof", ".otf2",
	} {
		if base, ok := strings.CutSuffix(name, ending); ok && base != "" {
			return base
		}
	}
	return name
}

// readHead returns the first bytes of a file, decompressed where it is gzip.
func readHead(path string) (head []byte, gzipped bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	buffered := bufio.NewReaderSize(file, headSize)
	head, err = buffered.Peek(headSize)
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	if !isGzip(head) {
		return slices.Clone(head), false, nil
	}
	unzipped, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, true, fmt.Errorf("damaged gzip file: %w", err)
	}
	head = make([]byte, headSize)
	n, err := io.ReadFull(unzipped, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, true, fmt.Errorf("damaged gzip file: %w", err)
	}
	return head[:n], true, nil
}

func isGzip(head []byte) bool { return len(head) > 2 && head[0] == 0x1f && head[1] == 0x8b }

// compareNatural orders names with the numbers in them by value, so that
// rank-2 stands before rank-10.
func compareNatural(a, b string) int {
	for a != "" && b != "" {
		da, db := digits(a), digits(b)
		if da > 0 && db > 0 {
			na, nb := strings.TrimLeft(a[:da], "0"), strings.TrimLeft(b[:db], "0")
			if len(na) != len(nb) {
				return len(na) - len(nb)
			}
			if c := strings.Compare(na, nb); c != 0 {
				return c
			}
			a, b = a[da:], b[db:]
			continue
		}
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
