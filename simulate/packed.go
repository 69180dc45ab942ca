package simulate

import (
	"encoding/binary"
	"math"
)

// packed is a list of numbers, read in the order in which they were added. It takes
// little room where those of one column are alike, as the ranks' and the links' are in
// programs that repeat themselves: each is written as what its bits differ in from
// those of the one before it in its column.
type packed struct {
	bytes []byte
	last  columns
}

// columns are the numbers that came last in each column; columns from the last on share
// one.
type columns [8]uint64

func (c *columns) of(column int) *uint64 { return &c[min(column, len(c)-1)] }

func (p *packed) add(column int, v uint64) {
	last := p.last.of(column)
	p.bytes = binary.AppendUvarint(p.bytes, v^*last)
	*last = v
}

func (p *packed) addFloat(column int, v float64) { p.add(column, math.Float64bits(v)) }

// reset empties a list and keeps its room.
func (p *packed) reset() { *p = packed{bytes: p.bytes[:0]} }

// reader starts at the first number.
func (p *packed) reader() unpacker { return unpacker{bytes: p.bytes} }

// unpacker reads a list.
type unpacker struct {
	bytes []byte
	last  columns
}

// next gives the number that is next in a column, which it must be told as add was.
func (u *unpacker) next(column int) uint64 {
	v, n := binary.Uvarint(u.bytes)
	u.bytes = u.bytes[n:]
	last := u.last.of(column)
	*last ^= v
	return *last
}

func (u *unpacker) nextFloat(column int) float64 { return math.Float64frombits(u.next(column)) }
