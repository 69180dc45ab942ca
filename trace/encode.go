package trace

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
)

// An operation is one code byte (the Kind, or one of the two below), one mask
// byte, and the fields its kind carries, in the order of the fields constants.
// Integers are varints; peers of point-to-point actions are relative to the
// rank, so that ranks that do alike have equal code.
const (
	opRepeat = 62 // uvarint count, then the body, then opEnd
	opEnd    = 63
)

const (
	maskType     = 1 << iota // Type written in the next byte's low half
	maskType2                // Type2 written in its high half
	maskComm                 // communicator other than the world
	maskInteger              // Value is an unsigned varint
	maskSeries               // Value comes from the series whose index follows
	maskVariance             // Value is followed by its variance
	maskNoPeer               // Peer is RootUnset
)

// appendAction writes one operation for the given rank. Strings are looked up
// by the caller: file is the index of a.File in the trace's string table.
func appendAction(b []byte, a *Action, rank int32, file uint64) []byte {
	f := kindFields[a.Kind]
	b = append(b, byte(a.Kind), 0)
	mask := len(b) - 1
	if a.Type != DefaultType || a.Type2 != DefaultType {
		if a.Type != DefaultType {
			b[mask] |= maskType
		}
		if a.Type2 != DefaultType {
			b[mask] |= maskType2
		}
		b = append(b, byte(a.Type)&15|byte(a.Type2)<<4)
	}
	if a.Comm != 0 {
		b[mask] |= maskComm
		b = binary.AppendVarint(b, int64(a.Comm))
	}
	base := int64(rank)
	if a.Kind.Collective() {
		base = 0
	}
	if f&hasPeer != 0 {
		if a.Peer == RootUnset {
			b[mask] |= maskNoPeer
		} else {
			b = binary.AppendVarint(b, int64(a.Peer)-base)
		}
	}
	if f&hasPeer2 != 0 {
		b = binary.AppendVarint(b, int64(a.Peer2)-base)
	}
	if f&hasTag != 0 {
		b = binary.AppendVarint(b, int64(a.Tag))
	}
	if f&hasCount != 0 {
		b = binary.AppendVarint(b, a.Count)
	}
	if f&hasCount2 != 0 {
		b = binary.AppendVarint(b, a.Count2)
	}
	if f&hasValue != 0 {
		if integral(a.Value) {
			b[mask] |= maskInteger
		}
		b = appendValue(b, a.Value)
		if a.Variance != 0 {
			b[mask] |= maskVariance
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(a.Variance))
		}
	}
	if f&hasCounts != 0 {
		b = appendCounts(b, a.Counts)
	}
	if f&hasCounts2 != 0 {
		b = appendCounts(b, a.Counts2)
	}
	if f&hasFile != 0 {
		b = binary.AppendUvarint(b, file)
	}
	return b
}

// integral tells whether v is a whole number that a varint keeps exactly.
func integral(v float64) bool {
	return v >= 0 && v < 1<<53 && v == math.Trunc(v) && !math.Signbit(v)
}

