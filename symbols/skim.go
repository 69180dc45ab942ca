package symbols

import (
	"debug/dwarf"
	"encoding/binary"
)

// head is the header of a unit of .debug_info.
type head struct {
	start, end int
	first      dwarf.Offset // of its entries
	abbrev     int          // where its abbreviations are
	version    uint16
	offset     int // bytes of an offset
	address    int // and of an address
}

// shape is an abbreviation: what entries of one kind consist of.
type shape struct {
	tag      dwarf.Tag
	children bool
	code     bool // it may have addresses
	ranged   bool // its addresses are a list that stands elsewhere
	values   []value
}

type value struct {
	attribute, form uint64
}

// skimmer goes from entry to entry of a unit without making anything of their values,
// in a tenth of the time of a dwarf.Reader.
type skimmer struct {
	head
	order  binary.ByteOrder
	info   []byte
	at     int
	shapes map[uint64]*shape
	failed bool // the unit cannot be read further
}

// skimmed is an entry; a nil shape ends the children of another.
type skimmed struct {
	*shape
	offset    dwarf.Offset
	after     int // where its sibling is, 0 where it does not say
	low, high uint64
	bounds    bool // low and high are all addresses that it has
}

func (s *skimmer) next() (e skimmed, ok bool) {
	e.offset = dwarf.Offset(s.at)
	code := s.number()
	if s.failed || code == 0 {
		return e, !s.failed
	}
	if e.shape = s.shapes[code]; e.shape == nil {
		return e, false
	}
	var begins, size bool
	for _, v := range e.values {
		switch {
		case v.attribute == uint64(dwarf.AttrSibling):
			e.after = s.sibling(v.form)
		case v.attribute == uint64(dwarf.AttrLowpc) && v.form == formAddress && s.address == 8:
			e.low, begins = s.fixed(8), true
		case v.attribute == uint64(dwarf.AttrHighpc) && v.form < uint64(len(sizes)) && sizes[v.form] > 0:
			e.high, size = s.fixed(sizes[v.form]), true
		default:
			s.step(v.form)
		}
	}
	e.high += e.low
	e.bounds = begins && size && !e.ranged
	return e, !s.failed
}

const formAddress = 0x01

// sizes are the bytes that numbers of a form have: data1, data2, data4 and data8.
var sizes = [256]int{0x0b: 1, 0x05: 2, 0x06: 4, 0x07: 8}

// over goes to where the children of an entry end.
func (s *skimmer) over(e skimmed) {
	if !e.children {
		return
	}
	if e.after > s.at && e.after <= s.end {
		s.at = e.after
		return
	}
	for depth := 1; depth > 0; {
		in, ok := s.next()
		switch {
		case !ok:
			return
		case in.shape == nil:
			depth--
		case in.children:
			depth++
		}
	}
}

func (s *skimmer) skip(n uint64) {
	if n > uint64(s.end-s.at) {
		s.failed, n = true, 0
	}
	s.at += int(n)
}

// fixed reads a number of so many bytes.
func (s *skimmer) fixed(size int) uint64 {
	at := s.at
	if s.skip(uint64(size)); s.failed {
		return 0
	}
	switch b := s.info[at:]; size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(s.order.Uint16(b))
	case 4:
		return uint64(s.order.Uint32(b))
	}
	return s.order.Uint64(s.info[at:])
}

func (s *skimmer) number() uint64 {
	n, size := binary.Uvarint(s.info[s.at:s.end])
	if size <= 0 {
		s.failed = true
		return 0
	}
	s.at += size
	return n
}

func (s *skimmer) sibling(form uint64) int {
	size := map[uint64]int{0x11: 1, 0x12: 2, 0x13: 4, 0x14: 8}[form]
	if size == 0 {
		s.step(form)
		return 0
	}
	if to := s.fixed(size); to < uint64(s.end-s.start) {
		return s.start + int(to)
	}
	return 0
}

