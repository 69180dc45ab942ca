package ingest

import (
	"context"

	"auspex/longtable"
	"auspex/model"
)

// tableOptions tell the readers of long tables how kinds are guessed here.
var tableOptions = longtable.Options{KindOf: kindOf}

func isCSVTable(_ string, head []byte) bool { return longtable.IsCSV(head) }

func readCSVTable(ctx context.Context, src *Source) (*model.Experiment, error) {
	in, err := src.open(src.Path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return longtable.ReadCSV(ctx, src.Given, in, tableOptions)
}
