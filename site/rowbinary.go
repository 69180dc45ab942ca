package site

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// writer makes rows in ClickHouse's RowBinary.
type writer struct{ data []byte }

func (w *writer) uint32(v uint32)  { w.data = binary.LittleEndian.AppendUint32(w.data, v) }
func (w *writer) int32(v int32)    { w.uint32(uint32(v)) }
func (w *writer) uint64(v uint64)  { w.data = binary.LittleEndian.AppendUint64(w.data, v) }
func (w *writer) real(v float64)   { w.uint64(math.Float64bits(v)) }
func (w *writer) time(t time.Time) { w.uint64(uint64(t.UnixMilli())) }

func (w *writer) text(s string) {
	w.data = binary.AppendUvarint(w.data, uint64(len(s)))
	w.data = append(w.data, s...)
}

// int32s and reals write arrays.
func (w *writer) int32s(list []int32) {
	w.data = binary.AppendUvarint(w.data, uint64(len(list)))
	for _, v := range list {
		w.int32(v)
	}
}

func (w *writer) reals(list []float64) {
	w.data = binary.AppendUvarint(w.data, uint64(len(list)))
	for _, v := range list {
		w.real(v)
	}
}

var errShort = errors.New("the site's answer is shorter than it says")

// reader takes rows in RowBinary apart. After an error everything is zero.
type reader struct {
	data []byte
	err  error
}

func (r *reader) more() bool { return r.err == nil && len(r.data) > 0 }

func (r *reader) take(n int) []byte {
	if r.err != nil || n < 0 || n > len(r.data) {
		r.err = errShort
		return make([]byte, min(max(n, 0), 8))
	}
	part := r.data[:n]
	r.data = r.data[n:]
	return part
}

func (r *reader) uint32() uint32 { return binary.LittleEndian.Uint32(r.take(4)) }
func (r *reader) int32() int32   { return int32(r.uint32()) }
func (r *reader) uint64() uint64 { return binary.LittleEndian.Uint64(r.take(8)) }
func (r *reader) real() float64  { return math.Float64frombits(r.uint64()) }

func (r *reader) time() time.Time { return time.UnixMilli(int64(r.uint64())).UTC() }

func (r *reader) text() string {
	n, size := binary.Uvarint(r.data)
	if size <= 0 || n > uint64(len(r.data)-size) {
		r.err = errShort
		return ""
	}
	r.data = r.data[size:]
	return string(r.take(int(n)))
}
