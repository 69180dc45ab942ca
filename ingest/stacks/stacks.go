// Package stacks reads samples of call stacks as text: what perf script prints,
// and the folded stacks of flame graphs.
package stacks

import (
	"bufio"
	"context"
	"errors"
	"io"

	"auspex/ingest/input"
	"auspex/internal/mistake"
	"auspex/model"
)

// Formats lists what this package reads.
func Formats() []input.Format {
	return []input.Format{
		{Name: "perf", About: "samples as perf script prints them", IsFile: isPerf, Reader: readWith(readPerf)},
		{Name: "folded", About: "folded stacks, as flame graphs are made of", IsFile: isFolded, Reader: readWith(readFolded)},
	}
}

// Bounds on what is read.
const (
	maxLine    = 1 << 20
	maxRegions = 2 << 20
)

// readWith opens the source and hands its lines to a reader.
func readWith(read func(*profile, *lines) error) func(context.Context, *input.Source) (*model.Experiment, error) {
	return func(ctx context.Context, src *input.Source) (*model.Experiment, error) {
		in, err := src.Open(src.Path)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		return parse(ctx, in, src.Given, read)
	}
}

func parse(ctx context.Context, r io.Reader, name string, read func(*profile, *lines) error) (*model.Experiment, error) {
	p := &profile{clock: -1, b: model.NewBuilder(), columns: map[string]int{}, names: input.MetricNames{}}
	l := &lines{ctx: ctx, Scanner: bufio.NewScanner(r)}
	l.Buffer(nil, maxLine)
	err := read(p, l)
	if err == nil {
		err = l.Err()
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if errors.Is(err, bufio.ErrTooLong) {
		return nil, mistake.AtLine(name, l.line, "a line of more than %d bytes", maxLine)
	}
	if err != nil {
		return nil, mistake.AtLine(name, max(l.line, 1), "%w", err)
	}
	e, err := p.b.Build(model.Header{Program: p.program, Notes: p.notes})
	if err != nil {
		return nil, mistake.InFile(name, "%w", err)
	}
	return e, nil
}

// lines counts lines as they are read.
type lines struct {
	*bufio.Scanner
	ctx  context.Context
	line int
}

func (l *lines) next() bool {
	l.line++
	return (l.line%4096 != 0 || l.ctx.Err() == nil) && l.Scan()
}

// profile collects samples.
type profile struct {
	b       *model.Builder
	columns map[string]int // by event
	names   input.MetricNames
	clock   int // the column of the first event that is one; -1 without
	looks   int // how many samples that was taken by
	program string
	notes   []string
}

// add counts a weight for a stack, its outermost function first.
func (p *profile) add(unit int, stack []string, metric int, weight float64) error {
	region := model.NoParent
	for i, name := range stack {
		if i == input.MaxRegionDepth {
			break // what is deeper counts for the last that is kept
		}
		name = input.Clip(name, input.MaxRegionName)
		region = p.b.Region(model.Region{Name: name, Kind: input.KindOf(name), Parent: region})
	}
	if p.b.RegionCount() > maxRegions {
		return errors.New("more call paths than can be kept")
	}
	p.b.Add(unit, region, metric, weight)
	return nil
}
