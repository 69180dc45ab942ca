package longtable

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The metadata of a Parquet file are Thrift structures whose lists and texts
// carry their lengths in front. thriftWalker goes through one structure and
// makes sure that no length promises more than the bytes that are there,
// before anything is allocated from it.
type thriftWalker struct {
	data  []byte
	pos   int
	depth int
	// visit is told every integer and boolean: the identifiers of the fields
	// that lead to it, outermost first, and its value.
	visit func(path []int16, value int64)
	path  []int16
}

var errThrift = errors.New("damaged metadata")

// The types of Thrift's compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12

	maxThriftDepth = 64
)

// structure walks one structure and leaves pos behind it.
func (w *thriftWalker) structure() error {
	if w.depth++; w.depth > maxThriftDepth {
		return fmt.Errorf("%w: nested deeper than %d", errThrift, maxThriftDepth)
	}
	defer func() { w.depth-- }()
	field := int16(0)
	for {
		b, err := w.byte()
		if err != nil {
			return err
		}
		if b == 0 {
			return nil
		}
		if delta := b >> 4; delta != 0 {
			field += int16(delta)
		} else {
			id, err := w.varint()
			if err != nil {
				return err
			}
			field = int16(unzigzag(id))
		}
		w.path = append(w.path, field)
		switch kind := b & 0xf; kind {
		case thriftTrue, thriftFalse: // as a field, a boolean has no bytes of its own
			w.tell(int64(thriftFalse - kind))
		default:
			if err := w.value(kind); err != nil {
				return err
			}
		}
		w.path = w.path[:len(w.path)-1]
	}
}

func (w *thriftWalker) tell(value int64) {
	if w.visit != nil {
		w.visit(w.path, value)
	}
}

func (w *thriftWalker) value(kind byte) error {
	switch kind {
	case thriftTrue, thriftFalse, thriftByte: // in a list, a boolean takes one byte
		return w.skip(1)
	case thriftI16, thriftI32, thriftI64:
		n, err := w.varint()
		if err == nil {
			w.tell(unzigzag(n))
		}
		return err
	case thriftDouble:
		return w.skip(8)
	case thriftBinary:
		n, err := w.varint()
		if err != nil {
			return err
		}
		return w.skip(n)
	case thriftList, thriftSet:
		return w.list()
	case thriftMap:
		return w.pairs()
	case thriftStruct:
		return w.structure()
	}
	return fmt.Errorf("%w: type %d", errThrift, kind)
}

func (w *thriftWalker) list() error {
	b, err := w.byte()
	if err != nil {
		return err
	}
	size, kind := uint64(b>>4), b&0xf
	if size == 15 {
		if size, err = w.varint(); err != nil {
			return err
		}
	}
	return w.elements(size, kind)
}

func (w *thriftWalker) pairs() error {
	size, err := w.varint()
	if err != nil || size == 0 {
		return err
	}
	kinds, err := w.byte()
	if err != nil {
		return err
	}
	return w.elements(size, kinds>>4, kinds&0xf)
}

// elements walks size times the given types; each takes a byte at least.
func (w *thriftWalker) elements(size uint64, kinds ...byte) error {
	if size > uint64(len(w.data)-w.pos) {
		return fmt.Errorf("%w: a list of %d elements in %d bytes", errThrift, size, len(w.data)-w.pos)
	}
	for range size {
		for _, kind := range kinds {
			if err := w.value(kind); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *thriftWalker) byte() (byte, error) {
	if w.pos >= len(w.data) {
		return 0, fmt.Errorf("%w: it ends early", errThrift)
	}
	w.pos++
	return w.data[w.pos-1], nil
}

func (w *thriftWalker) skip(n uint64) error {
	if n > uint64(len(w.data)-w.pos) {
		return fmt.Errorf("%w: a text of %d bytes where %d are left", errThrift, n, len(w.data)-w.pos)
	}
	w.pos += int(n)
	return nil
}

func (w *thriftWalker) varint() (uint64, error) {
	v, n := binary.Uvarint(w.data[w.pos:])
	if n <= 0 {
		return 0, fmt.Errorf("%w: it ends early", errThrift)
	}
	w.pos += n
	return v, nil
}

func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }
