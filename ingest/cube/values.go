package cube

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"io"
	"math"
	"strconv"
	"strings"

	"auspex/ingest/input"
	"auspex/internal/mistake"
	"auspex/model"
)

// noValue and above is what minima and maxima begin with before a first
// value: the largest double.
const noValue = 1e300

// names maps the unique names of Score-P's metrics onto the canonical
// ones.
var names = map[string]string{
	"visits": model.Calls, "time": model.WallTime,
	"bytes_sent": model.BytesSent, "bytes_received": model.BytesReceived,
	"io_bytes_read": model.IORead, "io_bytes_written": model.IOWritten,
}

// cubeType is a type of values: its size and how to read one.
type cubeType struct {
	size int
	read func(order binary.ByteOrder, p []byte) float64
	pick func(a, b float64) float64 // for minima and maxima: which of two stays
}

func double(o binary.ByteOrder, p []byte) float64     { return math.Float64frombits(o.Uint64(p)) }
func cubeInt8(o binary.ByteOrder, p []byte) float64   { return float64(int8(p[0])) }
func cubeUint8(o binary.ByteOrder, p []byte) float64  { return float64(p[0]) }
func cubeInt16(o binary.ByteOrder, p []byte) float64  { return float64(int16(o.Uint16(p))) }
func cubeUint16(o binary.ByteOrder, p []byte) float64 { return float64(o.Uint16(p)) }
func cubeInt32(o binary.ByteOrder, p []byte) float64  { return float64(int32(o.Uint32(p))) }
func cubeUint32(o binary.ByteOrder, p []byte) float64 { return float64(o.Uint32(p)) }

// cubeInt64 reads unsigned values too: those with the highest bit set come
// from counters that went below zero.
func cubeInt64(o binary.ByteOrder, p []byte) float64 { return float64(int64(o.Uint64(p))) }

var types = map[string]cubeType{
	"DOUBLE": {8, double, nil}, "FLOAT": {8, double, nil},
	"MINDOUBLE": {8, double, math.Min}, "MAXDOUBLE": {8, double, math.Max},
	"INT64": {8, cubeInt64, nil}, "UINT64": {8, cubeInt64, nil},
	"INTEGER": {8, cubeInt64, nil}, "SIGNED INTEGER": {8, cubeInt64, nil}, "UNSIGNED INTEGER": {8, cubeInt64, nil},
	"INT32": {4, cubeInt32, nil}, "INT": {4, cubeInt32, nil}, "SIGNED INT": {4, cubeInt32, nil},
	"UINT32": {4, cubeUint32, nil}, "UNSIGNED INT": {4, cubeUint32, nil},
	"INT16": {2, cubeInt16, nil}, "SHORT INT": {2, cubeInt16, nil}, "SIGNED SHORT INT": {2, cubeInt16, nil},
	"UINT16": {2, cubeUint16, nil}, "UNSIGNED SHORT INT": {2, cubeUint16, nil},
	"INT8": {1, cubeInt8, nil}, "UINT8": {1, cubeUint8, nil}, "CHAR": {1, cubeUint8, nil},
}

// column is a metric with its values by node and location.
type column struct {
	metric model.Metric
	scale  float64
	pick   func(a, b float64) float64
	at     func(node, location int) float64
}

// column describes the metric as ours.
func (m *metric) column(kind cubeType) column {
	name := names[m.name]
	if name == "" {
		name = input.CounterNames[m.name]
	}
	if name == "" {
		name = cmp.Or(m.name, "metric_"+strconv.Itoa(m.id))
	}
	scope := model.Exclusive
	switch {
	case kind.pick != nil, m.kind == "SIMPLE", name == model.Calls:
		scope = model.Own
	case m.kind == "INCLUSIVE":
		scope = model.Inclusive
	}
	c := column{metric: model.NewMetric(name, m.name, scope), scale: 1, pick: kind.pick}
	if kind.pick != nil {
		c.metric.Missing = model.Absent
	}
	switch unit := strings.ToLower(m.uom); {
	case input.TimeScales[unit] != 0:
		c.metric.Unit, c.scale = "s", input.TimeScales[unit]
	case unit == "occ", unit == "#", unit == "", model.IsCanonical(name):
	default:
		c.metric.Unit = m.uom
	}
	return c
}

// values are the values of one metric: a row of locations per node of the
// call tree that has any.
type values struct {
	row   []int32 // row of a node, -1 without
	data  []byte
	width int // bytes of a row
	order binary.ByteOrder
	kind  cubeType
}

func (v *values) at(node, location int) float64 {
	row := v.row[node]
	if row < 0 {
		return 0
	}
	return v.kind.read(v.order, v.data[int(row)*v.width+location*v.kind.size:])
}

// Markers and header of index and data files.
const (
	indexMarker = "CUBEX.INDEX"
	dataMarker  = "CUBEX.DATA"
	zipMarker   = "ZCUBEX.DATA"
	indexHeader = len(indexMarker) + 4 + 2 + 1 // byte order, version, format
	sparse      = 1
	dense       = 3
)

