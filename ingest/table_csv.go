package ingest

import (
	"context"
	"errors"

	"auspex/model"
)

func isCSVTable(name string, head []byte) bool { return false }
func readCSVTable(ctx context.Context, src *Source) (*model.Experiment, error) {
	return nil, errors.New("")
}
