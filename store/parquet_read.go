package store

import (
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"auspex/model"
)

func readRows[T any](dir *folder, name string) ([]T, error) {
	f, err := dir.openFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := parquet.Read[T](f, f.size)
	if err != nil {
		return nil, damagedError(f.Name(), err)
	}
	return rows, nil
}

func readUnits(dir *folder) ([]model.Unit, error) {
	rows, err := readRows[unitRow](dir, "units.parquet")
	if err != nil {
		return nil, err
	}
	units := make([]model.Unit, len(rows))
	for i, r := range rows {
		units[i] = model.Unit{Node: r.Node, Process: int(r.Process), Thread: int(r.Thread)}
	}
	return units, nil
}

func readRegions(dir *folder) ([]model.Region, error) {
	rows, err := readRows[regionRow](dir, "regions.parquet")
	if err != nil {
		return nil, err
	}
	regions := make([]model.Region, len(rows))
	for i, r := range rows {
		if r.Parent < model.NoParent || int(r.Parent) >= i {
			return nil, damagedError(filepath.Join(dir.dir, "regions.parquet"), fmt.Errorf("region %d has parent %d", i, r.Parent))
		}
		regions[i] = model.Region{
			Name: r.Name, Kind: model.Kind(r.Kind), File: r.File, Line: int(r.Line), Parent: int(r.Parent),
		}
	}
	return regions, nil
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
