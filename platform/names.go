package platform

import (
	"hash/maphash"
	"strconv"
)

// ending is what a link's name ends with.
type ending uint8

const (
	bare ending = iota
	up
	down
	loopback
	limiter
)

var endings = [...]string{"", "_UP", "_DOWN", "_loopback", "_limiter"}

// unnumbered is the number of a link without one in its name.
const unnumbered = -1

// Name is what the platform file calls the link. It is put together when it is asked
// for, since in a large cluster the names of very many links differ in a number only.
func (l Link) Name() string {
	if l.number == unnumbered {
		return *l.stem + endings[l.ending]
	}
	return *l.stem + strconv.Itoa(int(l.number)) + endings[l.ending]
}

// named is a link of which nothing but the name is known.
func named(name string) Link { return Link{stem: &name, number: unnumbered} }

// nameIndex finds points by their names: a hash table with open addressing that
// holds the points' numbers only, since a large platform has many of them.
type nameIndex struct {
	slots []int32 // one more than the point's number, 0 where free
	used  int
}

var nameSeed = maphash.MakeSeed()

// slot is where a name is, or where it would go.
func (t *nameIndex) slot(p *Platform, name string) int {
	mask := len(t.slots) - 1
	i := int(maphash.String(nameSeed, name)) & mask
	for t.slots[i] != 0 && p.nameOf(t.slots[i]-1) != name {
		i = (i + 1) & mask
	}
	return i
}

// find returns the number of the point with the given name.
func (t *nameIndex) find(p *Platform, name string) (int32, bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	i := t.slots[t.slot(p, name)] - 1
	return max(i, 0), i >= 0
}

// add files a point that is being made, with a name that is new.
func (t *nameIndex) add(p *Platform, number int32, name string) {
	if 4*(t.used+1) > 3*len(t.slots) {
		old := t.slots
		t.slots = make([]int32, max(64, 2*len(old)))
		for _, s := range old {
			if s != 0 {
				t.slots[t.slot(p, p.nameOf(s-1))] = s
			}
		}
	}
	t.slots[t.slot(p, name)] = number + 1
	t.used++
}
