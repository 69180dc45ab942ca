package ingest

import (
	"context"
	"errors"

	"auspex/model"
)

func isPprof(name string, head []byte) bool { return false }
func readPprof(ctx context.Context, src *Source) (*model.Experiment, error) {
	return nil, errors.New("")
}
