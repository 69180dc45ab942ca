package ingest

import (
	"context"

	"auspex/ingest/input"
	"auspex/longtable"
	"auspex/model"
)

// tables are the formats of the long table.
func tables() []input.Format {
	return []input.Format{
		{Name: "parquet", About: "long table in Parquet", IsFile: isParquetTable, Reader: readParquetTable},
		{Name: "jsonl", About: "long table in JSON lines", IsFile: isJSONLTable, Nearly: longtable.NearlyJSONL, Reader: readJSONLTable},
		{Name: "csv", About: "long table in CSV", IsFile: isCSVTable, Nearly: longtable.NearlyCSV, Reader: readCSVTable},
	}
}

// tableOptions tell the readers of long tables how kinds are guessed here.
var tableOptions = longtable.Options{KindOf: input.KindOf}

func isCSVTable(_ string, head []byte) bool { return longtable.IsCSV(head) }

func readCSVTable(ctx context.Context, src *Source) (*model.Experiment, error) {
	in, err := src.Open(src.Path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return longtable.ReadCSV(ctx, src.Given, in, tableOptions)
}
