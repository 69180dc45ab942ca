package longtable

import (
	"context"
	"io"
	"strings"

	"auspex/model"

	"github.com/parquet-go/parquet-go"
)

// headKey is the entry of a Parquet file's metadata that holds the head.
const headKey = "auspex"

// rowsPerGroup bounds what is held in memory before it is written.
const rowsPerGroup = 1 << 20

// parquetRow is a line of the table; a missing value is NaN.
type parquetRow struct {
	Node    string  `parquet:"node,dict,zstd"`
	Process int32   `parquet:"process,dict,zstd"`
	Thread  int32   `parquet:"thread,dict,zstd"`
	Region  string  `parquet:"region,dict,zstd"`
	Metric  string  `parquet:"metric,dict,zstd"`
	Value   float64 `parquet:"value,zstd"`
}

// repeatedRow is a line of repeated runs.
type repeatedRow struct {
	parquetRow
	Deviation float64 `parquet:"deviation,zstd"`
	Count     int32   `parquet:"count,dict,zstd"`
}

func writeParquet(ctx context.Context, w io.Writer, e *model.Experiment, head []entry) error {
	var text strings.Builder
	for _, entry := range head {
		text.WriteString(entry.line() + "\n")
	}
	metadata := parquet.KeyValueMetadata(headKey, text.String())
	t := newTableOf(e)
	row := func(l *tableLine) parquetRow {
		u := e.Units[l.unit]
		return parquetRow{u.Node, int32(u.Process), int32(u.Thread), t.paths[l.region], t.columns[l.metric], l.value}
	}
	if !t.withDeviation && !t.counts {
		return writeRows(ctx, w, t, row, metadata)
	}
	return writeRows(ctx, w, t, func(l *tableLine) repeatedRow {
		return repeatedRow{row(l), l.deviation, l.count}
	}, metadata)
}

func writeRows[Row any](ctx context.Context, w io.Writer, t *tableOf, row func(*tableLine) Row, options ...parquet.WriterOption) error {
	out := parquet.NewGenericWriter[Row](w, append(options, parquet.CreatedBy("auspex", version, ""))...)
	batch := make([]Row, 0, 4096)
	written := 0
	flush := func() error {
		if _, err := out.Write(batch); err != nil {
			return err
		}
		written += len(batch)
		batch = batch[:0]
		if written >= rowsPerGroup {
			written = 0
			return out.Flush()
		}
		return nil
	}
	err := t.each(ctx, func(l *tableLine) error {
		batch = append(batch, row(l))
		if len(batch) < cap(batch) {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	if err := flush(); err != nil {
		return err
	}
	return out.Close()
}
