package ingest

import (
	"context"

	"auspex/longtable"
	"auspex/model"
)

func isJSONLTable(_ string, head []byte) bool { return longtable.IsJSONL(head) }

func readJSONLTable(ctx context.Context, src *Source) (*model.Experiment, error) {
	in, err := src.Open(src.Path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return longtable.ReadJSONL(ctx, src.Given, in, tableOptions)
}
