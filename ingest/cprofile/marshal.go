package cprofile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// The types of Python's marshal form that a profile can hold (marshal.c of
// CPython; version 3 added references, marked by a bit of the type).
const (
	typeNull, typeNone, typeTrue, typeFalse            = '0', 'N', 'T', 'F'
	typeInt, typeInt64, typeLong                       = 'i', 'I', 'l'
	typeFloat, typeBinaryFloat                         = 'f', 'g'
	typeBytes, typeInterned, typeText                  = 's', 't', 'u'
	typeASCII, typeASCIIInterned                       = 'a', 'A'
	typeShortASCII, typeShortASCIIInterned             = 'z', 'Z'
	typeTuple, typeSmallTuple, typeList, typeDict      = '(', ')', '[', '{'
	typeRef, typeInternedRef                           = 'r', 'R' // the latter of Python 2
	typeCode                                           = 'c'
	refFlag                                       byte = 0x80
)

// maxNesting is deeper than a profile: a dictionary of tuples of dictionaries
// of tuples.
const maxNesting = 16

// pair is an entry of a dictionary, whose keys need not be comparable here.
type pair struct{ key, value any }

// decoder reads values: numbers as float64, texts as string, tuples and lists
// as []any, dictionaries as []pair, None and truth values as nil.
type decoder struct {
	data []byte
	at   int
	refs []any

	interned []string // texts that Python 2 refers to
}

// errEnd ends a dictionary.
var errEnd = errors.New("a value is missing")

func (d *decoder) take(n int) ([]byte, error) {
	if n < 0 || n > len(d.data)-d.at {
		return nil, errors.New("the profile ends early")
	}
	d.at += n
	return d.data[d.at-n : d.at], nil
}

func (d *decoder) number(size int) (int, error) {
	b, err := d.take(size)
	if err != nil {
		return 0, err
	}
	if size == 1 {
		return int(b[0]), nil
	}
	return int(int32(binary.LittleEndian.Uint32(b))), nil
}

// value reads one value. A null, which ends dictionaries, is errEnd.
func (d *decoder) value(depth int) (any, error) {
	if depth > maxNesting {
		return nil, errors.New("values nested too deep for a profile")
	}
	head, err := d.take(1)
	if err != nil {
		return nil, err
	}
	kind, referred := head[0]&^refFlag, head[0]&refFlag != 0
	place := -1
	if referred {
		place = len(d.refs)
		d.refs = append(d.refs, nil)
	}
	v, err := d.content(kind, depth)
	if err == nil && place >= 0 {
		d.refs[place] = v
	}
	return v, err
}

func (d *decoder) content(kind byte, depth int) (any, error) {
	switch kind {
	case typeNull:
		return nil, errEnd
	case typeNone, typeTrue, typeFalse:
		return nil, nil
	case typeInt:
		n, err := d.number(4)
		return float64(n), err
	case typeInt64:
		b, err := d.take(8)
		if err != nil {
			return nil, err
		}
		return float64(int64(binary.LittleEndian.Uint64(b))), nil
	case typeLong:
		return d.long()
	case typeBinaryFloat:
		b, err := d.take(8)
		if err != nil {
			return nil, err
		}
		return math.Float64frombits(binary.LittleEndian.Uint64(b)), nil
	case typeFloat:
		b, err := d.counted(1)
		if err != nil {
			return nil, err
		}
		return strconv.ParseFloat(string(b), 64)
	case typeInterned:
		b, err := d.counted(4)
		d.interned = append(d.interned, string(b))
		return string(b), err
	case typeBytes, typeText, typeASCII, typeASCIIInterned:
		b, err := d.counted(4)
		return string(b), err
	case typeShortASCII, typeShortASCIIInterned:
		b, err := d.counted(1)
		return string(b), err
	case typeSmallTuple:
		return d.tuple(1, depth)
	case typeTuple, typeList:
		return d.tuple(4, depth)
	case typeDict:
		return d.dict(depth)
	case typeRef:
		n, err := d.number(4)
		if err != nil || n < 0 || n >= len(d.refs) {
			return nil, fmt.Errorf("refers to value %d of %d", n, len(d.refs))
		}
		return d.refs[n], nil
	case typeInternedRef:
		n, err := d.number(4)
		if err != nil || n < 0 || n >= len(d.interned) {
			return nil, fmt.Errorf("refers to text %d of %d", n, len(d.interned))
		}
		return d.interned[n], nil
	case typeCode:
		return nil, errors.New("it holds the program's code, as python -m profile writes it: use python -m cProfile")
	}
	return nil, fmt.Errorf("a value of type %q, which no profile holds", kind)
}

func (d *decoder) counted(size int) ([]byte, error) {
	n, err := d.number(size)
	if err != nil {
		return nil, err
	}
	return d.take(n)
}

// long reads a whole number in digits of 15 bits, the lowest first.
func (d *decoder) long() (any, error) {
	n, err := d.number(4)
	if err != nil {
		return nil, err
	}
	digits, err := d.take(2 * max(n, -n))
	if err != nil {
		return nil, err
	}
	v := 0.0
	for i := len(digits) - 2; i >= 0; i -= 2 {
		v = v*(1<<15) + float64(binary.LittleEndian.Uint16(digits[i:]))
	}
	return math.Copysign(v, float64(n)), nil
}

func (d *decoder) tuple(size, depth int) (any, error) {
	n, err := d.number(size)
	if err != nil {
		return nil, err
	}
	if n < 0 || n > len(d.data)-d.at { // each value takes a byte at least
		return nil, fmt.Errorf("a tuple of %d values in %d bytes", n, len(d.data)-d.at)
	}
	var values []any
	for range n {
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

func (d *decoder) dict(depth int) (any, error) {
	entries := []pair{}
	for {
		key, err := d.value(depth + 1)
		if err == errEnd {
			return entries, nil
		}
		if err != nil {
			return nil, err
		}
		value, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		entries = append(entries, pair{key, value})
	}
}
