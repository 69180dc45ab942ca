package rough

import "math/bits"

// MaxAttributes is the largest number of attributes a table may have.
const MaxAttributes = 256

// Set is a set of attribute numbers.
type Set [MaxAttributes / 64]uint64

// SetOf returns the set of the given attributes.
func SetOf(attributes ...int) Set {
	var s Set
	for _, a := range attributes {
		s = s.with(a)
	}
	return s
}

// Has tells whether a is in s.
func (s Set) Has(a int) bool { return s[a/64]>>(a%64)&1 == 1 }

// Len is the number of attributes in s.
func (s Set) Len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// Attributes lists s, ascending.
func (s Set) Attributes() []int {
	list := []int{}
	for k, w := range s {
		for ; w != 0; w &= w - 1 {
			list = append(list, 64*k+bits.TrailingZeros64(w))
		}
	}
	return list
}

func (s Set) with(a int) Set    { s[a/64] |= 1 << (a % 64); return s }
func (s Set) without(a int) Set { s[a/64] &^= 1 << (a % 64); return s }

func (s Set) minus(t Set) Set {
	for k := range s {
		s[k] &^= t[k]
	}
	return s
}

func (s Set) empty() bool { return s == Set{} }

// meets tells whether s and t have an attribute in common.
func (s Set) meets(t Set) bool {
	var both uint64
	for k := range s {
		both |= s[k] & t[k]
	}
	return both != 0
}

// within tells whether all of s is in t.
func (s Set) within(t Set) bool {
	var outside uint64
	for k := range s {
		outside |= s[k] &^ t[k]
	}
	return outside == 0
}
