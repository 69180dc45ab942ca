package longtable

import (
	"encoding/binary"

	"github.com/parquet-go/parquet-go"
)

// deltas reads numbers written as differences from each other: Parquet's
// DELTA_BINARY_PACKED. It returns what follows them.
func deltas(dst []int64, src []byte, n int) (values []int64, rest []byte, err error) {
	block, src := uvarint(src)
	parts, src := uvarint(src)
	total, src := uvarint(src)
	first, src := uvarint(src)
	if src == nil || parts == 0 || parts > block || block > 1<<20 || block%parts != 0 || total > uint64(n) {
		return nil, nil, errShort
	}
	left := int(total)
	value := unzigzag(first)
	if left > 0 {
		dst = append(dst, value)
		left--
	}
	for left > 0 {
		var least uint64
		if least, src = uvarint(src); src == nil || uint64(len(src)) < parts {
			return nil, nil, errShort
		}
		widths := src[:parts]
		src = src[parts:]
		for _, width := range widths {
			if left == 0 {
				break
			}
			size := int(block/parts) * int(width) / 8
			if width > 64 || len(src) < size {
				return nil, nil, errShort
			}
			for i := range min(left, int(block/parts)) {
				value += unzigzag(least) + int64(bitsAt(src[:size], i*int(width), uint(width)))
				dst = append(dst, value)
			}
			left -= min(left, int(block/parts))
			src = src[size:]
		}
	}
	return dst, src, nil
}

// uvarint reads a number and returns what follows it, nil where there is none.
func uvarint(src []byte) (uint64, []byte) {
	v, n := binary.Uvarint(src)
	if n <= 0 {
		return 0, nil
	}
	return v, src[n:]
}

// bitsAt reads the number of the given width that starts at a bit.
func bitsAt(src []byte, at int, width uint) uint64 {
	var v uint64
	shift := uint(at % 8)
	for i, got := at/8, uint(0); got < width+shift && i < len(src); i++ {
		if got == 0 {
			v = uint64(src[i]) >> shift
		} else {
			v |= uint64(src[i]) << (got - shift)
		}
		got += 8
	}
	if width == 64 {
		return v
	}
	return v & (1<<width - 1)
}

// fromDeltas reads n whole numbers of a page.
func (c *parquetColumn) fromDeltas(data []byte, n int) error {
	if c.isText || c.kind != parquet.Int32 && c.kind != parquet.Int64 {
		return errShort
	}
	values, _, err := deltas(nil, data, n)
	if err != nil || len(values) < n {
		return errShort
	}
	c.numbers = c.numbers[:0]
	for _, v := range values {
		if c.kind == parquet.Int32 {
			v = int64(int32(v))
		}
		c.numbers = append(c.numbers, float64(v))
	}
	return nil
}

// fromLengths reads n texts whose lengths stand in front of them all.
func (c *parquetColumn) fromLengths(data []byte, n int) error {
	if !c.isText {
		return errShort
	}
	lengths, data, err := deltas(nil, data, n)
	if err != nil || len(lengths) < n {
		return errShort
	}
	c.ids = c.ids[:0]
	for _, length := range lengths {
		if length < 0 || length > int64(len(data)) {
			return errShort
		}
		c.ids = append(c.ids, c.id(data[:length]))
		data = data[length:]
	}
	return nil
}

// fromPrefixes reads n texts that share their beginnings with the one before.
func (c *parquetColumn) fromPrefixes(data []byte, n int) error {
	if !c.isText {
		return errShort
	}
	shared, data, err := deltas(nil, data, n)
	if err != nil || len(shared) < n {
		return errShort
	}
	lengths, data, err := deltas(nil, data, n)
	if err != nil || len(lengths) < n {
		return errShort
	}
	c.ids = c.ids[:0]
	var text []byte
	for i, length := range lengths {
		if length < 0 || length > int64(len(data)) || shared[i] < 0 || shared[i] > int64(len(text)) {
			return errShort
		}
		text = append(text[:shared[i]], data[:length]...)
		if len(text) > maxRecord {
			return errShort
		}
		c.ids = append(c.ids, c.id(text))
		data = data[length:]
	}
	return nil
}

// fromSplitBytes reads n numbers whose first bytes stand together, then their
// second bytes and so on.
func (c *parquetColumn) fromSplitBytes(data []byte, n int) error {
	width := len(data) / max(n, 1)
	if c.isText || len(data) != width*n {
		return errShort
	}
	whole := make([]byte, len(data))
	for i := range n {
		for b := range width {
			whole[i*width+b] = data[b*n+i]
		}
	}
	var err error
	c.ids, c.numbers, err = c.plain(c.ids[:0], c.numbers[:0], whole, n)
	return err
}
