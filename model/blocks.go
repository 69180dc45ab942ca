package model

// blockLen is how many elements a block holds: large enough that blocks are
// few, small enough that one more is nothing.
const blockLen = 1 << 16

// blocks is a list that grows without moving what it holds. A slice of a
// gigabyte that grows needs the old one and the new one at once.
type blocks[T any] struct {
	all [][]T // each of blockLen elements but the last
	n   int
}

func (b *blocks[T]) append(v T) {
	last := len(b.all) - 1
	if b.n%blockLen == 0 {
		var next []T
		if b.n > 0 {
			next = make([]T, 0, blockLen)
		}
		b.all = append(b.all, next)
		last++
	}
	b.all[last] = append(b.all[last], v)
	b.n++
}

func (b *blocks[T]) at(i int) *T { return &b.all[i/blockLen][i%blockLen] }

// flat gives the elements as one slice, in the given order where there is one,
// and empties the list.
func (b *blocks[T]) flat(order []int32) []T {
	var to []T
	switch {
	case order != nil:
		to = make([]T, len(order))
		for i, j := range order {
			to[i] = *b.at(int(j))
		}
	case len(b.all) == 1:
		to = b.all[0]
	default:
		to = make([]T, 0, b.n)
		for _, block := range b.all {
			to = append(to, block...)
		}
	}
	*b = blocks[T]{}
	return to
}
