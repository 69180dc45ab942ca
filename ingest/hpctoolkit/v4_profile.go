package hpctoolkit

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"auspex/ingest/input"
	"auspex/internal/mistake"
	"auspex/model"
)

// Sizes of structures in profile.db.
const (
	hpcProfileSize = 48
	hpcValueSize   = 10 // metric u16, value f64
	hpcIndexSize   = 12 // context u32, first value u64
	hpcIDSize      = 16
	hpcMaxIDs      = 64
)

// hpcProfileDB reads profile.db thread by thread, so that no more than one
// thread's values are held at a time.
type hpcProfileDB struct {
	file     io.ReaderAt
	size     uint64
	name     string
	progress func(int64)
	notes    []string
	buffer   []byte
	read     uint64 // bytes of values read so far
}

// hpcThread is the profile of one thread or GPU stream.
type hpcThread struct {
	unit             model.Unit
	stream           bool // runs on a GPU
	values, contexts uint64
	pValues, pIndex  uint64
}

// block returns n bytes of the file, valid until the next call. What is asked
// for is checked against the file's size before memory is taken.
func (db *hpcProfileDB) block(offset, n uint64) ([]byte, error) {
	if offset > db.size || n > db.size-offset {
		return nil, mistake.AtByte(db.name, int64(min(offset, 1<<62)), "%d bytes are said to stand here, but the file ends at %d: it ends early or is damaged", n, db.size)
	}
	if uint64(cap(db.buffer)) < n {
		db.buffer = make([]byte, n)
	}
	p := db.buffer[:n]
	if got, err := db.file.ReadAt(p, int64(offset)); err != nil && (err != io.EOF || uint64(got) < n) {
		return nil, mistake.AtByte(db.name, int64(offset)+int64(got), "%v", err)
	}
	if db.progress != nil {
		db.progress(int64(n))
	}
	return p, nil
}

func (db *hpcProfileDB) readInto(ctx context.Context, meta *hpcMetaDB, b *model.Builder) error {
	threads, err := db.threads(meta)
	if err != nil {
		return err
	}
	columns := make([]int, len(meta.metrics))
	for m, metric := range meta.metrics {
		columns[m] = b.Metric(metric.Metric)
	}
	sums := &input.RegionSums{Metrics: len(columns)}
	for _, t := range threads {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := db.sum(t, meta, sums); err != nil {
			return err
		}
		sums.Flush(b, b.Unit(t.unit), columns)
	}
	return nil
}

// threads lists the profiles that belong to one thread each; the others are
// summaries over several.
func (db *hpcProfileDB) threads(meta *hpcMetaDB) ([]hpcThread, error) {
	head, err := db.block(0, min(48, db.size))
	if err != nil {
		return nil, err
	}
	d := newHPCBytes(slices.Clone(head), db.name)
	if err := d.header("prof"); err != nil {
		return nil, err
	}
	footer, err := db.block(db.size-min(db.size, uint64(len(hpcProfileFooter))), min(db.size, uint64(len(hpcProfileFooter))))
	if err != nil {
		return nil, err
	}
	if string(footer) != hpcProfileFooter {
		return nil, mistake.AtByte(db.name, int64(db.size), "ends early: the closing %q is missing", hpcProfileFooter)
	}
	section, _ := d.section(0)
	if d.err != nil {
		return nil, d.err
	}
	p, err := db.block(section, 13)
	if err != nil {
		return nil, err
	}
	list, count, stride := binary.LittleEndian.Uint64(p), uint64(binary.LittleEndian.Uint32(p[8:])), uint64(p[12])
	if stride < hpcProfileSize {
		return nil, mistake.AtByte(db.name, int64(section)+12, "profiles described in %d bytes: too small", stride)
	}
	p, err = db.block(list, count*stride)
	if err != nil {
		return nil, err
	}
	table := slices.Clone(p)
	var threads []hpcThread
	for i := uint64(0); i < count; i++ {
		info := table[i*stride:]
		if binary.LittleEndian.Uint32(info[40:])&1 != 0 {
			continue
		}
		t := hpcThread{
			values: binary.LittleEndian.Uint64(info), pValues: binary.LittleEndian.Uint64(info[8:]),
			contexts: uint64(binary.LittleEndian.Uint32(info[16:])), pIndex: binary.LittleEndian.Uint64(info[24:]),
		}
		if err := db.identify(&t, binary.LittleEndian.Uint64(info[32:]), meta.kinds); err != nil {
			return nil, err
		}
		threads = append(threads, t)
	}
	if len(threads) == 0 {
		return nil, mistake.InFile(db.name, "holds no profile of a single thread")
	}
	return db.number(threads), nil
}

