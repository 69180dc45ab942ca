package waits

// index numbers keys from 0 on as they come: an open-addressed table of two words a
// key, which the garbage collector does not look into.
type index struct {
	slots []slot // a power of two of them, half of them free at least
	shift uint8  // leaves as many bits of a hash as number them
	keys  int32
}

type slot struct {
	key    uint64
	number int32 // 1 more than it; 0 where nothing is
}

// leastSlots is how many a table begins with.
const leastSlots = 1 << 6

// golden is 2^64 over the golden ratio: its multiples spread keys that follow one
// another (Knuth, The Art of Computer Programming 3, section 6.4).
const golden = 0x9e3779b97f4a7c15

// joint is a key of two numbers.
func joint(x, y int32) uint64 { return uint64(uint32(x))<<32 | uint64(uint32(y)) }

// find is the number of a key; -1 where there is none.
func (x *index) find(key uint64) int32 {
	if x.keys == 0 {
		return -1
	}
	return x.slots[x.place(key)].number - 1
}

// of is the number of a key, which is a new one where that is how many there were.
func (x *index) of(key uint64) int32 {
	if 2*int(x.keys) >= len(x.slots) {
		x.grow()
	}
	s := &x.slots[x.place(key)]
	if s.number == 0 {
		x.keys++
		*s = slot{key, x.keys}
	}
	return s.number - 1
}

// place is the slot of a key, or the free one where it would be.
func (x *index) place(key uint64) int {
	last := len(x.slots) - 1
	i := int(key * golden >> x.shift)
	for {
		s := &x.slots[i&last]
		if s.number == 0 || s.key == key {
			return i & last
		}
		i++
	}
}

func (x *index) grow() {
	old := x.slots
	x.size(max(leastSlots, 2*len(old)))
	for _, s := range old {
		if s.number != 0 {
			x.slots[x.place(s.key)] = s
		}
	}
}

func (x *index) size(slots int) {
	x.slots, x.shift = make([]slot, slots), 65
	for ; slots > 0; slots /= 2 {
		x.shift--
	}
}

// clear forgets all keys. A table that was crowded once shrinks, since clearing takes
// time for every slot.
func (x *index) clear() {
	if n := len(x.slots); n > leastSlots && int(x.keys) < n/16 {
		x.size(n / 2)
	} else if x.keys > 0 {
		clear(x.slots)
	}
	x.keys = 0
}
