package longtable

import (
	"context"
	"fmt"
	"io"

	"auspex/internal/mistake"

	"github.com/parquet-go/parquet-go"
)

// Wanted is a column of a table that is not a long one.
type Wanted struct {
	Name string
	Text bool
}

// Batch is some rows of a table, a slice for each column wanted: numbers with
// NaN for null, or texts as indexes of what Text knows.
type Batch struct {
	Rows    int
	Numbers [][]float64
	IDs     [][]int32
	columns []*parquetColumn
}

// Text is the text of an index in a column.
func (b *Batch) Text(column int, id int32) string { return b.columns[column].texts[id] }

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
	b := &Batch{Numbers: make([][]float64, len(wanted)), IDs: make([][]int32, len(wanted))}
	defer func() {
		for _, c := range b.columns {
			c.pages.codecs.close()
		}
	}()
	for _, w := range wanted {
		leaf := file.Root().Column(w.Name)
		if leaf == nil || !leaf.Leaf() {
			return mistake.InFile(name, "there is no column %q", w.Name)
		}
		c, err := newParquetColumn(leaf, w.Text, pageReader{r: r, size: size})
		if err != nil {
			return mistake.InFile(name, "%w", err)
		}
		b.columns = append(b.columns, c)
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
		left, err := c.left()
		if err != nil {
			return err
		}
		b.Rows = min(b.Rows, left)
	}
	for i, c := range b.columns {
		if c.isText {
			b.IDs[i] = c.ids[c.pos : c.pos+b.Rows]
		} else {
			b.Numbers[i] = c.numbers[c.pos : c.pos+b.Rows]
		}
		c.pos += b.Rows
	}
	return nil
}
