package ingest

import (
	"context"
	"errors"
	"io"
	"os"

	"auspex/ingest/operations"
	"auspex/internal/mistake"
	"auspex/longtable"
	"auspex/model"
)

func isParquetTable(_ string, head []byte) bool { return longtable.IsParquet(head) }

func readParquetTable(ctx context.Context, src *Source) (*model.Experiment, error) {
	file, err := os.Open(src.Path)
	if err != nil {
		return nil, mistake.InFile(src.Given, "cannot be opened: %v", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, mistake.InFile(src.Given, "cannot be read: %v", err)
	}
	e, err := longtable.ReadParquet(ctx, src.Given, &countingReaderAt{file, src.Progress}, info.Size(), tableOptions)
	if errors.Is(err, longtable.ErrNotLong) {
		// The beginning of a Parquet file does not tell which table it holds.
		if other, no := operations.ReadExperiment(ctx, src); no == nil {
			src.Format = operations.Name
			return other, nil
		}
	}
	return e, err
}

// countingReaderAt tells how much was read.
type countingReaderAt struct {
	r        io.ReaderAt
	progress func(int64)
}

func (c *countingReaderAt) ReadAt(p []byte, offset int64) (int, error) {
	n, err := c.r.ReadAt(p, offset)
	if c.progress != nil && n > 0 {
		c.progress(int64(n))
	}
	return n, err
}
