// Package operations reads tables in which large sites keep what every worker
// of a training job did: a row an operation, with its data-parallel rank,
// pipeline stage, step, kind, start and duration.
package operations

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
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

// Formats lists the format. Of a Parquet table the beginning does not tell what
// it holds: whoever finds one that is no long table tries this.
func Formats() []input.Format {
	return []input.Format{{
		Name: Name, About: "table of the operations of a training job's workers (Parquet, CSV)",
		IsFile: isCSV, Reader: ReadExperiment,
	}}
}

// isCSV recognises a table in CSV by its columns: a worker, and how long its
// operations took.
func isCSV(_ string, head []byte) bool {
	has := func(wanted ...int) bool {
		list := slices.Clone(columns)
		for _, c := range wanted {
			list[c].Optional = false
		}
		return longtable.HasColumns(head, list)
	}
	return (has(dpRank) || has(rank)) && (has(duration) || has(endTS))
}

// Read reads a table, Parquet or CSV, gzipped or not. A file meta-X.yaml beside
// trace-X.parquet tells how data are cut within a data-parallel rank.
func Read(ctx context.Context, path, given string) (*training.Operations, error) {
	src := &input.Source{Path: path, Given: given}
	table := newReading()
	if err := table.read(ctx, src); err != nil {
		return nil, err
	}
	if table.row == 0 {
		return nil, mistake.InFile(given, "no operation in this table")
	}
	if err := table.finish(); err != nil {
		return nil, mistake.InFile(given, "%w", err)
	}
	table.ops.DataShards = dataShards(path)
	return table.ops, nil
}

// maxUnpacked bounds a gzipped Parquet table, which cannot be read as a stream.
const maxUnpacked = 2 << 30

func (t *reading) read(ctx context.Context, src *input.Source) error {
	head, gzipped, err := input.ReadHead(src.Path)
	if err != nil {
		return mistake.InFile(src.Given, "cannot be read: %v", err)
	}
	if !longtable.IsParquet(head) || gzipped {
		in, err := src.Open(src.Path)
		if err != nil {
			return err
		}
		defer in.Close()
		if !longtable.IsParquet(head) {
			return longtable.ReadCSVColumns(ctx, src.Given, in, columns, t.add)
		}
		data, err := io.ReadAll(io.LimitReader(in, maxUnpacked+1))
		if err != nil || len(data) > maxUnpacked {
			return mistake.InFile(src.Given, "cannot be unpacked into %d MiB of memory: unpack it on disk (%v)", maxUnpacked>>20, err)
		}
		return longtable.ReadColumns(ctx, src.Given, bytes.NewReader(data), int64(len(data)), columns, t.add)
	}
	file, err := os.Open(src.Path)
	if err != nil {
		return mistake.InFile(src.Given, "cannot be opened: %v", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return mistake.InFile(src.Given, "cannot be read: %v", err)
	}
	return longtable.ReadColumns(ctx, src.Given, file, info.Size(), columns, t.add)
}

// dataShards reads dsp_size of the description beside a table.
func dataShards(path string) int {
	name, ok := strings.CutPrefix(filepath.Base(path), "trace-")
	if !ok {
		return 1
	}
	file, err := os.Open(filepath.Join(filepath.Dir(path), "meta-"+input.Label(name)+".yaml"))
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

// ReadExperiment makes a profile of the table: a process a worker, a region a
// kind of operation.
func ReadExperiment(ctx context.Context, src *input.Source) (*model.Experiment, error) {
	table, err := Read(ctx, src.Path, src.Given)
	if err != nil {
		return nil, err
	}
	b := model.NewBuilder()
	wtime := b.Metric(model.NewMetric(model.WallTime, "duration", model.Exclusive))
	calls := b.Metric(model.NewMetric(model.Calls, "", model.Own))
	if err := table.Settle(); err != nil {
		return nil, mistake.InFile(src.Given, "%w", err)
	}
	var unknown []string
	for _, s := range table.Profile() {
		place := model.Region{Name: s.Kind, Kind: model.Function, Parent: model.NoParent}
		switch {
		case s.Kind == "":
			place.Name, place.Kind = "no operation", model.Idle
		case training.Transfer(s.Kind):
			place.Kind = model.Comm
		case !training.Computes(s.Kind) && !slices.Contains(unknown, s.Kind):
			unknown = append(unknown, s.Kind)
		}
		region, unit := b.Region(place), b.Unit(model.Unit{Process: s.Rank})
		b.Add(unit, region, wtime, s.Seconds)
		b.Add(unit, region, calls, float64(s.Count))
	}
	return b.Build(model.Header{Notes: unknownNote(unknown)})
}

// maxUnknown is how many kinds of operations are named that are not known.
const maxUnknown = 8

// unknownNote says which kinds of operations count as work for want of knowing better.
func unknownNote(kinds []string) []string {
	if len(kinds) == 0 {
		return nil
	}
	slices.Sort(kinds)
	more := ""
	if n := len(kinds) - maxUnknown; n > 0 {
		kinds, more = kinds[:maxUnknown], fmt.Sprintf(" and %d more", n)
	}
	return []string{"operations of these kinds count as work, for it is not known what they do: " + strings.Join(kinds, ", ") + more}
}
