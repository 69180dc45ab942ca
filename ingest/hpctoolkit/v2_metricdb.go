package hpctoolkit

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"

	"auspex/ingest/input"
	"auspex/internal/mistake"
)

// A metric-db file begins with a magic word, a version, a letter for the byte
// order and two counts; then follow the values, a row of metrics per node of
// the call tree, nodes counting from 1.
const (
	metricDBMagic  = "HPCPROF-metricdb__"
	metricDBHeader = len(metricDBMagic) + 5 + 1 + 4 + 4
	metricDBChunk  = 32 << 10 // what is looked at in one go
)

// read adds up the values of one thread.
func (f *metricDB) read(src *input.Source, tree *hpcTree, sums *input.RegionSums) error {
	in, err := src.Open(f.path)
	if err != nil {
		return err
	}
	defer in.Close()
	return readMetricDB(in.Reader, src.GivenFor(f.path), tree, sums)
}

func readMetricDB(r *bufio.Reader, name string, tree *hpcTree, sums *input.RegionSums) error {
	header, err := peekExactly(r, metricDBHeader, name, 0)
	if err != nil {
		return err
	}
	if string(header[:len(metricDBMagic)]) != metricDBMagic {
		return mistake.AtByte(name, 0, "is no metric-db file: it does not begin with %q", metricDBMagic)
	}
	var order binary.ByteOrder = binary.BigEndian
	switch at := len(metricDBMagic) + 5; header[at] {
	case 'b':
	case 'l':
		order = binary.LittleEndian
	default:
		return mistake.AtByte(name, int64(at), "unknown byte order %q", header[at])
	}
	nodes, columns := order.Uint32(header[metricDBHeader-8:]), order.Uint32(header[metricDBHeader-4:])
	if int64(columns) != int64(tree.columns) {
		return mistake.AtByte(name, int64(metricDBHeader-4), "has %d metrics, but %s says %d", columns, hpcExperiment, tree.columns)
	}
	if nodes < tree.nodes {
		return mistake.AtByte(name, int64(metricDBHeader-8), "has values of %d nodes, but the call tree in %s has %d: it belongs to another database", nodes, hpcExperiment, tree.nodes)
	}
	_, _ = r.Discard(metricDBHeader)
	return readMetricRows(r, name, order, tree, sums)
}

// readMetricRows goes through the rows in order, stopping at those of leaves.
func readMetricRows(r *bufio.Reader, name string, order binary.ByteOrder, tree *hpcTree, sums *input.RegionSums) error {
	size := 8 * tree.columns
	rows := int64(max(1, metricDBChunk/size))
	leaves := tree.leaves
	for first, last := int64(1), int64(tree.nodes); first <= last; first += rows {
		chunk, err := peekExactly(r, int(min(rows, last-first+1))*size, name, int64(metricDBHeader)+(first-1)*int64(size))
		if err != nil {
			return err
		}
		for len(leaves) > 0 && int64(leaves[0].node) < first+rows {
			row := chunk[int(int64(leaves[0].node)-first)*size:]
			addLeaf(sums, int(leaves[0].region), row, order, tree)
			leaves = leaves[1:]
		}
		_, _ = r.Discard(len(chunk))
	}
	return nil
}

// addLeaf adds one row of values to the region around the leaf.
func addLeaf(s *input.RegionSums, region int, row []byte, order binary.ByteOrder, tree *hpcTree) {
	for m := range tree.metrics {
		metric := &tree.metrics[m]
		v := math.Float64frombits(order.Uint64(row[8*metric.column:]))
		if v == 0 || v != v || math.IsInf(v, 0) {
			continue
		}
		s.EnterPath(region, tree.parents)
		*s.At(region, m) += v * metric.scale
	}
}

// peekExactly returns the next n bytes, which stand at the offset in the
// file, without a copy.
func peekExactly(r *bufio.Reader, n int, name string, offset int64) ([]byte, error) {
	p, err := r.Peek(n)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, mistake.AtByte(name, offset+int64(len(p)), "ends early")
	}
	if err != nil {
		return nil, mistake.AtByte(name, offset+int64(len(p)), "%v", err)
	}
	return p, nil
}
