package platform

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// maxFileBytes bounds a platform file.
const maxFileBytes = 256 << 20

// Read reads a platform: SimGrid's XML, version 4.1, or the short TOML form.
// What the file starts with tells which. name is only used in messages.
func Read(name string, r io.Reader) (*Platform, error) {
	in := bufio.NewReader(&boundedReader{r: r, left: maxFileBytes})
	if mark, _ := in.Peek(3); string(mark) == "\xef\xbb\xbf" { // byte order mark
		in.Discard(3)
	}
	first, err := firstByte(in)
	switch {
	case err == io.EOF:
		return nil, &Error{File: name, Line: 1, Msg: "the platform file is empty"}
	case err != nil:
		return nil, &Error{File: name, Line: 1, Msg: err.Error()}
	case first == '<':
		return readXML(name, in)
	}
	return readTOML(name, in)
}

// firstByte is the first one that is not white space; nothing is taken away.
func firstByte(in *bufio.Reader) (byte, error) {
	for n := 1; ; n++ {
		head, err := in.Peek(n)
		if len(head) < n {
			if errors.Is(err, bufio.ErrBufferFull) {
				err = errors.New("the file starts with nothing but white space")
			}
			return 0, err
		}
		switch c := head[n-1]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c, nil
		}
	}
}

// boundedReader fails once more than left bytes have been read.
type boundedReader struct {
	r    io.Reader
	left int64
}

func (b *boundedReader) Read(buf []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the file is larger than %d MiB", maxFileBytes>>20)
	}
	n, err := b.r.Read(buf)
	b.left -= int64(n)
	return n, err
}
