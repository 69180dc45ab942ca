package ingest

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"

	"auspex/model"
)

// A decompressed stream that grows beyond bombSize and beyond bombRatio times
// what was read is taken for a decompression bomb: profiles shrink some
// fifty-fold at most, bombs a thousand-fold.
const (
	bombSize  = 256 << 20
	bombRatio = 200
)

// input is an open file: buffered, decompressed where it is gzip, its bytes
// counted for progress.
type input struct {
	*bufio.Reader
	file *os.File
}

// Close closes the file.
func (in *input) Close() error { return in.file.Close() }

// open opens a file of the source for streaming. The name is given as a path
// on disk; use errors at src.Given for people.
func (src *Source) open(path string) (*input, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, model.InFile(src.givenFor(path), "cannot be opened: %v", err)
	}
	counted := &countingReader{r: file, progress: src.Progress}
	buffered := bufio.NewReaderSize(counted, bufferFor(file))
	head, _ := buffered.Peek(3)
	if !isGzip(head) {
		return &input{buffered, file}, nil
	}
	unzipped, err := gzip.NewReader(buffered)
	if err != nil {
		file.Close()
		return nil, model.InFile(src.givenFor(path), "damaged gzip file: %v", err)
	}
	guarded := &bombGuard{r: unzipped, compressed: counted}
	return &input{bufio.NewReaderSize(guarded, 256<<10), file}, nil
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

// givenFor names a path on disk as the user would.
func (src *Source) givenFor(path string) string {
	if len(path) > len(src.Path) && path[:len(src.Path)] == src.Path {
		return src.Given + path[len(src.Path):]
	}
	return src.Given
}

type countingReader struct {
	r        io.Reader
	n        int64
	progress func(int64)
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if c.progress != nil && n > 0 {
		c.progress(int64(n))
	}
	return n, err
}

// bombGuard stops a stream that decompresses beyond all reason.
type bombGuard struct {
	r          io.Reader
	n          int64
	compressed *countingReader
}

func (g *bombGuard) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	g.n += int64(n)
	if g.n > bombSize && g.n > bombRatio*g.compressed.n {
		return 0, fmt.Errorf("decompresses to more than %d times its size: refused as a decompression bomb", bombRatio)
	}
	return n, err
}
