package model

import "math/bits"

// indexTable finds the elements of a list by their keys: a hash table of their
// numbers with linear probing (Knuth, The Art of Computer Programming 3, 6.4,
// algorithm L). It keeps no keys, since the list has them; a map with keys
// would take four times as much for rows, and ten times for units.
type indexTable struct {
	slots []int32 // a number and 1; 0 where empty. A power of two.
	count int     // how many are in it
}

// find gives the number of the element with that hash for which same holds.
func (t *indexTable) find(hash uint64, same func(i int) bool) (i int, ok bool) {
	if t.count == 0 {
		return 0, false
	}
	mask := uint64(len(t.slots) - 1)
	for at := hash; ; at++ {
		switch i := int(t.slots[at&mask]) - 1; {
		case i < 0:
			return 0, false
		case same(i):
			return i, true
		}
	}
}

// grow takes in the elements up to number n that were added since, which are
// not in it yet.
func (t *indexTable) grow(n int, hash func(i int) uint64) {
	if n > len(t.slots)/4*3 {
		size := max(1024, len(t.slots))
		for n > size/4*3 {
			size *= 2
		}
		t.slots, t.count = make([]int32, size), 0
	}
	mask := uint64(len(t.slots) - 1)
	for ; t.count < n; t.count++ {
		at := hash(t.count)
		for t.slots[at&mask] != 0 {
			at++
		}
		t.slots[at&mask] = int32(t.count + 1)
	}
}

// rowHash is both halves of a product with the golden ratio: units and regions
// that follow each other are spread over all the slots (6.4, figure 37).
func rowHash(key uint64) uint64 {
	high, low := bits.Mul64(key+1, 0x9e3779b97f4a7c15)
	return high ^ low>>20
}
