package hpctoolkit

import (
	"bufio"
	"context"
	"encoding/xml"
	"io"
	"slices"
	"strconv"
	"strings"

	"auspex/ingest/input"
	"auspex/internal/mistake"
	"auspex/model"
)

// hpcTree is what experiment.xml tells: which regions there are, which
// numbered node of the call tree belongs to which, and which columns of a
// metric-db to read.
//
// All cost sits in the leaves of the tree, the statements (S); the values of
// procedure frames (PF), loops (L) and call sites (C) are sums of those, each
// kind over another set of nodes. So only leaves are read, and each is added
// to the procedure or loop around it. The result is the exclusive cost of a
// region in the usual sense: without its loops, without its callees.
type hpcTree struct {
	program string
	metrics []hpcColumn
	columns int       // values in a row of a metric-db
	leaves  []hpcLeaf // ordered by node
	nodes   uint32    // the largest node number
	parents []int32   // of the regions
	root    int       // the region of the whole program
}

// hpcColumn is a metric and its place in the rows of a metric-db.
type hpcColumn struct {
	model.Metric
	column int
	scale  float64
}

type hpcLeaf struct {
	node   uint32
	region int32
}

// hpcFrame is an open node of the call tree.
type hpcFrame struct {
	node    uint32
	region  int // the innermost region around it
	depth   int // of that region
	inner   bool
	element string
}

type hpcParser struct {
	in    *input.XML
	b     *model.Builder
	tree  *hpcTree
	names map[string]map[string]string // table, number, name
	dbs   []hpcMetricDB
	stack []hpcFrame
}

// parseHPCTree reads an experiment.xml and adds its regions to the builder.
func parseHPCTree(ctx context.Context, r *bufio.Reader, name string, b *model.Builder) (*hpcTree, error) {
	p := &hpcParser{
		in: input.NewXML(ctx, r, name), b: b, tree: &hpcTree{},
		names: map[string]map[string]string{"LoadModule": {}, "File": {}, "Procedure": {}},
	}
	known := false
	for {
		token, err := p.in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if !known && t.Name.Local != hpcRootElement {
				return nil, p.in.Errorf("starts with <%s>: no HPCToolkit database", t.Name.Local)
			}
			known = true
			err = p.start(t)
		case xml.EndElement:
			p.end(t.Name.Local)
		}
		if err != nil {
			return nil, err
		}
	}
	return p.finish()
}

func (p *hpcParser) start(t xml.StartElement) error {
	switch name := t.Name.Local; name {
	case hpcRootElement:
		if v := input.Attribute(t, "version"); !strings.HasPrefix(v, "2.") {
			return p.in.Errorf("is version %q of this format; versions 2.x can be read", v)
		}
	case "SecCallPathProfile":
		p.tree.program = input.Attribute(t, "n")
	case "LoadModule", "File", "Procedure":
		p.names[name][input.Attribute(t, "i")] = input.Attribute(t, "n")
	case "MetricDB":
		return p.metricDB(t)
	case "PF", "Pr", "P", "L", "C", "S":
		return p.node(t)
	}
	return nil
}

// node opens a node of the call tree.
func (p *hpcParser) node(t xml.StartElement) error {
	number, err := strconv.ParseUint(input.Attribute(t, "i"), 10, 32)
	if err != nil || number == 0 {
		return p.in.Errorf("<%s> has no number (i=%q)", t.Name.Local, input.Attribute(t, "i"))
	}
	frame := hpcFrame{node: uint32(number), region: model.NoParent, element: t.Name.Local}
	if last := len(p.stack) - 1; last >= 0 {
		p.stack[last].inner = true
		frame.region, frame.depth = p.stack[last].region, p.stack[last].depth
	}
	p.tree.nodes = max(p.tree.nodes, frame.node)
	if t.Name.Local != "C" && t.Name.Local != "S" {
		if frame.depth++; frame.depth > input.MaxRegionDepth {
			return p.in.Errorf("call paths of more than %d procedures and loops", input.MaxRegionDepth)
		}
		region := p.region(t, frame.region)
		frame.region = p.b.Region(region)
		if region.Parent == model.NoParent && region.Name == "<program root>" {
			p.tree.root = frame.region
		}
		for len(p.tree.parents) < p.b.RegionCount() {
			p.tree.parents = append(p.tree.parents, -1)
		}
		if last := len(p.stack) - 1; last >= 0 {
			p.tree.parents[frame.region] = int32(p.stack[last].region)
		}
	}
	p.stack = append(p.stack, frame)
	return nil
}

