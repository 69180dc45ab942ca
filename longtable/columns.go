package longtable

import (
	"context"
	"fmt"
	"io"
	"strings"

	"auspex/internal/mistake"

	"github.com/parquet-go/parquet-go"
)

// Wanted is a column of a table that is not a long one.
type Wanted struct {
	Name     string
	Also     []string // other names for it; the first that the table has is read
	Text     bool
	Optional bool // its slice stays nil where the table has no such column
}

// Batch is some rows of a table, a slice for each column wanted: numbers with
// NaN for null, or texts as indexes of what Text knows.
type Batch struct {
	Rows    int
	Numbers [][]float64
	IDs     [][]int32
	Names   []string // of the columns read, "" for those not there
	texts   []*textIndex
	columns []*parquetColumn // nil where the table has none
}

// Text is the text of an index in a column.
func (b *Batch) Text(column int, id int32) string { return b.texts[column].texts[id] }

// find picks the name under which a table has a wanted column; names are
// compared without regard to case.
func (w *Wanted) find(names []string) (int, error) {
	for _, name := range append([]string{w.Name}, w.Also...) {
		for i, n := range names {
			if strings.EqualFold(strings.TrimSpace(n), name) {
				return i, nil
			}
		}
	}
	if w.Optional {
		return -1, nil
	}
	return -1, fmt.Errorf("there is no column %q", w.Name)
}

func newBatch(wanted []Wanted) *Batch {
	n := len(wanted)
	return &Batch{Numbers: make([][]float64, n), IDs: make([][]int32, n), Names: make([]string, n), texts: make([]*textIndex, n), columns: make([]*parquetColumn, n)}
}

// ReadColumns reads some columns of any flat Parquet table, with the same care
// for damaged files as ReadParquet, and hands the rows to use. The name is used
// in errors.
func ReadColumns(ctx context.Context, name string, r io.ReaderAt, size int64, wanted []Wanted, use func(*Batch) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = mistake.InFile(name, "damaged Parquet file: %v", p)
		}
	}()
	if err := checkFooter(r, size); err != nil {
		return mistake.InFile(name, "%w", err)
	}
	file, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return mistake.InFile(name, "%w", err)
	}
	b := newBatch(wanted)
	defer func() {
		for _, c := range b.columns {
			if c != nil {
				c.pages.codecs.close()
			}
		}
	}()
	var leaves []*parquet.Column
	var names []string
	for _, leaf := range file.Root().Columns() {
		if leaf.Leaf() {
			leaves, names = append(leaves, leaf), append(names, leaf.Name())
		}
	}
	for i, w := range wanted {
		at, err := w.find(names)
		if err != nil {
			return mistake.InFile(name, "%w", err)
		}
		if at < 0 {
			continue
		}
		c, err := newParquetColumn(leaves[at], w.Text, pageReader{r: r, size: size})
		if err != nil {
			return mistake.InFile(name, "%w", err)
		}
		b.columns[i], b.Names[i], b.texts[i] = c, c.name, &c.textIndex
	}
	if err := b.read(ctx, file, use); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return mistake.InFile(name, "%w", err)
	}
	return nil
}

func (b *Batch) read(ctx context.Context, file *parquet.File, use func(*Batch) error) error {
	for i, group := range file.Metadata().RowGroups {
		for _, c := range b.columns {
			if c == nil {
				continue
			}
			leaf := file.Root().Column(c.name)
			if leaf.Index() >= len(group.Columns) {
				return fmt.Errorf("%w: row group %d has no column %q", errThrift, i, c.name)
			}
			if err := c.open(&group.Columns[leaf.Index()].MetaData); err != nil {
				return fmt.Errorf("column %q: %w", c.name, err)
			}
		}
		for rows := group.NumRows; rows > 0; rows -= int64(b.Rows) {
			if err := b.fill(int(min(rows, checkEvery))); err != nil {
				return err
			}
			if err := use(b); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}

// fill takes as many rows as the current pages of all columns have in common.
func (b *Batch) fill(most int) error {
	b.Rows = most
	for _, c := range b.columns {
		if c == nil {
			continue
		}
		left, err := c.left()
		if err != nil {
			return err
		}
		b.Rows = min(b.Rows, left)
	}
	for i, c := range b.columns {
		if c == nil {
			continue
		}
		if c.isText {
			b.IDs[i] = c.ids[c.pos : c.pos+b.Rows]
		} else {
			b.Numbers[i] = c.numbers[c.pos : c.pos+b.Rows]
		}
		c.pos += b.Rows
	}
	return nil
}
