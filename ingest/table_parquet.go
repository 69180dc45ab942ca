package ingest

import (
	"context"
	"errors"

	"auspex/model"
)

func isParquetTable(name string, head []byte) bool { return false }
func readParquetTable(ctx context.Context, src *Source) (*model.Experiment, error) {
	return nil, errors.New("")
}
