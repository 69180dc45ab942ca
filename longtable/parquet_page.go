package longtable

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/parquet-go/parquet-go/format"
)

// Limits on the parts of a Parquet file. Writers cut pages at about a
// megabyte and hardly ever beyond a hundred.
const (
	maxFooter     = 256 << 20
	maxPageHeader = 1 << 20
	maxPageBytes  = 128 << 20
	maxPageValues = 1 << 24
)

// checkFooter makes sure that the lengths in the footer can be trusted.
func checkFooter(r io.ReaderAt, size int64) error {
	var tail [8]byte
	if size < 12 {
		return errors.New("too short for a Parquet file")
	}
	if _, err := r.ReadAt(tail[:], size-8); err != nil {
		return err
	}
	if string(tail[4:]) != "PAR1" {
		var first [2]byte
		if _, err := r.ReadAt(first[:], 0); err == nil && first == [2]byte{0x1f, 0x8b} {
			return errors.New("compressed by gzip: unpack it first (gzip -d); a Parquet file is read from its end")
		}
		return errors.New("ends early: a Parquet file ends with PAR1")
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	if length > size-12 || length > maxFooter {
		return fmt.Errorf("%w: a footer of %d bytes", errThrift, length)
	}
	footer := make([]byte, length)
	if _, err := r.ReadAt(footer, size-8-length); err != nil {
		return err
	}
	return (&thriftWalker{data: footer}).structure()
}

// page is a page of a column chunk, decompressed.
type page struct {
	kind     format.PageType
	values   int
	encoding format.Encoding
	levels   []byte // of definition, where they stand apart (version 2)
	data     []byte

	header                int // bytes
	unpacked, packed      int64
	repetitionLength      int64
	definitionLength      int64
	levelsApart, packable bool
	checksum              uint32
	hasChecksum           bool
}

// pageReader reads the pages of one column chunk after another. It uses no
// length that it did not check, and reuses its buffers.
type pageReader struct {
	r        io.ReaderAt
	size     int64
	pos, end int64
	codec    format.CompressionCodec
	window   []byte
	packed   []byte
	unpacked []byte
	codecs   codecs
}

// open starts on a column chunk.
func (p *pageReader) open(chunk *format.ColumnMetaData) error {
	p.pos, p.codec = chunk.DataPageOffset, chunk.Codec
	if d := chunk.DictionaryPageOffset; d > 0 && d < p.pos {
		p.pos = d
	}
	p.end = p.pos + chunk.TotalCompressedSize
	if p.pos < 4 || p.end < p.pos || p.end > p.size {
		return fmt.Errorf("%w: pages at bytes %d to %d", errThrift, p.pos, p.end)
	}
	return nil
}

// next returns the next page, or io.EOF. It holds until the following call.
func (p *pageReader) next() (*page, error) {
	if p.pos >= p.end {
		return nil, io.EOF
	}
	pg, err := p.readHeader()
	if err != nil {
		return nil, err
	}
	left := p.end - p.pos - int64(pg.header)
	apart := pg.repetitionLength + pg.definitionLength
	switch {
	case pg.packed < 0 || pg.packed > left:
		return nil, fmt.Errorf("%w: a page of %d bytes where %d are left", errThrift, pg.packed, left)
	case pg.unpacked < 0 || pg.unpacked > maxPageBytes:
		return nil, fmt.Errorf("%w: a page of %d bytes; %d are allowed", errThrift, pg.unpacked, maxPageBytes)
	case pg.values < 0 || pg.values > maxPageValues:
		return nil, fmt.Errorf("%w: a page of %d values; %d are allowed", errThrift, pg.values, maxPageValues)
	case pg.repetitionLength != 0 || pg.definitionLength < 0 || apart > pg.packed || apart > pg.unpacked:
		return nil, fmt.Errorf("%w: levels of %d bytes in a page of %d", errThrift, apart, pg.packed)
	}
	p.packed = grown(p.packed, int(pg.packed))
	if _, err := p.r.ReadAt(p.packed, p.pos+int64(pg.header)); err != nil {
		return nil, err
	}
	if pg.hasChecksum && crc32.ChecksumIEEE(p.packed) != pg.checksum {
		return nil, fmt.Errorf("damaged page at byte %d: its checksum is another", p.pos)
	}
	p.pos += int64(pg.header) + pg.packed
	pg.levels, pg.data = p.packed[:apart], p.packed[apart:]
	if p.codec != format.Uncompressed && (pg.packable || !pg.levelsApart) {
		p.unpacked = grown(p.unpacked, int(pg.unpacked-apart))
		if err := p.codecs.unpack(p.unpacked, pg.data, p.codec); err != nil {
			return nil, err
		}
		pg.data = p.unpacked
	}
	return pg, nil
}

// grown returns a slice of n bytes, the given one where it is large enough.
func grown(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// readHeader walks the page header, looking at more bytes where the first
// were not enough.
func (p *pageReader) readHeader() (*page, error) {
	if p.window == nil {
		p.window = make([]byte, 1024)
	}
	for {
		n := min(int64(len(p.window)), p.end-p.pos)
		data := p.window[:n]
		if _, err := p.r.ReadAt(data, p.pos); err != nil && err != io.EOF {
			return nil, err
		}
		pg, err := parsePageHeader(data)
		if err == nil || n == p.end-p.pos || n >= maxPageHeader {
			return pg, err
		}
		p.window = make([]byte, 4*len(p.window))
	}
}

// The identifiers of the fields of parquet.thrift's PageHeader.
const (
	fieldType         = 1
	fieldUnpackedSize = 2
	fieldPackedSize   = 3
	fieldChecksum     = 4
	fieldDataPage     = 5
	fieldDictionary   = 7
	fieldDataPageV2   = 8
)

func parsePageHeader(data []byte) (*page, error) {
	pg := &page{packable: true}
	w := thriftWalker{data: data, visit: func(path []int16, v int64) {
		if len(path) == 1 {
			switch path[0] {
			case fieldType:
				pg.kind = format.PageType(v)
			case fieldUnpackedSize:
				pg.unpacked = v
			case fieldPackedSize:
				pg.packed = v
			case fieldChecksum:
				pg.checksum, pg.hasChecksum = uint32(v), true
			}
		}
		if len(path) == 2 {
			pg.setInner(path[0], path[1], v)
		}
	}}
	err := w.structure()
	pg.header = w.pos
	return pg, err
}

// setInner notes a field of the header of one kind of page.
func (pg *page) setInner(outer, field int16, v int64) {
	switch {
	case outer != fieldDataPage && outer != fieldDictionary && outer != fieldDataPageV2:
	case field == 1:
		pg.values = int(v)
	case outer != fieldDataPageV2 && field == 2:
		pg.encoding = format.Encoding(v)
	case outer != fieldDataPageV2:
	case field == 4:
		pg.encoding = format.Encoding(v)
	case field == 5:
		pg.definitionLength, pg.levelsApart = v, true
	case field == 6:
		pg.repetitionLength, pg.levelsApart = v, true
	case field == 7:
		pg.packable = v != 0
	}
}
