package platform

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// Read reads a platform: SimGrid's XML, version 4.1, or the short TOML form.
// What the file starts with tells which. name is only used in messages.
func Read(name string, r io.Reader) (*Platform, error) {
	return read(name, r, newBuilder(limits{hosts: maxHosts, links: maxLinks, bytes: maxBytes}))
}

func read(name string, r io.Reader, b *builder) (*Platform, error) {
	in := bufio.NewReader(&boundedReader{r: r, size: b.limit.bytes, left: b.limit.bytes})
	if mark, _ := in.Peek(3); string(mark) == "\xef\xbb\xbf" { // byte order mark
		in.Discard(3)
	}
	first, err := firstByte(in)
	switch {
	case err == io.EOF:
		return nil, newError(name, 1, "the platform file is empty")
	case err != nil:
		return nil, newError(name, 1, "%v", err)
	case first == '<':
		return readXML(name, in, b)
	}
	return readTOML(name, in, b)
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

// boundedReader fails once size bytes have been read.
type boundedReader struct {
	r          io.Reader
	size, left int
}

func (b *boundedReader) Read(buf []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the file is larger than %d MiB", b.size>>20)
	}
	n, err := b.r.Read(buf)
	b.left -= n
	return n, err
}
