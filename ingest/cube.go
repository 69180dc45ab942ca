package ingest

import (
	"context"
	"errors"

	"auspex/model"
)

func isCube(name string, head []byte) bool { return false }
func readCube(ctx context.Context, src *Source) (*model.Experiment, error) {
	return nil, errors.New("")
}
