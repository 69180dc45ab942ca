package trace

import "encoding/binary"

const (
	knownLines  = 1 << 12 // lines whose action is remembered
	knownLength = 1 << 8  // bytes of such a line
	knownTries  = 8       // places at which a line is looked for
)

// known remembers what lines mean, since most lines of a trace have come before: a hash
// table with open addressing, which is emptied by counting on.
type known struct {
	round  uint32
	lines  int
	text   []byte // of all lines
	places *[2 * knownLines]knownLine
}

type knownLine struct {
	round uint32 // in which it was put here
	start uint32 // in text
	size  uint32
	id    int32
}

// forget empties the table.
func (k *known) forget() {
	if k.round++; k.round == 0 || k.places == nil {
		k.round, k.places = 1, new([2 * knownLines]knownLine)
	}
	k.lines, k.text = 0, k.text[:0]
}

// hash takes eight bytes at a time; the last ones may be taken twice.
func hash(line []byte) uint32 {
	const odd = 0x9e3779b97f4a7c15
	h := uint64(len(line))
	if len(line) < 8 {
		for _, c := range line {
			h = (h ^ uint64(c)) * odd
		}
		return uint32(h >> 32)
	}
	last := binary.LittleEndian.Uint64(line[len(line)-8:])
	for ; len(line) > 8; line = line[8:] {
		h = (h ^ binary.LittleEndian.Uint64(line)) * odd
		h ^= h >> 32
	}
	return uint32((h ^ last) * odd >> 32)
}

// find returns the id that a line was remembered with.
func (k *known) find(line []byte) (id int32, ok bool) {
	h := hash(line)
	for i := range uint32(knownTries) {
		p := &k.places[(h+i)%(2*knownLines)]
		if p.round != k.round {
			break
		}
		if int(p.size) == len(line) && string(k.text[p.start:p.start+p.size]) == string(line) {
			return p.id, true
		}
	}
	return 0, false
}

// add remembers a line that is not known, if there is room.
func (k *known) add(line []byte, id int32) {
	if len(line) > knownLength || k.lines == knownLines {
		return
	}
	h := hash(line)
	for i := range uint32(knownTries) {
		if p := &k.places[(h+i)%(2*knownLines)]; p.round != k.round {
			*p = knownLine{k.round, uint32(len(k.text)), uint32(len(line)), id}
			k.text = append(k.text, line...)
			k.lines++
			return
		}
	}
}
