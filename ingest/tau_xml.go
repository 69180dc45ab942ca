package ingest

import (
	"context"
	"errors"

	"auspex/model"
)

func isTAUXML(name string, head []byte) bool { return false }
func readTAUXML(ctx context.Context, src *Source) (*model.Experiment, error) {
	return nil, errors.New("")
}
