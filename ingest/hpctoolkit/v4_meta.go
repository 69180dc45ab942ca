package hpctoolkit

import (
	"bytes"
	"fmt"
	"math"
	"path"

	"auspex/ingest/input"
	"auspex/internal/mistake"
	"auspex/model"
)

// hpcMetaDB is what meta.db tells.
type hpcMetaDB struct {
	title   string
	kinds   []string // names of the kinds of identifiers: NODE, RANK, THREAD …
	metrics []hpcScoped
	byID    map[uint16]int // the metric whose values have this number in profile.db
	// contexts tells for every context of profile.db where its values go.
	contexts map[uint32]hpcContext
	parents  []int32 // of the regions
	notes    []string
}

// hpcScoped is a metric and how its values are to be read.
type hpcScoped struct {
	model.Metric
	scale     float64
	inclusive bool // values include those of the contexts below
}

// hpcContext places a context. Its own region differs from the outer one,
// that of its parent, where it begins a region; lines and instructions fall
// to the region around them.
type hpcContext struct {
	region, outer int32
}

// Sections of meta.db.
const (
	hpcGeneral = iota
	hpcIDNames
	hpcMetrics
	hpcContexts
)

// Scopes over which HPCToolkit sums a metric.
const (
	hpcScopePoint     = 1 // as measured
	hpcScopeExecution = 2 // with everything below
)

// parseHPCMeta reads a meta.db and adds its regions to the builder.
func parseHPCMeta(data []byte, name string, b *model.Builder) (*hpcMetaDB, error) {
	d := newHPCBytes(data, name)
	if err := d.header("meta"); err != nil {
		return nil, err
	}
	if !bytes.HasSuffix(data, []byte(hpcMetaFooter)) {
		return nil, mistake.AtByte(name, int64(len(data)), "ends early: the closing %q is missing", hpcMetaFooter)
	}
	meta := &hpcMetaDB{byID: map[uint16]int{}, contexts: map[uint32]hpcContext{}}
	general, _ := d.section(hpcGeneral)
	meta.title = d.text(d.u64(general))
	meta.readKinds(d)
	meta.readMetrics(d)
	if d.err != nil {
		return nil, d.err
	}
	if len(meta.metrics) == 0 {
		return nil, mistake.InFile(name, "holds no metric with the values of each thread")
	}
	tree := &hpcContextTree{d: d, b: b, meta: meta, functions: map[uint64]hpcFunctionInfo{}}
	if err := tree.read(); err != nil {
		return nil, err
	}
	return meta, nil
}

func (meta *hpcMetaDB) readKinds(d *hpcBytes) {
	section, _ := d.section(hpcIDNames)
	names, count := d.u64(section), int(d.u8(section+8))
	for i := 0; i < count && d.err == nil; i++ {
		meta.kinds = append(meta.kinds, d.text(d.u64(names+8*uint64(i))))
	}
}

// readMetrics chooses for every metric the values to read. Contexts below the
// line, single instructions, are often left out of meta.db though profile.db
// has values for them; sums over everything below (execution) stay right all
// the same, values as measured (point) do not. So the former are preferred.
func (meta *hpcMetaDB) readMetrics(d *hpcBytes) {
	section, _ := d.section(hpcMetrics)
	metrics, count := d.u64(section), d.u32(section+8)
	metricSize, scopeSize := uint64(d.u8(section+12)), uint64(d.u8(section+13))
	if count > math.MaxUint16 {
		d.fail(section+8, "%d metrics", count)
	}
	if count > 0 && (metricSize < 28 || scopeSize < 10) {
		d.fail(section+12, "metrics of %d and %d bytes are too small", metricSize, scopeSize)
	}
	names := input.MetricNames{}
	left := 0
	for i := uint64(0); i < uint64(count) && d.err == nil; i++ {
		at := metrics + i*metricSize
		name, scopes, scopeCount := d.text(d.u64(at)), d.u64(at+8), uint64(d.u16(at+24))
		best, id := uint8(0), uint16(0)
		for s := uint64(0); s < scopeCount && d.err == nil; s++ {
			instance := scopes + s*scopeSize
			kind := d.u8(d.u64(instance) + 8)
			if (kind == hpcScopePoint || kind == hpcScopeExecution) && kind > best {
				best, id = kind, d.u16(instance+8)
			}
		}
		if best == 0 {
			left++
			continue
		}
		metric, scale := hpcMetric(name)
		meta.byID[id] = len(meta.metrics)
		meta.metrics = append(meta.metrics, hpcScoped{names.Claim(metric), scale, best == hpcScopeExecution})
	}
	if left > 0 {
		meta.notes = append(meta.notes, fmt.Sprintf("%d metrics without values per context were left out", left))
	}
}

// hpcFunctionInfo is a function as the Functions section describes it.
type hpcFunctionInfo struct {
	name, file string
	line       int
}

// function reads the function at the offset.
func (t *hpcContextTree) function(offset uint64) hpcFunctionInfo {
	if f, ok := t.functions[offset]; ok {
		return f
	}
	d := t.d
	f := hpcFunctionInfo{name: d.text(d.u64(offset)), line: int(d.u32(offset + 32))}
	if file := d.u64(offset + 24); file != 0 {
		f.file = d.text(d.u64(file + 8))
	}
	if module := d.u64(offset + 8); f.name == "" && module != 0 {
		f.name = hpcUnknownIn(d.text(d.u64(module + 8)))
	}
	t.functions[offset] = f
	return f
}

// hpcUnknownIn names code of which only the library is known.
func hpcUnknownIn(module string) string {
	return "<unknown procedure> [" + input.Clip(path.Base(module), input.MaxFileName) + "]"
}
