package longtable

import (
	"context"
	"fmt"
	"io"
	"strings"

	"auspex/internal/crew"
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
	texts   [][]string
}

// Text is the text of an index in a column.
func (b *Batch) Text(column int, id int32) string { return b.texts[column][id] }

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
	return &Batch{Numbers: make([][]float64, n), IDs: make([][]int32, n), Names: make([]string, n), texts: make([][]string, n)}
}

// ReadColumns reads some columns of any flat Parquet table, with the same care
// for damaged files as ReadParquet, and hands the rows to use. The name is used
// in errors.
func ReadColumns(ctx context.Context, name string, r io.ReaderAt, size int64, wanted []Wanted, use func(*Batch) error) error {
	if err := readColumns(ctx, r, size, wanted, use); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return mistake.InFile(name, "%w", err)
	}
	return nil
}

func readColumns(ctx context.Context, r io.ReaderAt, size int64, wanted []Wanted, use func(*Batch) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("damaged Parquet file: %v", p)
		}
	}()
	if err := checkFooter(r, size); err != nil {
		return err
	}
	file, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return err
	}
	t := &flatTable{file: file, columns: make([]*parquetColumn, len(wanted))}
	defer t.close()
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
			return err
		}
		if at < 0 {
			continue
		}
		if t.columns[i], err = newParquetColumn(leaves[at], w.Text, pageReader{r: r, size: size}); err != nil {
			return err
		}
	}
	return t.each(ctx, wanted, use)
}

// flatTable is a table some of whose columns are read; those that it does not
// have are nil.
type flatTable struct {
	file    *parquet.File
	columns []*parquetColumn
}

func (t *flatTable) close() {
	for _, c := range t.columns {
		if c != nil {
			c.pages.codecs.close()
		}
	}
}

// each hands all rows to use, in batches. The next batch is read meanwhile.
func (t *flatTable) each(ctx context.Context, wanted []Wanted, use func(*Batch) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	free, full := make(chan *Batch, 2), make(chan *Batch, 2)
	free <- newBatch(wanted)
	free <- newBatch(wanted)
	var reading error
	var crew crew.Crew
	crew.Go(func() {
		defer close(full)
		reading = t.read(ctx, free, full)
	})
	var using error
	for b := range full {
		if using == nil {
			if using = use(b); using != nil {
				stop()
			}
		}
		free <- b
	}
	crew.Wait()
	if using != nil {
		return using
	}
	return reading
}

func (t *flatTable) read(ctx context.Context, free <-chan *Batch, full chan<- *Batch) error {
	for i, group := range t.file.Metadata().RowGroups {
		for _, c := range t.columns {
			if c == nil {
				continue
			}
			leaf := t.file.Root().Column(c.name)
			if leaf.Index() >= len(group.Columns) {
				return fmt.Errorf("%w: row group %d has no column %q", errThrift, i, c.name)
			}
			if err := c.open(&group.Columns[leaf.Index()].MetaData); err != nil {
				return fmt.Errorf("column %q: %w", c.name, err)
			}
		}
		for rows := group.NumRows; rows > 0; {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			b := <-free
			if err := t.fill(b, int(min(rows, checkEvery))); err != nil {
				return err
			}
			rows -= int64(b.Rows)
			full <- b
		}
	}
	return nil
}

// fill takes as many rows as the current pages of all columns have in common.
// They are copied, as a page is gone once the next is read; a list of texts only
// grows, so that its first texts stay.
func (t *flatTable) fill(b *Batch, most int) error {
	b.Rows = most
	for _, c := range t.columns {
		if c == nil {
			continue
		}
		left, err := c.left()
		if err != nil {
			return err
		}
		b.Rows = min(b.Rows, left)
	}
	for i, c := range t.columns {
		if c == nil {
			continue
		}
		b.Names[i], b.texts[i] = c.name, c.texts
		if end := c.pos + b.Rows; c.isText {
			b.IDs[i] = append(b.IDs[i][:0], c.ids[c.pos:end]...)
		} else {
			b.Numbers[i] = append(b.Numbers[i][:0], c.numbers[c.pos:end]...)
		}
		c.pos += b.Rows
	}
	return nil
}
