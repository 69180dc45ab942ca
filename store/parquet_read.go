package store

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/parquet-go/parquet-go"

	"auspex/internal/crew"
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

// pages calls visit with every page of a column and the page's first row, several
// row groups at a time: visit is called by several goroutines.
func (f *columnFile) pages(name string, kind parquet.Kind, visit func(row int, page parquet.Page) error) error {
	leaf, ok := f.pq.Schema().Lookup(name)
	if !ok || leaf.Node.Type().Kind() != kind || leaf.MaxRepetitionLevel != 0 {
		return fmt.Errorf("%s has no column %q of type %s", f.path, name, kind)
	}
	groups := f.pq.RowGroups()
	first := make([]int, len(groups)+1) // row of each group
	for i, group := range groups {
		first[i+1] = first[i] + int(group.NumRows())
	}
	failed := make([]error, len(groups))
	var next atomic.Int64
	var wg crew.Crew
	for range min(len(groups), runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(groups); i = int(next.Add(1)) - 1 {
				failed[i] = f.groupPages(groups[i].ColumnChunks()[leaf.ColumnIndex], first[i], first[i+1], visit)
			}
		})
	}
	wg.Wait()
	for _, err := range failed {
		if err != nil {
			return fmt.Errorf("column %s: %w", name, err)
		}
	}
	return nil
}

// groupPages calls visit with the pages of a column in one row group, whose rows
// are those from one up to another.
func (f *columnFile) groupPages(chunk parquet.ColumnChunk, row, end int, visit func(row int, page parquet.Page) error) error {
	pages := chunk.Pages()
	defer pages.Close()
	for {
		page, err := pages.ReadPage()
		if err == io.EOF && row == end {
			return nil
		}
		if err != nil {
			return damagedError(f.path, err)
		}
		if row+int(page.NumValues()) > end {
			parquet.Release(page)
			return damagedError(f.path, errors.New("there are more values than rows"))
		}
		err = visit(row, page)
		row += int(page.NumValues())
		parquet.Release(page)
		if err != nil {
			return err
		}
	}
}

func (f *columnFile) ints(name string) ([]int32, error) {
	values := make([]int32, f.pq.NumRows())
	err := f.pages(name, parquet.Int32, func(row int, page parquet.Page) error {
		if page.Dictionary() != nil || page.NumNulls() > 0 {
			return fmt.Errorf("%s: column %q is not as auspex writes it", f.path, name)
		}
		data := page.Data()
		copy(values[row:], data.Int32())
		return nil
	})
	return values, err
}

// reals hands out a column of doubles piece by piece, NaN for null, to several
// goroutines. The slice is only good during the call.
func (f *columnFile) reals(name string, visit func(row int, values []float64) error) error {
	return f.pages(name, parquet.Double, func(row int, page parquet.Page) error {
		if page.Dictionary() != nil {
			return fmt.Errorf("%s: column %q is not as auspex writes it", f.path, name)
		}
		data := page.Data()
		values := data.Double()
		if page.NumNulls() > 0 {
			spread := make([]float64, 0, page.NumValues())
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
	if have := f.pq.NumRows(); have != int64(rows) {
		return nil, damagedError(f.path, fmt.Errorf("it has %d of %d rows", have, rows))
	}
	column := make([]float64, rows)
	return column, f.reals(name, func(row int, values []float64) error {
		copy(column[row:], values)
		return nil
	})
}
