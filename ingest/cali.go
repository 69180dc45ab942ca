package ingest

import (
	"context"
	"errors"

	"auspex/model"
)

func isCali(name string, head []byte) bool { return false }
func readCali(ctx context.Context, src *Source) (*model.Experiment, error) {
	return nil, errors.New("")
}
