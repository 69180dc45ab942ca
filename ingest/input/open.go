package input

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"

	"auspex/internal/mistake"
)

// A decompressed stream that grows beyond BombSize and beyond BombRatio times
// what was read is taken for a decompression bomb: profiles shrink some
// fifty-fold at most, bombs a thousand-fold.
const (
	BombSize  = 256 << 20
	BombRatio = 200
)

// File is an open file: buffered, decompressed where it is gzip, its bytes
// counted for progress.
type File struct {
	*bufio.Reader
	file *os.File
}

// Close closes the file.
func (in *File) Close() error { return in.file.Close() }

// Open opens a file of the source for streaming. The name is given as a path
// on disk; use errors at src.Given for people.
func (src *Source) Open(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, mistake.InFile(src.GivenFor(path), "cannot be opened: %v", err)
	}
	counted := &CountingReader{R: file, progress: src.Progress}
	buffered := bufio.NewReaderSize(counted, bufferFor(file))
	head, _ := buffered.Peek(3)
	if !IsGzip(head) {
		return &File{skipMark(buffered), file}, nil
	}
	unzipped, err := gzip.NewReader(buffered)
	if err != nil {
		file.Close()
		return nil, mistake.InFile(src.GivenFor(path), "damaged gzip file: %v", err)
	}
	guarded := &BombGuard{R: unzipped, Compressed: counted}
	return &File{skipMark(bufio.NewReaderSize(guarded, 256<<10)), file}, nil
}

// byteOrderMark is what some editors and shells put before text in UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// skipMark passes over the mark where there is one. Errors come again when read.
func skipMark(in *bufio.Reader) *bufio.Reader {
	if head, _ := in.Peek(len(byteOrderMark)); string(head) == byteOrderMark {
		in.Discard(len(byteOrderMark))
	}
	return in
}

// bufferFor sizes a buffer by the file: a run of a thousand ranks has as many
// small files.
func bufferFor(file *os.File) int {
	const least, most = 4 << 10, 256 << 10
	info, err := file.Stat()
	if err != nil {
		return most
	}
	return int(min(max(info.Size(), least), most))
}

// GivenFor names a path on disk as the user would.
func (src *Source) GivenFor(path string) string {
	if len(path) > len(src.Path) && path[:len(src.Path)] == src.Path {
		return src.Given + path[len(src.Path):]
	}
	return src.Given
}

// CountingReader counts the bytes that pass and tells the progress.
type CountingReader struct {
	R        io.Reader
	n        int64
	progress func(int64)
}

func (c *CountingReader) Read(p []byte) (int, error) {
	n, err := c.R.Read(p)
	c.n += int64(n)
	if c.progress != nil && n > 0 {
		c.progress(int64(n))
	}
	return n, err
}

// BombGuard stops a stream that decompresses beyond all reason.
type BombGuard struct {
	R          io.Reader
	n          int64
	Compressed *CountingReader
}

func (g *BombGuard) Read(p []byte) (int, error) {
	n, err := g.R.Read(p)
	g.n += int64(n)
	if g.n > BombSize && g.n > BombRatio*g.Compressed.n {
		return 0, fmt.Errorf("decompresses to more than %d times its size: refused as a decompression bomb", BombRatio)
	}
	return n, err
}