func appendValue(b []byte, v float64) []byte {
	if integral(v) {
		return binary.AppendUvarint(b, uint64(v))
	}
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

func appendCounts(b []byte, counts []int64) []byte {
	b = binary.AppendUvarint(b, uint64(len(counts)))
	for _, n := range counts {
		b = binary.AppendVarint(b, n)
	}
	return b
}

var errCode = errors.New("the operation code is damaged")

// decoder reads operations. It never trusts a length it read.
type decoder struct {
	code []byte
	pos  int
	bad  bool
}

// short reads a varint of up to four bytes from the lowest bytes of b without a branch,
// since a processor cannot foretell how long it is. Where it is longer, n is 5.
func short(b uint32) (v uint64, n int) {
	ends := ^b & 0x80808080
	b &= ends ^ (ends - 1) // up to the first byte that ends a number
	return uint64(b&0x7f | b>>1&(0x7f<<7) | b>>2&(0x7f<<14) | b>>3&(0x7f<<21)), bits.TrailingZeros32(ends)/8 + 1
}

func zigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// plainRoom is how many bytes are looked at for one of the actions below: two numbers of
// five bytes and four of a third, behind a code, a mask and types.
const plainRoom = 20

// head reads the types of an operation, if it has some. It returns what else the mask
// says, and where the fields begin.
func (a *Action) head(b *[plainRoom]byte) (mask byte, at int) {
	a.Kind, a.Type, a.Type2, a.Comm = Kind(b[0]), DefaultType, DefaultType, 0
	if b[1]&(maskType|maskType2) == 0 {
		return b[1], 2
	}
	a.Type, a.Type2 = Type(b[2]&15), Type(b[2]>>4)
	return b[1] &^ (maskType | maskType2), 3
}

// three reads three numbers of four bytes each at most, and where they end; nothing, and
// 0, where one is longer.
func three(b *[plainRoom]byte, at int) (x, y, z uint64, end int) {
	k, l := 1, 1
	if x = uint64(b[at]); x >= 0x80 {
		x, k = short(binary.LittleEndian.Uint32(b[at:]))
	}
	if y = uint64(b[at+k]); y >= 0x80 {
		y, l = short(binary.LittleEndian.Uint32(b[at+k:]))
	}
	z, m := short(binary.LittleEndian.Uint32(b[at+k+l:]))
	if k == 5 || l == 5 || m == 5 {
		return 0, 0, 0, 0
	}
	return x, y, z, at + k + l + m
}

// message reads most messages: a peer, a tag and a count. It returns how many bytes
// that took, 0 where it is anything else.
func (a *Action) message(b *[plainRoom]byte, rank int32) int {
	mask, at := a.head(b)
	if mask != 0 {
		return 0
	}
	peer, tag, count, end := three(b, at)
	a.Peer, a.Tag, a.Count = int32(zigzag(peer))+rank, int32(zigzag(tag)), zigzag(count)
	return end
}

// wait reads a wait likewise: two peers and a tag.
func (a *Action) wait(b *[plainRoom]byte, rank int32) int {
	mask, at := a.head(b)
	if mask != 0 {
		return 0
	}
	peer, peer2, tag, end := three(b, at)
	a.Peer, a.Peer2, a.Tag = int32(zigzag(peer))+rank, int32(zigzag(peer2))+rank, int32(zigzag(tag))
	return end
}

// compute reads a stretch of computation likewise: a value of its own.
func (a *Action) compute(b *[plainRoom]byte) (end int) {
	mask, at := a.head(b)
	a.Peer, a.Variance = RootUnset, 0
	switch mask {
	case 0:
		a.Value = math.Float64frombits(binary.LittleEndian.Uint64(b[at:]))
		return at + 8
	case maskInteger:
		v, n := short(binary.LittleEndian.Uint32(b[at:]))
		if n < 5 {
			a.Value = float64(v)
			return at + n
		}
	}
	return 0
}

// location reads a place likewise: a tag, and the number of its name.
func (a *Action) location(b *[plainRoom]byte) (end int, file uint64) {
	mask, at := a.head(b)
	tag, k := short(binary.LittleEndian.Uint32(b[at:]))
	file, l := short(binary.LittleEndian.Uint32(b[at+k:]))
	if mask != 0 || k == 5 || l == 5 {
		return 0, 0
	}
	a.Peer, a.Tag = RootUnset, int32(zigzag(tag))
	return at + k + l, file
}

func (d *decoder) uvarint() uint64 {
	if rest := d.code[d.pos:]; len(rest) >= 4 { // most take no more
		if v, n := short(binary.LittleEndian.Uint32(rest)); n < 5 {
			d.pos += n
			return v
		}
	}
	v, n := binary.Uvarint(d.code[d.pos:])
	if n <= 0 {
		d.bad = true
		return 0
	}
	d.pos += n
	return v
}

func (d *decoder) varint() int64 {
	return zigzag(d.uvarint())
}

func (d *decoder) float() float64 {
	if len(d.code)-d.pos < 8 {
		d.bad = true
		return 0
	}
	d.pos += 8
	return math.Float64frombits(binary.LittleEndian.Uint64(d.code[d.pos-8:]))
}

func (d *decoder) byte() byte {
	if d.pos >= len(d.code) {
		d.bad = true
		return 0
	}
	d.pos++
	return d.code[d.pos-1]
}

func (d *decoder) counts(buf []int64) []int64 {
	n := d.uvarint()
	buf = buf[:0]
	if n > uint64(len(d.code)-d.pos) { // a count takes a byte at least
		d.bad = true
		return buf
	}
	for range n {
		buf = append(buf, d.varint())
	}
	return buf
}

// fieldsOf reads the fields of an operation of the given kind into a. It
// returns the series that holds the value, or -1, and the file's string index.
func (d *decoder) fieldsOf(k Kind, a *Action, rank int32) (series int, file uint64) {
	f := kindFields[k]
	mask := d.byte()
	a.Kind, a.Type, a.Type2, a.Comm, a.Peer = k, DefaultType, DefaultType, 0, RootUnset
	series = -1
	if mask&(maskType|maskType2) != 0 {
		t := d.byte()
		a.Type, a.Type2 = Type(t&15), Type(t>>4)
	}
	if mask&maskComm != 0 {
		a.Comm = int32(d.varint())
	}
	base := int64(rank)
	if k.Collective() {
		base = 0
	}
	if f&hasPeer != 0 && mask&maskNoPeer == 0 {
		a.Peer = int32(d.varint() + base)
	}
	if f&hasPeer2 != 0 {
		a.Peer2 = int32(d.varint() + base)
	}
	if f&hasTag != 0 {
		a.Tag = int32(d.varint())
	}
	if f&hasCount != 0 {
		a.Count = d.varint()
	}
	if f&hasCount2 != 0 {
		a.Count2 = d.varint()
	}
	if f&hasValue != 0 {
		a.Variance = 0
		switch {
		case mask&maskSeries != 0:
			series = int(min(d.uvarint(), math.MaxInt32))
		case mask&maskInteger != 0:
			a.Value = float64(d.uvarint())
		default:
			a.Value = d.float()
		}
		if mask&maskVariance != 0 {
			a.Variance = d.float()
		}
	}
	if f&hasCounts != 0 {
		a.Counts = d.counts(a.Counts)
	}
	if f&hasCounts2 != 0 {
		a.Counts2 = d.counts(a.Counts2)
	}
	if f&hasFile != 0 {
		file = d.uvarint()
	}
	return series, file
}
