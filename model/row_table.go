package model

import "math/bits"

// rowTable finds rows by unit and region: a hash table of the rows' numbers
// with linear probing (Knuth, The Art of Computer Programming 3, 6.4,
// algorithm L). It keeps no keys, since the rows have them; a map with keys
// would take four times as much for the same rows.
type rowTable struct {
	slots []int32 // a row's number and 1; 0 where empty. A power of two.
	rows  int     // how many are in it
}

// slot is where a key is, or would be.
func (t *rowTable) slot(b *Builder, key uint64) int {
	mask := uint64(len(t.slots) - 1)
	// Both halves of a product with the golden ratio: units and regions that
	// follow each other are spread over all the slots (6.4, figure 37).
	high, low := bits.Mul64(key+1, 0x9e3779b97f4a7c15)
	for i := high ^ low>>20; ; i++ {
		at := t.slots[i&mask]
		if at == 0 || b.keyAt(int(at-1)) == key {
			return int(i & mask)
		}
	}
}

func (t *rowTable) find(b *Builder, key uint64) (row int, ok bool) {
	if t.rows == 0 {
		return len(b.unit), false
	}
	at := t.slots[t.slot(b, key)]
	return int(at - 1), at != 0
}

// add takes in the rows that were added since.
func (t *rowTable) add(b *Builder) {
	if n := len(b.unit); n > len(t.slots)/4*3 {
		size := max(1024, len(t.slots))
		for n > size/4*3 {
			size *= 2
		}
		t.slots, t.rows = make([]int32, size), 0
	}
	for ; t.rows < len(b.unit); t.rows++ {
		t.slots[t.slot(b, b.keyAt(t.rows))] = int32(t.rows + 1)
	}
}
