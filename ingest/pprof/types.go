package pprof

import (
	"encoding/binary"

	"auspex/model"

	"github.com/google/pprof/profile"
)

// pprofTypes maps sample types onto the canonical metrics; others keep their
// names.
var pprofTypes = map[string]string{
	"cpu": model.CPUTime, "cpu-time": model.CPUTime, "cpu_time": model.CPUTime,
	"wall": model.WallTime, "wall-time": model.WallTime, "wall_time": model.WallTime,
}

// units gives the unit a value is stored in and the factor to it.
var units = map[string]struct {
	unit  string
	scale float64
}{
	"nanoseconds": {"s", 1e-9}, "nanosecond": {"s", 1e-9}, "ns": {"s", 1e-9},
	"microseconds": {"s", 1e-6}, "microsecond": {"s", 1e-6}, "us": {"s", 1e-6},
	"milliseconds": {"s", 1e-3}, "millisecond": {"s", 1e-3}, "ms": {"s", 1e-3},
	"seconds": {"s", 1}, "second": {"s", 1}, "s": {"s", 1},
	"bytes": {"bytes", 1}, "byte": {"bytes", 1},
	"kilobytes": {"bytes", 1 << 10}, "megabytes": {"bytes", 1 << 20}, "gigabytes": {"bytes", 1 << 30},
}

// column is where the values of a sample type go.
type column struct {
	metric int
	scale  float64
}

// columns adds the sample types to the builder as exclusive metrics.
func columns(b *model.Builder, types []*profile.ValueType) []column {
	columns := make([]column, len(types))
	taken := map[string]bool{}
	for i, t := range types {
		unit, known := units[t.Unit]
		if !known {
			unit.unit, unit.scale = "count", 1
		}
		name := t.Type
		if canonical, ok := pprofTypes[t.Type]; ok && unit.unit == "s" && !taken[canonical] {
			name = canonical
		}
		if name == "" {
			name = "value"
		}
		for taken[name] {
			name += "'"
		}
		taken[name] = true
		metric := model.NewMetric(name, t.Type, model.Exclusive)
		metric.Unit = unit.unit
		columns[i] = column{b.Metric(metric), unit.scale}
	}
	return columns
}

// The fields of a pprof message by number: 'v' for a number, 'm' for anything
// with a length.
const fields = "?mmmmmmvvvvmv?v?"

// looksLike tells from the first bytes whether this can be a pprof
// message. Protobuf has no magic number, so the fields are walked: all must be
// known, and one of them a sample type of two numbers. Whole says that there
// is nothing after these bytes.
func looksLike(head []byte, whole bool) bool {
	types := 0
	for len(head) > 0 {
		key, n := binary.Uvarint(head)
		if n <= 0 {
			return n == 0 && !whole && types > 0
		}
		field, wire := key>>3, key&7
		if field == 0 || field >= uint64(len(fields)) {
			return false
		}
		kind := fields[field]
		head = head[n:]
		value, n := binary.Uvarint(head)
		if n <= 0 {
			return n == 0 && !whole && types > 0
		}
		head = head[n:]
		switch {
		case wire == 0 && kind != 'm':
		case wire == 2 && kind != 'v':
			if value > uint64(len(head)) {
				return !whole && types > 0
			}
			if field == 1 {
				if !isType(head[:value]) {
					return false
				}
				types++
			}
			head = head[value:]
		default:
			return false
		}
	}
	return types > 0
}

// isType recognises a sample type: the numbers of two strings.
func isType(message []byte) bool {
	for len(message) > 0 {
		if message[0] != 1<<3 && message[0] != 2<<3 {
			return false
		}
		_, n := binary.Uvarint(message[1:])
		if n <= 0 {
			return false
		}
		message = message[1+n:]
	}
	return true
}
