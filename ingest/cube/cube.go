// Package cube reads the .cubex profiles of Score-P and Scalasca.
package cube

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"auspex/ingest/input"
	"auspex/internal/lazyregexp"
	"auspex/internal/mistake"
	"auspex/model"
)

// Formats lists what this package reads.
func Formats() []input.Format {
	return []input.Format{
		{Name: "cube", About: "Score-P and Scalasca profile (.cubex)", IsFile: isCube, Archive: true, Reader: read},
	}
}

// A .cubex file is a tar archive: anchor.xml describes metrics, call tree and
// system; n.index says which nodes of the call tree have values of metric n,
// and n.data holds them, a row of locations per node. A .cube file of the
// older CUBE 3 is one XML document with the values inside.
const (
	anchorName  = "anchor.xml"
	indexEnding = ".index"
	dataEnding  = ".data"
)

var (
	cubeEntry = lazyregexp.New(`^(anchor\.xml|remapping\.spec|[0-9]+\.(index|data))$`)
	cubeXML   = lazyregexp.New(`<cube\s+version="[0-9]`)
)

func isCube(name string, head []byte) bool {
	if isTarHeader(head) {
		return strings.HasSuffix(name, ".cubex") || cubeEntry.MatchString(path.Base(tarText(head[:100])))
	}
	return cubeXML.Match(head)
}

