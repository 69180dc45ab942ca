package longtable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"auspex/internal/mistake"
	"auspex/model"

	"github.com/parquet-go/parquet-go"
)

// IsParquet tells from a file's first bytes whether it is a Parquet file.
func IsParquet(head []byte) bool { return bytes.HasPrefix(head, []byte("PAR1")) }

// ReadParquet reads a long table in Parquet. The name is used in errors.
func ReadParquet(ctx context.Context, name string, r io.ReaderAt, size int64, options Options) (e *model.Experiment, err error) {
	// The library takes the footer apart; what it does not expect in a
	// damaged one must not end the program.
	defer func() {
		if p := recover(); p != nil {
			e, err = nil, mistake.InFile(name, "damaged Parquet file: %v", p)
		}
	}()
	t := &parquetTable{assembler: newAssembler(options)}
	defer t.close()
	if err := t.read(ctx, r, size); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		if t.row > 0 {
			err = fmt.Errorf("row %d: %w", t.row, err)
		}
		return nil, mistake.InFile(name, "%w", err)
	}
	e, err = t.finish(ctx, t.columns[colDeviation] != nil, t.columns[colCount] != nil)
	if err != nil {
		return nil, mistake.InFile(name, "%w", err)
	}
	return e, nil
}

// parquetTable is a table being read.
type parquetTable struct {
	*assembler
	columns [columnCount]*parquetColumn
	row     int64 // from 1, of the row being read; 0 outside rows

	// What the texts of the columns stand for, by their index; -1 unknown.
	regionOf, metricOf []int32
	unitKey            [3]float64
	lastUnit           int
}

var textColumns = map[column]bool{
	colNode: true, colRegion: true, colMetric: true, colKind: true, colFile: true, colUnit: true,
}

func (t *parquetTable) close() {
	for _, c := range t.columns {
		if c != nil {
			c.pages.codecs.close()
		}
	}
}

func (t *parquetTable) read(ctx context.Context, r io.ReaderAt, size int64) error {
	if err := checkFooter(r, size); err != nil {
		return err
	}
	file, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return err
	}
	if err := t.openColumns(file, pageReader{r: r, size: size}); err != nil {
		return err
	}
	if head, ok := file.Lookup(headKey); ok {
		for line := range strings.Lines(head) {
			if e, ok := parseEntry(line); ok {
				if err := t.readEntry(e); err != nil {
					return err
				}
			}
		}
	}
	t.lastUnit = -1
	t.row = 1
	for i, group := range file.Metadata().RowGroups {
		for _, c := range t.columns {
			if c == nil {
				continue
			}
			leaf := file.Root().Column(c.name)
			if leaf == nil || leaf.Index() >= len(group.Columns) {
				return fmt.Errorf("%w: row group %d has no column %q", errThrift, i, c.name)
			}
			if err := c.open(&group.Columns[leaf.Index()].MetaData); err != nil {
				return fmt.Errorf("column %q: %w", c.name, err)
			}
		}
		if err := t.readGroup(ctx, group.NumRows); err != nil {
			return err
		}
	}
	return nil
}

// openColumns finds the columns of the table by their names.
func (t *parquetTable) openColumns(file *parquet.File, pages pageReader) error {
	leaves := file.Root().Columns()
	names := make([]string, len(leaves))
	for i, leaf := range leaves {
		names[i] = leaf.Name()
	}
	l, err := newLayout(names)
	if err != nil {
		return err
	}
	for c, at := range l.at {
		if at < 0 {
			continue
		}
		if !leaves[at].Leaf() {
			return fmt.Errorf("column %q is nested; a long table is flat", names[at])
		}
		if t.columns[c], err = newParquetColumn(leaves[at], textColumns[column(c)], pages); err != nil {
			return err
		}
	}
	if note := l.note(); note != "" {
		t.header.Notes = append(t.header.Notes, note)
	}
	return nil
}

