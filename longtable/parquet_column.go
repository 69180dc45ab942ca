package longtable

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// parquetColumn reads one column page by page. Numbers come as floats, NaN
// for null; texts as indexes into a list of the distinct texts, so that a
// text in a dictionary is looked at once and not once a row.
type parquetColumn struct {
	name     string
	isText   bool
	kind     parquet.Kind
	optional bool
	pages    pageReader

	numbers []float64 // of the current page; empty for texts
	ids     []int32   // of the current page; empty for numbers
	pos     int

	textIndex // null is the empty text

	dictIDs  []int32 // the dictionary of the current chunk
	dictNums []float64
	indexes  []int32
	levels   []int32
}

func newParquetColumn(leaf *parquet.Column, isText bool, pages pageReader) (*parquetColumn, error) {
	c := &parquetColumn{
		name: leaf.Name(), isText: isText, kind: leaf.Type().Kind(), optional: leaf.Optional(), pages: pages,
		textIndex: newTextIndex(),
	}
	if logical := leaf.Type().LogicalType(); logical != nil {
		if _, decimal := logical.Value.(*format.DecimalType); decimal {
			return nil, fmt.Errorf("column %q holds decimals; write it as a floating-point column", c.name)
		}
	}
	isNumber := c.kind == parquet.Int32 || c.kind == parquet.Int64 || c.kind == parquet.Float || c.kind == parquet.Double
	switch {
	case leaf.Repeated() || leaf.MaxDefinitionLevel() > 1:
		return nil, fmt.Errorf("column %q is nested; a long table is flat", c.name)
	case isText && c.kind != parquet.ByteArray:
		return nil, fmt.Errorf("column %q holds %s; it must hold strings", c.name, c.kind)
	case !isText && !isNumber:
		return nil, fmt.Errorf("column %q holds %s; it must hold numbers", c.name, c.kind)
	}
	return c, nil
}

// open starts on a column chunk.
func (c *parquetColumn) open(chunk *format.ColumnMetaData) error {
	c.dictIDs, c.dictNums = c.dictIDs[:0], c.dictNums[:0]
	c.numbers, c.ids, c.pos = c.numbers[:0], c.ids[:0], 0
	return c.pages.open(chunk)
}

// left is the number of rows of the current page not used yet, after reading
// the next page where there were none.
func (c *parquetColumn) left() (int, error) {
	for {
		if n := max(len(c.numbers), len(c.ids)) - c.pos; n > 0 {
			return n, nil
		}
		pg, err := c.pages.next()
		if errors.Is(err, io.EOF) {
			err = errors.New("ends early")
		}
		if err == nil {
			err = c.decode(pg)
		}
		if err != nil {
			return 0, fmt.Errorf("column %q: %w", c.name, err)
		}
	}
}

// plainDictionary is an older name of the dictionary encoding that many
// writers still use.
const plainDictionary format.Encoding = 2

// decode brings the values of a page into the column's own form.
func (c *parquetColumn) decode(pg *page) error {
	switch pg.kind {
	case format.DictionaryPage:
		var err error
		c.dictIDs, c.dictNums, err = c.plain(c.dictIDs[:0], c.dictNums[:0], pg.data, pg.values)
		return err
	case format.DataPage, format.DataPageV2:
	default:
		return nil // an index page holds no values
	}
	c.pos = 0
	data, present, err := c.readLevels(pg)
	if err != nil {
		return err
	}
	switch pg.encoding {
	case format.Plain:
		c.ids, c.numbers, err = c.plain(c.ids[:0], c.numbers[:0], data, present)
	case plainDictionary, format.RLEDictionary:
		err = c.fromDictionary(data, present)
	case format.DeltaBinaryPacked:
		err = c.fromDeltas(data, present)
	case format.DeltaLengthByteArray:
		err = c.fromLengths(data, present)
	case format.DeltaByteArray:
		err = c.fromPrefixes(data, present)
	case format.ByteStreamSplit:
		err = c.fromSplitBytes(data, present)
	default:
		err = fmt.Errorf("encoded as %s, which is not read; write the file with dictionary or plain encoding", pg.encoding)
	}
	if err == nil && present < pg.values {
		c.putNulls(pg.values)
	}
	return err
}

// readLevels finds out which rows have a value and returns the data behind
// the levels.
func (c *parquetColumn) readLevels(pg *page) (data []byte, present int, err error) {
	if !c.optional {
		return pg.data, pg.values, nil
	}
	levels, data := pg.levels, pg.data
	if !pg.levelsApart {
		if len(data) < 4 {
			return nil, 0, errShort
		}
		n := binary.LittleEndian.Uint32(data)
		if uint64(n) > uint64(len(data)-4) {
			return nil, 0, errShort
		}
		levels, data = data[4:4+n], data[4+n:]
	}
	if c.levels, err = decodeRuns(c.levels[:0], levels, 1, pg.values); err != nil {
		return nil, 0, err
	}
	for _, level := range c.levels {
		present += int(level)
	}
	return data, present, nil
}

var errShort = errors.New("a page is shorter than its values")

