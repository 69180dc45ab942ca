package input

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"

	"auspex/internal/mistake"
)

// Limits on what an archive may hold.
const (
	maxArchiveEntries = 1 << 20
	maxArchiveBytes   = 64 << 30
)

// isArchive recognises tar and zip from a file's first bytes.
func isArchive(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) ||
		len(head) > 262 && string(head[257:262]) == "ustar"
}

// unpack extracts an archive below dir. os.Root keeps every name inside dir:
// a path that climbs out is refused.
func unpack(path, given, dir string, gzipped bool) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	target := &unpacker{root: root, given: given}
	if !gzipped {
		head := make([]byte, 4)
		if _, err := io.ReadFull(file, head); err == nil && string(head) == "PK\x03\x04" {
			return target.unzip(file)
		}
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		return target.untar(file)
	}
	counted := &CountingReader{R: file}
	unzipped, err := gzip.NewReader(counted)
	if err != nil {
		return mistake.InFile(given, "damaged gzip file: %v", err)
	}
	return target.untar(&BombGuard{R: unzipped, Compressed: counted})
}

type unpacker struct {
	root    *os.Root
	given   string
	entries int
	bytes   int64
}

func (u *unpacker) untar(r io.Reader) error {
	archive := tar.NewReader(r)
	for {
		entry, err := archive.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return mistake.InFile(u.given, "damaged tar archive: %v", err)
		}
		if entry.Typeflag != tar.TypeReg {
			continue // folders are made as needed; links and devices have no place in a profile
		}
		if err := u.extract(entry.Name, archive); err != nil {
			return err
		}
	}
}

func (u *unpacker) unzip(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	archive, err := zip.NewReader(file, info.Size())
	if err != nil {
		return mistake.InFile(u.given, "damaged zip archive: %v", err)
	}
	for _, entry := range archive.File {
		if !entry.Mode().IsRegular() {
			continue
		}
		if size := int64(entry.UncompressedSize64); size > BombSize && size/BombRatio > int64(entry.CompressedSize64) {
			return mistake.InFile(u.given, "%s decompresses to more than %d times its size: refused as a decompression bomb", entry.Name, BombRatio)
		}
		r, err := entry.Open()
		if err != nil {
			return mistake.InFile(u.given, "%s in the archive: %v", entry.Name, err)
		}
		err = u.extract(entry.Name, r)
		r.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (u *unpacker) extract(name string, r io.Reader) error {
	if u.entries++; u.entries > maxArchiveEntries {
		return mistake.InFile(u.given, "more than %d files in the archive", maxArchiveEntries)
	}
	if !filepath.IsLocal(name) {
		return mistake.InFile(u.given, "the archive holds %q, which would lie outside the folder it is unpacked to: refused", name)
	}
	if err := u.root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return mistake.InFile(u.given, "unpacking %s: %v", name, err)
	}
	out, err := u.root.Create(name)
	if err != nil {
		return mistake.InFile(u.given, "unpacking %s: %v", name, err)
	}
	n, err := io.Copy(out, io.LimitReader(r, maxArchiveBytes-u.bytes+1))
	u.bytes += n
	if u.bytes > maxArchiveBytes {
		err = errors.New("the archive unpacks to more than 64 GiB")
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return mistake.InFile(u.given, "unpacking %s: %v", name, err)
	}
	return nil
}
