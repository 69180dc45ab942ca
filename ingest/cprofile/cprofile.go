// Package cprofile reads the profiles of Python's cProfile as its files hold
// them: a dictionary in Python's marshal form from function to counts, times
// and callers. Functions stand side by side, each with its own time and that
// with all it called.
package cprofile

import (
	"context"
	"fmt"
	"io"
	"path"
	"strconv"

	"auspex/ingest/input"
	"auspex/internal/mistake"
	"auspex/model"
)

// Formats lists what this package reads.
func Formats() []input.Format {
	return []input.Format{{Name: "cprofile", About: "profile of Python's cProfile (pstats)", IsFile: isProfile, Reader: read}}
}

// maxBytes bounds a file: a function takes some hundred bytes.
const maxBytes = 256 << 20

// isProfile looks for a dictionary whose first key is a tuple of three, the
// first a text.
func isProfile(_ string, head []byte) bool {
	if len(head) < 8 || head[0]&^refFlag != typeDict {
		return false
	}
	d := &decoder{data: head[1:]}
	if head[0]&refFlag != 0 {
		d.refs = append(d.refs, nil)
	}
	key, err := d.value(0)
	_, ok := functionOf(key)
	return err == nil && ok
}

func read(ctx context.Context, src *input.Source) (*model.Experiment, error) {
	in, err := src.Open(src.Path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return parse(ctx, in, src.Given)
}

func parse(ctx context.Context, r io.Reader, name string) (*model.Experiment, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, mistake.InFile(name, "cannot be read to its end: %v", err)
	}
	if len(data) > maxBytes {
		return nil, mistake.InFile(name, "larger than the %d MiB that are read", maxBytes>>20)
	}
	d := &decoder{data: data}
	whole, err := d.value(0)
	if err != nil {
		return nil, mistake.AtByte(name, int64(d.at), "%w", err)
	}
	entries, ok := whole.([]pair)
	if !ok {
		return nil, mistake.InFile(name, "holds no dictionary of functions")
	}
	e, err := build(ctx, entries)
	if err != nil {
		return nil, mistake.InFile(name, "%w", err)
	}
	return e, nil
}

// function is a key of the dictionary.
type function struct {
	file string
	line int
	name string
}

func functionOf(v any) (function, bool) {
	t, ok := v.([]any)
	if !ok || len(t) != 3 {
		return function{}, false
	}
	file, ok1 := t[0].(string)
	line, ok2 := t[1].(float64)
	name, ok3 := t[2].(string)
	if !ok1 || !ok2 || !ok3 || line < 0 || line > 1<<31 {
		return function{}, false
	}
	return function{file, int(line), name}, true
}

// build makes regions of the entries: (primitive calls, calls, own time, time
// with callees, callers).
func build(ctx context.Context, entries []pair) (*model.Experiment, error) {
	functions := make([]function, len(entries))
	count := map[string]int{}
	for i, entry := range entries {
		f, ok := functionOf(entry.key)
		if !ok {
			return nil, fmt.Errorf("entry %d is not for a function: file, line and name", i+1)
		}
		functions[i] = f
		count[f.name]++
	}
	b := model.NewBuilder()
	unit := b.Unit(model.Unit{})
	own := b.Metric(model.NewMetric(model.WallTime, "tottime", model.Exclusive))
	whole := b.Metric(model.NewMetric(model.WallTime, "cumtime", model.Inclusive))
	calls := b.Metric(model.NewMetric(model.Calls, "ncalls", model.Own))
	for i, entry := range entries {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		values, ok := numbers(entry.value)
		if !ok {
			return nil, fmt.Errorf("%s has no counts and times", input.Clip(functions[i].name, 60))
		}
		region := b.Region(regionOf(functions[i], count[functions[i].name] > 1))
		b.Add(unit, region, calls, values[1])
		b.Add(unit, region, own, values[2])
		b.Add(unit, region, whole, values[3])
	}
	return b.Build(model.Header{})
}

// regionOf names a function; the place is part of the name where others have
// the same one. What is built in has no file.
func regionOf(f function, twin bool) model.Region {
	name := input.Clip(f.name, input.MaxRegionName)
	r := model.Region{Name: name, Kind: input.KindOf(name), Parent: model.NoParent}
	if f.file == "~" || f.file == "" {
		return r
	}
	r.File, r.Line = input.Clip(f.file, 4096), f.line
	if twin || name == "<module>" || name == "<lambda>" {
		r.Name += " [" + input.Clip(path.Base(f.file), input.MaxFileName) + ":" + strconv.Itoa(f.line) + "]"
	}
	return r
}

func numbers(v any) (values [4]float64, ok bool) {
	t, ok := v.([]any)
	if !ok || len(t) < 4 {
		return values, false
	}
	for i := range values {
		if values[i], ok = t[i].(float64); !ok {
			return values, false
		}
	}
	return values, true
}