// identify reads the identifiers of a profile: node, rank, thread.
func (db *hpcProfileDB) identify(t *hpcThread, offset uint64, kinds []string) error {
	if offset == 0 {
		return nil
	}
	p, err := db.block(offset, 2)
	if err != nil {
		return err
	}
	count := binary.LittleEndian.Uint16(p)
	if count > hpcMaxIDs {
		return mistake.AtByte(db.name, int64(offset), "%d identifiers for one thread", count)
	}
	p, err = db.block(offset+8, uint64(count)*hpcIDSize)
	if err != nil {
		return err
	}
	for ; len(p) > 0; p = p[hpcIDSize:] {
		kind, physical := int(p[0]), binary.LittleEndian.Uint16(p[2:])&1 != 0
		logical, id := int(binary.LittleEndian.Uint32(p[4:])), binary.LittleEndian.Uint64(p[8:])
		if kind >= len(kinds) {
			continue
		}
		logical = min(logical, input.MaxUnitNumber)
		switch kinds[kind] {
		case "NODE":
			t.unit.Node = strconv.Itoa(logical)
			if physical {
				t.unit.Node = fmt.Sprintf("%08x", id)
			}
		case "RANK":
			t.unit.Process = logical
		case "THREAD":
			t.unit.Thread = logical
		case "GPUSTREAM", "GPUCONTEXT":
			t.stream = true
		}
	}
	return nil
}

// number orders the threads and gives GPU streams thread numbers behind those
// of the CPU.
func (db *hpcProfileDB) number(threads []hpcThread) []hpcThread {
	slices.SortStableFunc(threads, func(a, b hpcThread) int {
		if a.stream != b.stream {
			if b.stream {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.unit.Process, b.unit.Process), cmp.Compare(a.unit.Thread, b.unit.Thread))
	})
	numbers := input.NewUnitNumbers()
	streams := 0
	for i := range threads {
		threads[i].unit = numbers.Claim(threads[i].unit)
		if threads[i].stream {
			streams++
		}
	}
	if streams > 0 {
		db.notes = append(db.notes, fmt.Sprintf("%d GPU streams are counted as threads of their process", streams))
	}
	return threads
}

// sum adds up the values of one thread. An inclusive value belongs to the
// region a context begins and is taken from the region around it; contexts
// that begin no region cancel out.
func (db *hpcProfileDB) sum(t hpcThread, meta *hpcMetaDB, sums *input.RegionSums) error {
	if t.values == 0 || t.contexts == 0 {
		return nil
	}
	if t.pIndex < t.pValues || t.values > db.size/hpcValueSize || t.contexts > db.size/hpcIndexSize ||
		t.values*hpcValueSize > t.pIndex-t.pValues {
		return mistake.AtByte(db.name, int64(min(t.pValues, 1<<62)), "%d values of %s do not fit before byte %d: the file is damaged", t.values, t.unit, t.pIndex)
	}
	n := t.pIndex - t.pValues + t.contexts*hpcIndexSize
	if db.read += n; db.read > db.size {
		return mistake.AtByte(db.name, int64(t.pValues), "the values of %s overlap others: the file is damaged", t.unit)
	}
	p, err := db.block(t.pValues, n)
	if err != nil {
		return err
	}
	values, index := p[:t.values*hpcValueSize], p[t.pIndex-t.pValues:]
	for len(index) > 0 {
		id, first := binary.LittleEndian.Uint32(index), binary.LittleEndian.Uint64(index[4:])
		index = index[hpcIndexSize:]
		last := t.values
		if len(index) > 0 {
			last = binary.LittleEndian.Uint64(index[4:])
		}
		if first > last || last > t.values {
			return mistake.AtByte(db.name, int64(t.pIndex), "context %d has the values %d to %d of %d: the file is damaged", id, first, last, t.values)
		}
		if place, ok := meta.contexts[id]; ok {
			addContext(sums, place, values[first*hpcValueSize:last*hpcValueSize], meta)
		}
	}
	sums.DropRounding()
	return nil
}

// addContext adds the values of one context.
func addContext(s *input.RegionSums, place hpcContext, values []byte, meta *hpcMetaDB) {
	for ; len(values) > 0; values = values[hpcValueSize:] {
		m, ok := meta.byID[binary.LittleEndian.Uint16(values)]
		if !ok {
			continue
		}
		v := math.Float64frombits(binary.LittleEndian.Uint64(values[2:])) * meta.metrics[m].scale
		if v == 0 || v != v || math.IsInf(v, 0) {
			continue
		}
		region, outer := int(place.region), int(place.outer)
		if meta.metrics[m].inclusive && region == outer {
			continue
		}
		s.EnterPath(region, meta.parents)
		*s.At(region, m) += v
		if meta.metrics[m].inclusive && outer >= 0 {
			*s.At(outer, m) -= v
		}
	}
}