// plain reads n values written one after another.
func (c *parquetColumn) plain(ids []int32, numbers []float64, data []byte, n int) ([]int32, []float64, error) {
	if c.isText {
		for range n {
			if len(data) < 4 {
				return nil, nil, errShort
			}
			length := binary.LittleEndian.Uint32(data)
			if uint64(length) > uint64(len(data)-4) {
				return nil, nil, errShort
			}
			ids = append(ids, c.id(data[4:4+length]))
			data = data[4+length:]
		}
		return ids, numbers, nil
	}
	width := 8
	if c.kind == parquet.Int32 || c.kind == parquet.Float {
		width = 4
	}
	if len(data)/width < n {
		return nil, nil, errShort
	}
	for i := 0; i < n*width; i += width {
		var v float64
		switch c.kind {
		case parquet.Double:
			v = math.Float64frombits(binary.LittleEndian.Uint64(data[i:]))
		case parquet.Int64:
			v = float64(int64(binary.LittleEndian.Uint64(data[i:])))
		case parquet.Int32:
			v = float64(int32(binary.LittleEndian.Uint32(data[i:])))
		case parquet.Float:
			v = float64(math.Float32frombits(binary.LittleEndian.Uint32(data[i:])))
		}
		numbers = append(numbers, v)
	}
	return ids, numbers, nil
}

// textIndex numbers the distinct texts of a column; "" is 0.
type textIndex struct {
	texts  []string
	textID map[string]int32
}

func newTextIndex() textIndex {
	return textIndex{texts: []string{""}, textID: map[string]int32{"": 0}}
}

// id returns the index of a text among the distinct ones.
func (t *textIndex) id(text []byte) int32 {
	if id, ok := t.textID[string(text)]; ok {
		return id
	}
	id := int32(len(t.texts))
	t.texts = append(t.texts, string(text))
	t.textID[t.texts[id]] = id
	return id
}

// fromDictionary reads n values given as places in the dictionary.
func (c *parquetColumn) fromDictionary(data []byte, n int) error {
	c.ids, c.numbers = c.ids[:0], c.numbers[:0]
	if n == 0 {
		return nil
	}
	if len(data) == 0 || data[0] > 32 {
		return errShort
	}
	var err error
	if c.indexes, err = decodeRuns(c.indexes[:0], data[1:], uint(data[0]), n); err != nil {
		return err
	}
	size := uint32(max(len(c.dictIDs), len(c.dictNums)))
	for _, i := range c.indexes {
		if uint32(i) >= size {
			return fmt.Errorf("value %d of a dictionary of %d", uint32(i), size)
		}
		if c.isText {
			c.ids = append(c.ids, c.dictIDs[i])
		} else {
			c.numbers = append(c.numbers, c.dictNums[i])
		}
	}
	return nil
}

// putNulls moves the values apart to make room for the rows without one.
func (c *parquetColumn) putNulls(rows int) {
	if c.isText {
		c.ids = spread(c.ids, c.levels, rows, 0)
	} else {
		c.numbers = spread(c.numbers, c.levels, rows, math.NaN())
	}
}

func spread[T any](values []T, levels []int32, rows int, null T) []T {
	from := len(values) - 1
	for len(values) < rows {
		values = append(values, null)
	}
	for to := rows - 1; to >= 0; to-- {
		if levels[to] == 0 {
			values[to] = null
		} else {
			values[to] = values[from]
			from--
		}
	}
	return values
}

// decodeRuns reads n small numbers in Parquet's mix of runs of equal numbers
// and packed groups of eight.
func decodeRuns(dst []int32, src []byte, width uint, n int) ([]int32, error) {
	for len(dst) < n {
		header, size := binary.Uvarint(src)
		if size <= 0 {
			return nil, errShort
		}
		src = src[size:]
		left := n - len(dst)
		if header&1 == 0 {
			bytes := int(width+7) / 8
			if len(src) < bytes {
				return nil, errShort
			}
			var word [4]byte
			copy(word[:], src[:bytes])
			value := int32(binary.LittleEndian.Uint32(word[:]))
			if uint64(uint32(value))>>width != 0 {
				return nil, fmt.Errorf("a number of more than %d bits among such", width)
			}
			for range int(min(header>>1, uint64(left))) {
				dst = append(dst, value)
			}
			src = src[bytes:]
			continue
		}
		groups := int(min(header>>1, uint64(left+7)/8))
		if len(src)/max(int(width), 1) < groups && width > 0 {
			return nil, errShort
		}
		dst = unpackBits(dst, src, width, min(8*groups, left))
		src = src[min(groups*int(width), len(src)):]
	}
	return dst, nil
}

// unpackBits reads n numbers of width bits each, the lowest bits first.
func unpackBits(dst []int32, src []byte, width uint, n int) []int32 {
	var bits uint64
	var have uint
	mask := uint64(1)<<width - 1
	at := 0
	for range n {
		for have < width {
			bits |= uint64(src[at]) << have
			at++
			have += 8
		}
		dst = append(dst, int32(bits&mask))
		bits >>= width
		have -= width
	}
	return dst
}