// readGroup reads the rows of a row group, as many at a time as the current
// pages of all columns have in common.
func (t *parquetTable) readGroup(ctx context.Context, rows int64) error {
	for rows > 0 {
		n := int(min(rows, checkEvery))
		for _, c := range t.columns {
			if c == nil {
				continue
			}
			left, err := c.left()
			if err != nil {
				return err
			}
			n = min(n, left)
		}
		for i := range n {
			if err := t.readRow(i); err != nil {
				return err
			}
			t.row++
		}
		for _, c := range t.columns {
			if c != nil {
				c.pos += n
			}
		}
		rows -= int64(n)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// id and number return the value of a column i rows on; -1 and NaN where
// there is no such column.
func (t *parquetTable) id(c column, i int) int32 {
	if t.columns[c] == nil {
		return -1
	}
	return t.columns[c].ids[t.columns[c].pos+i]
}

func (t *parquetTable) number(c column, i int) float64 {
	if t.columns[c] == nil {
		return math.NaN()
	}
	return t.columns[c].numbers[t.columns[c].pos+i]
}

func (t *parquetTable) text(c column, id int32) string {
	if id < 0 {
		return ""
	}
	return t.columns[c].texts[id]
}

func (t *parquetTable) readRow(i int) error {
	unit, err := t.unitOf(t.id(colNode, i), t.number(colProcess, i), t.number(colThread, i))
	if err != nil {
		return err
	}
	region, err := t.known(&t.regionOf, colRegion, t.id(colRegion, i), t.region)
	if err != nil {
		return err
	}
	metric, err := t.known(&t.metricOf, colMetric, t.id(colMetric, i), t.metric)
	if err != nil {
		return err
	}
	if err := t.describeRow(i, region, metric); err != nil {
		return err
	}
	if err := t.set(unit, region, metric, t.number(colValue, i)); err != nil {
		return err
	}
	if err := t.setDeviation(unit, region, metric, t.number(colDeviation, i)); err != nil {
		return err
	}
	if count := t.number(colCount, i); count == count {
		return t.setCount(unit, region, count)
	}
	return nil
}

// known translates the index of a text once and then remembers it.
func (t *parquetTable) known(list *[]int32, c column, id int32, find func([]byte) (int, error)) (int, error) {
	for int(id) >= len(*list) {
		*list = append(*list, -1)
	}
	if found := (*list)[id]; found >= 0 {
		return int(found), nil
	}
	found, err := find([]byte(t.text(c, id)))
	if err != nil {
		return 0, err
	}
	(*list)[id] = int32(found)
	return found, nil
}

// unitOf returns the unit that a row names; most rows repeat the one before.
func (t *parquetTable) unitOf(node int32, process, thread float64) (int, error) {
	if process != process {
		process = 0
	}
	if thread != thread {
		thread = 0
	}
	key := [3]float64{float64(node), process, thread}
	if t.lastUnit >= 0 && key == t.unitKey {
		return t.lastUnit, nil
	}
	for _, n := range key[1:] {
		if n != math.Trunc(n) || n < 0 || n > maxNumber {
			return 0, fmt.Errorf("%v is no number of a process or thread: they count from 0", n)
		}
	}
	unit, err := t.unit(model.Unit{Node: t.text(colNode, node), Process: int(process), Thread: int(thread)})
	if err != nil {
		return 0, err
	}
	t.unitKey, t.lastUnit = key, unit
	return unit, nil
}

// describeRow reads the columns that most tables do not have.
func (t *parquetTable) describeRow(i, region, metric int) error {
	if t.columns[colKind] != nil || t.columns[colFile] != nil {
		line := t.number(colLine, i)
		if line != line {
			line = 0
		}
		if line != math.Trunc(line) || line < 0 || line > maxNumber {
			return errors.New("a line number counts from 1")
		}
		t.describeRegion(region, model.Kind(t.text(colKind, t.id(colKind, i))), t.text(colFile, t.id(colFile, i)), int(line))
	}
	if t.columns[colUnit] != nil {
		return t.setUnit(metric, []byte(t.text(colUnit, t.id(colUnit, i))))
	}
	return nil
}