func read(ctx context.Context, src *input.Source) (*model.Experiment, error) {
	in, err := src.Open(src.Path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return readFrom(ctx, in.Reader, src.Given)
}

// readFrom reads a .cubex or a .cube file.
func readFrom(ctx context.Context, r *bufio.Reader, name string) (*model.Experiment, error) {
	if head, _ := r.Peek(tarBlock); !isTarHeader(head) && !bytes.HasPrefix(head, []byte("<")) {
		return nil, mistake.AtByte(name, 0, "is neither a .cubex archive nor a CUBE XML file")
	} else if !isTarHeader(head) {
		anchor, err := parseAnchor(ctx, r, name)
		if err != nil {
			return nil, err
		}
		return anchor.build(ctx, nil, name)
	}
	files, err := readTar(r, name, func(entry string) bool { return cubeEntry.MatchString(entry) && entry != "remapping.spec" })
	if err != nil {
		return nil, err
	}
	text, ok := files[anchorName]
	if !ok {
		return nil, mistake.InFile(name, "holds no %s: it is no Cube profile or was cut off", anchorName)
	}
	anchorText, err := plainAnchor(text)
	if err != nil {
		return nil, mistake.InFile(name+":"+anchorName, "damaged gzip data: %v", err)
	}
	delete(files, anchorName)
	anchor, err := parseAnchor(ctx, anchorText, name+":"+anchorName)
	if err != nil {
		return nil, err
	}
	return anchor.build(ctx, files, name)
}

// plainAnchor decompresses the anchor where it is gzip.
func plainAnchor(text []byte) (*bufio.Reader, error) {
	if !input.IsGzip(text) {
		return bufio.NewReader(bytes.NewReader(text)), nil
	}
	counted := &input.CountingReader{R: bytes.NewReader(text)}
	unzipped, err := gzip.NewReader(counted)
	if err != nil {
		return nil, err
	}
	return bufio.NewReader(&input.BombGuard{R: unzipped, Compressed: counted}), nil
}

// build makes the experiment from the anchor and the files beside it.
func (a *anchor) build(ctx context.Context, files map[string][]byte, name string) (*model.Experiment, error) {
	if len(a.nodes) == 0 || len(a.locations) == 0 {
		return nil, mistake.InFile(name, "describes %d call paths and %d locations: there is nothing to import", len(a.nodes), len(a.locations))
	}
	b := model.NewBuilder()
	regions, err := a.addRegions(b, name)
	if err != nil {
		return nil, err
	}
	header := a.header()
	columns, err := a.columns(ctx, files, name, &header)
	if err != nil {
		return nil, err
	}
	if len(columns) == 0 {
		return nil, mistake.InFile(name, "holds no values that can be read")
	}
	numbers := make([]int, len(columns))
	for m, column := range columns {
		numbers[m] = b.Metric(column.metric)
	}
	sums := &input.RegionSums{Metrics: len(columns)}
	for column, location := range a.locations {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if location.skip {
			continue
		}
		for node, region := range regions {
			add(sums, columns, node, column, region)
		}
		sums.Flush(b, b.Unit(location.unit), numbers)
	}
	return b.Build(header)
}

// add adds the values of a location in a node of the call tree.
func add(s *input.RegionSums, columns []column, node, location, region int) {
	for m := range columns {
		c := &columns[m]
		v := c.at(node, location) * c.scale
		if v == 0 || v != v || math.Abs(v) >= noValue {
			continue
		}
		if s.Enter(region) {
			for k := range columns {
				if columns[k].pick != nil {
					*s.At(region, k) = math.NaN()
				}
			}
		}
		place := s.At(region, m)
		switch {
		case c.pick == nil:
			*place += v
		case *place != *place:
			*place = v
		default:
			*place = c.pick(*place, v)
		}
	}
}

// addRegions adds the call tree and tells for each node its region. Siblings
// of the same name become one region.
func (a *anchor) addRegions(b *model.Builder, name string) ([]int, error) {
	regions := make([]int, len(a.nodes))
	for i, node := range a.nodes {
		region, ok := a.regions[node.callee]
		if !ok {
			return nil, mistake.InFile(name, "call path %d names region %d, which is not described", node.id, node.callee)
		}
		r := model.Region{Name: region.name + node.parameters, Kind: input.ScorepKind(region.paradigm, region.role, region.name), Parent: model.NoParent}
		if region.begin > 0 {
			r.File, r.Line = region.file, region.begin
		}
		if node.parent >= 0 {
			r.Parent = regions[node.parent]
		}
		regions[i] = b.Region(r)
	}
	return regions, nil
}

func (a *anchor) header() model.Header {
	var h model.Header
	if root := a.regions[a.nodes[0].callee]; root.paradigm == "measurement" {
		h.Program, h.Command = root.name, root.mangled
	}
	for _, attr := range a.attributes {
		lower := strings.ToLower(attr.key)
		if lower == "clustering" && strings.EqualFold(attr.value, "on") {
			h.Notes = append(h.Notes, "iterations were clustered while measuring: values of clustered call paths are shared")
		}
		if strings.HasPrefix(lower, "cube") || strings.HasPrefix(lower, "score-p::") || lower == "clustering" ||
			len(h.Factors) == 64 || attr.value == "" || len(attr.value) > 200 || len(attr.key) > 200 {
			continue
		}
		h.SetFactor(model.NewFactor(attr.key, attr.value))
	}
	return h
}

// columns prepares the values of every metric that can be read.
func (a *anchor) columns(ctx context.Context, files map[string][]byte, name string, h *model.Header) ([]column, error) {
	var columns []column
	var left []string
	names := input.MetricNames{}
	for _, metric := range a.metrics {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if metric.hidden || strings.Contains(metric.kind, "DERIVED") {
			continue
		}
		index, data := files[metric.file(indexEnding)], files[metric.file(dataEnding)]
		rows := a.severity[metric.id]
		if rows == nil && (index == nil || data == nil) {
			continue
		}
		kind, ok := types[metric.dtype]
		if !ok && rows == nil {
			left = append(left, metric.name+" ("+metric.dtype+")")
			continue
		}
		column := metric.column(kind)
		if rows != nil {
			column.at = func(node, location int) float64 { return rows.at(node, location) }
		} else {
			values, err := a.values(metric, kind, index, data, name)
			if err != nil {
				return nil, err
			}
			column.at = values.at
		}
		column.metric = names.Claim(column.metric)
		columns = append(columns, column)
	}
	if len(left) > 0 {
		more := ""
		if len(left) > 5 {
			more = fmt.Sprintf(" and %d more", len(left)-5)
			left = slices.Delete(left, 5, len(left))
		}
		h.Notes = append(h.Notes, "left out, being of a type that is no single number: "+strings.Join(left, ", ")+more)
	}
	return columns, nil
}
