// Package operations reads tables in which large sites keep what every worker
// of a training job did: a row an operation, with its data-parallel rank,
// pipeline stage, step, kind, start and duration.
package operations

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"auspex/ingest/input"
	"auspex/internal/mistake"
	"auspex/longtable"
	"auspex/model"
	"auspex/training"
)

// Name is what --format takes.
const Name = "operations"

// Formats lists the format. Its content is not looked for: a table of numbers
// may be anything.
func Formats() []input.Format {
	return []input.Format{{
		Name: Name, About: "table of the operations of a training job's workers (Parquet)",
		IsFile: func(string, []byte) bool { return false }, Reader: readExperiment,
	}}
}

// The columns, in the order in which they are asked for.
const (
	dpRank = iota
	stage
	rank
	step
	optype
	startTS
	duration
	seqID
	chunk
	wholeChunk
)

var columns = []longtable.Wanted{
	dpRank: {Name: "dp_rank"}, stage: {Name: "stage"}, rank: {Name: "rank"}, step: {Name: "step"},
	optype: {Name: "optype", Text: true}, startTS: {Name: "start_ts"}, duration: {Name: "duration"},
	seqID: {Name: "seq_id"}, chunk: {Name: "mc"}, wholeChunk: {Name: "gmc"},
}

// Read reads a table. A file meta-X.yaml beside trace-X.parquet tells how data
// are cut within a data-parallel rank.
func Read(ctx context.Context, path, given string) (*training.Operations, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, mistake.InFile(given, "cannot be opened: %v", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, mistake.InFile(given, "cannot be read: %v", err)
	}
	table := training.NewOperations()
	row := 0
	err = longtable.ReadColumns(ctx, given, file, info.Size(), columns, func(b *longtable.Batch) error {
		for i := range b.Rows {
			row++
			if err := add(table, b, i); err != nil {
				return fmt.Errorf("row %d: %w", row, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if table.Len() == 0 {
		return nil, mistake.InFile(given, "no operation in this table")
	}
	table.DataShards = dataShards(path)
	return table, nil
}

func add(table *training.Operations, b *longtable.Batch, i int) error {
	var whole [len("0123456789")]int
	for c, values := range b.Numbers {
		if values == nil || c == startTS || c == duration {
			continue
		}
		v := values[i]
		if math.IsNaN(v) && (c == chunk || c == wholeChunk) {
			v = 0 // operations that belong to no chunk
		}
		if v != math.Trunc(v) || math.Abs(v) > 1<<40 {
			return fmt.Errorf("%s %v is not a whole number", columns[c].Name, v)
		}
		whole[c] = int(v)
	}
	return table.Add(training.Operation{
		Rank: whole[rank], Data: whole[dpRank], Stage: whole[stage], Step: whole[step],
		Kind: b.Text(optype, b.IDs[optype][i]), Seq: whole[seqID],
		Start: b.Numbers[startTS][i], Time: b.Numbers[duration][i], Chunk: whole[chunk], Whole: whole[wholeChunk],
	})
}

// dataShards reads dsp_size of the description beside a table.
func dataShards(path string) int {
	name, ok := strings.CutPrefix(filepath.Base(path), "trace-")
	if !ok {
		return 1
	}
	file, err := os.Open(filepath.Join(filepath.Dir(path), "meta-"+strings.TrimSuffix(name, filepath.Ext(name))+".yaml"))
	if err != nil {
		return 1
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), "dsp_size:"); ok {
			if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && n > 0 && n < 1<<20 {
				return n
			}
		}
	}
	return 1
}

// readExperiment makes a profile of the table: a process a worker, a region a
// kind of operation.
func readExperiment(ctx context.Context, src *input.Source) (*model.Experiment, error) {
	table, err := Read(ctx, src.Path, src.Given)
	if err != nil {
		return nil, err
	}
	b := model.NewBuilder()
	wtime := b.Metric(model.NewMetric(model.WallTime, "duration", model.Exclusive))
	calls := b.Metric(model.NewMetric(model.Calls, "", model.Own))
	for _, s := range table.Sums() {
		kind := model.Function
		if strings.HasSuffix(s.Kind, "-send") || strings.HasSuffix(s.Kind, "-recv") || strings.Contains(s.Kind, "-all-") || strings.Contains(s.Kind, "reduce-scatter") {
			kind = model.Comm
		}
		region := b.Region(model.Region{Name: s.Kind, Kind: kind, Parent: model.NoParent})
		unit := b.Unit(model.Unit{Process: s.Rank})
		b.Add(unit, region, wtime, s.Seconds)
		b.Add(unit, region, calls, float64(s.Count))
	}
	return b.Build(model.Header{})
}
