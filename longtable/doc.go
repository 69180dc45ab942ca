// Package longtable reads and writes experiments as long tables: one line for
// each value, in CSV, JSON lines or Parquet.
//
//  1. A line names a unit (node, process, thread), a region by its path, a
//     metric and the value. docs/formats.md tells the whole form.
//  2. Write puts an experiment out; ReadCSV, ReadJSONL and ReadParquet bring
//     one in. What Write wrote reads back as an equal experiment.
//  3. What belongs to the experiment as a whole (name, factors, descriptions
//     of metrics and regions) stands in a head of "key: value" entries:
//     comment lines in CSV, a first object in JSON lines, the entry "auspex"
//     of the file's key-value metadata in Parquet.
//
// Tables made by hand need no head, and only the columns region, metric and
// value.
package longtable

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"auspex/model"
)

// Format is one of the forms of a long table.
type Format string

// The forms of a long table.
const (
	CSV     Format = "csv"
	JSONL   Format = "jsonl"
	Parquet Format = "parquet"
)

// Options tell a reader what the table itself does not.
type Options struct {
	// KindOf guesses the kind of a region from its name where the table
	// does not give it. Without it such a region is a function.
	KindOf func(name string) model.Kind
}

// column is one of the table's columns.
type column int

const (
	colNode column = iota
	colProcess
	colThread
	colRegion
	colMetric
	colValue
	colKind
	colFile
	colLine
	colUnit
	colDeviation
	colCount
	columnCount
)

// columnNames gives every column its name and the other names it goes by.
var columnNames = [columnCount][]string{
	colNode:      {"node", "host", "hostname", "nodename"},
	colProcess:   {"process", "rank", "proc", "mpi.rank", "mpi_rank"},
	colThread:    {"thread", "tid", "omp.thread.id", "thread_id"},
	colRegion:    {"region", "path", "region_path", "callpath", "function"},
	colMetric:    {"metric", "metric_name"},
	colValue:     {"value"},
	colKind:      {"kind"},
	colFile:      {"file"},
	colLine:      {"line", "lineno"},
	colUnit:      {"unit", "units"},
	colDeviation: {"deviation", "std", "stddev"},
	colCount:     {"count"},
}

func (c column) String() string { return columnNames[c][0] }

// columnNamed finds a column by any of its names.
func columnNamed(name string) (column, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	for c, names := range columnNames {
		for _, n := range names {
			if n == name {
				return column(c), true
			}
		}
	}
	return 0, false
}

// layout says where in a line each column stands, -1 for columns not there.
type layout struct {
	at      [columnCount]int
	ignored []string
}

// ErrNotLong tells that a table lacks what makes it a long one.
var ErrNotLong = errors.New("there is no")

// newLayout reads the names of the columns.
func newLayout(names []string) (layout, error) {
	var l layout
	for c := range l.at {
		l.at[c] = -1
	}
	var twice error
	for i, name := range names {
		c, known := columnNamed(name)
		switch {
		case !known:
			l.ignored = append(l.ignored, name)
		case l.at[c] < 0:
			l.at[c] = i
		case twice == nil:
			twice = fmt.Errorf("columns %q and %q both give the %s", names[l.at[c]], name, c)
		}
	}
	if twice != nil {
		return l, twice
	}
	for _, c := range []column{colRegion, colMetric, colValue} {
		if l.at[c] < 0 {
			return l, fmt.Errorf("%w column %q; a long table needs region, metric and value, and may have %s",
				ErrNotLong, c, "node, process, thread, kind, file, line, unit, deviation and count")
		}
	}
	return l, nil
}

// note says which columns were passed over.
func (l layout) note() string {
	if len(l.ignored) == 0 {
		return ""
	}
	names := slices.Clone(l.ignored)
	for i, name := range names {
		if name == "" {
			names[i] = "one without a name"
		}
	}
	return "columns not read: " + strings.Join(names, ", ")
}