// step goes over a value (DWARF 5, 7.5.6, and GNU's own).
func (s *skimmer) step(form uint64) {
	switch form {
	case 0x19, 0x21: // flag_present, implicit_const
	case 0x0b, 0x0c, 0x11, 0x25, 0x29: // data1, flag, ref1, strx1, addrx1
		s.skip(1)
	case 0x05, 0x12, 0x26, 0x2a: // data2, ref2, strx2, addrx2
		s.skip(2)
	case 0x27, 0x2b: // strx3, addrx3
		s.skip(3)
	case 0x06, 0x13, 0x1c, 0x28, 0x2c: // data4, ref4, ref_sup4, strx4, addrx4
		s.skip(4)
	case 0x07, 0x14, 0x20, 0x24: // data8, ref8, ref_sig8, ref_sup8
		s.skip(8)
	case 0x1e: // data16
		s.skip(16)
	case 0x01: // addr
		s.skip(uint64(s.address))
	case 0x10: // ref_addr
		if s.version <= 2 {
			s.skip(uint64(s.address))
		} else {
			s.skip(uint64(s.offset))
		}
	case 0x0e, 0x17, 0x1d, 0x1f, 0x1f20, 0x1f21: // strp, sec_offset, strp_sup, line_strp, GNU_ref_alt, GNU_strp_alt
		s.skip(uint64(s.offset))
	case 0x0d, 0x0f, 0x15, 0x1a, 0x1b, 0x22, 0x23, 0x1f01, 0x1f02: // sdata, udata, ref_udata, strx, addrx, loclistx, rnglistx, GNU_addr_index, GNU_str_index
		s.number()
	case 0x0a: // block1
		s.skip(s.fixed(1))
	case 0x03: // block2
		s.skip(s.fixed(2))
	case 0x04: // block4
		s.skip(s.fixed(4))
	case 0x09, 0x18: // block, exprloc
		s.skip(s.number())
	case 0x08: // string
		for s.fixed(1) != 0 {
		}
	case 0x16: // indirect
		if form = s.number(); form == 0x16 {
			s.failed = true
		} else {
			s.step(form)
		}
	default:
		s.failed = true
	}
}

// shapesAt reads a table of abbreviations.
func shapesAt(abbrev []byte, at int) map[uint64]*shape {
	list := map[uint64]*shape{}
	number := func() uint64 {
		if at < 0 || at >= len(abbrev) {
			return 0
		}
		n, size := binary.Uvarint(abbrev[at:])
		at += max(size, 1)
		return n
	}
	for {
		code := number()
		if code == 0 {
			return list
		}
		s := &shape{tag: dwarf.Tag(number())}
		s.children = number() != 0
		for {
			v := value{number(), number()}
			if v.form == 0x21 { // its value stands here, signed, in as many bytes
				number()
			}
			if v.attribute == 0 && v.form == 0 {
				break
			}
			s.ranged = s.ranged || v.attribute == uint64(dwarf.AttrRanges)
			s.code = s.code || v.attribute == uint64(dwarf.AttrLowpc) || v.attribute == uint64(dwarf.AttrRanges)
			s.values = append(s.values, v)
		}
		list[code] = s
	}
}

// skim goes through the entries of a unit from an offset on.
func (o *Object) skim(unit, from dwarf.Offset) *skimmer {
	h := o.heads[unit]
	if h == nil || int(from) < h.start || int(from) > h.end {
		return &skimmer{failed: true}
	}
	shapes, ok := o.shapes[h.abbrev]
	if !ok {
		shapes = shapesAt(o.abbrev, h.abbrev)
		o.shapes[h.abbrev] = shapes
	}
	return &skimmer{head: *h, order: o.order, info: o.info, at: int(from), shapes: shapes}
}

// headsOf gives the units of .debug_info by their headers (DWARF 5, 7.5.1), whose length
// tells where the next one begins.
func headsOf(info []byte, order binary.ByteOrder) []*head {
	var list []*head
	for at := 0; len(info)-at >= 4; {
		h := &head{start: at, offset: 4}
		size, from := int64(order.Uint32(info[at:])), at+4
		if size == 0xffffffff && len(info)-at >= 12 {
			h.offset, size, from = 8, int64(order.Uint64(info[at+4:])), at+12
		}
		if size < 3 || size > int64(len(info)-from) {
			break
		}
		h.end = from + int(size)
		h.version = order.Uint16(info[from:])
		first := from + 2 + h.offset + 1 // version, where its abbreviations are, size of an address
		places := [2]int{from + 2, from + 2 + h.offset}
		if h.version >= 5 {
			first++ // the unit's type
			places = [2]int{from + 4, from + 3}
			switch info[from+2] {
			case 2, 6: // of types: signature and offset
				first += 8 + h.offset
			case 4, 5: // skeleton and split: the other's signature
				first += 8
			}
		}
		if first < h.end {
			h.first, h.address = dwarf.Offset(first), int(info[places[1]])
			if h.offset == 8 {
				h.abbrev = int(order.Uint64(info[places[0]:]))
			} else {
				h.abbrev = int(order.Uint32(info[places[0]:]))
			}
			list = append(list, h)
		}
		at = h.end
	}
	return list
}
