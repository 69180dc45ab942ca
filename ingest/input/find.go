package input

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"auspex/internal/mistake"
	"auspex/internal/scratch"
)

// HeadSize is how much of a file decides on its format.
const HeadSize = 4096

// Found is what Find returns. Close removes what was unpacked.
type Found struct {
	Sources   []*Source
	Notes     []string // files that were passed over, and why
	UnpackDir string
}

// Close removes unpacked archives.
func (f *Found) Close() error {
	if f.UnpackDir == "" {
		return nil
	}
	return os.RemoveAll(f.UnpackDir)
}

// Find lists the sources of the formats below the given paths, in a natural
// order. The name of a format other than "" skips the look at the content.
func Find(formats []Format, paths []string, name string) (*Found, error) {
	found := &Found{}
	finder := finder{found: found, formats: formats, names: formatNames(formats), forced: name != ""}
	if finder.forced {
		finder.formats = slices.DeleteFunc(slices.Clone(formats), func(f Format) bool { return f.Name != name })
		if len(finder.formats) == 0 {
			return nil, fmt.Errorf("unknown format %q; one of: %s", name, finder.names)
		}
	}
	for _, path := range paths {
		finder.root = path
		if err := finder.visit(path, path, true); err != nil {
			found.Close()
			return nil, err
		}
	}
	if len(found.Sources) == 0 {
		found.Close()
		return nil, mistake.InFile(paths[0], "no profile found here; %s", cmp.Or(finder.known, "formats read: "+finder.names))
	}
	return found, nil
}

func formatNames(formats []Format) string {
	var names []string
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

type finder struct {
	found   *Found
	formats []Format // those looked for
	names   string   // of all formats there are
	forced  bool
	root    string // that the user named
	known   string // what the first file that is known, and no profile, is
}

// visit looks at one path. Only a path the user named (top) must be a
// profile; others found on the way are passed over.
func (f *finder) visit(path, given string, top bool) error {
	info, err := os.Stat(path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return mistake.InFile(given, "no such file or directory")
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
		return mistake.InFile(given, "%s", why)
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
		if fm.IsDir != nil && fm.IsDir(path, entries) {
			f.add(fm.Name, path, given)
			return nil
		}
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return CompareNatural(a.Name(), b.Name()) })
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || e.Type()&os.ModeSymlink != 0 && !f.leadsOut(filepath.Join(path, e.Name())) {
			continue
		}
		if err := f.visit(filepath.Join(path, e.Name()), filepath.Join(given, e.Name()), false); err != nil {
			return err
		}
	}
	return nil
}

// leadsOut tells links to files elsewhere, which are as good as files here. What a link
// shows that is found here anyway would count twice, and folders might lead in a circle.
func (f *finder) leadsOut(link string) bool {
	root, err := filepath.EvalSymlinks(f.root)
	if err != nil {
		return false
	}
	target, err := filepath.EvalSymlinks(link)
	if err != nil {
		return false
	}
	info, err := os.Stat(target)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	away, err := filepath.Rel(root, target)
	return err != nil || !filepath.IsLocal(away)
}

func (f *finder) visitFile(path, given string, top bool) error {
	head, gzipped, err := ReadHead(path)
	if err != nil {
		if path := (*fs.PathError)(nil); errors.As(err, &path) {
			err = path.Err // the name is said by whoever refuses
		}
		return f.reject(given, top, err.Error())
	}
	if len(head) == 0 {
		return f.reject(given, top, "the file is empty")
	}
	archive := isArchive(head) // with a table's lines in it, perhaps
	for _, fm := range f.formats {
		if fm.IsFile != nil && (fm.Archive || !archive) && (f.forced || fm.IsFile(filepath.Base(path), head)) {
			f.add(fm.Name, path, given)
			return nil
		}
		// A file that belongs to a profile directory stands for it:
		// experiment.xml, meta.db, traces.otf2 …
		if fm.IsDir != nil && fm.IsFile == nil && top {
			dir := filepath.Dir(path)
			if entries, err := os.ReadDir(dir); err == nil && fm.IsDir(dir, entries) {
				f.add(fm.Name, dir, filepath.Dir(given))
				return nil
			}
		}
	}
	if archive {
		return f.visitArchive(path, given, gzipped)
	}
	if !top && slices.ContainsFunc(f.formats, func(fm Format) bool { return fm.IsPart != nil && fm.IsPart(path) }) {
		return nil
	}
	known := notAProfile(given, head)
	if !top {
		if known != "" && f.known == "" {
			f.known = filepath.Base(given) + ": " + known
		}
		return f.reject(given, top, "passed over, not a profile")
	}
	for _, fm := range f.formats {
		if fm.Nearly == nil {
			continue
		}
		if why := fm.Nearly(head); why != "" {
			return f.reject(given, top, why)
		}
	}
	return f.reject(given, top, cmp.Or(known, "no known profile format; one of: "+f.names))
}

func (f *finder) visitArchive(path, given string, gzipped bool) error {
	if f.found.UnpackDir == "" {
		dir, err := scratch.Dir("unpack")
		if err != nil {
			return err
		}
		f.found.UnpackDir = dir
	}
	dir, err := os.MkdirTemp(f.found.UnpackDir, "")
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
		Format: format, Path: path, Given: given, Label: Label(given),
	})
}

// Label strips folders and known endings from a name.
func Label(given string) string {
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
		".ppk", ".json", ".jsonl", ".csv", ".parquet", ".cubex", ".cali", ".xml", ".tgz", ".tar", ".zip", ".pb", ".pprof", ".prof", ".otf2", ".prv",
	} {
		if base, ok := strings.CutSuffix(name, ending); ok && base != "" {
			return base
		}
	}
	return name
}

// ReadHead returns the first bytes of a file, decompressed where it is gzip.
func ReadHead(path string) (head []byte, gzipped bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	buffered := bufio.NewReaderSize(file, HeadSize)
	head, err = buffered.Peek(HeadSize)
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	if !IsGzip(head) {
		return slices.Clone(bytes.TrimPrefix(head, []byte(byteOrderMark))), false, nil
	}
	unzipped, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, true, fmt.Errorf("damaged gzip file: %w", err)
	}
	head = make([]byte, HeadSize)
	n, err := io.ReadFull(unzipped, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, true, fmt.Errorf("damaged gzip file: %w", err)
	}
	return bytes.TrimPrefix(head[:n], []byte(byteOrderMark)), true, nil
}

// IsGzip recognises gzip from the first bytes.
func IsGzip(head []byte) bool { return len(head) > 2 && head[0] == 0x1f && head[1] == 0x8b }
