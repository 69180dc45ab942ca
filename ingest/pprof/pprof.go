// Package pprof reads pprof profiles.
package pprof

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"path"
	"time"

	"auspex/ingest/input"
	"auspex/internal/mistake"
	"auspex/model"

	"github.com/google/pprof/profile"
)

// Formats lists what this package reads.
func Formats() []input.Format {
	return []input.Format{
		{Name: "pprof", About: "pprof profile", IsFile: isPprof, Reader: read},
	}
}

// A pprof profile is a protobuf message, mostly gzipped: samples, each with a
// stack and a value per sample type. A stack is a path of regions, its leaf
// gets the values as exclusive ones, and the file is one process. Labels are
// not read.

// Bounds on what is read.
const (
	maxBytes   = 1 << 30
	maxDepth   = 1024
	maxRegions = 2 << 20
)

// legacy recognises the text that gperftools wrote before there was a form of
// its own for profiles: heap, contention and growth.
func legacy(head []byte) bool {
	for _, first := range []string{"heap profile: ", "--- heap", "--- growthz", "--- contention", "growthz profile"} {
		if bytes.HasPrefix(head, []byte(first)) {
			return true
		}
	}
	return isProcessorProfile(head)
}

// isProcessorProfile recognises gperftools' profile of the processor: words of
// the machine, at first 0, 3 (words of the header that follow), 0 (the version),
// the period and 0.
func isProcessorProfile(head []byte) bool {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, size := range []int{8, 4} {
			if len(head) < 5*size {
				continue
			}
			word := func(i int) uint64 {
				if size == 4 {
					return uint64(order.Uint32(head[4*i:]))
				}
				return order.Uint64(head[8*i:])
			}
			if word(0) == 0 && word(1) == 3 && word(2) == 0 && word(3) > 0 && word(3) < 1<<31 && word(4) == 0 {
				return true
			}
		}
	}
	return false
}

func isPprof(name string, head []byte) bool {
	return legacy(head) || looksLike(head, len(head) < input.HeadSize)
}

func read(ctx context.Context, src *input.Source) (*model.Experiment, error) {
	in, err := src.Open(src.Path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return parse(ctx, in, src.Given)
}

// parse reads a profile, decompressed.
func parse(ctx context.Context, r io.Reader, name string) (*model.Experiment, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, mistake.InFile(name, "cannot be read to its end: %v", err)
	}
	if len(data) > maxBytes {
		return nil, mistake.InFile(name, "larger than the %d MiB that are read", maxBytes>>20)
	}
	// Only the protobuf form, and no gzip within gzip, which would go past
	// the guard against decompression bombs.
	parseData := profile.ParseUncompressed
	if legacy(data) {
		parseData = profile.ParseData
	}
	p, err := parseData(data)
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		return nil, mistake.InFile(name, "no sound pprof profile: %v", err)
	}
	w := &writer{builder: model.NewBuilder(), name: name, regionOf: map[frame]int{}}
	if err := w.write(ctx, p); err != nil {
		return nil, err
	}
	header := model.Header{Notes: w.notes()}
	if p.TimeNanos > 0 {
		header.Created = time.Unix(0, p.TimeNanos)
	}
	if len(p.Mapping) > 0 && p.Mapping[0].File != "" {
		header.Program = path.Base(p.Mapping[0].File)
	}
	exp, err := w.builder.Build(header)
	if err != nil {
		return nil, mistake.InFile(name, "%v", err)
	}
	return exp, nil
}

// writer moves samples into the builder.
type writer struct {
	builder  *model.Builder
	name     string
	columns  []column
	regionOf map[frame]int
	depth    []int // of the regions
	cut      int   // stacks deeper than maxPprofDepth
}

// frame is a place below a region.
type frame struct {
	parent   int
	location *profile.Location
}

func (w *writer) write(ctx context.Context, p *profile.Profile) error {
	w.columns = columns(w.builder, p.SampleType)
	unit := w.builder.Unit(model.Unit{})
	for i, sample := range p.Sample {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		region := w.stack(sample.Location)
		if w.builder.RegionCount() > maxRegions {
			return mistake.InFile(w.name, "more than %d different stacks", maxRegions)
		}
		for m, v := range sample.Value {
			if v < 0 {
				return mistake.InFile(w.name, "sample %d is negative: a difference of profiles is no measurement", i)
			}
			w.builder.Add(unit, region, w.columns[m].metric, float64(v)*w.columns[m].scale)
		}
	}
	return nil
}

func (w *writer) notes() []string {
	if w.cut == 0 {
		return nil
	}
	return []string{fmt.Sprintf("stacks deeper than %d frames are cut there", maxDepth)}
}

// stack finds the region of a stack, whose innermost frame comes first.
func (w *writer) stack(locations []*profile.Location) int {
	region := model.NoParent
	for i := len(locations) - 1; i >= 0; i-- {
		key := frame{region, locations[i]}
		next, ok := w.regionOf[key]
		if !ok {
			next = w.location(region, locations[i])
			w.regionOf[key] = next
		}
		region = next
	}
	if region == model.NoParent {
		region = w.child(region, model.Region{Name: "(no stack)"})
	}
	return region
}

// location adds the functions at a place: inlined ones come first, the one
// they were inlined into last.
func (w *writer) location(region int, at *profile.Location) int {
	named := false
	for i := len(at.Line) - 1; i >= 0; i-- {
		if f := at.Line[i].Function; f != nil && f.Name != "" {
			named = true
			region = w.child(region, model.Region{Name: f.Name, File: f.Filename, Line: int(max(f.StartLine, 0))})
		}
	}
	if named {
		return region
	}
	// Without symbols the addresses of a library are one region.
	name := "[unknown]"
	if at.Mapping != nil && at.Mapping.File != "" {
		name = "[" + path.Base(at.Mapping.File) + "]"
	}
	return w.child(region, model.Region{Name: name})
}

func (w *writer) child(parent int, r model.Region) int {
	depth := 1
	if parent != model.NoParent {
		depth = w.depth[parent] + 1
	}
	if depth > maxDepth {
		w.cut++
		return parent
	}
	r.Parent, r.Kind = parent, input.KindOf(r.Name)
	region := w.builder.Region(r)
	if region == len(w.depth) {
		w.depth = append(w.depth, depth)
	}
	return region
}
