package store

import (
	"errors"
	"math"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"auspex/model"
)

type unitRow struct {
	ID      int32  `parquet:"id,delta"`
	Node    string `parquet:"node,dict"`
	Process int32  `parquet:"process,delta"`
	Thread  int32  `parquet:"thread,delta"`
}

type regionRow struct {
	ID     int32  `parquet:"id,delta"`
	Parent int32  `parquet:"parent,delta"` // -1 for a root
	Name   string `parquet:"name"`
	Path   string `parquet:"path"`
	Kind   string `parquet:"kind,dict"`
	File   string `parquet:"file,dict"`
	Line   int32  `parquet:"line"`
}

func writeUnits(d *draft, units []model.Unit) error {
	return writeRows(d, "units.parquet", len(units), func(i int) unitRow {
		u := units[i]
		return unitRow{int32(i), u.Node, int32(u.Process), int32(u.Thread)}
	})
}

func writeRegions(d *draft, regions []model.Region) error {
	paths := model.Paths(regions)
	return writeRows(d, "regions.parquet", len(regions), func(i int) regionRow {
		r := regions[i]
		return regionRow{int32(i), int32(r.Parent), r.Name, paths[i], string(r.Kind), r.File, int32(r.Line)}
	})
}

// manyRows is from where on it pays to compress names well: the encoder's tables
// alone take a millisecond to make, a tenth of what storing a small run takes.
const manyRows = 4096

// writeRows writes a table of rows that are made batch by batch: a million
// units need not be there twice.
func writeRows[T any](d *draft, file string, count int, row func(i int) T) error {
	f, err := d.create(file)
	if err != nil {
		return err
	}
	codec := compress.Codec(&parquet.Snappy)
	if count >= manyRows {
		codec = &parquet.Zstd
	}
	w := parquet.NewGenericWriter[T](f, parquet.Compression(codec), parquet.PageBufferSize(pageSize(count, 64, parquet.DefaultPageBufferSize)))
	batch := make([]T, 0, min(count, rowBatch))
	for i := range count {
		batch = append(batch, row(i))
		if len(batch) == rowBatch || i == count-1 {
			if _, err = w.Write(batch); err != nil {
				break
			}
			batch = batch[:0]
		}
	}
	return errors.Join(err, w.Close(), f.Close())
}

// pageSize is the size of a page's buffer for so many rows: the writer takes it for
// every column at once, and most tables are small.
func pageSize(rows, bytes, most int) int { return min(max(rows*bytes, 4096), most) }

// Names of the columns of values.parquet that are not metrics, and the ending
// of the columns with standard deviations.
const (
	unitColumn      = "unit"
	regionColumn    = "region"
	runsColumn      = "runs"
	deviationEnding = ".sd"
)

// rowGroupRows is a compromise: large enough for fast scans, small enough
// that two cores share the work.
const rowGroupRows = 1 << 18

// column is one column to be written: integers or doubles.
type column struct {
	name  string
	ints  []int32
	reals []float64
}

func (c *column) holes() bool {
	for _, v := range c.reals {
		if math.IsNaN(v) {
			return true
		}
	}
	return false
}

// node is the column's place in the schema. A metric without holes is a
// required column, which every reader scans faster.
func (c *column) node() parquet.Node {
	if c.ints != nil {
		return parquet.Compressed(parquet.Encoded(parquet.Leaf(parquet.Int32Type), &parquet.DeltaBinaryPacked), &parquet.Snappy)
	}
	leaf := parquet.Compressed(parquet.Encoded(parquet.Leaf(parquet.DoubleType), &parquet.Plain), &parquet.Snappy)
	if c.holes() {
		return parquet.Optional(leaf)
	}
	return leaf
}

func writeValues(d *draft, e *model.Experiment) error {
	s := &e.Summaries
	columns := []column{{name: unitColumn, ints: s.Unit}, {name: regionColumn, ints: s.Region}}
	for m, metric := range e.Metrics {
		columns = append(columns, column{name: metric.Column(), reals: s.Values[m]})
		if s.Deviation != nil {
			columns = append(columns, column{name: metric.Column() + deviationEnding, reals: s.Deviation[m]})
		}
	}
	if s.Count != nil {
		columns = append(columns, column{name: runsColumn, ints: s.Count})
	}
	return writeTable(d, "values.parquet", "values", columns, s.Rows())
}

// writeTable writes columns of the same length.
func writeTable(d *draft, file, name string, columns []column, rows int) error {
	group := parquet.Group{}
	byName := make(map[string]*column, len(columns))
	for i := range columns {
		group[columns[i].name] = columns[i].node()
		byName[columns[i].name] = &columns[i]
	}
	f, err := d.create(file)
	if err != nil {
		return err
	}
	schema := parquet.NewSchema(name, group)
	w := parquet.NewGenericWriter[any](f, schema, parquet.PageBufferSize(pageSize(rows, 8, 1<<20)), parquet.MaxRowsPerRowGroup(math.MaxInt64))
	err = writeColumns(w, schema, byName, rows)
	return errors.Join(err, w.Close(), f.Close())
}

func writeColumns(w *parquet.GenericWriter[any], schema *parquet.Schema, byName map[string]*column, rows int) error {
	batch := make([]parquet.Value, min(rows, 4096))
	for from := 0; from < rows; from += rowGroupRows {
		to := min(from+rowGroupRows, rows)
		for i, path := range schema.Columns() {
			leaf, _ := schema.Lookup(path...)
			if err := writeColumn(w.ColumnWriters()[i], leaf, byName[path[0]], from, to, batch); err != nil {
				return err
			}
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return nil
}

func writeColumn(w *parquet.ColumnWriter, leaf parquet.LeafColumn, c *column, from, to int, batch []parquet.Value) error {
	present := leaf.MaxDefinitionLevel
	for from < to {
		n := min(len(batch), to-from)
		for i := range n {
			var v parquet.Value
			if c.ints != nil {
				v = parquet.Int32Value(c.ints[from+i])
			} else if x := c.reals[from+i]; math.IsNaN(x) {
				batch[i] = parquet.NullValue().Level(0, 0, leaf.ColumnIndex)
				continue
			} else {
				v = parquet.DoubleValue(x)
			}
			batch[i] = v.Level(0, present, leaf.ColumnIndex)
		}
		if _, err := w.WriteRowValues(batch[:n]); err != nil {
			return err
		}
		from += n
	}
	return nil
}