func (p *hpcParser) region(t xml.StartElement, parent int) model.Region {
	file := p.lookup("File", input.Attribute(t, "f"))
	from, _, _ := strings.Cut(input.Attribute(t, "l"), "-")
	line, err := strconv.Atoi(from)
	if err != nil || line < 0 {
		line = 0
	}
	if t.Name.Local == "L" {
		return hpcLoop(file, line, functionAround(p.b, parent), parent)
	}
	return hpcFunction(p.lookup("Procedure", input.Attribute(t, "n")), file, line, parent)
}

// lookup finds a name in a table; the attribute may hold the name itself.
func (p *hpcParser) lookup(table, value string) string {
	if name, ok := p.names[table][value]; ok {
		return name
	}
	return value
}

func (p *hpcParser) end(name string) {
	last := len(p.stack) - 1
	if last < 0 || p.stack[last].element != name {
		return
	}
	frame := p.stack[last]
	p.stack = p.stack[:last]
	if (!frame.inner || frame.element == "S") && frame.region != model.NoParent {
		p.tree.leaves = append(p.tree.leaves, hpcLeaf{frame.node, int32(frame.region)})
	}
}

func (p *hpcParser) finish() (*hpcTree, error) {
	if p.b.RegionCount() == 0 {
		return nil, mistake.InFile(p.in.Name, "holds no call tree")
	}
	if err := p.chooseColumns(); err != nil {
		return nil, err
	}
	slices.SortFunc(p.tree.leaves, func(a, b hpcLeaf) int { return int(int64(a.node) - int64(b.node)) })
	return p.tree, nil
}

// hpcMetricDB is a column of the metric-db files as the XML describes it.
type hpcMetricDB struct {
	name      string // without (I) or (E)
	exclusive bool
	column    int
}

// metricDB notes one <MetricDB>.
func (p *hpcParser) metricDB(t xml.StartElement) error {
	column, err1 := strconv.Atoi(input.Attribute(t, "db-id"))
	columns, err2 := strconv.Atoi(input.Attribute(t, "db-num-metrics"))
	if err1 != nil || err2 != nil || column < 0 || column >= columns || columns > hpcMaxColumns {
		return p.in.Errorf("metric %q has no place in the metric-db files (db-id=%q of db-num-metrics=%q)",
			input.Attribute(t, "n"), input.Attribute(t, "db-id"), input.Attribute(t, "db-num-metrics"))
	}
	if len(p.dbs) > 0 && columns != p.tree.columns {
		return p.in.Errorf("metric %q is one of %d, the one before of %d", input.Attribute(t, "n"), columns, p.tree.columns)
	}
	p.tree.columns = columns
	name := input.Attribute(t, "n")
	name = strings.TrimSuffix(strings.TrimSuffix(name, " (I)"), " (E)")
	p.dbs = append(p.dbs, hpcMetricDB{name: name, exclusive: input.Attribute(t, "t") == "exclusive", column: column})
	return nil
}

// chooseColumns takes one column per metric. In the leaves the inclusive and
// the exclusive value are the same, so either will do.
func (p *hpcParser) chooseColumns() error {
	index := map[string]int{}
	names := input.MetricNames{}
	for _, db := range p.dbs {
		if at, ok := index[db.name]; ok {
			if db.exclusive {
				p.tree.metrics[at].column = db.column
			}
			continue
		}
		index[db.name] = len(p.tree.metrics)
		metric, scale := hpcMetric(db.name)
		p.tree.metrics = append(p.tree.metrics, hpcColumn{names.Claim(metric), db.column, scale})
	}
	if len(p.tree.metrics) == 0 {
		return mistake.InFile(p.in.Name, "names no metrics that are stored per thread (MetricDB)")
	}
	return nil
}
