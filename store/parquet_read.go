package store

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/parquet-go/parquet-go"

	"auspex/model"
)

// rowBatch is how many rows are read at a time.
const rowBatch = 4096

// readRows hands out the rows of a small table, of which there may be a
// million, in batches that are only good during the call.
func readRows[T any](dir *folder, name string, begin func(rows int), visit func([]T) error) error {
	f, err := dir.openFile(name)
	if err != nil {
		return err
	}
	defer f.Close()
	pq, err := parquet.OpenFile(f, f.size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return damagedError(f.Name(), err)
	}
	reader := parquet.NewGenericReader[T](pq)
	defer reader.Close()
	left := reader.NumRows()
	if left < 0 || left > f.size*rowBatch { // a row takes some bits
		return damagedError(f.Name(), fmt.Errorf("it says that it has %d rows", left))
	}
	begin(int(left))
	batch := make([]T, min(left, rowBatch))
	for left > 0 {
		n, err := reader.Read(batch[:min(left, rowBatch)])
		if err != nil && (err != io.EOF || int64(n) < left) || n == 0 {
			return damagedError(f.Name(), cmp.Or(err, io.ErrUnexpectedEOF))
		}
		if err := visit(batch[:n]); err != nil {
			return damagedError(f.Name(), err)
		}
		left -= int64(n)
	}
	return nil
}

func readUnits(dir *folder) (units []model.Unit, err error) {
	nodes := map[string]string{} // a node has many units
	begin := func(n int) { units = make([]model.Unit, 0, n) }
	err = readRows(dir, "units.parquet", begin, func(rows []unitRow) error {
		for _, r := range rows {
			node, known := nodes[r.Node]
			if !known {
				node = strings.Clone(r.Node)
				nodes[node] = node
			}
			units = append(units, model.Unit{Node: node, Process: int(r.Process), Thread: int(r.Thread)})
		}
		return nil
	})
	return units, err
}

func readRegions(dir *folder) (regions []model.Region, err error) {
	begin := func(n int) { regions = make([]model.Region, 0, n) }
	err = readRows(dir, "regions.parquet", begin, func(rows []regionRow) error {
		for _, r := range rows {
			if r.Parent < model.NoParent || int(r.Parent) >= len(regions) {
				return fmt.Errorf("region %d has parent %d", len(regions), r.Parent)
			}
			regions = append(regions, model.Region{
				Name: strings.Clone(r.Name), Kind: model.Kind(strings.Clone(r.Kind)), File: strings.Clone(r.File), Line: int(r.Line), Parent: int(r.Parent),
			})
		}
		return nil
	})
	return regions, err
}

// columnFile reads single columns of a Parquet file page by page: the pages
// of a plain column are slices of its values, so nothing is converted value
// by value.
type columnFile struct {
	path string
	file *checkedFile
	pq   *parquet.File
}

func openColumns(dir *folder, name string) (*columnFile, error) {
	file, err := dir.openFile(name)
	if err != nil {
		return nil, err
	}
	pq, err := parquet.OpenFile(file, file.size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.FileReadMode(parquet.ReadModeAsync))
	if err != nil {
		file.Close()
		return nil, damagedError(file.Name(), err)
	}
	return &columnFile{file.Name(), file, pq}, nil
}

// Close closes the file.
func (f *columnFile) Close() error { return f.file.Close() }

// pages calls visit with every page of a column and the page's first row.
func (f *columnFile) pages(name string, kind parquet.Kind, visit func(row int, page parquet.Page) error) error {
	leaf, ok := f.pq.Schema().Lookup(name)
	if !ok || leaf.Node.Type().Kind() != kind || leaf.MaxRepetitionLevel != 0 {
		return fmt.Errorf("%s has no column %q of type %s", f.path, name, kind)
	}
	row := 0
	for _, group := range f.pq.RowGroups() {
		pages := group.ColumnChunks()[leaf.ColumnIndex].Pages()
		for {
			page, err := pages.ReadPage()
			if err == io.EOF {
				break
			}
			if err != nil {
				pages.Close()
				return damagedError(f.path, fmt.Errorf("column %s: %w", name, err))
			}
			err = visit(row, page)
			row += int(page.NumValues())
			parquet.Release(page)
			if err != nil {
				pages.Close()
				return err
			}
		}
		if err := pages.Close(); err != nil {
			return err
		}
	}
	return nil
}

func (f *columnFile) ints(name string) ([]int32, error) {
	values := make([]int32, 0, f.pq.NumRows())
	err := f.pages(name, parquet.Int32, func(_ int, page parquet.Page) error {
		if page.Dictionary() != nil || page.NumNulls() > 0 {
			return fmt.Errorf("%s: column %q is not as auspex writes it", f.path, name)
		}
		data := page.Data()
		values = append(values, data.Int32()...)
		return nil
	})
	return values, err
}

// reals hands out a column of doubles piece by piece, NaN for null. The slice
// is only good during the call.
func (f *columnFile) reals(name string, visit func(row int, values []float64) error) error {
	var spread []float64
	return f.pages(name, parquet.Double, func(row int, page parquet.Page) error {
		if page.Dictionary() != nil {
			return fmt.Errorf("%s: column %q is not as auspex writes it", f.path, name)
		}
		data := page.Data()
		values := data.Double()
		if page.NumNulls() > 0 {
			spread = spread[:0]
			for _, level := range page.DefinitionLevels() {
				if level == 0 || len(values) == 0 {
					spread = append(spread, math.NaN())
				} else {
					spread = append(spread, values[0])
					values = values[1:]
				}
			}
			values = spread
		}
		return visit(row, values)
	})
}

func (f *columnFile) realColumn(name string, rows int) ([]float64, error) {
	column := make([]float64, 0, rows)
	err := f.reals(name, func(_ int, values []float64) error {
		column = append(column, values...)
		return nil
	})
	if err == nil && len(column) != rows {
		err = damagedError(f.path, fmt.Errorf("column %q has %d of %d values", name, len(column), rows))
	}
	return column, err
}
