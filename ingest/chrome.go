package ingest

import (
	"context"
	"errors"

	"auspex/model"
)

func isChrome(name string, head []byte) bool { return false }
func readChrome(ctx context.Context, src *Source) (*model.Experiment, error) {
	return nil, errors.New("")
}
