package cube

import (
	"bytes"
	"io"
	"math"
	"path"

	"auspex/internal/mistake"
)

// tarBlock is the unit a tar archive is made of.
const tarBlock = 512

func isTarHeader(head []byte) bool {
	return len(head) > 262 && string(head[257:262]) == "ustar"
}

// tarText returns a header field up to its end.
func tarText(field []byte) string {
	if end := bytes.IndexByte(field, 0); end >= 0 {
		field = field[:end]
	}
	return string(field)
}

// readTar holds the wanted files of a tar archive in memory. It does not look
// at checksums, which CubeWriter 4.8 gets wrong.
func readTar(r io.Reader, name string, wanted func(string) bool) (map[string][]byte, error) {
	files := map[string][]byte{}
	header := make([]byte, tarBlock)
	for offset := int64(0); ; {
		n, err := io.ReadFull(r, header)
		if err == io.EOF {
			return files, nil
		}
		if err != nil {
			return nil, tarError(name, offset+int64(n), err)
		}
		if !isTarHeader(header) {
			if bytes.Count(header, []byte{0}) == tarBlock {
				return files, nil
			}
			return nil, mistake.AtByte(name, offset, "damaged tar archive: no file header here")
		}
		size, ok := tarNumber(header[124:136])
		if !ok {
			return nil, mistake.AtByte(name, offset+124, "damaged tar archive: bad file size")
		}
		offset += tarBlock
		regular := header[156] == '0' || header[156] == 0
		entry := path.Base(tarText(header[:100]))
		body := io.LimitReader(r, size)
		var got int64
		if regular && wanted(entry) {
			content, err := io.ReadAll(body)
			if err != nil {
				return nil, tarError(name, offset+int64(len(content)), err)
			}
			files[entry], got = content, int64(len(content))
		} else if got, err = io.Copy(io.Discard, body); err != nil {
			return nil, tarError(name, offset+got, err)
		}
		offset += got
		if got < size {
			return nil, mistake.AtByte(name, offset, "ends early: %s should have %d bytes, %d are there", entry, size, got)
		}
		padding, err := io.CopyN(io.Discard, r, (tarBlock-size%tarBlock)%tarBlock)
		offset += padding
		if err != nil && err != io.EOF {
			return nil, tarError(name, offset, err)
		}
	}
}

func tarError(name string, offset int64, err error) error {
	if err == io.ErrUnexpectedEOF {
		return mistake.AtByte(name, offset, "ends early")
	}
	return mistake.AtByte(name, offset, "%v", err)
}

// tarNumber reads a size: octal digits, or binary where the first bit is set.
func tarNumber(field []byte) (n int64, ok bool) {
	if field[0]&0x80 != 0 {
		for i, c := range field {
			if i == 0 {
				c &= 0x7f
			}
			if n > math.MaxInt64>>9 {
				return 0, false
			}
			n = n<<8 | int64(c)
		}
		return n, true
	}
	for _, c := range bytes.Trim(field, " \x00") {
		if c < '0' || c > '7' || n > math.MaxInt64>>4 {
			return 0, false
		}
		n = n<<3 | int64(c-'0')
	}
	return n, true
}