// values reads the index and data files of a metric.
func (a *anchor) values(m metric, kind cubeType, index, data []byte, name string) (*values, error) {
	v := &values{kind: kind, width: len(a.locations) * kind.size}
	rows, err := v.readIndex(index, a.enumerate(m.kind == "INCLUSIVE"), name+":"+m.file(indexEnding))
	if err != nil {
		return nil, err
	}
	name += ":" + m.file(dataEnding)
	switch {
	case bytes.HasPrefix(data, []byte(dataMarker)):
		v.data = data[len(dataMarker):]
		if need := rows * v.width; len(v.data) < need {
			return nil, mistake.AtByte(name, int64(len(data)), "ends early: %d call paths at %d locations need %d bytes", rows, len(a.locations), need)
		}
		return v, nil
	case bytes.HasPrefix(data, []byte(zipMarker)):
		return v, v.unzip(data, rows, name)
	}
	return nil, mistake.AtByte(name, 0, "does not begin with %q", dataMarker)
}

// readIndex finds the row of every node and returns the number of rows. Nodes
// are numbered in the order in which the metric's kind stores them.
func (v *values) readIndex(p []byte, nodes []int32, name string) (rows int, err error) {
	if !bytes.HasPrefix(p, []byte(indexMarker)) {
		return 0, mistake.AtByte(name, 0, "does not begin with %q", indexMarker)
	}
	if len(p) < indexHeader {
		return 0, mistake.AtByte(name, int64(len(p)), "ends early")
	}
	switch one := p[len(indexMarker):]; {
	case binary.LittleEndian.Uint32(one) == 1:
		v.order = binary.LittleEndian
	case binary.BigEndian.Uint32(one) == 1:
		v.order = binary.BigEndian
	default:
		return 0, mistake.AtByte(name, int64(len(indexMarker)), "unknown byte order")
	}
	v.row = make([]int32, len(nodes))
	for i := range v.row {
		v.row[i] = -1
	}
	switch format := p[indexHeader-1]; format {
	case dense:
		for row, node := range nodes {
			v.row[node] = int32(row)
		}
		return len(nodes), nil
	case sparse:
	default:
		return 0, mistake.AtByte(name, int64(indexHeader-1), "index of unknown format %d", format)
	}
	list := p[indexHeader:]
	if len(list) < 4 || uint64(len(list)-4) < 4*uint64(v.order.Uint32(list)) {
		return 0, mistake.AtByte(name, int64(len(p)), "ends early")
	}
	rows = int(v.order.Uint32(list))
	for row := range rows {
		number := v.order.Uint32(list[4+4*row:])
		if uint64(number) >= uint64(len(nodes)) {
			return 0, mistake.AtByte(name, int64(indexHeader+4+4*row), "names call path %d of %d", number, len(nodes))
		}
		v.row[nodes[number]] = int32(row)
	}
	return rows, nil
}

// unzip decompresses a data file, in which every row is compressed by itself.
// A table tells for each where it belongs and where its bytes stand.
func (v *values) unzip(p []byte, rows int, name string) error {
	start := len(zipMarker)
	if len(p) < start+8 {
		return mistake.AtByte(name, int64(len(p)), "ends early")
	}
	count := v.order.Uint64(p[start:])
	table := p[start+8:]
	if count > uint64(len(table))/24 {
		return mistake.AtByte(name, int64(start), "a table of %d rows does not fit in %d bytes: the file ends early", count, len(p))
	}
	packed := table[24*count:]
	total := rows * v.width
	if total > input.BombSize && total/input.BombRatio > len(p) {
		return mistake.AtByte(name, 0, "decompresses to more than %d times its size: refused as a decompression bomb", input.BombRatio)
	}
	v.data = make([]byte, total)
	for i := range count {
		entry := table[24*i:]
		to, from, size := v.order.Uint64(entry), v.order.Uint64(entry[8:]), v.order.Uint64(entry[16:])
		if size == 0 {
			continue // a row that was never written holds zeros
		}
		if from > uint64(len(packed)) || size > uint64(len(packed))-from ||
			to > uint64(total) || uint64(v.width) > uint64(total)-to {
			return mistake.AtByte(name, int64(start+8)+int64(24*i), "row %d lies outside the file", i)
		}
		if err := inflate(v.data[to:to+uint64(v.width)], packed[from:from+size]); err != nil {
			return mistake.AtByte(name, int64(start+8)+int64(24*count+from), "damaged zlib data: %v", err)
		}
	}
	return nil
}

// inflate fills a row from its compressed bytes.
func inflate(row, packed []byte) error {
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	_, err = io.ReadFull(z, row)
	return err
}

// enumerate lists the nodes in the order in which a metric numbers them.
// Exclusive metrics go depth first. Inclusive ones number all children of a
// node in a row, so that an exclusive value is a node less its neighbours.
func (a *anchor) enumerate(inclusive bool) []int32 {
	order := make([]int32, 0, len(a.nodes))
	if !inclusive {
		for i := range a.nodes {
			order = append(order, int32(i))
		}
		return order
	}
	children := make([][]int32, len(a.nodes))
	var roots []int32
	for i, node := range a.nodes {
		if node.parent < 0 {
			roots = append(roots, int32(i))
		} else {
			children[node.parent] = append(children[node.parent], int32(i))
		}
	}
	for _, root := range roots {
		order = append(order, root)
		stack := []int32{root}
		for len(stack) > 0 {
			node := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			order = append(order, children[node]...)
			for i := len(children[node]) - 1; i >= 0; i-- {
				stack = append(stack, children[node][i])
			}
		}
	}
	return order
}
