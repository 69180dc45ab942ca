package ingest

import (
	"context"
	"errors"

	"auspex/model"
)

func isCaliperSplit(name string, head []byte) bool { return false }
func readCaliperSplit(ctx context.Context, src *Source) (*model.Experiment, error) {
	return nil, errors.New("")
}
