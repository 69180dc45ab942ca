package ingest

import (
	"context"
	"errors"

	"auspex/model"
)

func isJSONLTable(name string, head []byte) bool { return false }
func readJSONLTable(ctx context.Context, src *Source) (*model.Experiment, error) {
	return nil, errors.New("")
}
